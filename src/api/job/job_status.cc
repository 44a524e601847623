#include "api/job/job_status.h"

#include <algorithm>

#include "api/job/job_constants.h"
#include "schema/batch/v1/job.pb.h"

namespace windlass::api {

namespace {

bool has_condition(const batch::v1::Job& job, std::string_view type, std::string_view status) {
  return std::ranges::any_of(job.status().conditions(), [&](const auto& condition) {
    return condition.type() == type && condition.status() == status;
  });
}

}  // namespace

bool has_true_condition(const batch::v1::Job& job, std::string_view type) {
  return has_condition(job, type, kConditionTrue);
}

bool has_false_condition(const batch::v1::Job& job, std::string_view type) {
  return has_condition(job, type, kConditionFalse);
}

bool is_finished(const batch::v1::Job& job) {
  return has_true_condition(job, kJobComplete) || has_true_condition(job, kJobFailed);
}

}  // namespace windlass::api
