// A Job that runs some indexes of a finished Indexed Job again, with the same numbers
// (job-controller.md 12), made from that Job and its pods alone. Errors are for the user, and say
// what to do next. Pure; any thread.
#pragma once

#include <string>
#include <vector>

#include "api/object.h"
#include "base/index_set.h"
#include "base/result.h"
#include "engine/state/index_counts.h"

namespace windlass::api::batch::v1 {
class Job;
}

namespace windlass::cli {

struct RerunRequest {
  IndexSet indexes = {};        // to run
  std::string name = {};        // "": the server makes one from the name of the Job
  std::string managed_by = {};  // "": that of the Job
  // Failures that the indexes start with (12.6).
  engine::IndexCounts counts = {};
};

// An error where the Job cannot be rerun at all: not Indexed, not finished, a selector of its own.
Result<void> check_rerunnable(const api::batch::v1::Job& job);

// The indexes of a Job for which check_rerunnable() has no error. An error where there are none.
Result<IndexSet> failed_indexes(const api::batch::v1::Job& job);
Result<IndexSet> unfinished_indexes(const api::batch::v1::Job& job);

// All failures of `indexes` that the Job's record and pods tell of. `pods` are the Job's own.
engine::IndexCounts kept_counts(const api::batch::v1::Job& job,
                                const std::vector<api::ObjectPtr>& pods, const IndexSet& indexes);

// Whether a Job with these indexes completed has met its success policy, and runs nothing.
bool meets_success_policy(const api::batch::v1::Job& job, const std::string& completed);

// The new Job, as a client creates it: without what servers and controllers set. Owners and
// finalizers are not taken over, and it is not suspended.
Result<api::batch::v1::Job> make_rerun(const api::batch::v1::Job& job, const RerunRequest& request);

}  // namespace windlass::cli
