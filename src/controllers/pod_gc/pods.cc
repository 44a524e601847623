#include "controllers/pod_gc/pods.h"

#include <algorithm>

#include "api/codec/wire_time.h"
#include "client/object_identity.h"
#include "schema/core/v1/node.pb.h"
#include "schema/core/v1/pod.pb.h"

namespace windlass::controllers::pod_gc {
namespace {

constexpr const char* kOutOfService = "node.kubernetes.io/out-of-service";

bool is_ready(const api::core::v1::Node& node) {
  const auto& conditions = node.status().conditions();
  return std::any_of(conditions.begin(), conditions.end(), [](const auto& condition) {
    return condition.type() == "Ready" && condition.status() == "True";
  });
}

PodState read_state(const api::core::v1::Pod& pod) {
  const auto& metadata = pod.metadata();
  const std::string& phase = pod.status().phase();
  PodState state;
  state.terminal = is_terminal(pod);
  state.evicted = phase == "Failed" && pod.status().reason() == "Evicted";
  state.counts = phase != "Pending" && phase != "Running" && phase != "Unknown";
  state.deleting = metadata.has_deletion_timestamp();
  state.grace_over = state.deleting && metadata.deletion_grace_period_seconds() == 0;
  return state;
}

}  // namespace

PodInfo read_pod(const api::Message& message) {
  const auto& pod = static_cast<const api::core::v1::Pod&>(message);
  const auto& metadata = pod.metadata();
  PodInfo info{read_state(pod)};
  info.key = client::key_of(pod);
  info.ns = metadata.namespace_();
  info.uid = metadata.uid();
  info.node = pod.spec().node_name();
  info.created = api::time_of(metadata.creation_timestamp());
  return info;
}

bool is_current(const PodInfo& known, const api::Message& message) {
  const auto& pod = static_cast<const api::core::v1::Pod&>(message);
  return known == read_state(pod) && known.node == pod.spec().node_name();
}

NodeInfo read_node(const api::Message& message) {
  const auto& node = static_cast<const api::core::v1::Node&>(message);
  const auto& taints = node.spec().taints();
  const bool tainted = std::any_of(taints.begin(), taints.end(),
                                   [](const auto& taint) { return taint.key() == kOutOfService; });
  return {node.metadata().name(), tainted && !is_ready(node)};
}

bool is_terminal(const api::Message& message) {
  const std::string& phase = static_cast<const api::core::v1::Pod&>(message).status().phase();
  return phase == "Failed" || phase == "Succeeded";
}

}  // namespace windlass::controllers::pod_gc
