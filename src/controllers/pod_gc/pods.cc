#include "controllers/pod_gc/pods.h"

#include "api/codec/wire_time.h"
#include "api/node/node_reading.h"
#include "client/object_identity.h"
#include "schema/core/v1/node.pb.h"
#include "schema/core/v1/pod.pb.h"

namespace windlass::controllers::pod_gc {

namespace {

constexpr const char* kOutOfService = "node.kubernetes.io/out-of-service";

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

CollectablePod read_pod(const api::Message& message) {
  const auto& pod = static_cast<const api::core::v1::Pod&>(message);
  const auto& metadata = pod.metadata();
  CollectablePod info{read_state(pod)};
  info.key = client::key_of(pod);
  info.ns = metadata.namespace_();
  info.uid = metadata.uid();
  info.node = pod.spec().node_name();
  info.created = api::time_of(metadata.creation_timestamp());
  return info;
}

bool is_current(const CollectablePod& known, const api::Message& message) {
  const auto& pod = static_cast<const api::core::v1::Pod&>(message);
  return known == read_state(pod) && known.node == pod.spec().node_name();
}

ServiceNode read_node(const api::Message& message) {
  const auto& node = static_cast<const api::core::v1::Node&>(message);
  return {node.metadata().name(),
          api::has_taint(node, kOutOfService) && api::node_ready(node) != api::NodeReady::yes};
}

bool is_terminal(const api::Message& message) {
  const std::string& phase = static_cast<const api::core::v1::Pod&>(message).status().phase();
  return phase == "Failed" || phase == "Succeeded";
}

void PodIndex::add(const CollectablePod& pod) {
  if (pod.counts) {
    terminated_.insert(pod.rank());
  }
  if (!pod.node.empty()) {
    by_node_[pod.node].insert(pod.key);
  } else if (pod.deleting) {
    unscheduled_.insert(pod.key);
  }
}

void PodIndex::remove(const CollectablePod& pod) {
  if (pod.counts) {
    terminated_.erase(pod.rank());
  }
  if (pod.node.empty()) {
    unscheduled_.erase(pod.key);
  } else if (const auto found = by_node_.find(pod.node); found != by_node_.end()) {
    found->second.erase(pod.key);
    if (found->second.empty()) {
      by_node_.erase(found);
    }
  }
}

}  // namespace windlass::controllers::pod_gc
