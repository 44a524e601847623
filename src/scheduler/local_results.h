// What a node alone says about pods of one shape, remembered from one attempt to the next: only
// nodes that changed are looked at again, so that placing the thousandth pod of a Job costs one
// node and a walk over numbers. Owned by the scheduler, on its executor.
#pragma once

#include <cstdint>
#include <vector>

#include "client/bounded_map.h"
#include "scheduler/cluster/cluster.h"
#include "scheduler/fit.h"

namespace windlass::scheduler {

inline constexpr int64_t kBestScore = 100;  // of one kind of score, before its weight

// The parts of the score that look at one node (disruption.md S-14); filled in when the pod fits.
struct LocalScore {
  int64_t untolerated = 0;  // PreferNoSchedule taints; to be compared with other nodes
  int64_t preferred = 0;    // weights of preferred terms that match; likewise
  int64_t room = 0;         // least-allocated and balanced, each 0 to kBestScore
};

LocalScore score_locally(const PodShape& pod, const NodeInfo& node, const NodeUsage& usage);

struct LocalResult {
  uint64_t generation = 0;
  Fit fit;
  LocalScore score;
};

class LocalResults {
 public:
  explicit LocalResults(const Cluster& cluster) : cluster_(cluster) {}
  // By slot. Valid until the next call.
  const std::vector<LocalResult>& of(const PodShape& pod);

 private:
  static constexpr size_t kMaxShapes = 128;

  const Cluster& cluster_;
  client::BoundedMap<std::vector<LocalResult>> shapes_{kMaxShapes};
};

}  // namespace windlass::scheduler
