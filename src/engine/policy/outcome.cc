#include "engine/policy/outcome.h"

#include <algorithm>

#include "base/time.h"
#include "engine/policy/rule_budget.h"
#include "engine/status/conditions.h"

namespace windlass::engine {
namespace {

// Longer deadlines than 100 years are no deadlines, and would overflow.
constexpr int64_t kMaxDeadlineSeconds = 100LL * 365 * 24 * 3600;

JobOutcome failure(std::string_view reason, std::string_view message) {
  return {JobOutcome::Kind::failure, false, std::string(reason), std::string(message)};
}

JobOutcome success(std::string_view reason, std::string_view message) {
  return {JobOutcome::Kind::success, false, std::string(reason), std::string(message)};
}

JobOutcome stored_outcome(const State& state) {
  if (const Condition* met = true_condition(state.job().status, kTypeSuccessCriteriaMet)) {
    return {JobOutcome::Kind::success, true, met->reason, met->message};
  }
  if (const Condition* target = true_condition(state.job().status, kTypeFailureTarget)) {
    return {JobOutcome::Kind::failure, true, target->reason, target->message};
  }
  return {};
}

// 2.31, 2.37.
bool past_backoff_limit(const State& state) {
  const int64_t limit = state.job().spec.backoff_limit;
  if (state.failed() > limit) {
    return true;
  }
  const int64_t restarts = state.tally().restarts;
  return state.facts().on_failure && restarts > 0 && restarts >= limit;
}

// 2.35; failed and completed indexes are disjoint.
JobOutcome index_failure(const State& state) {
  const int64_t failed = state.indexes().failed.found().size();
  const auto& most = state.job().spec.max_failed_indexes;
  if (most && failed > *most) {
    return failure(kReasonMaxFailedIndexes,
                   "Job has exceeded the specified maximal number of failed indexes");
  }
  if (failed > 0 && failed + state.indexes().completed.found().size() >= state.facts().bound) {
    return failure(kReasonFailedIndexes, "Job has failed indexes");
  }
  return {};
}

// 2.45. A work queue is done when a worker has succeeded and none is left; a suspended one has had
// its workers taken away, which is not the same (10.73).
bool completions_reached(const State& state) {
  const JobSpec& spec = state.job().spec;
  if (spec.completions) {
    return state.succeeded() >= *spec.completions;
  }
  const bool taken_away = state.facts().suspended || is_resuming(state) ||
                          state.record().suspending ||
                          (spec.suspend && state.tally().terminating > 0);
  return state.succeeded_since_resume() > 0 && state.tally().active == 0 && !taken_away;
}

}  // namespace

bool is_resuming(const State& state) {
  return !state.job().spec.suspend && has_true(state.job().status, kTypeSuspended);
}

std::optional<Time> deadline_at(const State& state, Time now) {
  const JobSpec& spec = state.job().spec;
  if (!spec.active_deadline_seconds || spec.suspend) {
    return std::nullopt;
  }
  const Time start = is_resuming(state) ? now : state.job().status.start_time.value_or(now);
  const Duration given =
      seconds(std::clamp<int64_t>(*spec.active_deadline_seconds, 0, kMaxDeadlineSeconds));
  return given == Duration::zero() ? start : latest_instant(start) + given;
}

RuleUsage rule_usage(const State& state) {
  RuleUsage usage{state.record().rules, state.record().backoff.last_success()};
  const auto add = [&](bool succeeded, int32_t rule, Time at) {
    if (succeeded) {
      usage.last_success = std::max(usage.last_success.value_or(at), at);
    } else {
      add_rule_failure(usage.ledger, state.job().spec, rule, at);
    }
  };
  for (Slot slot = state.first(Todo::account); slot != kNoSlot;
       slot = state.pods().at(slot).queue_next) {
    const PodRecord& pod = state.pods().at(slot);
    add(pod.phase == Phase::succeeded, pod.rule, pod.stamp);
  }
  for (const LostOutcomes::End& end : state.lost().finished) {
    add(end.succeeded, end.rule, end.at);
  }
  return usage;
}

JobOutcome evaluate_outcome(const State& state, Time now) {
  if (JobOutcome stored = stored_outcome(state); stored.exists()) {
    return stored;
  }
  if (const auto& match = state.fail_job()) {
    return failure(match->reason, match->message);
  }
  if (past_backoff_limit(state)) {
    return failure(kReasonBackoffLimit, "Job has reached the specified backoff limit");
  }
  if (state.facts().rule_limits) {
    const RuleUsage usage = rule_usage(state);
    if (const auto spent =
            spent_budget(state.job().spec, usage.ledger, usage.last_success, state.options())) {
      return failure(spent->reason, spent->message);
    }
  }
  if (const auto deadline = deadline_at(state, now); deadline && now >= *deadline) {
    return failure(kReasonDeadline, "Job was active longer than specified deadline");
  }
  if (state.facts().per_index) {
    if (JobOutcome indexes = index_failure(state); indexes.exists()) {
      return indexes;
    }
  }
  if (state.facts().indexed && state.options().gates.success_policy) {
    if (const auto rule = state.success_policy().first_met()) {
      return success(kReasonSuccessPolicy, "Matched rules at index " + std::to_string(*rule));
    }
  }
  if (completions_reached(state)) {
    return success(kReasonCompletions, "Reached expected number of succeeded pods");
  }
  return {};
}

}  // namespace windlass::engine
