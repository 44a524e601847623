// What trees of processes take: memory that only their end gives back, and process numbers. Read
// from /proc, all processes of the machine at once; not for every moment. Stateless.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <map>
#include <optional>
#include <string_view>
#include <vector>

namespace windlass::supervisor {

struct ProcessUse {
  uint64_t memory_bytes = 0;  // anonymous and shared memory, and what is in a /tmp of their own
  uint64_t threads = 0;

  bool operator==(const ProcessUse&) const = default;
};

// One process, of /proc/<pid>/status; nothing for the text of something else.
struct ProcessFacts {
  pid_t parent = 0;
  ProcessUse use;

  bool operator==(const ProcessFacts&) const = default;
};
std::optional<ProcessFacts> read_process_facts(std::string_view status);

// Each of `roots` with its children and theirs, in the same order. In a pid namespace that is all
// of it: its first process takes in every process that loses its parent.
std::vector<ProcessUse> use_of_trees(const std::map<pid_t, ProcessFacts>& processes,
                                     const std::vector<pid_t>& roots);
std::vector<ProcessUse> use_of_trees(const std::vector<pid_t>& roots);

}  // namespace windlass::supervisor
