#include "scheduler/projection.h"

#include "base/quantity.h"
#include "schema/core/v1/node.pb.h"
#include "schema/core/v1/pod.pb.h"

namespace windlass::scheduler {

namespace {

namespace core = api::core::v1;
using QuantityMap = google::protobuf::Map<std::string, api::meta::v1::Quantity>;

// The API server has validated quantities; one that cannot be read counts as nothing.
Quantity read_quantity(const api::meta::v1::Quantity& quantity) {
  return Quantity::parse(quantity.string()).value_or(Quantity());
}

Resources read_resources(const QuantityMap& map) {
  Resources resources;
  for (const auto& [name, message] : map) {
    const Quantity quantity = read_quantity(message);
    if (name == "cpu") {
      resources.milli_cpu = quantity.milli_value();
    } else if (name == "memory") {
      resources.memory = quantity.value();
    } else if (name == "ephemeral-storage") {
      resources.ephemeral_storage = quantity.value();
    } else if (name != "pods") {
      resources.extended[name] = quantity.value();
    }
  }
  return resources;
}

template <class Containers>
std::vector<ContainerRequest> read_requests(const Containers& containers, bool init) {
  std::vector<ContainerRequest> requests;
  for (const core::Container& container : containers) {
    requests.push_back({read_resources(container.resources().requests()),
                        init && container.restart_policy() == "Always"});
  }
  return requests;
}

// "" for no taint.
std::string_view implied_taint(const core::NodeStatus& status) {
  for (const core::NodeCondition& condition : status.conditions()) {
    if (condition.type() == "Ready") {
      if (condition.status() == "True") {
        return "";
      }
      return condition.status() == "False" ? "node.kubernetes.io/not-ready"
                                           : "node.kubernetes.io/unreachable";
    }
  }
  return "node.kubernetes.io/not-ready";
}

}  // namespace

ScheduledPod read_pod(const api::Message& message) {
  const auto& pod = static_cast<const core::Pod&>(message);
  const core::PodSpec& spec = pod.spec();
  ScheduledPod out;
  out.info.ns = pod.metadata().namespace_();
  out.info.name = pod.metadata().name();
  out.info.uid = pod.metadata().uid();
  out.info.node = spec.node_name();
  out.info.priority = spec.priority();
  out.info.requests =
      pod_requests(read_requests(spec.init_containers(), true),
                   read_requests(spec.containers(), false), read_resources(spec.overhead()));
  out.info.node_selector.insert(spec.node_selector().begin(), spec.node_selector().end());
  for (const core::Toleration& toleration : spec.tolerations()) {
    out.info.tolerations.push_back({toleration.key(), toleration.operator_() == "Exists",
                                    toleration.value(), toleration.effect()});
  }
  out.scheduler_name = spec.scheduler_name();
  out.terminal = pod.status().phase() == "Succeeded" || pod.status().phase() == "Failed";
  out.deleting = pod.metadata().has_deletion_timestamp();
  out.gated = spec.scheduling_gates_size() > 0;
  return out;
}

NodeInfo read_node(const api::Message& message) {
  const auto& node = static_cast<const core::Node&>(message);
  NodeInfo out;
  out.name = node.metadata().name();
  out.labels.insert(node.metadata().labels().begin(), node.metadata().labels().end());
  out.unschedulable = node.spec().unschedulable();
  for (const core::Taint& taint : node.spec().taints()) {
    out.taints.push_back({taint.key(), taint.value(), taint.effect()});
  }
  if (const std::string_view key = implied_taint(node.status()); !key.empty()) {
    out.taints.push_back({std::string(key), "", "NoSchedule"});
  }
  const QuantityMap& amounts = node.status().allocatable();
  out.allocatable = read_resources(amounts);
  if (const auto pods = amounts.find("pods"); pods != amounts.end()) {
    out.max_pods = read_quantity(pods->second).value();
  }
  return out;
}

}  // namespace windlass::scheduler
