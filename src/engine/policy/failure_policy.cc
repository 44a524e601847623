#include "engine/policy/failure_policy.h"

#include <algorithm>

#include "engine/state/facts.h"
#include "engine/status/conditions.h"

namespace windlass::engine {
namespace {

bool exit_code_matches(const ExitCodes& want, int32_t code) {
  const bool listed = std::find(want.values.begin(), want.values.end(), code) != want.values.end();
  switch (want.op) {
    case Operator::in:
      return listed;
    case Operator::not_in:
      return !listed;
    case Operator::unknown:
      return false;
  }
  return false;
}

// 6.3-6.7: app containers come before init containers in the view; exit code 0 never matches.
const ContainerView* matching_container(const ExitCodes& want, const PodView& pod) {
  for (const ContainerView& container : pod.containers) {
    const bool named = !want.container_name || *want.container_name == container.name;
    if (container.terminated && container.exit_code != 0 && named &&
        exit_code_matches(want, container.exit_code)) {
      return &container;
    }
  }
  return nullptr;
}

// 6.8, 6.12: the first pod condition in status order that any pattern asks for.
const PodCondition* matching_condition(const std::vector<ConditionPattern>& patterns,
                                       const PodView& pod) {
  for (const PodCondition& condition : pod.conditions) {
    for (const ConditionPattern& pattern : patterns) {
      const bool same_status =
          pattern.status == condition.status && condition.status != ConditionStatus::other;
      if (pattern.type == condition.type && same_status) {
        return &condition;
      }
    }
  }
  return nullptr;
}

bool is_known(Action action, bool fail_index_known) {
  switch (action) {
    case Action::fail_job:
    case Action::ignore:
    case Action::count:
      return true;
    case Action::fail_index:
      return fail_index_known;
    case Action::none:
    case Action::unknown:
      return false;
  }
  return false;
}

}  // namespace

RuleMatch match_failure_policy(const std::vector<FailureRule>& policy, const PodView& pod,
                               bool fail_index_known) {
  for (size_t i = 0; i < policy.size(); ++i) {
    const FailureRule& rule = policy[i];
    if (!is_known(rule.action, fail_index_known)) {
      continue;
    }
    RuleMatch match{rule.action, static_cast<int32_t>(i), nullptr, nullptr};
    if (rule.on_exit_codes) {
      match.container = matching_container(*rule.on_exit_codes, pod);
    } else {
      match.condition = matching_condition(rule.on_pod_conditions, pod);
    }
    if (match.container != nullptr || match.condition != nullptr) {
      return match;
    }
  }
  return {};
}

RuleMatch judge_failed_pod(const JobView& job, const PodView& pod, const Options& options) {
  const Facts facts = derive_facts(job, options);
  if (!facts.policy || pod.dropped) {
    return {};
  }
  return match_failure_policy(*job.spec.failure_policy, pod, facts.per_index);
}

const ContainerView* deciding_container(const RuleMatch& match, const PodView& pod) {
  if (match.container != nullptr) {
    return match.container;
  }
  const auto found = std::find_if(
      pod.containers.begin(), pod.containers.end(),
      [](const auto& container) { return container.terminated && container.exit_code != 0; });
  return found == pod.containers.end() ? nullptr : &*found;
}

std::string failure_message(const RuleMatch& match, std::string_view namespace_name,
                            std::string_view pod_name) {
  const std::string pod = std::string(namespace_name) + "/" + std::string(pod_name);
  const std::string rule = " matching " + std::string(action_name(match.action)) +
                           " rule at index " + std::to_string(match.rule);
  if (match.container != nullptr) {
    return "Container " + match.container->name + " for pod " + pod + " failed with exit code " +
           std::to_string(match.container->exit_code) + rule;
  }
  const std::string type = match.condition != nullptr ? match.condition->type : "";
  return "Pod " + pod + " has condition " + type + rule;
}

std::string failure_reason(const std::vector<FailureRule>& policy, int32_t rule, bool names_on) {
  std::string reason(kReasonPodFailurePolicy);
  if (names_on && rule >= 0 && static_cast<size_t>(rule) < policy.size()) {
    const FailureRule& matched = policy[static_cast<size_t>(rule)];
    reason += "_" + matched.name.value_or(std::to_string(rule));
  }
  return reason;
}

std::string_view action_name(Action action) {
  switch (action) {
    case Action::fail_job:
      return "FailJob";
    case Action::fail_index:
      return "FailIndex";
    case Action::ignore:
      return "Ignore";
    case Action::count:
      return "Count";
    case Action::none:
    case Action::unknown:
      break;
  }
  return "";
}

}  // namespace windlass::engine
