// Ignore without an end, and rules that change nothing.
#include <fmt/format.h>

#include <algorithm>

#include "policy/lint_parts.h"

namespace windlass::policy {
namespace {

bool is_about_disruption(const engine::FailureRule& rule) {
  return std::all_of(
      rule.on_pod_conditions.begin(), rule.on_pod_conditions.end(),
      [](const engine::ConditionPattern& pattern) { return pattern.type == kDisruptionTarget; });
}

// Disruptions come from outside and end some day; what a program does it may do every time.
void check_endless(const Subject& subject, std::vector<LintFinding>& out) {
  if (subject.job.spec.active_deadline_seconds) {
    return;
  }
  for (size_t i = 0; i < subject.rules().size(); ++i) {
    const engine::FailureRule& rule = subject.rules()[i];
    const bool by_program = rule.on_exit_codes || !is_about_disruption(rule);
    const bool ends = rule.limits && rule.limits->budget;
    if (rule.action != engine::Action::ignore || !by_program || ends || !can_match(subject, i)) {
      continue;
    }
    out.push_back({Severity::warning, "endless-retry", rule_path(i),
                   "a pod that always fails like this is retried forever",
                   "ignored failures count towards no limit, and the Job has no deadline",
                   "set activeDeadlineSeconds, or use Count and a backoffLimit as high as the "
                   "retries you want"});
  }
}

void check_oom(const Subject& subject, std::vector<LintFinding>& out) {
  for (const ContainerInfo& container : subject.containers) {
    if (restarts_in_place(container, kSigkillCode, subject)) {
      continue;
    }
    Failure oom;
    oom.cause = Failure::Cause::oom_killed;
    oom.container = container.name;
    oom.exit_code = kSigkillCode;
    const engine::PodView pod = failed_pod(subject, oom);
    const engine::RuleMatch verdict = judge(subject, pod);
    if (verdict.action == engine::Action::ignore && verdict.container != nullptr) {
      out.push_back(
          {Severity::warning, "ignored-oom", rule_path(static_cast<size_t>(verdict.rule)),
           fmt::format("{} is retried without counting when it needs more memory than its limit",
                       container.name),
           "OOMKilled shows as exit code 137, which this rule ignores; the next pod has "
           "the same limit",
           "leave 137 out: Ignore on DisruptionTarget covers disrupted pods"});
      return;
    }
  }
}

void check_count(const Subject& subject, std::vector<LintFinding>& out) {
  const auto& rules = subject.rules();
  for (size_t i = 0; i < rules.size(); ++i) {
    const bool behind_is_count = std::all_of(
        rules.begin() + static_cast<std::ptrdiff_t>(i), rules.end(),
        [](const auto& rule) { return rule.action == engine::Action::count && !rule.limits; });
    if (behind_is_count) {
      out.push_back({Severity::info, "count-changes-nothing", rule_path(i),
                     fmt::format("{} changes nothing", rule_text(i)),
                     "failures that no rule matches are counted too; Count is of use only before a "
                     "rule with another action",
                     "remove it, or put it before the rule that it is an exception to"});
    }
  }
}

void check_fail_index(const Subject& subject, std::vector<LintFinding>& out) {
  if (!subject.per_index() || *subject.job.spec.backoff_limit_per_index != 0) {
    return;
  }
  for (size_t i = 0; i < subject.rules().size(); ++i) {
    if (subject.rules()[i].action == engine::Action::fail_index) {
      out.push_back({Severity::info, "fail-index-changes-nothing", rule_path(i),
                     fmt::format("{} has no effect", rule_text(i)),
                     "with backoffLimitPerIndex 0, the first failure of an index fails it",
                     "raise backoffLimitPerIndex, or remove the rule"});
    }
  }
}

}  // namespace

void lint_ignore(const Subject& subject, std::vector<LintFinding>& out) {
  check_endless(subject, out);
  check_oom(subject, out);
  check_count(subject, out);
  check_fail_index(subject, out);
}

}  // namespace windlass::policy
