#include "verify/engine/invariants.h"

#include <algorithm>

#include "engine/policy/failure_policy.h"
#include "engine/state/index_bits.h"
#include "engine/status/conditions.h"

namespace windlass::engine::testing {
namespace {

bool is_listed(const std::vector<std::string>& uids, const std::string& uid) {
  return std::find(uids.begin(), uids.end(), uid) != uids.end();
}

IndexBits stored_indexes(const JobView& job, bool failed) {
  const int64_t bound = job.spec.completions.value_or(0);
  return IndexBits::parse(
      failed ? job.status.failed_indexes.value_or("") : job.status.completed_indexes, bound);
}

bool is_indexed(const JobView& job) {
  return job.spec.mode == CompletionMode::indexed;
}

bool is_decided(const JobStatus& status) {
  return has_true(status, kTypeFailureTarget) || has_true(status, kTypeSuccessCriteriaMet) ||
         is_finished(status);
}

}  // namespace

std::vector<std::string> check_create(const JobView& job, const Options& options, const Pods& pods,
                                      const PodPlan& plan) {
  std::vector<std::string> broken;
  int64_t active = 0;
  int64_t terminating = 0;
  int64_t same_index = 0;
  const bool policy = job.spec.failure_policy && options.gates.pod_failure_policy;
  const bool only_failed =
      options.gates.pod_replacement_policy ? job.spec.replace_only_failed : policy;
  for (const auto& [name, pod] : pods) {
    const bool runs = !is_terminal(pod.phase);
    active += runs && !pod.deletion_time ? 1 : 0;
    terminating += runs && pod.deletion_time ? 1 : 0;
    const bool counts = runs && (only_failed || !pod.deletion_time);
    same_index += counts && parse_index(pod.completion_index) == plan.index ? 1 : 0;
  }
  if (is_decided(job.status)) {
    broken.emplace_back("T6: a pod is created after the end is decided");
  }
  if (active + 1 > job.spec.parallelism) {
    broken.emplace_back("A1: more active pods than parallelism");
  }
  if (only_failed && active + terminating + 1 > job.spec.parallelism) {
    broken.emplace_back("A2: active and terminating pods exceed parallelism");
  }
  if (job.completed_at_start && job.status == JobStatus()) {
    broken.emplace_back("A3: a pod before the indexes are stored that the Job starts with");
  }
  if (is_indexed(job)) {
    if (same_index > 0) {
      broken.emplace_back("A2: a second pod for an index");
    }
    if (plan.index < 0 || plan.index >= job.spec.completions.value_or(0) ||
        stored_indexes(job, false).contains(plan.index) ||
        (options.gates.backoff_limit_per_index && stored_indexes(job, true).contains(plan.index))) {
      broken.emplace_back("A3: a pod for an index that is done or out of range");
    }
  }
  if (job.spec.suspend) {
    broken.emplace_back("A5: a pod is created while suspended");
  }
  if (job.deleting) {
    broken.emplace_back("A6: a pod is created while the Job is being deleted");
  }
  return broken;
}

std::vector<std::string> check_release(const JobView& job, const Options& options,
                                       const PodView& pod) {
  const int64_t index = parse_index(pod.completion_index);
  const bool valid = !is_indexed(job) || (index >= 0 && index < job.spec.completions.value_or(0));
  if (is_finished(job.status) || !is_terminal(pod.phase) || !valid) {
    return {};
  }
  const UncountedPods lists = job.status.uncounted.value_or(UncountedPods());
  const bool failed_listed = is_listed(lists.failed, pod.uid);
  if (pod.phase == Phase::succeeded) {
    const bool stored = is_indexed(job) ? stored_indexes(job, false).contains(index) ||
                                              stored_indexes(job, true).contains(index)
                                        : is_listed(lists.succeeded, pod.uid);
    return stored || failed_listed
               ? std::vector<std::string>()
               : std::vector<std::string>{"C10: a success is released before it is stored"};
  }
  const bool stopped_by_success =  // 5.7
      pod.deletion_time && has_true(job.status, kTypeSuccessCriteriaMet);
  if (pod.dropped || stopped_by_success) {
    return {};
  }
  RuleMatch verdict;
  if (job.spec.failure_policy && options.gates.pod_failure_policy) {
    const bool per_index = is_indexed(job) && job.spec.backoff_limit_per_index &&
                           options.gates.backoff_limit_per_index;
    verdict = match_failure_policy(*job.spec.failure_policy, pod, per_index);
  }
  std::vector<std::string> broken;
  if (verdict.action == Action::fail_job && !is_decided(job.status)) {
    broken.emplace_back("P6: the witness of a FailJob verdict is released before it is stored");
  }
  const bool ignored = verdict.action == Action::ignore;
  if (!ignored && !failed_listed) {
    broken.emplace_back("C10: a failure is released before it is stored");
  }
  if (ignored && failed_listed && !is_decided(job.status)) {
    broken.emplace_back("P3: an ignored failure is counted");
  }
  return broken;
}

std::vector<std::string> check_decided(const JobView& job, const Decision& decision) {
  const bool decides =
      decision.status && !is_decided(job.status) && is_decided(decision.status->status);
  const bool removes = std::any_of(
      decision.pod_writes.begin(), decision.pod_writes.end(),
      [](const PodWrite& write) { return write.op != PodOp::release || write.required_rv != 0; });
  if (decides && (removes || !decision.creates.empty())) {
    return {"P6: pods are created or removed before the verdict is stored"};
  }
  return {};
}

std::vector<std::string> check_status(const JobView& job, const Options& options, const Pods& pods,
                                      const JobStatus& next) {
  std::vector<std::string> broken = broken_status_rules(job.spec, job.status, next);
  for (std::string& rule : broken) {
    rule = "C8: " + rule;
  }
  if (is_finished(job.status)) {
    broken.emplace_back("T5: the status of a finished Job is written");
  }
  const bool suspends =
      has_true(next, kTypeSuspended) && !has_true(job.status, kTypeSuspended) && job.spec.suspend;
  if (suspends && next.active > 0) {
    broken.emplace_back("A5: Suspended is stored while pods are active");
  }
  if (is_finished(next) && !is_decided(job.status)) {
    broken.emplace_back("T3: the Job ends without a verdict that was stored before");
  }
  if (is_indexed(job)) {
    const IndexBits completed =
        IndexBits::parse(next.completed_indexes, job.spec.completions.value_or(0));
    const bool elastic = job.spec.completions == job.spec.parallelism;
    if (completed.size() != next.succeeded && (elastic || next.succeeded > job.status.succeeded)) {
      broken.emplace_back("C3: succeeded differs from completedIndexes");
    }
  }
  const UncountedPods lists = next.uncounted.value_or(UncountedPods());
  const UncountedPods old = job.status.uncounted.value_or(UncountedPods());
  if (lists.succeeded.size() + lists.failed.size() >
      std::max(old.succeeded.size() + old.failed.size(),
               static_cast<size_t>(options.max_uncounted))) {
    broken.emplace_back("C9: too many uncounted pods");
  }
  if (is_finished(next)) {
    for (const auto& [name, pod] : pods) {
      if (pod.has_finalizer || !is_terminal(pod.phase)) {
        broken.emplace_back("T4: the Job ends while pod " + name + " runs or is tracked");
      }
    }
  }
  return broken;
}

}  // namespace windlass::engine::testing
