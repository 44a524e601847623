// Annotation windlass.dev/policy of a Job, which any client may write. Whatever it says, reading it
// ends; what is accepted keeps within its bounds, and is no change of itself.
#include <cstddef>
#include <cstdint>
#include <string>

#include "api/job/job_policy.h"
#include "base/check.h"
#include "schema/batch/v1/job.pb.h"

namespace {

using windlass::api::batch::v1::Job;

Job job_with(const std::string& policy) {
  Job job;
  for (const char* name : {"Spot", "Flaky", ""}) {
    auto& rule = *job.mutable_spec()->mutable_pod_failure_policy()->add_rules();
    rule.set_action("Ignore");
    if (*name != '\0') {
      rule.set_name(name);
    }
  }
  (*job.mutable_metadata()->mutable_annotations())[std::string(windlass::api::kPolicyAnnotation)] =
      policy;
  return job;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace windlass::api;
  const Job job = job_with(std::string(reinterpret_cast<const char*>(data), size));
  FieldErrors errors;
  const JobPolicy policy = read_job_policy(job, errors);
  if (!errors.empty()) {
    return 0;
  }
  for (const auto& [rule, limits] : policy.rules) {
    CHECK(rule < 3, "a rule of the policy");
    CHECK(limits.budget || limits.backoff, "limits something");
    CHECK(!limits.budget || *limits.budget >= 0, "a number of failures");
    CHECK(!limits.window || *limits.window >= windlass::seconds(1), "a length of time");
    CHECK(!limits.backoff || limits.backoff->cap >= limits.backoff->base, "a range");
  }
  FieldErrors changes;
  validate_job_policy_update(changes, job, job_with("{}"));
  CHECK(changes.empty() == policy.rules.empty(), "immutable");
  return 0;
}
