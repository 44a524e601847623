// How many pods on each node a selector means, remembered from one attempt to the next: only nodes
// that changed are counted again. Owned by the scheduler, on its executor.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "client/bounded_map.h"
#include "scheduler/cluster/cluster.h"

namespace windlass::scheduler {

class MatchCounts {
 public:
  explicit MatchCounts(const Cluster& cluster) : cluster_(cluster) {}

  // By slot. `key` names what `matches` looks for. Valid until the next call.
  const std::vector<int64_t>& count(const std::string& key,
                                    const std::function<bool(const PodInfo&)>& matches);

 private:
  static constexpr size_t kMaxSelectors = 128;

  struct Counts {
    uint64_t namespace_generation = 0;
    std::vector<uint64_t> generations;
    std::vector<int64_t> counts;
  };

  const Cluster& cluster_;
  client::BoundedMap<Counts> selectors_{kMaxSelectors};
};

}  // namespace windlass::scheduler
