#include "api/job/default_job.h"

#include <limits>

#include "api/job/job_constants.h"
#include "api/job/job_strategy.h"
#include "api/pod/defaults/default_pod.h"
#include "schema/batch/v1/job.pb.h"

namespace windlass::api {
namespace {

using batch::v1::JobSpec;

constexpr int32_t kDefaultBackoffLimit = 6;
// With a limit per index the Job-wide one should not be what ends the Job (KEP-3850, "Job API").
constexpr int32_t kNoBackoffLimit = std::numeric_limits<int32_t>::max();

// A Job with parallelism alone is a work queue: its completions stay absent (J40, J41).
void default_counts(JobSpec& spec) {
  if (!spec.has_completions() && !spec.has_parallelism()) {
    spec.set_completions(1);
  }
  if (!spec.has_parallelism()) {
    spec.set_parallelism(1);
  }
}

void default_backoff_limit(JobSpec& spec, const FeatureGates& gates) {
  if (spec.has_backoff_limit()) {
    return;
  }
  const bool per_index =
      spec.has_backoff_limit_per_index() && gates.enabled(Feature::job_backoff_limit_per_index);
  spec.set_backoff_limit(per_index ? kNoBackoffLimit : kDefaultBackoffLimit);
}

void default_pod_replacement_policy(JobSpec& spec, const FeatureGates& gates) {
  if (spec.has_pod_replacement_policy() || !gates.enabled(Feature::job_pod_replacement_policy)) {
    return;
  }
  const std::string_view policy =
      spec.has_pod_failure_policy() ? kReplaceFailed : kReplaceTerminatingOrFailed;
  spec.set_pod_replacement_policy(policy.data(), policy.size());
}

void default_pod_failure_policy(JobSpec& spec) {
  if (!spec.has_pod_failure_policy()) {
    return;
  }
  for (auto& rule : *spec.mutable_pod_failure_policy()->mutable_rules()) {
    for (auto& pattern : *rule.mutable_on_pod_conditions()) {
      if (pattern.status().empty()) {
        pattern.set_status(kConditionTrue.data(), kConditionTrue.size());
      }
    }
  }
}

void default_spec(JobSpec& spec, const FeatureGates& gates) {
  default_counts(spec);                // J40, J41
  default_backoff_limit(spec, gates);  // J42
  if (!spec.has_completion_mode()) {   // J44
    spec.set_completion_mode(kNonIndexed.data(), kNonIndexed.size());
  }
  if (!spec.has_suspend()) {  // J45
    spec.set_suspend(false);
  }
  default_pod_replacement_policy(spec, gates);  // J46
  if (!spec.has_manual_selector()) {            // J47
    spec.set_manual_selector(false);
  }
  default_pod_failure_policy(spec);                 // J48; rule names have no default (J50)
  default_pod_template(*spec.mutable_template_());  // J49
}

}  // namespace

void default_job(batch::v1::Job& job, const FeatureGates& gates) {
  default_spec(*job.mutable_spec(), gates);
  default_job_labels(job);
}

void default_job_spec(batch::v1::Job& job, const FeatureGates& gates) {
  drop_disabled_job_fields(job, nullptr, gates);
  default_spec(*job.mutable_spec(), gates);
}

void default_job_labels(batch::v1::Job& job) {
  if (job.metadata().labels().empty() && !job.spec().template_().metadata().labels().empty()) {
    *job.mutable_metadata()->mutable_labels() = job.spec().template_().metadata().labels();
  }
}

}  // namespace windlass::api
