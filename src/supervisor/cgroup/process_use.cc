#include "supervisor/cgroup/process_use.h"

#include <dirent.h>
#include <fmt/format.h>
#include <linux/magic.h>
#include <sys/stat.h>
#include <sys/statfs.h>

#include <algorithm>
#include <charconv>
#include <memory>
#include <string>

#include "supervisor/cgroup/cgroup_files.h"

namespace windlass::supervisor {
namespace {

constexpr uint64_t kKibi = 1024;

template <class Number>
std::optional<Number> number_in(std::string_view text) {
  text.remove_prefix(std::min(text.find_first_not_of(" \t"), text.size()));
  Number number = 0;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), number);
  return read.ec == std::errc() ? std::optional(number) : std::nullopt;
}

// Of the line `<name>: <number>`.
template <class Number>
std::optional<Number> field_of(std::string_view status, std::string_view name) {
  const size_t at = status.find(fmt::format("\n{}:", name));
  return at == std::string_view::npos ? std::nullopt
                                      : number_in<Number>(status.substr(at + name.size() + 2));
}

std::map<pid_t, ProcessFacts> all_processes() {
  std::map<pid_t, ProcessFacts> processes;
  const std::unique_ptr<DIR, int (*)(DIR*)> folder(::opendir("/proc"), ::closedir);
  while (const dirent* entry = folder ? ::readdir(folder.get()) : nullptr) {
    const auto pid = number_in<pid_t>(entry->d_name);
    if (!pid) {
      continue;
    }
    if (const auto facts = read_process_facts(read_cgroup(fmt::format("/proc/{}/status", *pid)))) {
      processes.emplace(*pid, *facts);
    }
  }
  return processes;
}

// A /tmp of its own is memory that none of its processes needs to have mapped.
uint64_t own_tmp_bytes(pid_t pid) {
  const std::string tmp = fmt::format("/proc/{}/{}/tmp", pid, "root");
  struct stat own = {};
  struct stat shared = {};
  struct statfs system = {};
  if (::stat(tmp.c_str(), &own) != 0 || ::statfs(tmp.c_str(), &system) != 0 ||
      system.f_type != TMPFS_MAGIC) {
    return 0;
  }
  if (::stat("/tmp", &shared) == 0 && shared.st_dev == own.st_dev) {
    return 0;
  }
  return (system.f_blocks - system.f_bfree) * static_cast<uint64_t>(system.f_bsize);
}

}  // namespace

std::optional<ProcessFacts> read_process_facts(std::string_view status) {
  const auto parent = field_of<pid_t>(status, "PPid");
  const auto threads = field_of<uint64_t>(status, "Threads");
  if (!parent || !threads) {
    return std::nullopt;
  }
  const uint64_t memory = field_of<uint64_t>(status, "RssAnon").value_or(0) +
                          field_of<uint64_t>(status, "RssShmem").value_or(0);
  return ProcessFacts{*parent, {memory * kKibi, *threads}};
}

std::vector<ProcessUse> use_of_trees(const std::map<pid_t, ProcessFacts>& processes,
                                     const std::vector<pid_t>& roots) {
  std::multimap<pid_t, pid_t> children;
  for (const auto& [pid, facts] : processes) {
    children.emplace(facts.parent, pid);
  }
  std::vector<ProcessUse> uses;
  for (const pid_t root : roots) {
    ProcessUse& use = uses.emplace_back();
    std::vector<pid_t> left = {root};
    // A process that moved while they were read could make a ring of them.
    for (size_t steps = 0; !left.empty() && steps <= processes.size(); ++steps) {
      const pid_t pid = left.back();
      left.pop_back();
      const auto found = processes.find(pid);
      if (found == processes.end()) {
        continue;
      }
      use.memory_bytes += found->second.use.memory_bytes;
      use.threads += found->second.use.threads;
      const auto [begin, end] = children.equal_range(pid);
      std::transform(begin, end, std::back_inserter(left),
                     [](const auto& child) { return child.second; });
    }
  }
  return uses;
}

std::vector<ProcessUse> use_of_trees(const std::vector<pid_t>& roots) {
  std::vector<ProcessUse> uses = use_of_trees(all_processes(), roots);
  for (size_t i = 0; i < roots.size(); ++i) {
    uses[i].memory_bytes += own_tmp_bytes(roots[i]);
  }
  return uses;
}

}  // namespace windlass::supervisor
