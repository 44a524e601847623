#include "node/volume_files.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

namespace windlass::node {
namespace {

using FilesByPath = std::map<std::string, VolumeFile>;

void put_file(std::string path, std::string content, unsigned mode, FilesByPath& files) {
  VolumeFile file{path, std::move(content), mode};
  files.insert_or_assign(std::move(path), std::move(file));
}

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
      put_file(key, content, source.default_mode, files);
    }
    return {};
  }
  for (const FileSource::Item& item : source.items) {
    const auto found = data->find(item.key);
    if (found != data->end()) {
      put_file(item.path, found->second, item.mode, files);
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

Result<std::string> downward_content(const PodPlan& pod, const HostFacts& host,
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
  return resource_text(pod, ContainerPlan(), host, entry);
}

}  // namespace

Result<std::vector<VolumeFile>> volume_files(const PodPlan& pod, const VolumePlan& volume,
                                             const HostFacts& host, const PodObjects& objects) {
  FilesByPath by_path;
  for (const FileSource& source : volume.sources) {
    if (source.kind == FileSource::Kind::object) {
      TRY_VOID(add_object_files(source, objects, by_path));
      continue;
    }
    for (const FileSource::Item& item : source.items) {
      TRY(std::string content, downward_content(pod, host, item));
      put_file(item.path, std::move(content), item.mode, by_path);
    }
  }
  std::vector<VolumeFile> files;
  for (auto& [path, file] : by_path) {
    files.push_back(std::move(file));
  }
  return files;
}

}  // namespace windlass::node
