#include "virtual_world/virtual_files.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

namespace windlass::virtual_world {
namespace {

// As a prefix of the paths inside; "." holds the paths without a folder.
std::string inside(const std::string& directory) {
  if (directory == "." || directory.empty()) {
    return "";
  }
  return directory.ends_with('/') ? directory : directory + "/";
}

Failure missing(std::string_view operation, const std::string& path) {
  return fail(plain_error(fmt::format("{} {}: no such file or directory", operation, path)));
}

}  // namespace

void VirtualFiles::put(const std::string& path, std::string content) {
  files_.insert_or_assign(path, std::move(content));
}

bool VirtualFiles::is_directory(const std::string& path) const {
  const std::string prefix = inside(path);
  const auto file = files_.lower_bound(prefix);
  const auto directory = directories_.lower_bound(prefix);
  return (file != files_.end() && file->first.starts_with(prefix)) ||
         (directory != directories_.end() && directory->starts_with(prefix));
}

// A relative target begins where its link is.
std::string VirtualFiles::resolve(std::string path) const {
  for (int i = 0; i < kMaxLinks; ++i) {
    const auto found = std::find_if(links_.begin(), links_.end(), [&path](const auto& each) {
      return path == each.first || path.starts_with(each.first + "/");
    });
    if (found == links_.end()) {
      break;
    }
    const auto& [place, target] = *found;
    const std::string from = target.starts_with('/') ? "" : place.substr(0, place.rfind('/') + 1);
    path = from + target + path.substr(place.size());
  }
  return path;
}

Result<env::Files::Type> VirtualFiles::type(const std::string& named) {
  const std::string path = resolve(named);
  if (files_.contains(path)) {
    return Type::file;
  }
  if (is_directory(path)) {
    return Type::directory;
  }
  return missing("stat", path);
}

Result<std::string> VirtualFiles::read(const std::string& named, size_t limit) {
  const std::string path = resolve(named);
  if (faults_.fires("sim_files.read_failed")) {
    return fail(plain_error(fmt::format("read {}: input/output error", path)));
  }
  const auto found = files_.find(path);
  if (found == files_.end()) {
    return is_directory(path) ? fail(plain_error(fmt::format("read {}: is a directory", path)))
                              : missing("open", path);
  }
  if (found->second.size() > limit) {
    return fail(plain_error(fmt::format("read {}: more than {} bytes", path, limit)));
  }
  return found->second;
}

Result<std::string> VirtualFiles::read_from(const std::string& path, uint64_t offset,
                                            size_t limit) {
  TRY(const std::string all, read(path, std::string::npos));
  return offset >= all.size() ? "" : all.substr(static_cast<size_t>(offset), limit);
}

Result<std::vector<std::string>> VirtualFiles::list(const std::string& named) {
  const std::string directory = resolve(named);
  if (files_.contains(directory)) {
    return fail(plain_error(fmt::format("open {}: not a directory", directory)));
  }
  if (!is_directory(directory)) {
    return missing("open", directory);
  }
  const std::string prefix = inside(directory);
  std::set<std::string> names;
  const auto add = [&](std::string_view path) {
    const std::string_view rest = path.substr(prefix.size());
    if (!rest.empty()) {
      names.emplace(rest.substr(0, rest.find('/')));
    }
  };
  for (auto file = files_.lower_bound(prefix);
       file != files_.end() && file->first.starts_with(prefix); ++file) {
    add(file->first);
  }
  for (auto link = links_.lower_bound(prefix);
       link != links_.end() && link->first.starts_with(prefix); ++link) {
    add(link->first);
  }
  for (auto made = directories_.lower_bound(prefix);
       made != directories_.end() && made->starts_with(prefix); ++made) {
    add(*made);
  }
  return std::vector<std::string>(names.begin(), names.end());
}

Result<void> VirtualFiles::make_directory(const std::string& path) {
  // Neither it nor a parent may be a file.
  for (size_t slash = path.find('/', 1);; slash = path.find('/', slash + 1)) {
    if (files_.contains(path.substr(0, slash))) {
      return fail(plain_error(fmt::format("mkdir {}: not a directory", path)));
    }
    if (slash == std::string::npos) {
      break;
    }
  }
  directories_.insert(inside(path));
  return {};
}

unsigned VirtualFiles::mode(const std::string& path) const {
  const auto found = modes_.find(resolve(path));
  return found == modes_.end() ? 0 : found->second;
}

uint32_t VirtualFiles::group(const std::string& path) const {
  const auto found = groups_.find(resolve(path));
  return found == groups_.end() ? 0 : found->second;
}

std::string VirtualFiles::link(const std::string& path) const {
  const auto found = links_.find(path);
  return found == links_.end() ? "" : found->second;
}

Result<void> VirtualFiles::write(const std::string& path, std::string_view content, unsigned mode) {
  if (is_directory(path)) {
    return fail(plain_error(fmt::format("open {}: is a directory", path)));
  }
  if (const size_t slash = path.rfind('/');
      slash != std::string::npos && slash > 0 && !is_directory(path.substr(0, slash))) {
    return missing("open", path);
  }
  put(path, std::string(content));
  modes_[path] = mode;
  return {};
}

Result<void> VirtualFiles::set_mode(const std::string& path, unsigned mode) {
  if (!type(path)) {
    return missing("chmod", path);
  }
  modes_[path] = mode;
  return {};
}

Result<void> VirtualFiles::set_group(const std::string& path, uint32_t group) {
  if (!type(path)) {
    return missing("chown", path);
  }
  groups_[path] = group;
  return {};
}

Result<void> VirtualFiles::set_link(const std::string& path, const std::string& target) {
  if (files_.contains(path)) {
    return fail(plain_error(fmt::format("symlink {}: file exists", path)));
  }
  links_.insert_or_assign(path, target);
  return {};
}

Result<env::Files::TreeSize> VirtualFiles::tree_size(const std::string& path) {
  TreeSize size;
  for (const auto& [name, content] : files_) {
    if (name == path || name.starts_with(inside(path))) {
      size.bytes += content.size();
      ++size.entries;
    }
  }
  return size;
}

Result<void> VirtualFiles::remove_tree(const std::string& path) {
  files_.erase(path);
  links_.erase(path);
  const std::string prefix = inside(path);
  std::erase_if(links_, [&](const auto& link) { return link.first.starts_with(prefix); });
  std::erase_if(files_, [&](const auto& file) { return file.first.starts_with(prefix); });
  std::erase_if(directories_, [&](const auto& made) { return made.starts_with(prefix); });
  return {};
}

}  // namespace windlass::virtual_world
