#include "images/store/image_use.h"

#include <algorithm>
#include <string>

#include "posix/files/posix_files.h"

namespace windlass::images {
namespace {

constexpr std::string_view kLower = "lowerdir=";
constexpr size_t kMaxMountinfo = size_t{16} * 1024 * 1024;

bool is_octal(char c) {
  return c >= '0' && c <= '7';
}

// The kernel writes spaces and backslashes as \040 and \134; overlayfs separates paths with colons,
// of which those in a path have a backslash in front.
std::string without_octal(std::string_view text) {
  constexpr size_t kLength = 4;
  constexpr int kBase = 8;
  std::string out;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\\' && i + kLength <= text.size() && is_octal(text[i + 1]) &&
        is_octal(text[i + 2]) && is_octal(text[i + 3])) {
      int value = 0;
      for (size_t k = 1; k < kLength; ++k) {
        value = value * kBase + (text[i + k] - '0');
      }
      out += static_cast<char>(value);
      i += kLength - 1;
    } else {
      out += text[i];
    }
  }
  return out;
}

std::vector<std::string> paths_of(const std::string& option) {
  std::vector<std::string> paths(1);
  for (size_t i = 0; i < option.size(); ++i) {
    if (option[i] == '\\' && i + 1 < option.size()) {
      paths.back() += option[++i];
    } else if (option[i] == ':') {
      paths.emplace_back();
    } else {
      paths.back() += option[i];
    }
  }
  return paths;
}

}  // namespace

std::vector<std::string> lower_directories(std::string_view mountinfo, std::string_view directory) {
  const std::string prefix = std::string(directory) + "/";
  std::vector<std::string> found;
  for (size_t at = mountinfo.find(kLower); at != std::string_view::npos;
       at = mountinfo.find(kLower, at)) {
    at += kLower.size();
    const size_t end = mountinfo.find_first_of(",\n", at);
    for (std::string& path : paths_of(without_octal(mountinfo.substr(at, end - at)))) {
      if (path.starts_with(prefix)) {
        found.push_back(std::move(path));
      }
    }
  }
  return found;
}

std::set<std::string> directories_in_use(const std::string& directory) {
  posix::PosixFiles files;
  std::set<std::string> found;
  for (const std::string& process : files.list("/proc").value_or(std::vector<std::string>())) {
    if (process.find_first_not_of("0123456789") == std::string::npos) {
      const auto mounts = files.read("/proc/" + process + "/mountinfo", kMaxMountinfo);
      for (std::string& path : lower_directories(mounts ? *mounts : std::string(), directory)) {
        found.insert(std::move(path));
      }
    }
  }
  return found;
}

}  // namespace windlass::images
