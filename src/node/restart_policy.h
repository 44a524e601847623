// Whether a container runs again after its end: its own rules come first, then its own policy, then
// the pod's (api.md P44, E58).
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

namespace windlass::node {

enum class RestartPolicy { always, on_failure, never };

// restartPolicyRules with the action Restart.
struct RestartRule {
  bool listed = true;  // for the codes that are listed, or for all others
  std::vector<int32_t> exit_codes;

  bool matches(int32_t exit_code) const;
};

// What a container says for itself. Without a policy it has no rules either.
struct OwnRestart {
  std::optional<RestartPolicy> policy;
  std::vector<RestartRule> rules;

  RestartPolicy policy_or(RestartPolicy pod) const { return policy.value_or(pod); }
  // Whatever becomes of it, it is not started twice.
  bool runs_once(RestartPolicy pod) const {
    return policy_or(pod) == RestartPolicy::never && rules.empty();
  }
  bool has_rule_for(int32_t exit_code) const;
};

}  // namespace windlass::node
