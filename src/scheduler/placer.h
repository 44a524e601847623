// Chooses the node for a pod: all nodes through the filters, the best of those left by score, ties
// by lot (disruption.md 1.2 and 1.3). Sees every node each time, which is affordable because what a
// node alone says is remembered (local_results.h). Owned by the scheduler, on its executor.
#pragma once

#include <string>
#include <vector>

#include "env/random.h"
#include "scheduler/attempt.h"
#include "scheduler/local_results.h"

namespace windlass::scheduler {

struct Placement {
  std::string node;       // "" when none takes the pod
  std::vector<Fit> fits;  // then: by slot, why not
};

class Placer {
 public:
  Placer(const Cluster& cluster, const Nominations& nominations, env::Random& random)
      : cluster_(cluster),
        nominations_(nominations),
        random_(random),
        counts_(cluster),
        local_(cluster) {}

  Attempt attempt(const PodInfo& pod) { return {pod, cluster_, nominations_, counts_}; }
  Placement place(Attempt& attempt);

  // What a node alone says of pods of this shape.
  Fit fit_locally_on(const PodShape& shape, const std::string& node) const;

 private:
  std::vector<int64_t> score(const PodInfo& pod, const std::vector<size_t>& slots,
                             const std::vector<LocalResult>& local);

  const Cluster& cluster_;
  const Nominations& nominations_;
  env::Random& random_;
  MatchCounts counts_;
  LocalResults local_;
};

}  // namespace windlass::scheduler
