// What the processes of pods wrote down about themselves, and what there is of them on the machine:
// for tests that kill the processes that hold them. Stateless, any thread.
#pragma once

#include <map>
#include <string>
#include <vector>

namespace windlass::crash {

struct Attempt {
  int begins = 0;
  std::vector<int> ends;  // exit codes that it was about to end with
};

// By pod UID. Each line: begin|end UID [CODE].
std::map<std::string, Attempt> read_pod_ledger(const std::string& path);

// What is left of the pods of `nodes` below `data_dir`: processes with `marker` in their
// environment, mounts, control groups, files. In sentences; empty when there is nothing.
std::vector<std::string> left_behind(const std::string& data_dir,
                                     const std::vector<std::string>& nodes,
                                     const std::string& marker);

// The control groups of the supervisors themselves, which go with them.
std::vector<std::string> groups_of(const std::string& data_dir,
                                   const std::vector<std::string>& nodes);

}  // namespace windlass::crash
