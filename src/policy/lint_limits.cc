// Limits that do not mean what they seem to, and names that are missing.
#include <fmt/format.h>

#include <algorithm>
#include <cstdint>

#include "engine/policy/backoff.h"
#include "policy/lint_parts.h"

namespace windlass::policy {
namespace {

// What a Job gets that says nothing (api.md J40): its author was not misled.
constexpr int32_t kDefaultBackoffLimit = 6;
// Enough to be past any deadline that a sum of delays could be compared with.
constexpr int32_t kMaxSummedRetries = 1'000;

void check_rollback(const Subject& subject, std::vector<LintFinding>& out) {
  const engine::JobSpec& spec = subject.job.spec;
  if (spec.backoff_limit != INT32_MAX) {
    return;
  }
  const int64_t needed =
      int64_t{spec.completions.value_or(1)} * (int64_t{*spec.backoff_limit_per_index} + 1);
  out.push_back(
      {Severity::info, "limit-on-rollback", "spec.backoffLimitPerIndex",
       "without support for limits per index this Job retries forever",
       "backoffLimit is then 2147483647, and all that counts on a cluster that has the "
       "feature off or is rolled back",
       needed < INT32_MAX
           ? fmt::format("set backoffLimit: {}, the most that all indexes together can use", needed)
           : "set backoffLimit to the number of retries that you accept"});
}

void check_index_limits(const Subject& subject, std::vector<LintFinding>& out) {
  const engine::JobSpec& spec = subject.job.spec;
  const int32_t completions = spec.completions.value_or(0);
  if (spec.backoff_limit < completions) {
    out.push_back(
        {Severity::warning, "limit-below-indexes", "spec.backoffLimit",
         fmt::format(
             "the Job ends after {} failures, before all {} indexes have used their retries",
             int64_t{spec.backoff_limit} + 1, completions),
         "backoffLimit counts the failures of all indexes together and takes precedence over "
         "backoffLimitPerIndex",
         fmt::format("set backoffLimit: {}, or leave it out",
                     int64_t{completions} * (int64_t{*spec.backoff_limit_per_index} + 1))});
  }
  if (!spec.max_failed_indexes) {
    return;
  }
  const bool gives_up = std::any_of(
      subject.rules().begin(), subject.rules().end(),
      [](const engine::FailureRule& rule) { return rule.action == engine::Action::fail_index; });
  if (*spec.max_failed_indexes >= completions) {
    out.push_back({Severity::warning, "max-failed-indexes", "spec.maxFailedIndexes",
                   "this limit can never be exceeded",
                   fmt::format("the Job has {} indexes and ends when more than {} have failed",
                               completions, *spec.max_failed_indexes),
                   "set it to the number of failed indexes that you accept, or leave it out"});
  } else if (*spec.max_failed_indexes == 0 && gives_up) {
    out.push_back({Severity::info, "max-failed-indexes", "spec.maxFailedIndexes",
                   "FailIndex is FailJob here",
                   "with maxFailedIndexes 0 the first index that fails ends the Job",
                   "use FailJob, or raise maxFailedIndexes"});
  }
}

void check_deadline(const Subject& subject, std::vector<LintFinding>& out) {
  const engine::JobSpec& spec = subject.job.spec;
  if (!spec.active_deadline_seconds || subject.per_index() || spec.restart_on_failure ||
      spec.backoff_limit == kDefaultBackoffLimit) {
    return;
  }
  const Duration deadline = seconds(std::min<int64_t>(*spec.active_deadline_seconds, INT32_MAX));
  Duration waited{};
  int32_t retries = 0;
  const int32_t wanted = std::min(spec.backoff_limit, kMaxSummedRetries);
  while (retries < wanted && waited < deadline) {
    waited += engine::backoff_delay(retries + 1, subject.options);
    ++retries;
  }
  if (waited < deadline) {
    return;
  }
  out.push_back(
      {Severity::warning, "deadline-before-limit", "spec.activeDeadlineSeconds",
       fmt::format("the deadline comes before {} retries are used up", spec.backoff_limit),
       fmt::format("retries wait 10s, 20s, 40s and so on: {} of them take {} even when "
                   "every pod fails at once, and the deadline is {}",
                   retries, format_duration(waited), format_duration(deadline)),
       fmt::format("lower backoffLimit below {}, or set a longer deadline", retries)});
}

}  // namespace

void lint_rule_names(const Subject& subject, std::vector<LintFinding>& out) {
  const auto& rules = subject.rules();
  const auto is_fail_job = [](const engine::FailureRule& rule) {
    return rule.action == engine::Action::fail_job;
  };
  if (!subject.options.gates.pod_failure_policy_name ||
      std::count_if(rules.begin(), rules.end(), is_fail_job) < 2) {
    return;
  }
  for (size_t i = 0; i < rules.size(); ++i) {
    if (is_fail_job(rules[i]) && !rules[i].name) {
      out.push_back({Severity::warning, "unnamed-rule", rule_path(i),
                     fmt::format("{} has no name", rule_text(i)),
                     fmt::format("several rules fail this Job, and the reason PodFailurePolicy_{} "
                                 "changes its meaning when a rule is put before it",
                                 i),
                     "give it a name: the reason is then PodFailurePolicy_<name>"});
    }
  }
}

// A cluster's nodes may honour them all, so that this is for those to know who run it here.
void lint_unsupported(const Subject& subject, std::vector<LintFinding>& out) {
  for (const api::UnsupportedField& field : subject.unsupported) {
    const bool refused = field.effect == api::UnsupportedField::Effect::refused;
    out.push_back({Severity::info, "unsupported-field", field.path, field.text(),
                   refused ? "a Windlass node rejects the pod, which counts as a failure of it"
                           : "a Windlass node runs the pod without it, and an event says so",
                   "remove it where the Job runs on a Windlass node"});
  }
}

void lint_limits(const Subject& subject, std::vector<LintFinding>& out) {
  const engine::JobSpec& spec = subject.job.spec;
  if (spec.failure_policy && spec.failure_policy->empty()) {
    out.push_back(
        {Severity::info, "empty-policy", kPolicyPath, "a policy without rules does nothing",
         "every failure counts towards backoffLimit, as without it", "add rules, or remove it"});
  }
  if (subject.per_index()) {
    if (spec.restart_on_failure) {
      out.push_back({Severity::warning, "restart-policy", "spec.template.spec.restartPolicy",
                     "failures are not counted per index",
                     "with OnFailure the node restarts the container in its pod: no pod fails, and "
                     "restarts are compared with backoffLimit alone",
                     "set restartPolicy: Never"});
    }
    check_rollback(subject, out);
    check_index_limits(subject, out);
  }
  check_deadline(subject, out);
  if (subject.ttl_seconds_after_finished == 0) {
    out.push_back({Severity::warning, "ttl-zero", "spec.ttlSecondsAfterFinished",
                   "the reason for a failure is lost",
                   "the Job, its pods and their logs are deleted the moment it ends",
                   "set a longer time, such as 86400 for a day"});
  }
}

}  // namespace windlass::policy
