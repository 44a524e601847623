// What the processes of a simulated Job do, as a text in the command of its container:
// `[sim, JOB, SCRIPT]`. A script gives for each index, or for `*`, the attempts in order; the last
// one is repeated:
//
//   1@2,0@1          fails with 1 after 2 s, then succeeds after 1 s
//   0=42@5;*=0@1     index 0 always fails with 42, the others succeed
//   0@60/3:0         runs for 60 s; 3 s after SIGTERM it exits with 0
//   0@60/-           ignores SIGTERM
//   never            runs until it is killed; `forever` as seconds
//
// Attempts count the processes that were really started for the index. One thread.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "virtual_world/virtual_containers.h"

namespace windlass::verify::simulation {

class ProcessScripts {
 public:
  // What this attempt does; an unreadable script is an error.
  Result<virtual_world::VirtualProcess> next(const std::string& job, std::optional<int32_t> index,
                                             std::string_view script);
  // The same for one pod, however often it is asked.
  Result<virtual_world::VirtualProcess> of_pod(const std::string& uid, const std::string& job,
                                               std::optional<int32_t> index,
                                               std::string_view script);

 private:
  std::map<std::pair<std::string, int32_t>, size_t> attempts_;
  std::map<std::string, virtual_world::VirtualProcess> of_pods_;  // by UID
};

// The attempts of one index.
Result<std::vector<virtual_world::VirtualProcess>> parse_script(std::string_view script,
                                                                std::optional<int32_t> index);

}  // namespace windlass::verify::simulation
