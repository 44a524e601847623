#include "scheduler/read_shape.h"

#include <fmt/format.h>
#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/io/zero_copy_stream_impl_lite.h>

#include <algorithm>

#include "base/quantity.h"
#include "scheduler/read_affinity.h"
#include "schema/core/v1/node.pb.h"
#include "schema/core/v1/pod.pb.h"

namespace windlass::scheduler {
namespace {

namespace core = api::core::v1;
using QuantityMap = google::protobuf::Map<std::string, api::meta::v1::Quantity>;

// S-15: what a container counts for that asks for nothing.
constexpr int64_t kScoredMilliCpu = 100;
constexpr int64_t kScoredMemory = 200LL << 20;
// Scores are added up for every pod of a node; more than this is more than any node has.
constexpr int64_t kMaxScored = int64_t{1} << 50;

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
std::vector<ContainerRequest> read_requests(const Containers& containers, bool init, bool scored) {
  std::vector<ContainerRequest> requests;
  for (const core::Container& container : containers) {
    const QuantityMap& asked = container.resources().requests();
    ContainerRequest request{read_resources(asked), init && container.restart_policy() == "Always"};
    if (scored && !asked.contains("cpu")) {
      request.requests.milli_cpu = kScoredMilliCpu;
    }
    if (scored && !asked.contains("memory")) {
      request.requests.memory = kScoredMemory;
    }
    requests.push_back(std::move(request));
  }
  return requests;
}

Resources requests_of(const core::PodSpec& spec, bool scored) {
  return pod_requests(read_requests(spec.init_containers(), true, scored),
                      read_requests(spec.containers(), false, scored),
                      read_resources(spec.overhead()));
}

template <class Containers>
void read_ports(const Containers& containers, bool init, std::vector<HostPort>& ports) {
  for (const core::Container& container : containers) {
    if (init && container.restart_policy() != "Always") {
      continue;
    }
    for (const core::ContainerPort& port : container.ports()) {
      if (port.host_port() > 0) {
        ports.push_back({port.protocol().empty() ? "TCP" : port.protocol(),
                         port.host_ip().empty() ? "0.0.0.0" : port.host_ip(), port.host_port()});
      }
    }
  }
}

// What shapes look at of a container, and no more.
void copy_needs(const core::Container& from, core::Container& to) {
  *to.mutable_resources()->mutable_requests() = from.resources().requests();
  to.set_restart_policy(from.restart_policy());
  for (const core::ContainerPort& port : from.ports()) {
    if (port.host_port() > 0) {
      *to.add_ports() = port;
      to.mutable_ports(to.ports_size() - 1)->clear_name();
    }
  }
}

// Terms that look at pods depend on the namespace, and on labels that they name.
void append_context(const core::Pod& pod, std::string& key) {
  const core::PodSpec& spec = pod.spec();
  if (!spec.affinity().has_pod_affinity() && !spec.affinity().has_pod_anti_affinity() &&
      spec.topology_spread_constraints().empty()) {
    return;
  }
  key.append(1, '\0').append(pod.metadata().namespace_());
  for (const std::string& name : named_labels(spec)) {
    const auto found = pod.metadata().labels().find(name);
    key.append(1, '\0').append(name).append(1, '=');
    key.append(found == pod.metadata().labels().end() ? "" : found->second);
  }
}

}  // namespace

std::string shape_key(const core::Pod& pod) {
  const core::PodSpec& spec = pod.spec();
  core::PodSpec needs;
  needs.set_priority(spec.priority());
  needs.set_preemption_policy(spec.preemption_policy());
  *needs.mutable_node_selector() = spec.node_selector();
  *needs.mutable_tolerations() = spec.tolerations();
  *needs.mutable_overhead() = spec.overhead();
  *needs.mutable_topology_spread_constraints() = spec.topology_spread_constraints();
  if (spec.has_affinity()) {
    *needs.mutable_affinity() = spec.affinity();
  }
  for (const core::Container& container : spec.init_containers()) {
    copy_needs(container, *needs.add_init_containers());
  }
  for (const core::Container& container : spec.containers()) {
    copy_needs(container, *needs.add_containers());
  }
  std::string key;
  {
    // Maps have no order of their own.
    google::protobuf::io::StringOutputStream text(&key);
    google::protobuf::io::CodedOutputStream coded(&text);
    coded.SetSerializationDeterministic(true);
    needs.SerializePartialToCodedStream(&coded);
  }
  append_context(pod, key);
  return key;
}

PodShape read_shape(const core::Pod& pod) {
  const core::PodSpec& spec = pod.spec();
  PodShape shape;
  shape.priority = spec.priority();
  shape.never_preempts = spec.preemption_policy() == "Never";
  shape.requests = requests_of(spec, false);
  const Resources scored = requests_of(spec, true);
  shape.scored_milli_cpu = std::min(scored.milli_cpu, kMaxScored);
  shape.scored_memory = std::min(scored.memory, kMaxScored);
  shape.node_selector = {spec.node_selector().begin(), spec.node_selector().end()};
  for (const core::Toleration& toleration : spec.tolerations()) {
    shape.tolerations.push_back({toleration.key(), toleration.operator_() == "Exists",
                                 toleration.value(), toleration.effect()});
  }
  read_ports(spec.init_containers(), true, shape.host_ports);
  read_ports(spec.containers(), false, shape.host_ports);
  read_node_affinity(spec.affinity().node_affinity(), shape);
  read_pod_affinity(pod, shape);
  read_spread(pod, shape);
  return shape;
}

void read_allocatable(const core::NodeStatus& status, Resources& allocatable, int64_t& max_pods) {
  allocatable = read_resources(status.allocatable());
  const auto pods = status.allocatable().find("pods");
  max_pods = pods == status.allocatable().end() ? 0 : read_quantity(pods->second).value();
}

}  // namespace windlass::scheduler
