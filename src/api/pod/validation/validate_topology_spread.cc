#include <fmt/format.h>

#include <set>

#include "api/pod/validation/validate_pod_parts.h"
#include "api/select/label_selector.h"
#include "schema/core/v1/affinity.pb.h"

namespace windlass::api {
namespace {

using core::v1::TopologySpreadConstraint;

void validate_positive(FieldErrors& errors, const FieldPath& path, int32_t value) {
  if (value <= 0) {
    errors.invalid(path, BadValue::number(value), "must be greater than zero");
  }
}

void validate_node_policy(FieldErrors& errors, const FieldPath& path, const std::string& policy) {
  if (policy != "Honor" && policy != "Ignore") {
    errors.not_supported(path, policy, {"Honor", "Ignore"});
  }
}

void validate_optional_fields(FieldErrors& errors, const FieldPath& path,
                              const TopologySpreadConstraint& constraint) {
  if (constraint.has_min_domains()) {
    validate_positive(errors, path.child("minDomains"), constraint.min_domains());
    if (constraint.when_unsatisfiable() != "DoNotSchedule") {
      errors.invalid(path.child("minDomains"), BadValue::number(constraint.min_domains()),
                     fmt::format("can only use minDomains if whenUnsatisfiable=DoNotSchedule, "
                                 "not {}",
                                 constraint.when_unsatisfiable()));
    }
  }
  if (constraint.has_node_affinity_policy()) {
    validate_node_policy(errors, path.child("nodeAffinityPolicy"),
                         constraint.node_affinity_policy());
  }
  if (constraint.has_node_taints_policy()) {
    validate_node_policy(errors, path.child("nodeTaintsPolicy"), constraint.node_taints_policy());
  }
  validate_label_keys(errors, path, constraint.match_label_keys(), {},
                      constraint.has_label_selector() ? &constraint.label_selector() : nullptr);
  if (constraint.has_label_selector()) {
    validate_label_selector(errors, path.child("labelSelector"), constraint.label_selector());
  }
}

}  // namespace

void validate_topology_spread(FieldErrors& errors, const FieldPath& path,
                              const Repeated<TopologySpreadConstraint>& constraints) {
  // How often each pair of key and action is still to come: the earlier one of two is reported.
  std::multiset<std::pair<std::string_view, std::string_view>> to_come;
  for (const TopologySpreadConstraint& constraint : constraints) {
    to_come.insert({constraint.topology_key(), constraint.when_unsatisfiable()});
  }
  for (int i = 0; i < constraints.size(); ++i) {
    const TopologySpreadConstraint& constraint = constraints[i];
    const FieldPath item = path.index(as_index(i));
    const std::string& action = constraint.when_unsatisfiable();
    validate_positive(errors, item.child("maxSkew"), constraint.max_skew());
    if (constraint.topology_key().empty()) {
      errors.required(item.child("topologyKey"), "can not be empty");
    }
    if (action != "DoNotSchedule" && action != "ScheduleAnyway") {
      errors.not_supported(item.child("whenUnsatisfiable"), action,
                           {"DoNotSchedule", "ScheduleAnyway"});
    }
    const auto pair =
        std::pair<std::string_view, std::string_view>(constraint.topology_key(), action);
    to_come.erase(to_come.find(pair));
    if (to_come.contains(pair)) {
      errors.duplicate(item.child("{topologyKey, whenUnsatisfiable}"),
                       fmt::format("{{{}, {}}}", constraint.topology_key(), action));
    }
    validate_optional_fields(errors, item, constraint);
  }
}

}  // namespace windlass::api
