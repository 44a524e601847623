// Tolerations of pods (api.md P42) and taints of nodes (N3).
#include <fmt/format.h>

#include <set>

#include "api/names.h"
#include "api/pod/validation/validate_pod_parts.h"
#include "schema/core/v1/affinity.pb.h"
#include "schema/core/v1/node.pb.h"

namespace windlass::api {
namespace {

using core::v1::Taint;
using core::v1::Toleration;

void validate_effect(FieldErrors& errors, const FieldPath& path, const std::string& effect) {
  if (effect != "NoSchedule" && effect != "PreferNoSchedule" && effect != "NoExecute") {
    errors.not_supported(path.child("effect"), effect,
                         {"NoSchedule", "PreferNoSchedule", "NoExecute"});
  }
}

// All problems of a value as one error.
void validate_value(FieldErrors& errors, const FieldPath& path, const std::string& value) {
  if (const auto problems = check_label_value(value); !problems.empty()) {
    errors.invalid(path, value, fmt::format("{}", fmt::join(problems, ";")));
  }
}

void validate_operator(FieldErrors& errors, const FieldPath& path, const Toleration& toleration) {
  const std::string& op = toleration.operator_();
  if (op.empty() || op == "Equal") {
    validate_value(errors, path, toleration.value());
  } else if (op == "Exists") {
    if (!toleration.value().empty()) {
      errors.invalid(path, toleration.value(), "value must be empty when `operator` is 'Exists'");
    }
  } else if (op == "Lt" || op == "Gt") {
    // Known, but not enabled.
    errors.not_supported(path, op, {"Equal", "Exists", "Lt", "Gt"});
  } else {
    errors.not_supported(path, op, {"Equal", "Exists"});
  }
}

void validate_toleration(FieldErrors& errors, const FieldPath& path, const Toleration& toleration) {
  if (!toleration.key().empty()) {
    add_problems(errors, path.child("key"), toleration.key(),
                 check_qualified_name(toleration.key()));
  } else if (toleration.operator_() != "Exists") {
    errors.invalid(path.child("operator"), toleration.operator_(),
                   "operator must be Exists when `key` is empty, which means \"match all values "
                   "and all keys\"");
  }
  if (toleration.has_toleration_seconds() && toleration.effect() != "NoExecute") {
    errors.invalid(path.child("effect"), toleration.effect(),
                   "effect must be 'NoExecute' when `tolerationSeconds` is set");
  }
  validate_operator(errors, path.child("operator"), toleration);
  if (!toleration.effect().empty()) {
    validate_effect(errors, path, toleration.effect());
  }
}

}  // namespace

void validate_tolerations(FieldErrors& errors, const FieldPath& path,
                          const Repeated<Toleration>& tolerations) {
  for (int i = 0; i < tolerations.size(); ++i) {
    validate_toleration(errors, path.index(as_index(i)), tolerations[i]);
  }
}

void validate_taints(FieldErrors& errors, const FieldPath& path, const Repeated<Taint>& taints) {
  std::set<std::pair<std::string_view, std::string_view>> seen;
  for (int i = 0; i < taints.size(); ++i) {
    const Taint& taint = taints[i];
    const FieldPath item = path.index(as_index(i));
    add_problems(errors, item.child("key"), taint.key(), check_qualified_name(taint.key()));
    validate_value(errors, item.child("value"), taint.value());
    if (taint.effect().empty()) {
      errors.required(item.child("effect"));
    } else {
      validate_effect(errors, item, taint.effect());
    }
    if (!seen.insert({taint.effect(), taint.key()}).second) {
      errors.duplicate(item, BadValue::message(taint),
                       "taints must be unique by key and effect pair");
    }
  }
}

}  // namespace windlass::api
