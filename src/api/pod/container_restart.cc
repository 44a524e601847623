#include "api/pod/container_restart.h"

#include <algorithm>

#include "schema/core/v1/pod.pb.h"

namespace windlass::api {

RestartPolicy read_restart_policy(std::string_view text) {
  if (text == "Never") {
    return RestartPolicy::never;
  }
  return text == "OnFailure" ? RestartPolicy::on_failure : RestartPolicy::always;
}

bool RestartRule::matches(int32_t exit_code) const {
  const bool found = std::find(exit_codes.begin(), exit_codes.end(), exit_code) != exit_codes.end();
  return found == listed;
}

bool OwnRestart::has_rule_for(int32_t exit_code) const {
  return std::any_of(rules.begin(), rules.end(),
                     [exit_code](const RestartRule& rule) { return rule.matches(exit_code); });
}

bool OwnRestart::restarts_after(int32_t exit_code, RestartPolicy pod) const {
  switch (policy_or(pod)) {
    case RestartPolicy::always:
      return true;
    case RestartPolicy::on_failure:
      return exit_code != 0 || has_rule_for(exit_code);
    case RestartPolicy::never:
      break;
  }
  return has_rule_for(exit_code);
}

OwnRestart read_own_restart(const Message& message) {
  const auto& container = static_cast<const core::v1::Container&>(message);
  OwnRestart own;
  if (!container.has_restart_policy()) {
    return own;
  }
  own.policy = read_restart_policy(container.restart_policy());
  for (const core::v1::ContainerRestartRule& rule : container.restart_policy_rules()) {
    if (rule.action() == "Restart") {
      const auto& codes = rule.exit_codes();
      own.rules.push_back(
          {codes.operator_() == "In", {codes.values().begin(), codes.values().end()}});
    }
  }
  return own;
}

}  // namespace windlass::api
