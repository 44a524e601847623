#include "scheduler/cluster/read_affinity.h"

#include <fmt/format.h>

#include <algorithm>

#include "placement/needs.h"
#include "scheduler/cluster/read_shape.h"
#include "schema/core/v1/pod.pb.h"

namespace windlass::scheduler {
namespace {

namespace core = api::core::v1;
using Terms = google::protobuf::RepeatedPtrField<core::PodAffinityTerm>;
using WeightedTerms = google::protobuf::RepeatedPtrField<core::WeightedPodAffinityTerm>;

// The selector with `key in (the pod's own value)`, or not in, for every named label it has.
api::LabelSelector with_own_labels(const api::meta::v1::LabelSelector* selector,
                                   const google::protobuf::RepeatedPtrField<std::string>& match,
                                   const google::protobuf::RepeatedPtrField<std::string>& mismatch,
                                   const core::Pod& pod) {
  if (selector == nullptr) {
    return api::LabelSelector::nothing();
  }
  api::meta::v1::LabelSelector merged = *selector;
  const auto merge = [&](const std::string& key, const char* op) {
    const auto found = pod.metadata().labels().find(key);
    if (found != pod.metadata().labels().end()) {
      auto* requirement = merged.add_match_expressions();
      requirement->set_key(key);
      requirement->set_operator_(op);
      requirement->add_values(found->second);
    }
  };
  for (const std::string& key : match) {
    merge(key, "In");
  }
  for (const std::string& key : mismatch) {
    merge(key, "NotIn");
  }
  return read_selector(&merged);
}

PodTerm read_term(const core::PodAffinityTerm& term, const core::Pod& pod, int32_t weight) {
  PodTerm out;
  out.selector = with_own_labels(term.has_label_selector() ? &term.label_selector() : nullptr,
                                 term.match_label_keys(), term.mismatch_label_keys(), pod);
  out.namespaces = {term.namespaces().begin(), term.namespaces().end()};
  if (term.has_namespace_selector()) {
    out.namespace_selector = read_selector(&term.namespace_selector());
  } else if (out.namespaces.empty()) {
    out.namespaces.push_back(pod.metadata().namespace_());
  }
  std::sort(out.namespaces.begin(), out.namespaces.end());
  out.topology_key = term.topology_key();
  out.weight = weight;
  out.key = fmt::format("{}|{}|{}|{}", term.has_label_selector(), out.selector.text(),
                        fmt::join(out.namespaces, ","),
                        out.namespace_selector ? "?" + out.namespace_selector->text() : "");
  return out;
}

std::vector<PodTerm> read_terms(const Terms& terms, const core::Pod& pod) {
  std::vector<PodTerm> out;
  for (const core::PodAffinityTerm& term : terms) {
    out.push_back(read_term(term, pod, 0));
  }
  return out;
}

std::vector<PodTerm> read_terms(const WeightedTerms& terms, const core::Pod& pod) {
  std::vector<PodTerm> out;
  for (const core::WeightedPodAffinityTerm& term : terms) {
    out.push_back(read_term(term.pod_affinity_term(), pod, term.weight()));
  }
  return out;
}

template <class Affinity>
void collect_named_labels(const Affinity& affinity, std::set<std::string>& names) {
  const auto collect = [&names](const core::PodAffinityTerm& term) {
    names.insert(term.match_label_keys().begin(), term.match_label_keys().end());
    names.insert(term.mismatch_label_keys().begin(), term.mismatch_label_keys().end());
  };
  for (const auto& term : affinity.required_during_scheduling_ignored_during_execution()) {
    collect(term);
  }
  for (const auto& term : affinity.preferred_during_scheduling_ignored_during_execution()) {
    collect(term.pod_affinity_term());
  }
}

}  // namespace

api::LabelSelector read_selector(const api::meta::v1::LabelSelector* selector) {
  return api::LabelSelector::from_message(selector).value_or(api::LabelSelector::nothing());
}

void read_node_affinity(const core::NodeAffinity& affinity, PodShape& shape) {
  for (const auto& term : affinity.preferred_during_scheduling_ignored_during_execution()) {
    shape.preferred_nodes.push_back({term.weight(), placement::read_node_term(term.preference())});
  }
}

void read_pod_affinity(const core::Pod& pod, PodShape& shape) {
  const core::PodAffinity& near = pod.spec().affinity().pod_affinity();
  const core::PodAntiAffinity& far = pod.spec().affinity().pod_anti_affinity();
  shape.required_affinity =
      read_terms(near.required_during_scheduling_ignored_during_execution(), pod);
  shape.preferred_affinity =
      read_terms(near.preferred_during_scheduling_ignored_during_execution(), pod);
  shape.required_anti_affinity =
      read_terms(far.required_during_scheduling_ignored_during_execution(), pod);
  shape.preferred_anti_affinity =
      read_terms(far.preferred_during_scheduling_ignored_during_execution(), pod);
}

void read_spread(const core::Pod& pod, PodShape& shape) {
  for (const core::TopologySpreadConstraint& from : pod.spec().topology_spread_constraints()) {
    SpreadConstraint out;
    out.max_skew = from.max_skew();
    out.topology_key = from.topology_key();
    out.hard = from.when_unsatisfiable() != "ScheduleAnyway";
    out.selector = with_own_labels(from.has_label_selector() ? &from.label_selector() : nullptr,
                                   from.match_label_keys(), {}, pod);
    if (from.has_min_domains()) {
      out.min_domains = from.min_domains();
    }
    out.honors_affinity = from.node_affinity_policy() != "Ignore";
    out.honors_taints = from.node_taints_policy() == "Honor";
    out.key = fmt::format("spread|{}|{}|{}", from.has_label_selector(), out.selector.text(),
                          pod.metadata().namespace_());
    shape.spread.push_back(std::move(out));
  }
}

std::set<std::string> named_labels(const core::PodSpec& spec) {
  std::set<std::string> names;
  collect_named_labels(spec.affinity().pod_affinity(), names);
  collect_named_labels(spec.affinity().pod_anti_affinity(), names);
  for (const core::TopologySpreadConstraint& constraint : spec.topology_spread_constraints()) {
    names.insert(constraint.match_label_keys().begin(), constraint.match_label_keys().end());
  }
  return names;
}

}  // namespace windlass::scheduler
