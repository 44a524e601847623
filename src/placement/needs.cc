#include "placement/needs.h"

#include <algorithm>

namespace windlass::placement {

bool tolerates(const PodNeeds& pod, const Taint& taint) {
  return std::any_of(
      pod.tolerations.begin(), pod.tolerations.end(),
      [&taint](const Toleration& toleration) { return api::tolerates(toleration, taint); });
}

bool ports_clash(const HostPort& a, const HostPort& b) {
  constexpr const char* kAll = "0.0.0.0";
  return a.port == b.port && a.protocol == b.protocol &&
         (a.ip == b.ip || a.ip == kAll || b.ip == kAll);
}

bool matches(const NodeTerm& term, const NodeTraits& node) {
  if (term.labels.empty() && term.fields.empty()) {
    return false;
  }
  const auto label = [&node](const api::LabelRequirement& requirement) {
    const auto found = node.labels.find(requirement.key);
    return requirement.matches(found == node.labels.end() ? nullptr : &found->second);
  };
  const auto field = [&node](const api::LabelRequirement& requirement) {
    return requirement.matches(requirement.key == "metadata.name" ? &node.name : nullptr);
  };
  return std::all_of(term.labels.begin(), term.labels.end(), label) &&
         std::all_of(term.fields.begin(), term.fields.end(), field);
}

bool wants_node(const PodNeeds& pod, const NodeTraits& node) {
  for (const auto& [key, value] : pod.node_selector) {
    const auto found = node.labels.find(key);
    if (found == node.labels.end() || found->second != value) {
      return false;
    }
  }
  return !pod.required_nodes ||
         std::any_of(pod.required_nodes->begin(), pod.required_nodes->end(),
                     [&node](const NodeTerm& term) { return matches(term, node); });
}

}  // namespace windlass::placement
