// What earlier runs of the same manifest have done, and the plan of a run without it: for `windlass
// run --resume`. Pure.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "base/index_set.h"
#include "base/result.h"
#include "cli/manifests/run_manifests.h"
#include "cli/runs/run_store.h"

namespace windlass::api::ledger::v1 {
class Attempt;
}

namespace windlass::cli {

class DoneWork {
 public:
  // What the run knew of earlier ones, and what its report says.
  explicit DoneWork(const StoredRun& run);
  // One of the run's ledger, which knows more than the last report of a run that was killed.
  void add(const api::ledger::v1::Attempt& attempt);
  std::vector<RunRecord::DoneJob> jobs() const;

 private:
  struct Done {
    bool complete = false;
    IndexSet indexes = {};
    // Without indexes: of earlier runs, and of this one by two accounts.
    int64_t before = 0;
    int64_t reported = 0;
    int64_t recorded = 0;
  };

  std::map<std::pair<std::string, std::string>, Done> jobs_;  // by namespace and name
};

// A plan that runs what is left of another.
struct RestOfPlan {
  RunPlan plan;
  std::vector<std::string> notes;  // a line for each Job of which something is done
};

// Complete Jobs are left out. An Indexed Job starts with its indexes as completed. One without
// indexes gets as many completions as are left; a work queue runs as a whole. Jobs whose names the
// server makes cannot be recognized, and run as a whole, too.
Result<RestOfPlan> without_done(const RunPlan& plan, const std::vector<RunRecord::DoneJob>& done);

}  // namespace windlass::cli
