#include <fmt/format.h>

#include "api/names.h"
#include "api/pod/warnings/warnings_pod_parts.h"
#include "api/string_map.h"
#include "schema/core/v1/pod_spec.pb.h"

namespace windlass::api {
namespace {

using core::v1::PodSpec;

constexpr std::string_view kRequired = "requiredDuringSchedulingIgnoredDuringExecution";
constexpr std::string_view kPreferred = "preferredDuringSchedulingIgnoredDuringExecution";
constexpr std::string_view kNullSelector = "a null labelSelector results in matching no pod";

struct OldLabel {
  std::string_view key;
  std::string_view advice;
};

constexpr OldLabel kOldLabels[] = {
    {"beta.kubernetes.io/arch", "deprecated since v1.14; use \"kubernetes.io/arch\" instead"},
    {"beta.kubernetes.io/os", "deprecated since v1.14; use \"kubernetes.io/os\" instead"},
    {"failure-domain.beta.kubernetes.io/region",
     "deprecated since v1.17; use \"topology.kubernetes.io/region\" instead"},
    {"failure-domain.beta.kubernetes.io/zone",
     "deprecated since v1.17; use \"topology.kubernetes.io/zone\" instead"},
    {"beta.kubernetes.io/instance-type",
     "deprecated since v1.17; use \"node.kubernetes.io/instance-type\" instead"},
    {"app.kubernetes.io/created-by", "deprecated since v1.9"},
    {"scheduler.alpha.kubernetes.io/preferAvoidPods",
     "deprecated since v1.22; use Taints and Tolerations instead"},
    {"node-role.kubernetes.io/master", "use \"node-role.kubernetes.io/control-plane\" instead"},
};

// Empty for a label that is still in use.
std::string_view advice_for(std::string_view key) {
  for (const OldLabel& label : kOldLabels) {
    if (label.key == key) {
      return label.advice;
    }
  }
  return {};
}

enum class ValueChecks { checked_by_validation, free };

void warn_about_term(PodWarnings& warnings, const FieldPath& path,
                     const core::v1::NodeSelectorTerm& term, ValueChecks values) {
  for (int i = 0; i < term.match_expressions_size(); ++i) {
    const core::v1::NodeSelectorRequirement& expression = term.match_expressions(i);
    const FieldPath item = path.child("matchExpressions").index(static_cast<size_t>(i));
    if (const auto advice = advice_for(expression.key()); !advice.empty()) {
      warnings.add(item.child("key"), fmt::format("{} is {}", expression.key(), advice));
    }
    for (int j = 0; values == ValueChecks::free && j < expression.values_size(); ++j) {
      for (const std::string& problem : check_label_value(expression.values(j))) {
        warnings.add(item.child("values").index(static_cast<size_t>(j)),
                     fmt::format("{} is invalid, {}", expression.values(j), problem));
      }
    }
  }
}

void warn_about_node_affinity(PodWarnings& warnings, const FieldPath& path,
                              const core::v1::NodeAffinity& affinity) {
  const auto& required =
      affinity.required_during_scheduling_ignored_during_execution().node_selector_terms();
  for (int i = 0; i < required.size(); ++i) {
    warn_about_term(warnings,
                    path.child(kRequired).child("nodeSelectorTerms").index(static_cast<size_t>(i)),
                    required[i], ValueChecks::checked_by_validation);
  }
  const auto& preferred = affinity.preferred_during_scheduling_ignored_during_execution();
  for (int i = 0; i < preferred.size(); ++i) {
    warn_about_term(warnings,
                    path.child(kPreferred).index(static_cast<size_t>(i)).child("preference"),
                    preferred[i].preference(), ValueChecks::free);
  }
}

template <class AnyPodAffinity>
void warn_about_null_selectors(PodWarnings& warnings, const FieldPath& path,
                               const AnyPodAffinity& affinity) {
  const auto& required = affinity.required_during_scheduling_ignored_during_execution();
  for (int i = 0; i < required.size(); ++i) {
    if (!required[i].has_label_selector()) {
      warnings.add(path.child(kRequired).index(static_cast<size_t>(i)).child("labelSelector"),
                   kNullSelector);
    }
  }
  const auto& preferred = affinity.preferred_during_scheduling_ignored_during_execution();
  for (int i = 0; i < preferred.size(); ++i) {
    if (!preferred[i].pod_affinity_term().has_label_selector()) {
      const FieldPath item = path.child(kPreferred).index(static_cast<size_t>(i));
      warnings.add(item.child("podAffinityTerm").child("labelSelector"), kNullSelector);
    }
  }
}

}  // namespace

void warn_about_placement(PodWarnings& warnings, const FieldPath& spec_path, const PodSpec& spec) {
  for (std::string_view key : sorted_keys(spec.node_selector())) {
    if (const auto advice = advice_for(key); !advice.empty()) {
      warnings.add(spec_path.child("nodeSelector").key(key), advice);
    }
  }
  if (spec.affinity().has_node_affinity()) {
    warn_about_node_affinity(warnings, spec_path.child("affinity").child("nodeAffinity"),
                             spec.affinity().node_affinity());
  }
  for (int i = 0; i < spec.topology_spread_constraints_size(); ++i) {
    const auto& constraint = spec.topology_spread_constraints(i);
    const FieldPath item =
        spec_path.child("topologySpreadConstraints").index(static_cast<size_t>(i));
    if (const auto advice = advice_for(constraint.topology_key()); !advice.empty()) {
      warnings.add(item.child("topologyKey"),
                   fmt::format("{} is {}", constraint.topology_key(), advice));
    }
    if (!constraint.has_label_selector()) {
      warnings.add(item.child("labelSelector"), kNullSelector);
    }
  }
}

void warn_about_pod_affinity(PodWarnings& warnings, const FieldPath& spec_path,
                             const PodSpec& spec) {
  const FieldPath path = spec_path.child("affinity");
  if (spec.affinity().has_pod_affinity()) {
    warn_about_null_selectors(warnings, path.child("podAffinity"), spec.affinity().pod_affinity());
  }
  if (spec.affinity().has_pod_anti_affinity()) {
    warn_about_null_selectors(warnings, path.child("podAntiAffinity"),
                              spec.affinity().pod_anti_affinity());
  }
}

}  // namespace windlass::api
