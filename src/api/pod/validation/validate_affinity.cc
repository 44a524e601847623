// Node and pod affinity (api.md P45).
#include "api/names.h"
#include "api/pod/validation/validate_pod_parts.h"
#include "api/select/label_selector.h"
#include "schema/core/v1/affinity.pb.h"

namespace windlass::api {
namespace {

using core::v1::NodeSelectorRequirement;
using core::v1::NodeSelectorTerm;
using core::v1::PodAffinityTerm;

constexpr std::string_view kRequired = "requiredDuringSchedulingIgnoredDuringExecution";
constexpr std::string_view kPreferred = "preferredDuringSchedulingIgnoredDuringExecution";
constexpr std::string_view kBadOperator = "not a valid selector operator";

// Required terms must hold label values; preferred ones may hold anything.
enum class AllowedValues { labels, any };

void validate_label_requirement(FieldErrors& errors, const FieldPath& path,
                                const NodeSelectorRequirement& requirement, AllowedValues values) {
  const std::string& op = requirement.operator_();
  if (op == "In" || op == "NotIn") {
    if (requirement.values().empty()) {
      errors.required(path.child("values"), "must be specified when `operator` is 'In' or 'NotIn'");
    }
  } else if (op == "Exists" || op == "DoesNotExist") {
    if (!requirement.values().empty()) {
      errors.forbidden(path.child("values"),
                       "may not be specified when `operator` is 'Exists' or 'DoesNotExist'");
    }
  } else if (op == "Gt" || op == "Lt") {
    if (requirement.values_size() != 1) {
      errors.required(path.child("values"),
                      "must be specified single value when `operator` is 'Lt' or 'Gt'");
    }
  } else {
    errors.invalid(path.child("operator"), op, kBadOperator);
  }
  add_problems(errors, path.child("key"), requirement.key(),
               check_qualified_name(requirement.key()));
  for (int i = 0; values == AllowedValues::labels && i < requirement.values_size(); ++i) {
    add_problems(errors, path.child("values").index(as_index(i)), requirement.values(i),
                 check_label_value(requirement.values(i)));
  }
}

void validate_field_requirement(FieldErrors& errors, const FieldPath& path,
                                const NodeSelectorRequirement& requirement) {
  const std::string& op = requirement.operator_();
  if (op != "In" && op != "NotIn") {
    errors.invalid(path.child("operator"), op, kBadOperator);
  } else if (requirement.values_size() != 1) {
    errors.required(path.child("values"),
                    "must be only one value when `operator` is 'In' or 'NotIn' for node field "
                    "selector");
  }
  if (requirement.key() != "metadata.name") {
    errors.invalid(path.child("key"), requirement.key(), "not a valid field selector key");
    return;
  }
  for (int i = 0; i < requirement.values_size(); ++i) {
    add_problems(errors, path.child("values").index(as_index(i)), requirement.values(i),
                 check_dns1123_subdomain(requirement.values(i)));
  }
}

void validate_node_term(FieldErrors& errors, const FieldPath& path, const NodeSelectorTerm& term,
                        AllowedValues values) {
  for (int i = 0; i < term.match_expressions_size(); ++i) {
    validate_label_requirement(errors, path.child("matchExpressions").index(as_index(i)),
                               term.match_expressions(i), values);
  }
  for (int i = 0; i < term.match_fields_size(); ++i) {
    validate_field_requirement(errors, path.child("matchFields").index(as_index(i)),
                               term.match_fields(i));
  }
}

void validate_weight(FieldErrors& errors, const FieldPath& path, int32_t weight) {
  if (weight < 1 || weight > 100) {
    errors.invalid(path.child("weight"), BadValue::number(weight), "must be in the range 1-100");
  }
}

void validate_node_affinity(FieldErrors& errors, const FieldPath& path,
                            const core::v1::NodeAffinity& affinity) {
  if (affinity.has_required_during_scheduling_ignored_during_execution()) {
    const auto& terms = affinity.required_during_scheduling_ignored_during_execution();
    const FieldPath terms_path = path.child(kRequired).child("nodeSelectorTerms");
    if (terms.node_selector_terms().empty()) {
      errors.required(terms_path, "must have at least one node selector term");
    }
    for (int i = 0; i < terms.node_selector_terms_size(); ++i) {
      validate_node_term(errors, terms_path.index(as_index(i)), terms.node_selector_terms(i),
                         AllowedValues::labels);
    }
  }
  const auto& preferred = affinity.preferred_during_scheduling_ignored_during_execution();
  for (int i = 0; i < preferred.size(); ++i) {
    const FieldPath item = path.child(kPreferred).index(as_index(i));
    validate_weight(errors, item, preferred[i].weight());
    validate_node_term(errors, item.child("preference"), preferred[i].preference(),
                       AllowedValues::any);
  }
}

void validate_pod_term(FieldErrors& errors, const FieldPath& path, const PodAffinityTerm& term) {
  if (term.has_label_selector()) {
    validate_label_selector(errors, path.child("labelSelector"), term.label_selector());
  }
  if (term.has_namespace_selector()) {
    validate_label_selector(errors, path.child("namespaceSelector"), term.namespace_selector());
  }
  for (const std::string& name : term.namespaces()) {
    add_problems(errors, path.child("namespace"), name, check_dns1123_label(name));
  }
  validate_label_keys(errors, path, term.match_label_keys(), term.mismatch_label_keys(),
                      term.has_label_selector() ? &term.label_selector() : nullptr);
  if (term.topology_key().empty()) {
    errors.required(path.child("topologyKey"), "can not be empty");
  }
  add_problems(errors, path.child("topologyKey"), term.topology_key(),
               check_qualified_name(term.topology_key()));
}

template <class AnyPodAffinity>
void validate_pod_affinity(FieldErrors& errors, const FieldPath& path,
                           const AnyPodAffinity& affinity) {
  const auto& required = affinity.required_during_scheduling_ignored_during_execution();
  for (int i = 0; i < required.size(); ++i) {
    validate_pod_term(errors, path.child(kRequired).index(as_index(i)), required[i]);
  }
  const auto& preferred = affinity.preferred_during_scheduling_ignored_during_execution();
  for (int i = 0; i < preferred.size(); ++i) {
    const FieldPath item = path.child(kPreferred).index(as_index(i));
    validate_weight(errors, item, preferred[i].weight());
    validate_pod_term(errors, item.child("podAffinityTerm"), preferred[i].pod_affinity_term());
  }
}

}  // namespace

void validate_affinity(FieldErrors& errors, const FieldPath& path,
                       const core::v1::Affinity& affinity) {
  if (affinity.has_node_affinity()) {
    validate_node_affinity(errors, path.child("nodeAffinity"), affinity.node_affinity());
  }
  if (affinity.has_pod_affinity()) {
    validate_pod_affinity(errors, path.child("podAffinity"), affinity.pod_affinity());
  }
  if (affinity.has_pod_anti_affinity()) {
    validate_pod_affinity(errors, path.child("podAntiAffinity"), affinity.pod_anti_affinity());
  }
}

}  // namespace windlass::api
