// spec.podFailurePolicy (api.md J81-J87). The names of rules are in validate_job_rule_names.cc.
#include <algorithm>
#include <set>
#include <string>
#include <string_view>

#include "api/job/job_constants.h"
#include "api/job/validation/validate_job_spec.h"
#include "api/names.h"
#include "schema/batch/v1/job.pb.h"

namespace windlass::api {
namespace {

using batch::v1::JobSpec;
using batch::v1::PodFailurePolicyOnExitCodesRequirement;
using batch::v1::PodFailurePolicyOnPodConditionsPattern;
using batch::v1::PodFailurePolicyRule;

constexpr size_t kMaxRules = 20;
constexpr size_t kMaxExitCodes = 255;
constexpr size_t kMaxPatterns = 20;

bool has_container(const JobSpec& spec, const std::string& name) {
  const auto is_it = [&](const auto& container) { return container.name() == name; };
  const auto& pod = spec.template_().spec();
  return std::ranges::any_of(pod.containers(), is_it) ||
         std::ranges::any_of(pod.init_containers(), is_it);
}

// J82.
void validate_action(FieldErrors& errors, const FieldPath& path, const PodFailurePolicyRule& rule,
                     const JobSpec& spec) {
  const std::string& action = rule.action();
  if (action.empty()) {
    errors.required(path, R"(valid values: ["Count" "FailIndex" "FailJob" "Ignore"])");
  } else if (action == kActionFailIndex) {
    if (!spec.has_backoff_limit_per_index()) {
      errors.invalid(path, action, "requires the backoffLimitPerIndex to be set");
    }
  } else if (action != kActionCount && action != kActionFailJob && action != kActionIgnore) {
    errors.not_supported(path, action,
                         {kActionCount, kActionFailIndex, kActionFailJob, kActionIgnore});
  }
}

std::string list_text(const google::protobuf::RepeatedField<int32_t>& values) {
  std::string text = "[";
  for (int i = 0; i < values.size(); ++i) {
    text += i > 0 ? "," : "";
    text += std::to_string(values[i]);
  }
  return text + "]";
}

// J86.
void validate_exit_code_values(FieldErrors& errors, const FieldPath& path,
                               const PodFailurePolicyOnExitCodesRequirement& requirement) {
  const auto& values = requirement.values();
  const size_t count = static_cast<size_t>(values.size());
  if (values.empty()) {
    errors.invalid(path, BadValue::json("[]"), "at least one value is required");
  } else if (count > kMaxExitCodes) {
    errors.too_many(path, count, kMaxExitCodes);
  }
  std::set<int32_t> seen;
  bool ordered = true;
  for (int i = 0; i < values.size(); ++i) {
    const int32_t value = values[i];
    if (value == 0 && requirement.operator_() == kOperatorIn) {
      errors.invalid(path.index(static_cast<size_t>(i)), BadValue::number(value),
                     "must not be 0 for the In operator");
    }
    if (!seen.insert(value).second) {
      errors.duplicate(path.index(static_cast<size_t>(i)), BadValue::number(value));
    }
    ordered = ordered && (i == 0 || values[i - 1] <= value);
  }
  if (!ordered) {
    errors.invalid(path, BadValue::json(list_text(values)), "must be ordered");
  }
}

// J84-J86.
void validate_on_exit_codes(FieldErrors& errors, const FieldPath& path,
                            const PodFailurePolicyOnExitCodesRequirement& requirement,
                            const JobSpec& spec) {
  const std::string& op = requirement.operator_();
  if (op.empty()) {
    errors.required(path.child("operator"), R"(valid values: ["In" "NotIn"])");
  } else if (op != kOperatorIn && op != kOperatorNotIn) {
    errors.not_supported(path.child("operator"), op, {kOperatorIn, kOperatorNotIn});
  }
  if (requirement.has_container_name() && !has_container(spec, requirement.container_name())) {
    errors.invalid(path.child("containerName"), requirement.container_name(),
                   "must be one of the container or initContainer names in the pod template");
  }
  validate_exit_code_values(errors, path.child("values"), requirement);
}

// J87.
void validate_pattern(FieldErrors& errors, const FieldPath& path,
                      const PodFailurePolicyOnPodConditionsPattern& pattern) {
  add_problems(errors, path.child("type"), pattern.type(), check_qualified_name(pattern.type()));
  const std::string& status = pattern.status();
  if (status.empty()) {
    errors.required(path.child("status"), R"(valid values: ["False" "True" "Unknown"])");
  } else if (status != kConditionFalse && status != kConditionTrue && status != kConditionUnknown) {
    errors.not_supported(path.child("status"), status,
                         {kConditionFalse, kConditionTrue, kConditionUnknown});
  }
}

void validate_on_pod_conditions(FieldErrors& errors, const FieldPath& path,
                                const PodFailurePolicyRule& rule) {
  const size_t count = static_cast<size_t>(rule.on_pod_conditions_size());
  if (count > kMaxPatterns) {
    errors.too_many(path, count, kMaxPatterns);
  }
  for (size_t i = 0; i < count; ++i) {
    validate_pattern(errors, path.index(i), rule.on_pod_conditions(static_cast<int>(i)));
  }
}

void validate_rule(FieldErrors& errors, const FieldPath& path, const PodFailurePolicyRule& rule,
                   const JobSpec& spec) {
  validate_action(errors, path.child("action"), rule, spec);
  const bool by_exit_code = rule.has_on_exit_codes();
  const bool by_condition = rule.on_pod_conditions_size() > 0;
  if (by_exit_code) {
    validate_on_exit_codes(errors, path.child("onExitCodes"), rule.on_exit_codes(), spec);
  }
  if (by_condition) {
    validate_on_pod_conditions(errors, path.child("onPodConditions"), rule);
  }
  if (by_exit_code && by_condition) {  // J83
    errors.invalid(path, BadValue::omitted(),
                   "specifying both OnExitCodes and OnPodConditions is not supported");
  } else if (!by_exit_code && !by_condition) {
    errors.invalid(path, BadValue::omitted(),
                   "specifying one of OnExitCodes and OnPodConditions is required");
  }
}

}  // namespace

void validate_pod_failure_policy(FieldErrors& errors, const FieldPath& path, const JobSpec& spec) {
  const auto& policy = spec.pod_failure_policy();
  const FieldPath rules = path.child("rules");
  const size_t count = static_cast<size_t>(policy.rules_size());
  if (count > kMaxRules) {  // J81
    errors.too_many(rules, count, kMaxRules);
  }
  validate_rule_names(errors, rules, policy);
  for (size_t i = 0; i < count; ++i) {
    validate_rule(errors, rules.index(i), policy.rules(static_cast<int>(i)), spec);
  }
}

}  // namespace windlass::api
