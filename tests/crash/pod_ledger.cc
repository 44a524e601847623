#include "pod_ledger.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>

#include "base/hash.h"

namespace windlass::crash {
namespace {

namespace fs = std::filesystem;

std::string read_all(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

std::vector<std::string> names_in(const fs::path& folder) {
  std::vector<std::string> names;
  std::error_code gone;
  for (auto entry = fs::directory_iterator(folder, gone);
       !gone && entry != fs::directory_iterator(); entry.increment(gone)) {
    names.push_back(entry->path().filename().string());
  }
  return names;
}

bool is_number(const std::string& text) {
  return std::all_of(text.begin(), text.end(),
                     [](unsigned char c) { return std::isdigit(c) != 0; });
}

std::vector<std::string> processes_with(const std::string& marker) {
  std::vector<std::string> found;
  for (const std::string& name : names_in("/proc")) {
    if (is_number(name) &&
        read_all("/proc/" + name + "/environ").find(marker) != std::string::npos) {
      std::string words = read_all("/proc/" + name + "/cmdline");
      std::replace(words.begin(), words.end(), '\0', ' ');
      found.push_back(fmt::format("process {}: {}", name, words));
    }
  }
  return found;
}

}  // namespace

std::map<std::string, Attempt> read_pod_ledger(const std::string& path) {
  std::map<std::string, Attempt> attempts;
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    std::istringstream words(line);
    std::string what;
    std::string uid;
    int code = 0;
    words >> what >> uid >> code;
    Attempt& attempt = attempts[uid];
    what == "begin" ? static_cast<void>(++attempt.begins) : attempt.ends.push_back(code);
  }
  return attempts;
}

std::vector<std::string> groups_of(const std::string& data_dir,
                                   const std::vector<std::string>& nodes) {
  std::vector<std::string> groups;
  for (const std::string& node : nodes) {
    const std::string directory = fmt::format("{}/nodes/{}/supervisor", data_dir, node);
    const std::string instance = fmt::format("{:016x}", stable_hash(directory));
    for (const std::string& hierarchy : names_in("/sys/fs/cgroup")) {
      const std::string group =
          hierarchy == "windlass"  // there is only one, and this is it
              ? fmt::format("/sys/fs/cgroup/windlass/{}", instance)
              : fmt::format("/sys/fs/cgroup/{}/windlass/{}", hierarchy, instance);
      if (fs::is_directory(group)) {
        groups.push_back(group);
      }
    }
  }
  return groups;
}

std::vector<std::string> left_behind(const std::string& data_dir,
                                     const std::vector<std::string>& nodes,
                                     const std::string& marker) {
  std::vector<std::string> left = processes_with(marker);
  std::istringstream mounts(read_all("/proc/self/mountinfo"));
  for (std::string line; std::getline(mounts, line);) {
    if (line.find(data_dir) != std::string::npos) {
      left.push_back("mount " + line);
    }
  }
  for (const std::string& group : groups_of(data_dir, nodes)) {
    for (const std::string& name : names_in(group)) {
      if (fs::is_directory(group + "/" + name)) {
        left.push_back(fmt::format("control group {}/{}", group, name));
      }
    }
  }
  for (const std::string& name : names_in(data_dir + "/trash")) {
    left.push_back("in the trash: " + name);
  }
  for (const std::string& node : nodes) {
    for (const char* folder : {"pods", "volumes", "layers", "logs"}) {
      const std::string path = fmt::format("{}/nodes/{}/{}", data_dir, node, folder);
      for (const std::string& name : names_in(path)) {
        left.push_back(fmt::format("file {}/{}", path, name));
      }
    }
  }
  return left;
}

}  // namespace windlass::crash
