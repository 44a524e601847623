#include "engine/state/facts.h"

#include <algorithm>

#include "engine/state/record.h"
#include "engine/status/conditions.h"

namespace windlass::engine {

bool is_managed(const JobView& job, const Options& options) {
  const std::string& manager = job.spec.managed_by;
  if (!options.gates.managed_by) {
    return true;
  }
  return manager.empty() ? options.manager == kBuiltInManager : manager == options.manager;
}

Result<IndexSet> completed_at_start(const JobView& job) {
  if (job.spec.mode != CompletionMode::indexed) {
    return fail(plain_error("may be set only when completionMode is Indexed"));
  }
  return IndexSet::parse_exact(job.completed_at_start.value_or(""),
                               job.spec.completions.value_or(0));
}

Facts derive_facts(const JobView& job, const Options& options) {
  const JobSpec& spec = job.spec;
  const Gates& gates = options.gates;
  Facts facts;
  facts.indexed = spec.mode == CompletionMode::indexed;
  facts.per_index = facts.indexed && spec.backoff_limit_per_index && gates.backoff_limit_per_index;
  facts.index_limit = spec.backoff_limit_per_index.value_or(0);
  facts.policy = spec.failure_policy && gates.pod_failure_policy;
  facts.rule_limits = facts.policy && !facts.per_index &&
                      std::any_of(spec.failure_policy->begin(), spec.failure_policy->end(),
                                  [](const FailureRule& rule) { return rule.limits.has_value(); });
  facts.only_failed = gates.pod_replacement_policy ? spec.replace_only_failed : facts.policy;
  facts.on_failure = spec.restart_on_failure;
  facts.bound = facts.indexed ? spec.completions.value_or(0) : 0;
  facts.deleting = job.deleting;
  facts.finished = is_finished(job.status);
  facts.succeeding = has_true(job.status, kTypeSuccessCriteriaMet);
  facts.failing = !facts.succeeding && has_true(job.status, kTypeFailureTarget);
  facts.suspend_asked = spec.suspend;
  facts.suspended = spec.suspend && (spec.completions || has_true(job.status, kTypeSuspended) ||
                                     parse_record(job.record).suspending);
  facts.bad_policy = job.policy_error && job.status == JobStatus();
  // 12.2: once a status is stored, it alone says which indexes are completed.
  if (job.completed_at_start && job.status == JobStatus()) {
    facts.bad_start = !completed_at_start(job);
    facts.inherits = !facts.bad_start;
  }
  return facts;
}

bool has_valid_index(const PodRecord& pod, const Facts& facts) {
  return !facts.indexed || (pod.index >= 0 && pod.index < facts.bound);
}

bool counts_as_failed(const PodRecord& pod, const Facts& facts) {
  if (pod.dropped || pod.phase == Phase::succeeded) {
    return false;
  }
  // 5.7: stopped because the Job has succeeded, it counts as nothing, even when it reaches Failed
  // before its finalizer is off.
  if (facts.succeeding && pod.deleting) {
    return false;
  }
  if (pod.phase == Phase::failed) {
    return true;
  }
  return pod.deleting && (facts.failing || !facts.only_failed);
}

bool is_new_success(const PodRecord& pod, const Facts& facts) {
  return !facts.indexed && pod.has_finalizer && pod.phase == Phase::succeeded &&
         pod.accounted == Accounted::no;
}

bool is_taken_success(const PodRecord& pod, const Facts& facts) {
  return pod.dropped && is_new_success(pod, facts);
}

bool is_new_failure(const PodRecord& pod, const Facts& facts) {
  return pod.has_finalizer && pod.accounted == Accounted::no && pod.action != Action::ignore &&
         has_valid_index(pod, facts) && counts_as_failed(pod, facts);
}

bool ends_index(const PodRecord& pod, const Facts& facts) {
  // Stopped because the Job has failed, a pod counts as failed, but says nothing about its index.
  const bool stopped_by_failure = facts.failing && pod.deleting;
  return facts.per_index && !stopped_by_failure && is_new_failure(pod, facts) &&
         (pod.action == Action::fail_index || pod.failures >= facts.index_limit);
}

void add_pod(Tally& tally, const PodRecord& pod, const Facts& facts, int64_t sign) {
  const auto part = [sign](bool applies) { return applies ? sign : 0; };
  tally.active += part(pod.is_active());
  tally.ready += part(pod.is_active() && pod.ready);
  tally.terminating += part(pod.is_terminating());
  tally.tracked += part(pod.has_finalizer);
  tally.new_succeeded += part(is_new_success(pod, facts));
  tally.new_taken += part(is_taken_success(pod, facts));
  tally.new_failed += part(is_new_failure(pod, facts));
  const bool runs = pod.phase == Phase::pending || pod.phase == Phase::running;
  if (facts.on_failure && runs && !pod.dropped) {
    tally.restarts += sign * pod.restarts;
  }
}

}  // namespace windlass::engine
