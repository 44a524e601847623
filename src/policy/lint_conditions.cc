// Pod conditions that rules ask for and pods do not have, or always have.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/nearest.h"
#include "policy/lint_parts.h"

namespace windlass::policy {
namespace {

using engine::ConditionStatus;

// What Kubernetes itself sets on pods.
constexpr std::array<std::string_view, 8> kKnownTypes = {
    "DisruptionTarget", "Ready",
    "ContainersReady",  "Initialized",
    "PodScheduled",     "PodReadyToStartContainers",
    "PodResizePending", "PodResizeInProgress"};

// Announced in early drafts of KEP-3329, and found in articles ever since.
constexpr std::string_view kNeverBuilt = "ResourceExhausted";

struct Pattern {
  const engine::ConditionPattern& pattern;
  std::string path;
};

void check_disruption(const Subject& subject, const Pattern& at, std::vector<LintFinding>& out) {
  if (!subject.disruption_conditions) {
    out.push_back({Severity::warning, "never-matches", at.path,
                   "no pod gets DisruptionTarget with the feature gate off",
                   "PodDisruptionConditions=false: a drained pod looks like a failed one",
                   "turn the gate on"});
  } else if (at.pattern.status != ConditionStatus::is_true) {
    out.push_back(
        {Severity::warning, "disruption-status", at.path,
         "this matches pods whose disruption was cancelled",
         "DisruptionTarget is True on a pod that is disrupted; it becomes False only when "
         "the disruption did not happen",
         "set status: \"True\", or leave it out"});
  }
}

// Every failed pod has been scheduled, has started, and is not ready.
bool is_on_every_failed_pod(const engine::ConditionPattern& pattern) {
  const bool about_readiness = pattern.type == "Ready" || pattern.type == "ContainersReady";
  const bool about_start = pattern.type == "PodScheduled" || pattern.type == "Initialized";
  return (about_readiness && pattern.status == ConditionStatus::is_false) ||
         (about_start && pattern.status == ConditionStatus::is_true);
}

void check_readiness(const Pattern& at, std::vector<LintFinding>& out) {
  if (is_on_every_failed_pod(at.pattern)) {
    out.push_back(
        {Severity::warning, "matches-everything", at.path,
         fmt::format("nearly every failed pod has {} like this", at.pattern.type),
         "the rule matches all failures, whatever their cause, and later rules match none",
         "match exit codes, or a condition that only some failures have"});
  } else if (at.pattern.type == "Ready" || at.pattern.type == "ContainersReady") {
    out.push_back({Severity::warning, "never-matches", at.path,
                   fmt::format("no failed pod is {}", at.pattern.type),
                   "a pod that has ended is never ready, and rules apply to ended pods only",
                   "remove the condition"});
  }
}

void check_type(const Pattern& at, std::vector<LintFinding>& out) {
  const std::string& type = at.pattern.type;
  const bool known = std::find(kKnownTypes.begin(), kKnownTypes.end(), type) != kKnownTypes.end();
  if (known || type.find('/') != std::string::npos) {
    return;
  }
  if (type == kNeverBuilt) {
    out.push_back({Severity::warning, "unknown-condition", at.path + ".type",
                   "nothing sets ResourceExhausted on pods",
                   "it was planned for KEP-3329 and never built; OOMKilled shows as exit code 137",
                   "match exit code 137 after a rule for DisruptionTarget"});
  } else if (const auto nearest = nearest_name(type, kKnownTypes)) {
    out.push_back({Severity::warning, "unknown-condition", at.path + ".type",
                   fmt::format("nothing in Kubernetes sets a condition \"{}\"", type),
                   "the rule matches only pods that have exactly this condition",
                   fmt::format("write \"{}\"", *nearest)});
  }
}

}  // namespace

void lint_conditions(const Subject& subject, std::vector<LintFinding>& out) {
  for (size_t i = 0; i < subject.rules().size(); ++i) {
    const engine::FailureRule& rule = subject.rules()[i];
    for (size_t k = 0; k < rule.on_pod_conditions.size(); ++k) {
      const Pattern at{rule.on_pod_conditions[k],
                       fmt::format("{}.onPodConditions[{}]", rule_path(i), k)};
      if (at.pattern.type == kDisruptionTarget) {
        check_disruption(subject, at, out);
      } else {
        check_readiness(at, out);
        check_type(at, out);
      }
    }
  }
}

}  // namespace windlass::policy
