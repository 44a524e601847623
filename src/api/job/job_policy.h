// Annotation windlass.dev/policy: how often, and how soon, failures that match a rule of the pod
// failure policy are tried again (job-controller.md 13; api.md J157-J159). YAML or JSON. Pure; any
// thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string_view>

#include "api/field_error.h"
#include "base/time.h"

namespace windlass::api::batch::v1 {
class Job;
}

namespace windlass::api {

inline constexpr std::string_view kPolicyAnnotation = "windlass.dev/policy";
inline constexpr size_t kMaxPolicyBytes = size_t{64} << 10;
// A budget whose failures are counted by their times: the controller remembers no more of them.
inline constexpr int32_t kMaxTimedRuleBudget = 31;

struct RulePolicy {
  struct Backoff {
    Duration base;
    Duration cap;

    bool operator==(const Backoff&) const = default;
  };
  std::optional<int32_t> budget;
  std::optional<Duration> window;
  bool reset_on_success = false;
  std::optional<Backoff> backoff;

  bool operator==(const RulePolicy&) const = default;
};

struct JobPolicy {
  std::map<size_t, RulePolicy> rules;  // by the place of the rule in spec.podFailurePolicy

  bool operator==(const JobPolicy&) const = default;
};

// What the annotation says, as far as it can be used; all that is wrong with it goes to `errors`.
// An empty policy without the annotation.
JobPolicy read_job_policy(const batch::v1::Job& job, FieldErrors& errors);

// J157, J158.
void validate_job_policy(FieldErrors& errors, const batch::v1::Job& job);
// J159: of the Job or of its status.
void validate_job_policy_update(FieldErrors& errors, const batch::v1::Job& old_job,
                                const batch::v1::Job& job);

}  // namespace windlass::api
