#include "node/volumes/volume_files.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "base/hash.h"

namespace windlass::node {

namespace {

class FilesByPath {
 public:
  explicit FilesByPath(size_t room) : room_(room) {}

  // What is put in place of another counts too: it takes time all the same.
  Result<void> put(const std::string& path, std::string content, unsigned mode) {
    if (path.size() > room_ || content.size() > room_ - path.size()) {
      return fail(plain_error(fmt::format(
          "the files of a pod's configMap, secret, downwardAPI and projected volumes have more "
          "than {} bytes together",
          kMaxVolumeBytes)));
    }
    room_ -= path.size() + content.size();
    files_.insert_or_assign(path, VolumeFile{path, std::move(content), mode});
    return {};
  }

  std::vector<VolumeFile> take() {
    std::vector<VolumeFile> files;
    for (auto& [path, file] : files_) {
      files.push_back(std::move(file));
    }
    return files;
  }

 private:
  size_t room_;
  std::map<std::string, VolumeFile> files_;
};

Status missing_key(const ObjectName& object, const std::string& key) {
  return {404,
          "NotFound",
          object.kind == ObjectName::Kind::secret
              ? fmt::format("references non-existent secret key: {}", key)
              : fmt::format("configmap references non-existent config key: {}", key),
          {}};
}

Result<void> add_object_files(const FileSource& source, const PodObjects& objects,
                              FilesByPath& files) {
  TRY(const ObjectData* data, find_object(objects, source.object, source.optional));
  if (data == nullptr) {
    return {};
  }
  if (source.items.empty()) {
    for (const auto& [key, content] : *data) {
      TRY_VOID(files.put(key, content, source.default_mode));
    }
    return {};
  }
  for (const FileSource::Item& item : source.items) {
    const auto found = data->find(item.key);
    if (found != data->end()) {
      TRY_VOID(files.put(item.path, found->second, item.mode));
    } else if (!source.optional) {
      return fail(missing_key(source.object, item.key));
    }
  }
  return {};
}

// key="value", a line each.
std::string map_text(const std::map<std::string, std::string, std::less<>>& values) {
  std::string text;
  for (const auto& [key, value] : values) {
    text += text.empty() ? "" : "\n";
    text += key + "=\"";
    for (const char c : value) {
      text += c == '\n' ? "\\n" : c == '"' || c == '\\' ? std::string("\\") + c : std::string(1, c);
    }
    text += '"';
  }
  return text;
}

Result<std::string> downward_content(const PodSpecView& pod, const HostFacts& host,
                                     const FileSource::Item& item) {
  if (item.resource.empty() && item.key == "metadata.labels") {
    return map_text(pod.labels);
  }
  if (item.resource.empty() && item.key == "metadata.annotations") {
    return map_text(pod.annotations);
  }
  if (item.resource.empty()) {
    return field_text(pod, host, item.key);
  }
  EnvironmentEntry entry;
  entry.text = item.resource;
  entry.container = item.container;
  entry.milli_divisor = item.milli_divisor;
  return resource_text(pod, ContainerSpecView(), host, entry);
}

}  // namespace

Result<std::vector<VolumeFile>> volume_files(const PodSpecView& pod, const VolumePlan& volume,
                                             const HostFacts& host, const PodObjects& objects,
                                             size_t room) {
  FilesByPath by_path(room);
  for (const FileSource& source : volume.sources) {
    if (source.kind == FileSource::Kind::object) {
      TRY_VOID(add_object_files(source, objects, by_path));
      continue;
    }
    for (const FileSource::Item& item : source.items) {
      TRY(std::string content, downward_content(pod, host, item));
      TRY_VOID(by_path.put(item.path, std::move(content), item.mode));
    }
  }
  return by_path.take();
}

namespace {

constexpr unsigned kFolderMode = 0755;
constexpr unsigned kGroupReads = 0440;
constexpr const char* kCurrent = "..data";

std::string folder_of(const std::string& path) {
  const size_t slash = path.rfind('/');
  return slash == std::string::npos ? "" : path.substr(0, slash);
}

Result<void> write_all(env::Files& files, const std::string& state,
                       const std::vector<VolumeFile>& content, std::optional<uint32_t> group) {
  TRY_VOID(files.make_directory(state));
  TRY_VOID(files.set_mode(state, kFolderMode));
  for (const VolumeFile& file : content) {
    for (std::string folder = folder_of(file.path); !folder.empty(); folder = folder_of(folder)) {
      TRY_VOID(files.make_directory(state + "/" + folder));
      TRY_VOID(files.set_mode(state + "/" + folder, kFolderMode));
    }
    const std::string path = state + "/" + file.path;
    TRY_VOID(files.write(path, file.content, group ? file.mode | kGroupReads : file.mode));
    hand_over(files, path, group);
  }
  return {};
}

}  // namespace

void hand_over(env::Files& files, const std::string& path, std::optional<uint32_t> group) {
  if (group) {
    [[maybe_unused]] const Result<void> given = files.set_group(path, *group);
  }
}

uint64_t hash_of(const std::vector<VolumeFile>& content) {
  std::string text;
  for (const VolumeFile& file : content) {
    text += fmt::format("{}:{}{}:{}{}\n", file.path.size(), file.path, file.content.size(),
                        file.content, file.mode);
  }
  return stable_hash(text);
}

Result<void> publish_files(env::Files& files, const std::string& directory,
                           const std::vector<VolumeFile>& content, std::optional<uint32_t> group) {
  TRY_VOID(files.make_directory(directory));
  TRY_VOID(files.set_mode(directory, kFolderMode));
  TRY(const std::vector<std::string> before, files.list(directory));
  const std::set<std::string> names(before.begin(), before.end());
  size_t number = 1;
  while (names.contains(fmt::format("..{}", number))) {
    ++number;
  }
  const std::string state = fmt::format("..{}", number);
  TRY_VOID(write_all(files, directory + "/" + state, content, group));
  TRY_VOID(files.set_link(directory + "/" + kCurrent, state));
  std::set<std::string> shown = {kCurrent, state};
  for (const VolumeFile& file : content) {
    const std::string top = file.path.substr(0, file.path.find('/'));
    if (shown.insert(top).second && !names.contains(top)) {
      TRY_VOID(files.set_link(directory + "/" + top, fmt::format("{}/{}", kCurrent, top)));
    }
  }
  for (const std::string& name : names) {
    if (!shown.contains(name)) {
      TRY_VOID(files.remove_tree(directory + "/" + name));
    }
  }
  return {};
}

}  // namespace windlass::node
