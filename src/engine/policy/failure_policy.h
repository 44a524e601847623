// The pod failure policy as a pure function of (policy, pod): KEP-3329 with FailIndex of KEP-3850
// and the rule names of KEP-4443. Whether a pod may be judged at all (it counts as failed, it is
// tracked) is the engine's business, not this file's.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/types.h"

namespace windlass::engine {

// The rule that decides, and what it saw. `rule` is its index in the policy.
struct RuleMatch {
  Action action = Action::none;
  int32_t rule = -1;
  // Exactly one of the two is set when a rule matched.
  const ContainerView* container = nullptr;
  const PodCondition* condition = nullptr;
};

// First rule that matches and whose action is known (6.2). FailIndex is unknown without per-index
// limits (9). Its pointers lead into `pod`.
RuleMatch match_failure_policy(const std::vector<FailureRule>& policy, const PodView& pod,
                               bool fail_index_known);

// The rule of the Job's policy that a failed pod meets, as the engine judges it. None when the
// policy does not apply, and none for a pod that the Job itself took away (10.75).
RuleMatch judge_failed_pod(const JobView& job, const PodView& pod, const Options& options = {});

// The container whose end decided how a failed pod is judged: the one that the rule saw, or else
// the first that ended badly; those of the pod proper come before init containers. Null if none
// did.
const ContainerView* deciding_container(const RuleMatch& match, const PodView& pod);

// `Container main for pod ns/p failed with exit code 5 matching FailJob rule at index 1`
// (6.10, 6.11).
std::string failure_message(const RuleMatch& match, std::string_view namespace_name,
                            std::string_view pod_name);

// `PodFailurePolicy`, or `PodFailurePolicy_<name or index>` when KEP-4443 is on (6.19).
std::string failure_reason(const std::vector<FailureRule>& policy, int32_t rule, bool names_on);

std::string_view action_name(Action action);

}  // namespace windlass::engine
