// restartPolicy and restartPolicyRules of a container (api.md P44, with ContainerRestartRules on).
#include "api/pod/validation/validate_pod_parts.h"
#include "schema/core/v1/container.pb.h"

namespace windlass::api {
namespace {

using core::v1::ContainerRestartRule;

constexpr int kMaxRules = 20;
constexpr int kMaxExitCodes = 255;

void validate_rule(FieldErrors& errors, const FieldPath& path, const ContainerRestartRule& rule) {
  if (rule.action() != "Restart" && rule.action() != "RestartAllContainers") {
    errors.not_supported(path.child("action"), rule.action(), {"Restart", "RestartAllContainers"});
  }
  if (!rule.has_exit_codes()) {
    errors.required(path.child("exitCodes"), "must be specified");
    return;
  }
  const FieldPath codes = path.child("exitCodes");
  const std::string& op = rule.exit_codes().operator_();
  if (op != "In" && op != "NotIn") {
    errors.not_supported(codes.child("operator"), op, {"In", "NotIn"});
  }
  if (rule.exit_codes().values_size() > kMaxExitCodes) {
    errors.too_many(codes.child("values"), as_index(rule.exit_codes().values_size()),
                    kMaxExitCodes);
  }
}

}  // namespace

void validate_container_restart(FieldErrors& errors, const FieldPath& path,
                                const core::v1::Container& container) {
  const int rules = container.restart_policy_rules_size();
  const std::string& policy = container.restart_policy();
  if (!container.has_restart_policy()) {
    if (rules == 0) {
      return;
    }
    errors.required(path.child("restartPolicy"),
                    "must specify restartPolicy when restart rules are used");
  } else if (policy != "Always" && policy != "Never" && policy != "OnFailure") {
    errors.not_supported(path.child("restartPolicy"), policy, {"Always", "Never", "OnFailure"});
  }
  if (rules > kMaxRules) {
    errors.too_many(path.child("restartPolicyRules"), as_index(rules), kMaxRules);
  }
  for (int i = 0; i < rules; ++i) {
    validate_rule(errors, path.child("restartPolicyRules").index(as_index(i)),
                  container.restart_policy_rules(i));
  }
}

}  // namespace windlass::api
