// The files of control groups: small reads, single writes, members. Errors name the path.
// Stateless.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace windlass::supervisor {

Result<void> write_cgroup(const std::string& path, std::string_view value);
// "" when it cannot be read.
std::string read_cgroup(const std::string& path);
// The number after `key` in a file of `key number` lines.
uint64_t cgroup_counter(const std::string& path, std::string_view key);

// Sends SIGKILL to every member of the group and of those below it. Without cgroup.kill (v1) each
// is opened as a pidfd and looked for again before it is signalled: a number that went to another
// process meanwhile is not hit (safety.md N5).
void kill_cgroup(const std::string& path);

// Removes the group and those below it; false while a process is in one of them.
bool remove_cgroup(const std::string& path);
// The same for the groups below it; it stays itself.
bool remove_subgroups(const std::string& path);

}  // namespace windlass::supervisor
