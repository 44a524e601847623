#include "api/node/node_reading.h"

#include <algorithm>

#include "schema/core/v1/node.pb.h"
#include "schema/core/v1/pod.pb.h"

namespace windlass::api {

const core::v1::NodeCondition* find_node_condition(const core::v1::Node& node,
                                                   std::string_view type) {
  const auto& conditions = node.status().conditions();
  const auto found = std::find_if(conditions.begin(), conditions.end(),
                                  [type](const auto& each) { return each.type() == type; });
  return found == conditions.end() ? nullptr : &*found;
}

NodeReady node_ready(const core::v1::Node& node) {
  const core::v1::NodeCondition* ready = find_node_condition(node, "Ready");
  if (ready == nullptr) {
    return NodeReady::never_posted;
  }
  if (ready->status() == "True") {
    return NodeReady::yes;
  }
  return ready->status() == "False" ? NodeReady::no : NodeReady::unknown;
}

std::vector<Taint> read_taints(const core::v1::Node& node) {
  std::vector<Taint> taints;
  for (const core::v1::Taint& taint : node.spec().taints()) {
    taints.push_back({taint.key(), taint.value(), taint.effect()});
  }
  return taints;
}

std::vector<Toleration> read_tolerations(const core::v1::PodSpec& spec) {
  std::vector<Toleration> tolerations;
  for (const core::v1::Toleration& each : spec.tolerations()) {
    tolerations.push_back(
        {each.key(), each.operator_() == "Exists", each.value(), each.effect(),
         each.has_toleration_seconds() ? std::optional(each.toleration_seconds()) : std::nullopt});
  }
  return tolerations;
}

bool has_taint(const core::v1::Node& node, std::string_view key, std::string_view effect) {
  const auto& taints = node.spec().taints();
  return std::any_of(taints.begin(), taints.end(), [&](const core::v1::Taint& taint) {
    return taint.key() == key && (effect.empty() || taint.effect() == effect);
  });
}

bool tolerates(const Toleration& toleration, const Taint& taint) {
  if (!toleration.effect.empty() && toleration.effect != taint.effect) {
    return false;
  }
  if (toleration.key.empty()) {
    return toleration.exists;
  }
  return toleration.key == taint.key && (toleration.exists || toleration.value == taint.value);
}

}  // namespace windlass::api
