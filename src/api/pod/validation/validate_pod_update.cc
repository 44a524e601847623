#include "api/pod/validation/validate_pod_update.h"

#include <fmt/format.h>

#include <map>
#include <set>
#include <tuple>

#include "api/equality.h"
#include "api/pod/validation/validate_pod_parts.h"
#include "api/validate_metadata.h"
#include "schema/core/v1/pod.pb.h"

namespace windlass::api {
namespace {

using core::v1::Container;
using core::v1::NodeSelectorTerm;
using core::v1::Pod;
using core::v1::PodSpec;
using core::v1::Toleration;

// False: the lists cannot be compared any further.
bool validate_images(FieldErrors& errors, const FieldPath& path,
                     const Repeated<Container>& containers, const Repeated<Container>& old) {
  if (containers.size() != old.size()) {
    errors.forbidden(path, "pod updates may not add or remove containers");
    return false;
  }
  constexpr std::string_view kBlanks = " \t\n\v\f\r";
  for (int i = 0; i < containers.size(); ++i) {
    const std::string& image = containers[i].image();
    if (image.empty()) {
      errors.required(path.index(as_index(i)).child("image"));
    } else if (kBlanks.find(image.front()) != std::string_view::npos ||
               kBlanks.find(image.back()) != std::string_view::npos) {
      errors.invalid(path.index(as_index(i)).child("image"), image,
                     "must not have leading or trailing whitespace");
    }
  }
  return true;
}

// False: a deadline so wrong that nothing further is looked at.
bool validate_deadline(FieldErrors& errors, const FieldPath& path, const PodSpec& spec,
                       const PodSpec& old) {
  const int64_t deadline = spec.active_deadline_seconds();
  if (!spec.has_active_deadline_seconds()) {
    if (old.has_active_deadline_seconds()) {
      errors.invalid(path, BadValue::null(),
                     "must not update from a positive integer to nil value");
    }
    return true;
  }
  if (deadline < 0 || deadline > kMaxDeadlineSeconds) {
    errors.invalid(path, BadValue::number(deadline), "must be between 0 and 2147483647, inclusive");
    return false;
  }
  if (old.has_active_deadline_seconds() && old.active_deadline_seconds() < deadline) {
    errors.invalid(path, BadValue::number(deadline),
                   "must be less than or equal to previous value");
    return false;
  }
  return true;
}

// All of a toleration but its seconds.
auto identity_of(const Toleration& toleration) {
  return std::tuple<std::string_view, std::string_view, std::string_view, std::string_view>(
      toleration.key(), toleration.operator_(), toleration.value(), toleration.effect());
}

void validate_added_tolerations(FieldErrors& errors, const FieldPath& path, const PodSpec& spec,
                                const PodSpec& old) {
  std::set<decltype(identity_of(Toleration()))> kept;
  for (const Toleration& toleration : spec.tolerations()) {
    kept.insert(identity_of(toleration));
  }
  for (const Toleration& toleration : old.tolerations()) {
    if (!kept.contains(identity_of(toleration))) {
      errors.forbidden(path,
                       "existing toleration can not be modified except its tolerationSeconds");
      return;
    }
  }
  validate_tolerations(errors, path, spec.tolerations());
}

void validate_removed_gates(FieldErrors& errors, const FieldPath& path, const PodSpec& spec,
                            const PodSpec& old) {
  std::map<std::string_view, int> added;
  for (int i = 0; i < spec.scheduling_gates_size(); ++i) {
    added[spec.scheduling_gates(i).name()] = i;
  }
  for (const core::v1::PodSchedulingGate& gate : old.scheduling_gates()) {
    added.erase(gate.name());
  }
  for (const auto& [name, i] : added) {
    errors.forbidden(
        path.index(as_index(i)).child("name"),
        fmt::format("only deletion is allowed, but found new scheduling gate '{}'", name));
  }
}

BadValue as_json_object(const StringMap& map) {
  std::string text;
  for (std::string_view key : sorted_keys(map)) {
    text += fmt::format("{}{}:{}", text.empty() ? "" : ",", go_quote(key),
                        go_quote(map.at(std::string(key))));
  }
  return BadValue::json("{" + text + "}");
}

void validate_narrower_selector(FieldErrors& errors, const FieldPath& path, const PodSpec& spec,
                                const PodSpec& old) {
  for (const auto& [key, value] : old.node_selector()) {
    const auto found = spec.node_selector().find(key);
    if (found == spec.node_selector().end() || found->second != value) {
      errors.invalid(path, as_json_object(spec.node_selector()),
                     "only additions to spec.nodeSelector are allowed (no mutations or deletions)");
      return;
    }
  }
}

template <class List>
bool begins_with(const List& list, const List& beginning) {
  if (list.size() < beginning.size()) {
    return false;
  }
  for (int i = 0; i < beginning.size(); ++i) {
    if (!semantically_equal(list[i], beginning[i])) {
      return false;
    }
  }
  return true;
}

bool only_adds(const NodeSelectorTerm& now, const NodeSelectorTerm& before) {
  if (before.match_expressions().empty() && before.match_fields().empty()) {
    return now.match_expressions().empty() && now.match_fields().empty();
  }
  return begins_with(now.match_expressions(), before.match_expressions()) &&
         begins_with(now.match_fields(), before.match_fields());
}

void validate_narrower_affinity(FieldErrors& errors, const FieldPath& path,
                                const core::v1::NodeAffinity& affinity,
                                const core::v1::NodeAffinity& old) {
  const auto& terms =
      affinity.required_during_scheduling_ignored_during_execution().node_selector_terms();
  const auto& old_terms =
      old.required_during_scheduling_ignored_during_execution().node_selector_terms();
  const FieldPath terms_path =
      path.child("requiredDuringSchedulingIgnoredDuringExecution").child("nodeSelectorTerms");
  if (!old_terms.empty() && terms.size() != old_terms.size()) {
    errors.invalid(
        terms_path,
        BadValue::message(affinity.required_during_scheduling_ignored_during_execution()),
        "no additions/deletions to non-empty NodeSelectorTerms list are allowed");
    return;
  }
  for (int i = 0; i < old_terms.size(); ++i) {
    if (!only_adds(terms[i], old_terms[i])) {
      errors.invalid(terms_path.index(as_index(i)), BadValue::message(terms[i]),
                     "only additions are allowed (no mutations or deletions)");
    }
  }
}

// While a pod is gated, its place may be narrowed down. What was judged here is then put back, so
// that the comparison of the whole spec does not see it.
void validate_gated_placement(FieldErrors& errors, const FieldPath& path, PodSpec& spec,
                              const PodSpec& old) {
  validate_narrower_selector(errors, path.child("nodeSelector"), spec, old);
  *spec.mutable_node_selector() = old.node_selector();

  const bool had = old.affinity().has_node_affinity();
  const bool has = spec.affinity().has_node_affinity();
  if (had == has &&
      semantically_equal(spec.affinity().node_affinity(), old.affinity().node_affinity())) {
    return;
  }
  validate_narrower_affinity(errors, path.child("affinity").child("nodeAffinity"),
                             spec.affinity().node_affinity(), old.affinity().node_affinity());
  if (had) {
    *spec.mutable_affinity()->mutable_node_affinity() = old.affinity().node_affinity();
    return;
  }
  spec.mutable_affinity()->clear_node_affinity();
  if (!old.has_affinity() && !spec.affinity().has_pod_affinity() &&
      !spec.affinity().has_pod_anti_affinity()) {
    spec.clear_affinity();
  }
}

// The spec with everything put back that an update may change.
PodSpec without_allowed_changes(const PodSpec& spec, const PodSpec& old) {
  PodSpec kept = spec;
  for (int i = 0; i < kept.containers_size(); ++i) {
    kept.mutable_containers(i)->set_image(old.containers(i).image());
  }
  for (int i = 0; i < kept.init_containers_size(); ++i) {
    kept.mutable_init_containers(i)->set_image(old.init_containers(i).image());
  }
  kept.clear_active_deadline_seconds();
  if (old.has_active_deadline_seconds()) {
    kept.set_active_deadline_seconds(old.active_deadline_seconds());
  }
  *kept.mutable_scheduling_gates() = old.scheduling_gates();
  *kept.mutable_tolerations() = old.tolerations();
  if (old.termination_grace_period_seconds() < 0 && kept.termination_grace_period_seconds() == 1) {
    kept.set_termination_grace_period_seconds(old.termination_grace_period_seconds());
  }
  return kept;
}

void validate_spec_update(FieldErrors& errors, const FieldPath& path, const PodSpec& spec,
                          const PodSpec& old) {
  if (!validate_images(errors, path.child("containers"), spec.containers(), old.containers()) ||
      !validate_images(errors, path.child("initContainers"), spec.init_containers(),
                       old.init_containers()) ||
      !validate_deadline(errors, path.child("activeDeadlineSeconds"), spec, old)) {
    return;
  }
  validate_added_tolerations(errors, path.child("tolerations"), spec, old);
  validate_removed_gates(errors, path.child("schedulingGates"), spec, old);
  if (semantically_equal(spec, old)) {
    return;
  }
  PodSpec kept = without_allowed_changes(spec, old);
  if (!old.scheduling_gates().empty()) {
    validate_gated_placement(errors, path, kept, old);
  }
  if (const auto changed = differing_fields(kept, old); !changed.empty()) {
    // P51. Kubernetes prints a diff of both specs; the names of what changed say as much.
    errors.forbidden(
        path, fmt::format("pod updates may not change fields other than `spec.containers[*].image`,"
                          "`spec.initContainers[*].image`,`spec.activeDeadlineSeconds`,"
                          "`spec.tolerations` (only additions to existing tolerations),"
                          "`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was "
                          "previously negative)\nchanged: {}",
                          fmt::join(changed, ", ")));
  }
}

}  // namespace

void validate_pod_update(FieldErrors& errors, const Pod& pod, const Pod& old) {
  const FieldPath metadata("metadata");
  validate_generic_update(errors, metadata, pod.metadata(), old.metadata(), true);
  validate_object_meta_update(errors, metadata, pod.metadata(), old.metadata());
  validate_pod_metadata_and_spec(errors, pod);
  validate_spec_update(errors, FieldPath("spec"), pod.spec(), old.spec());
}

}  // namespace windlass::api
