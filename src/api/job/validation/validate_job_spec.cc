#include "api/job/validation/validate_job_spec.h"

#include <array>
#include <string_view>

#include "api/job/job_constants.h"
#include "api/names.h"
#include "api/pod/validation/validate_pod_spec.h"
#include "schema/batch/v1/job.pb.h"

namespace windlass::api {
namespace {

using batch::v1::JobSpec;

constexpr size_t kMaxManagedByBytes = 63;
// Limits of Indexed Jobs, so that their index lists fit into the Job object (KEP-3850, "The Job
// object too big").
constexpr int32_t kMaxIndexedParallelism = 100'000;
constexpr int32_t kMaxFailedIndexes = 100'000;
constexpr int32_t kMaxParallelismWithManyCompletions = 10'000;
constexpr int32_t kMaxFailedIndexesWithManyCompletions = 10'000;
constexpr std::string_view kManyCompletionsText =
    "must be less than or equal to 10000 when completions are above 100000 and used with backoff "
    "limit per index";

// J61, J63.
void validate_numbers(FieldErrors& errors, const FieldPath& path, const JobSpec& spec) {
  const auto check = [&](bool present, int64_t value, std::string_view name) {
    if (present) {
      validate_non_negative(errors, path.child(name), value);
    }
  };
  check(spec.has_parallelism(), spec.parallelism(), "parallelism");
  check(spec.has_completions(), spec.completions(), "completions");
  check(spec.has_active_deadline_seconds(), spec.active_deadline_seconds(),
        "activeDeadlineSeconds");
  check(spec.has_backoff_limit(), spec.backoff_limit(), "backoffLimit");
  check(spec.has_ttl_seconds_after_finished(), spec.ttl_seconds_after_finished(),
        "ttlSecondsAfterFinished");
  check(spec.has_backoff_limit_per_index(), spec.backoff_limit_per_index(), "backoffLimitPerIndex");
  check(spec.has_max_failed_indexes(), spec.max_failed_indexes(), "maxFailedIndexes");
  if (spec.has_max_failed_indexes() && !spec.has_backoff_limit_per_index()) {
    errors.required(path.child("backoffLimitPerIndex"), "when maxFailedIndexes is specified");
  }
}

// J64.
void validate_managed_by(FieldErrors& errors, const FieldPath& path, const JobSpec& spec) {
  if (!spec.has_managed_by()) {
    return;
  }
  validate_domain_prefixed_path(errors, path, spec.managed_by());
  if (spec.managed_by().size() > kMaxManagedByBytes) {
    errors.too_long(path, kMaxManagedByBytes);
  }
}

// J70.
void validate_many_completions(FieldErrors& errors, const FieldPath& path, const JobSpec& spec) {
  if (spec.completions() <= kManyCompletions || !spec.has_backoff_limit_per_index()) {
    return;
  }
  if (!spec.has_max_failed_indexes()) {
    errors.required(path.child("maxFailedIndexes"),
                    "must be specified when completions is above 100000");
  }
  if (spec.parallelism() > kMaxParallelismWithManyCompletions) {
    errors.invalid(path.child("parallelism"), BadValue::number(spec.parallelism()),
                   kManyCompletionsText);
  }
  if (spec.max_failed_indexes() > kMaxFailedIndexesWithManyCompletions) {
    errors.invalid(path.child("maxFailedIndexes"), BadValue::number(spec.max_failed_indexes()),
                   kManyCompletionsText);
  }
}

// J66-J70.
void validate_indexed(FieldErrors& errors, const FieldPath& path, const JobSpec& spec) {
  if (!spec.has_completions()) {
    errors.required(path.child("completions"), "when completion mode is Indexed");
  }
  if (spec.parallelism() > kMaxIndexedParallelism) {
    errors.invalid(path.child("parallelism"), BadValue::number(spec.parallelism()),
                   "must be less than or equal to 100000 when completion mode is Indexed");
  }
  const FieldPath max_failed = path.child("maxFailedIndexes");
  if (spec.has_completions() && spec.has_max_failed_indexes() &&
      spec.max_failed_indexes() > spec.completions()) {
    errors.invalid(max_failed, BadValue::number(spec.max_failed_indexes()),
                   "must be less than or equal to completions");
  }
  if (spec.max_failed_indexes() > kMaxFailedIndexes) {
    errors.invalid(max_failed, BadValue::number(spec.max_failed_indexes()),
                   "must be less than or equal to 100000");
  }
  validate_many_completions(errors, path, spec);
}

// J71. backoffLimitPerIndex with restartPolicy OnFailure is accepted, as Kubernetes does (J72).
void validate_non_indexed(FieldErrors& errors, const FieldPath& path, const JobSpec& spec) {
  constexpr std::string_view kDetail = "requires indexed completion mode";
  if (spec.has_backoff_limit_per_index()) {
    errors.invalid(path.child("backoffLimitPerIndex"),
                   BadValue::number(spec.backoff_limit_per_index()), kDetail);
  }
  if (spec.has_max_failed_indexes()) {
    errors.invalid(path.child("maxFailedIndexes"), BadValue::number(spec.max_failed_indexes()),
                   kDetail);
  }
}

// J65, then what depends on the mode.
void validate_completion_mode(FieldErrors& errors, const FieldPath& path, const JobSpec& spec) {
  if (is_indexed(spec)) {
    validate_indexed(errors, path, spec);
  } else if (!spec.has_completion_mode() || spec.completion_mode() == kNonIndexed) {
    validate_non_indexed(errors, path, spec);
  } else {
    errors.not_supported(path.child("completionMode"), spec.completion_mode(),
                         {kNonIndexed, kIndexed});
  }
}

// J80.
void validate_pod_replacement_policy(FieldErrors& errors, const FieldPath& path,
                                     const JobSpec& spec) {
  if (!spec.has_pod_replacement_policy()) {
    return;
  }
  const std::string& policy = spec.pod_replacement_policy();
  if (spec.has_pod_failure_policy()) {
    if (policy != kReplaceFailed) {
      errors.not_supported(path, policy, {kReplaceFailed});
    }
  } else if (policy != kReplaceFailed && policy != kReplaceTerminatingOrFailed) {
    errors.not_supported(path, policy, {kReplaceFailed, kReplaceTerminatingOrFailed});
  }
}

// J62. Always, or nothing, is the pod's default, so it is as if the author had not chosen.
void validate_restart_policy(FieldErrors& errors, const FieldPath& path, const JobSpec& spec) {
  const std::string& policy = spec.template_().spec().restart_policy();
  if (policy.empty() || policy == kRestartAlways) {
    errors.required(path, R"(valid values: "OnFailure", "Never")");
  } else if (policy != kRestartOnFailure && policy != kRestartNever) {
    errors.not_supported(path, policy, {kRestartOnFailure, kRestartNever});
  } else if (spec.has_pod_failure_policy() && policy != kRestartNever) {
    errors.invalid(path, policy, R"(only "Never" is supported when podFailurePolicy is specified)");
  }
}

}  // namespace

bool is_indexed(const JobSpec& spec) {
  return spec.completion_mode() == kIndexed;
}

void validate_non_negative(FieldErrors& errors, const FieldPath& path, int64_t value) {
  if (value < 0) {
    errors.invalid(path, BadValue::number(value), "must be greater than or equal to 0");
  }
}

void validate_job_spec(FieldErrors& errors, const FieldPath& path, const JobSpec& spec) {
  validate_numbers(errors, path, spec);
  validate_managed_by(errors, path.child("managedBy"), spec);
  validate_completion_mode(errors, path, spec);
  if (spec.has_pod_failure_policy()) {
    validate_pod_failure_policy(errors, path.child("podFailurePolicy"), spec);
  }
  if (spec.has_success_policy()) {
    const FieldPath success = path.child("successPolicy");
    if (is_indexed(spec)) {
      validate_success_policy(errors, success, spec);
    } else {  // J73
      errors.invalid(success, BadValue::message(spec.success_policy()),
                     "requires indexed completion mode");
    }
  }
  validate_pod_replacement_policy(errors, path.child("podReplacementPolicy"), spec);
  const FieldPath pod_template = path.child("template");
  validate_pod_template_spec(errors, pod_template, spec.template_());  // J94
  validate_restart_policy(errors, pod_template.child("spec").child("restartPolicy"), spec);
  validate_job_selector(errors, path, spec);
}

}  // namespace windlass::api
