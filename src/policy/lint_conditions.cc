// Pod conditions that rules ask for and pods do not have, or always have.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/nearest.h"
#include "policy/lint_parts.h"

namespace windlass::policy {
namespace {

using job::ConditionStatus;

// What Kubernetes itself sets on pods.
constexpr std::array<std::string_view, 8> kKnownTypes = {
    "DisruptionTarget", "Ready",
    "ContainersReady",  "Initialized",
    "PodScheduled",     "PodReadyToStartContainers",
    "PodResizePending", "PodResizeInProgress"};

// Announced in early drafts of KEP-3329, and found in articles ever since.
constexpr std::string_view kNeverBuilt = "ResourceExhausted";

struct Pattern {
  const job::ConditionPattern& pattern;
  std::string path;
};

void check_disruption(const Subject& subject, const Pattern& at, std::vector<Finding>& out) {
  if (!subject.disruption_conditions) {
    out.push_back({Severity::warning, "never-matches", at.path,
                   "no pod gets DisruptionTarget with the feature gate off",
                   "PodDisruptionConditions=false: nothing tells a drained pod from a failed one",
                   "turn the gate on"});
  } else if (at.pattern.status != ConditionStatus::is_true) {
    out.push_back(
        {Severity::warning, "disruption-status", at.path,
         "this asks for pods whose disruption was called off",
         "DisruptionTarget is True on a pod that is disrupted; it becomes False only when "
         "the pod went on running after all",
         "set status: \"True\", or leave it out"});
  }
}

// Every failed pod has been scheduled, has started, and is not ready.
bool is_on_every_failed_pod(const job::ConditionPattern& pattern) {
  const bool about_readiness = pattern.type == "Ready" || pattern.type == "ContainersReady";
  const bool about_start = pattern.type == "PodScheduled" || pattern.type == "Initialized";
  return (about_readiness && pattern.status == ConditionStatus::is_false) ||
         (about_start && pattern.status == ConditionStatus::is_true);
}

void check_readiness(const Pattern& at, std::vector<Finding>& out) {
  if (is_on_every_failed_pod(at.pattern)) {
    out.push_back({Severity::warning, "matches-everything", at.path,
                   fmt::format("nearly every failed pod has {} like this", at.pattern.type),
                   "the rule decides about all failures, whatever their cause, and rules behind it "
                   "about none",
                   "ask for exit codes, or for a condition that tells failures apart"});
  } else if (at.pattern.type == "Ready" || at.pattern.type == "ContainersReady") {
    out.push_back({Severity::warning, "never-matches", at.path,
                   fmt::format("no failed pod is {}", at.pattern.type),
                   "a pod that has ended is never ready, and rules are asked about ended pods only",
                   "take the condition out"});
  }
}

void check_type(const Pattern& at, std::vector<Finding>& out) {
  const std::string& type = at.pattern.type;
  const bool known = std::find(kKnownTypes.begin(), kKnownTypes.end(), type) != kKnownTypes.end();
  if (known || type.find('/') != std::string::npos) {
    return;
  }
  if (type == kNeverBuilt) {
    out.push_back({Severity::warning, "unknown-condition", at.path + ".type",
                   "nothing sets ResourceExhausted on pods",
                   "it was planned for KEP-3329 and never built; OOMKilled shows as exit code 137",
                   "ask for exit code 137 behind a rule for DisruptionTarget"});
  } else if (const auto nearest = nearest_name(type, kKnownTypes)) {
    out.push_back({Severity::warning, "unknown-condition", at.path + ".type",
                   fmt::format("nothing in Kubernetes sets a condition \"{}\"", type),
                   "the rule matches only pods that have exactly this condition",
                   fmt::format("write \"{}\"", *nearest)});
  }
}

}  // namespace

void lint_conditions(const Subject& subject, std::vector<Finding>& out) {
  for (size_t i = 0; i < subject.rules().size(); ++i) {
    const job::FailureRule& rule = subject.rules()[i];
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
