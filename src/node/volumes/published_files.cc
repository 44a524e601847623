#include "node/volumes/published_files.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "base/hash.h"

namespace windlass::node {
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
