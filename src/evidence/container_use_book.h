// What containers of this process's nodes took, from their end until their pod is recorded. The
// nodes tell of it before they tell the API server of the end, so it is here in time. Bounded: of
// many pods those that ended first are forgotten. Lives on the core executor.
#pragma once

#include <cstddef>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>

#include "env/containers.h"
#include "evidence/attempt_builder.h"

namespace windlass::evidence {

class ContainerUseBook {
 public:
  static constexpr size_t kMaxPods = 10'000;

  // Of a container that was restarted in place: the most memory and all the time of its runs.
  void add(const std::string& pod_uid, const std::string& container,
           const env::ContainerExit& exit);
  std::optional<ContainerUsage> find(const std::string& pod_uid,
                                     const std::string& container) const;

 private:
  std::unordered_map<std::string, std::map<std::string, ContainerUsage>> pods_;
  std::deque<std::string> order_;  // UIDs, the oldest first
};

}  // namespace windlass::evidence
