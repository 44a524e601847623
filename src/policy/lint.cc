#include "policy/lint.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "base/nearest.h"
#include "policy/lint_parts.h"

namespace windlass::policy {
namespace {

const std::vector<std::string_view> kIds = {
    "refused",
    "fail-index-without-limit",
    "restart-policy",
    "unknown-container",
    "replacement-policy",
    "rule-name",
    "never-matches",
    "shadowed-values",
    "impossible-exit-code",
    "restarted-in-place",
    "drain-fails-job",
    "disruption-counts",
    "disruption-status",
    "unknown-condition",
    "matches-everything",
    "endless-retry",
    "ignored-oom",
    "sidecar-decides",
    "unnamed-rule",
    "count-changes-nothing",
    "fail-index-changes-nothing",
    "empty-policy",
    "limit-on-rollback",
    "limit-below-indexes",
    "max-failed-indexes",
    "deadline-before-limit",
    "unreachable-budget",
    "window-beyond-deadline",
    "ttl-zero",
    "unsupported-field",
    "unknown-finding",
};

constexpr const char* kIgnorePath = "metadata.annotations[windlass.dev/lint-ignore]";

// The ids of the annotation, separated by commas or blanks.
std::vector<std::string> accepted_ids(const std::string& text) {
  std::vector<std::string> ids;
  std::string word;
  for (const char c : text + ",") {
    if (c != ',' && c != ' ' && c != '\n') {
      word += c;
    } else if (!word.empty()) {
      ids.push_back(std::move(word));
      word.clear();
    }
  }
  return ids;
}

void drop_accepted(const Subject& subject, std::vector<LintFinding>& findings) {
  const std::vector<std::string> ids = accepted_ids(subject.lint_ignore);
  std::erase_if(findings, [&](const LintFinding& finding) {
    return finding.severity != Severity::error &&
           std::find(ids.begin(), ids.end(), finding.id) != ids.end();
  });
  for (const std::string& id : ids) {
    if (std::find(kIds.begin(), kIds.end(), id) == kIds.end()) {
      const auto nearest = nearest_name(id, kIds);
      findings.push_back({Severity::warning, "unknown-finding", kIgnorePath,
                          fmt::format("unknown finding \"{}\"", id),
                          "the annotation accepts no finding",
                          nearest ? fmt::format("write \"{}\"", *nearest)
                                  : "remove it, or use an id that lint prints"});
    }
  }
}

}  // namespace

std::string_view severity_name(Severity severity) {
  switch (severity) {
    case Severity::info:
      return "info";
    case Severity::warning:
      return "warning";
    case Severity::error:
      break;
  }
  return "error";
}

const std::vector<std::string_view>& finding_ids() {
  return kIds;
}

std::string rule_path(size_t rule) {
  return fmt::format("{}.rules[{}]", kPolicyPath, rule);
}

std::string rule_text(size_t rule) {
  return fmt::format("rules[{}]", rule);
}

engine::PodView failed_pod(const Subject& subject, const Failure& failure) {
  engine::PodView pod;
  if (is_deleted_first(failure.cause)) {
    begin_deletion(pod, failure, subject, Time());
  }
  end_pod(pod, failure, subject, Time());
  return pod;
}

engine::RuleMatch judge(const Subject& subject, const engine::PodView& pod) {
  return engine::judge_failed_pod(subject.job, pod, subject.options);
}

std::vector<LintFinding> lint(const Subject& subject, const std::vector<Refusal>& refusals) {
  std::vector<LintFinding> findings = lint_refusals(refusals);
  lint_reach(subject, findings);
  lint_conditions(subject, findings);
  lint_disruptions(subject, findings);
  lint_ignore(subject, findings);
  lint_rule_names(subject, findings);
  lint_limits(subject, findings);
  lint_budgets(subject, findings);
  lint_unsupported(subject, findings);
  drop_accepted(subject, findings);
  return findings;
}

}  // namespace windlass::policy
