// Budgets of rules (annotation windlass.dev/policy) that can never be exceeded.
#include <fmt/format.h>

#include <algorithm>
#include <cstdint>

#include "engine/policy/backoff.h"
#include "policy/lint_parts.h"

namespace windlass::policy {
namespace {

constexpr const char* kUnreachableBudget = "unreachable-budget";

std::string budget_path(const engine::FailureRule& rule, size_t index) {
  const std::string name = rule.name.value_or(fmt::format("{}", index));
  return fmt::format("metadata.annotations[{}].rules.{}", engine::kPolicyKey, name);
}

// How long as many failures as the budget are apart from the one that is too many, when every pod
// fails at once.
Duration quickest(const Subject& subject, const engine::RuleLimits& limits) {
  Duration passed{};
  for (int32_t failure = 1; failure <= *limits.budget; ++failure) {
    passed += limits.backoff
                  ? engine::backoff_delay(failure, limits.backoff->base, limits.backoff->cap)
                  : engine::backoff_delay(failure, subject.options);
  }
  return passed;
}

void check_against_limit(const Subject& subject, const engine::FailureRule& rule, size_t index,
                         std::vector<LintFinding>& out) {
  const int32_t limit = subject.job.spec.backoff_limit;
  if (rule.action != engine::Action::count || *rule.limits->budget < limit) {
    return;
  }
  out.push_back(
      {Severity::warning, kUnreachableBudget, budget_path(rule, index) + ".budget",
       fmt::format("the budget of {} can never be exceeded", rule_text(index)),
       fmt::format("the rule counts, and more than {} failures exceed backoffLimit first", limit),
       fmt::format("set a budget below {}, raise backoffLimit, or use Ignore", limit)});
}

void check_window(const Subject& subject, const engine::FailureRule& rule, size_t index,
                  std::vector<LintFinding>& out) {
  const engine::RuleLimits& limits = *rule.limits;
  const engine::JobSpec& spec = subject.job.spec;
  const bool one_at_a_time = spec.parallelism == 1 || spec.completions == 1;
  if (!limits.window || !one_at_a_time) {
    return;
  }
  const Duration needed = quickest(subject, limits);
  if (needed < *limits.window) {
    return;
  }
  out.push_back({Severity::warning, kUnreachableBudget, budget_path(rule, index) + ".window",
                 fmt::format("the budget of {} can never be exceeded", rule_text(index)),
                 fmt::format("its delays alone spread {} failures over {}, and the window is {}",
                             int64_t{*limits.budget} + 1, format_duration(needed),
                             format_duration(*limits.window)),
                 "set a longer window, a smaller budget, or a shorter backoff"});
}

void check_deadline_of_window(const Subject& subject, const engine::FailureRule& rule, size_t index,
                              std::vector<LintFinding>& out) {
  const auto& deadline = subject.job.spec.active_deadline_seconds;
  if (!rule.limits->window || !deadline || *rule.limits->window < bounded_seconds(*deadline)) {
    return;
  }
  out.push_back({Severity::info, "window-beyond-deadline", budget_path(rule, index) + ".window",
                 fmt::format("the window of {} changes nothing", rule_text(index)),
                 "the Job does not live longer than activeDeadlineSeconds",
                 "leave the window out, or make it shorter than the deadline"});
}

}  // namespace

void lint_budgets(const Subject& subject, std::vector<LintFinding>& out) {
  for (size_t i = 0; i < subject.rules().size(); ++i) {
    const engine::FailureRule& rule = subject.rules()[i];
    if (!rule.limits || !rule.limits->budget) {
      continue;
    }
    check_against_limit(subject, rule, i, out);
    check_window(subject, rule, i, out);
    check_deadline_of_window(subject, rule, i, out);
  }
}

}  // namespace windlass::policy
