#include "api/pod/merge_label_keys.h"

#include "api/string_map.h"
#include "schema/core/v1/pod.pb.h"

namespace windlass::api {
namespace {

using core::v1::PodAffinityTerm;

template <class Keys>
void add_conditions(const Keys& keys, const char* op, const StringMap& labels,
                    meta::v1::LabelSelector& selector) {
  for (const std::string& key : keys) {
    if (const auto label = labels.find(key); label != labels.end()) {
      meta::v1::LabelSelectorRequirement& added = *selector.add_match_expressions();
      added.set_key(key);
      added.set_operator_(op);
      added.add_values(label->second);
    }
  }
}

void merge_term(const StringMap& labels, PodAffinityTerm& term) {
  if (term.has_label_selector()) {  // without one it selects nothing
    add_conditions(term.match_label_keys(), "In", labels, *term.mutable_label_selector());
    add_conditions(term.mismatch_label_keys(), "NotIn", labels, *term.mutable_label_selector());
  }
}

template <class AnyPodAffinity>
void merge_terms(const StringMap& labels, AnyPodAffinity& affinity) {
  for (auto& preferred : *affinity.mutable_preferred_during_scheduling_ignored_during_execution()) {
    merge_term(labels, *preferred.mutable_pod_affinity_term());
  }
  for (auto& term : *affinity.mutable_required_during_scheduling_ignored_during_execution()) {
    merge_term(labels, term);
  }
}

}  // namespace

void merge_label_keys(core::v1::Pod& pod) {
  const StringMap& labels = pod.metadata().labels();
  if (pod.spec().affinity().has_pod_affinity()) {
    merge_terms(labels, *pod.mutable_spec()->mutable_affinity()->mutable_pod_affinity());
  }
  if (pod.spec().affinity().has_pod_anti_affinity()) {
    merge_terms(labels, *pod.mutable_spec()->mutable_affinity()->mutable_pod_anti_affinity());
  }
  for (auto& constraint : *pod.mutable_spec()->mutable_topology_spread_constraints()) {
    if (constraint.has_label_selector()) {
      add_conditions(constraint.match_label_keys(), "In", labels,
                     *constraint.mutable_label_selector());
    }
  }
}

}  // namespace windlass::api
