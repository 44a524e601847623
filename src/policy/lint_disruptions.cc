// What becomes of pods that the cluster takes away: drained, preempted, evicted. They did nothing
// wrong, and yet end with exit code 137 or 143.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "policy/lint_parts.h"

namespace windlass::policy {
namespace {

// With so few retries, that many node upgrades in the life of a Job are nothing unusual.
constexpr int64_t kFewRetries = 2;

engine::RuleMatch judge_drained(const Subject& subject, int32_t exit_code) {
  Failure drained;
  drained.cause = Failure::Cause::api_eviction;
  drained.exit_code = exit_code;
  return judge(subject, failed_pod(subject, drained));
}

bool is_fatal(engine::Action action) {
  return action == engine::Action::fail_job || action == engine::Action::fail_index;
}

// The first rule that would keep drained pods out of what comes behind it.
std::optional<size_t> disruption_rule(const Subject& subject) {
  for (size_t i = 0; i < subject.rules().size(); ++i) {
    for (const engine::ConditionPattern& pattern : subject.rules()[i].on_pod_conditions) {
      if (pattern.type == kDisruptionTarget && pattern.status == engine::ConditionStatus::is_true) {
        return i;
      }
    }
  }
  return std::nullopt;
}

void check_drain(const Subject& subject, std::vector<LintFinding>& out) {
  std::map<size_t, std::string> codes_by_rule;
  for (const int32_t code : {kSigkillCode, kSigtermCode}) {
    const engine::RuleMatch verdict = judge_drained(subject, code);
    if (is_fatal(verdict.action) && verdict.rule >= 0 &&
        subject.rules()[static_cast<size_t>(verdict.rule)].on_exit_codes) {
      std::string& codes = codes_by_rule[static_cast<size_t>(verdict.rule)];
      codes += (codes.empty() ? "" : " or ") + std::to_string(code);
    }
  }
  const std::optional<size_t> helper = disruption_rule(subject);
  for (const auto& [rule, codes] : codes_by_rule) {
    const bool whole = subject.rules()[rule].action == engine::Action::fail_job;
    out.push_back(
        {Severity::warning, "drain-fails-job", rule_path(rule),
         fmt::format("a drained pod fails the {}", whole ? "Job" : "index"),
         fmt::format("a pod that is drained, preempted or evicted ends with {}, and {} treats that "
                     "as an error of the program",
                     codes, rule_text(rule)),
         helper ? fmt::format("move {} before {}", rule_text(*helper), rule_text(rule))
                : fmt::format("put a rule before it: action Ignore (or Count), onPodConditions "
                              "[type: {}]",
                              kDisruptionTarget)});
  }
}

void check_counting(const Subject& subject, std::vector<LintFinding>& out) {
  const engine::JobSpec& spec = subject.job.spec;
  const int64_t limit = subject.per_index() ? *spec.backoff_limit_per_index : spec.backoff_limit;
  const char* field = subject.per_index() ? "backoffLimitPerIndex" : "backoffLimit";
  const engine::RuleMatch verdict = judge_drained(subject, kSigkillCode);
  const std::string victim = subject.per_index() ? "index" : "Job";
  const std::string fix =
      fmt::format("use Ignore for {}, or raise {} to the number of disruptions that you expect",
                  kDisruptionTarget, field);
  if (verdict.action == engine::Action::count && verdict.condition != nullptr &&
      limit <= kFewRetries) {
    out.push_back(
        {Severity::warning, "disruption-counts", rule_path(static_cast<size_t>(verdict.rule)),
         fmt::format("{} {} fail{} the {}", limit + 1, limit == 0 ? "disruption" : "disruptions",
                     limit == 0 ? "s" : "", victim),
         fmt::format("Count treats a drained pod as a failure of the program, and {} is {}", field,
                     limit),
         fix});
  } else if (verdict.action == engine::Action::none && limit == 0 && !subject.rules().empty()) {
    out.push_back(
        {Severity::warning, "disruption-counts", kPolicyPath,
         fmt::format("one disruption fails the {}", victim),
         fmt::format("no rule is about {}, so a drained pod counts like any failure, and "
                     "{} is 0",
                     kDisruptionTarget, field),
         fmt::format("add a rule: action Ignore, onPodConditions [type: {}]", kDisruptionTarget)});
  }
}

// A sidecar is stopped when the pod is over; one that SIGTERM ends leaves 143 behind, next to the
// code of the container that failed.
void check_sidecars(const Subject& subject, std::vector<LintFinding>& out) {
  std::set<int32_t> codes = {1};
  for (const engine::FailureRule& rule : subject.rules()) {
    if (rule.on_exit_codes) {
      codes.insert(rule.on_exit_codes->values.begin(), rule.on_exit_codes->values.end());
    }
  }
  codes.erase(0);
  std::set<int32_t> found;
  for (const ContainerInfo& sidecar : subject.containers) {
    if (!sidecar.sidecar) {
      continue;
    }
    for (const int32_t code : codes) {
      Failure failure;
      failure.container = subject.containers.front().name;
      failure.exit_code = code;
      if (restarts_in_place(failure, subject)) {
        continue;  // the pod goes on, and its sidecar too
      }
      const engine::PodView calm = failed_pod(subject, failure);
      failure.sidecar = sidecar.name;
      const engine::PodView loud = failed_pod(subject, failure);
      const engine::RuleMatch before = judge(subject, calm);
      const engine::RuleMatch after = judge(subject, loud);
      if (before.action == after.action || after.container == nullptr ||
          after.container->name != sidecar.name || !found.insert(after.rule).second) {
        continue;
      }
      out.push_back(
          {Severity::warning, "sidecar-decides", rule_path(static_cast<size_t>(after.rule)),
           fmt::format("the end of sidecar {} can decide", sidecar.name),
           fmt::format("a sidecar that SIGTERM stops leaves exit code {}: when {} ends with {}, {} "
                       "matches on the sidecar's code",
                       kSigtermCode, failure.container, code,
                       rule_text(static_cast<size_t>(after.rule))),
           fmt::format("add containerName: {} to the rule", failure.container)});
    }
  }
}

}  // namespace

void lint_disruptions(const Subject& subject, std::vector<LintFinding>& out) {
  check_drain(subject, out);
  check_counting(subject, out);
  check_sidecars(subject, out);
}

}  // namespace windlass::policy
