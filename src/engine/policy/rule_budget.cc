#include "engine/policy/rule_budget.h"

#include <algorithm>

#include "base/time.h"
#include "engine/status/conditions.h"

namespace windlass::engine {
namespace {

Time rule_second(Time time) {
  return std::chrono::floor<seconds>(time);
}

// Those that ended after the last success; at the very time of it is not after it (7.7).
std::vector<Time> since_success(const RuleFailures& known, std::optional<Time> last_success) {
  std::vector<Time> times = known.recent.failure_times();
  std::erase_if(times, [&](Time time) {
    return last_success && rule_second(time) <= rule_second(*last_success);
  });
  return times;
}

// More than `budget` of these ended in less than `window` (13.4).
bool is_dense(const std::vector<Time>& times, int32_t budget, Duration window) {
  const auto more = static_cast<size_t>(budget);
  for (size_t first = 0; first + more < times.size(); ++first) {
    if (rule_second(times[first + more]) - rule_second(times[first]) < window) {
      return true;
    }
  }
  return false;
}

bool is_spent(const RuleLimits& limits, const RuleFailures& known,
              std::optional<Time> last_success) {
  if (!limits.budget) {
    return false;
  }
  if (!limits.window && !limits.reset_on_success) {
    return known.failures > *limits.budget;
  }
  const std::vector<Time> times =
      since_success(known, limits.reset_on_success ? last_success : std::nullopt);
  return limits.window ? is_dense(times, *limits.budget, *limits.window)
                       : static_cast<int64_t>(times.size()) > *limits.budget;
}

std::string rule_text(const FailureRule& rule, int32_t index, const Options& options) {
  return options.gates.pod_failure_policy_name && rule.name ? *rule.name : std::to_string(index);
}

SpentBudget describe(const FailureRule& rule, int32_t index, const Options& options) {
  const std::string name = rule_text(rule, index, options);
  std::string message = "Rule " + name + " has more failures than its budget of " +
                        std::to_string(*rule.limits->budget);
  if (rule.limits->window) {
    message += " in " + format_duration(*rule.limits->window);
  }
  if (rule.limits->reset_on_success) {
    message += " since the last success";
  }
  return {std::string(kReasonRuleBudget) + "_" + name, std::move(message)};
}

}  // namespace

const RuleLimits* limits_of(const JobSpec& spec, int32_t rule) {
  if (!spec.failure_policy || rule < 0 ||
      static_cast<size_t>(rule) >= spec.failure_policy->size()) {
    return nullptr;
  }
  const FailureRule& found = (*spec.failure_policy)[static_cast<size_t>(rule)];
  const bool again = found.action == Action::count || found.action == Action::ignore;
  return again && found.limits ? &*found.limits : nullptr;
}

bool has_own_backoff(const JobSpec& spec, int32_t rule) {
  const RuleLimits* limits = limits_of(spec, rule);
  return limits != nullptr && limits->backoff;
}

void add_rule_failure(RuleLedger& ledger, const JobSpec& spec, int32_t rule, Time finished) {
  const RuleLimits* limits = limits_of(spec, rule);
  if (limits == nullptr) {
    return;
  }
  RuleFailures& known = ledger[rule];
  ++known.failures;
  if (limits->window || limits->reset_on_success || limits->backoff) {
    known.recent.add_failure(finished);
  }
}

void add_rule_failures(RuleLedger& ledger, const RuleLedger& other, bool is_finer) {
  for (const auto& [rule, theirs] : other) {
    RuleFailures& mine = ledger[rule];
    mine.failures = std::max(mine.failures, theirs.failures);
    mine.recent.add_failures(theirs.recent, is_finer);
  }
}

RetryDelay rules_delay(const JobSpec& spec, const RuleLedger& ledger,
                       std::optional<Time> last_success) {
  RetryDelay longest;
  for (const auto& [rule, known] : ledger) {
    if (!has_own_backoff(spec, rule)) {
      continue;  // the Job's delay counts these failures
    }
    const std::vector<Time> times = since_success(known, last_success);
    if (!times.empty()) {
      const RuleLimits::Backoff& own = *limits_of(spec, rule)->backoff;
      const auto failures = static_cast<int64_t>(times.size());
      const Time at = times.back() + backoff_delay(failures, own.base, own.cap);
      longest = at > longest.at ? RetryDelay{at, failures} : longest;
    }
  }
  return longest;
}

std::optional<SpentBudget> spent_budget(const JobSpec& spec, const RuleLedger& ledger,
                                        std::optional<Time> last_success, const Options& options) {
  for (const auto& [rule, known] : ledger) {
    const RuleLimits* limits = limits_of(spec, rule);
    if (limits != nullptr && is_spent(*limits, known, last_success)) {
      return describe((*spec.failure_policy)[static_cast<size_t>(rule)], rule, options);
    }
  }
  return std::nullopt;
}

}  // namespace windlass::engine
