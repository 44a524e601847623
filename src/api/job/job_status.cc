#include "api/job/job_status.h"

#include <algorithm>

#include "api/job/job_constants.h"
#include "schema/batch/v1/job.pb.h"

namespace windlass::api {

bool has_true_condition(const batch::v1::Job& job, std::string_view condition_type) {
  return std::ranges::any_of(job.status().conditions(), [&](const auto& condition) {
    return condition.type() == condition_type && condition.status() == kConditionTrue;
  });
}

bool is_finished(const batch::v1::Job& job) {
  return has_true_condition(job, kJobComplete) || has_true_condition(job, kJobFailed);
}

}  // namespace windlass::api
