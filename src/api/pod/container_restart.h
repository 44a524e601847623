// Whether a container runs again in its pod after its end: its own rules come first, then its own
// policy, then the pod's (api.md P44, E58; KEP-5307). One reading for the node, which acts on it,
// and for those who say beforehand what it will do. Pure values.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "api/object.h"

namespace windlass::api {

enum class RestartPolicy { always, on_failure, never };

// "" is the default, Always.
RestartPolicy read_restart_policy(std::string_view text);

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
  // It ended with this code by itself, in a pod that goes on. Sidecars (init containers with
  // Always) are always started again.
  bool restarts_after(int32_t exit_code, RestartPolicy pod) const;
};

// `container` is a core/v1 Container.
OwnRestart read_own_restart(const Message& container);

}  // namespace windlass::api
