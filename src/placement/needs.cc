#include "placement/needs.h"

#include <algorithm>

#include "base/quantity.h"
#include "schema/core/v1/node.pb.h"
#include "schema/core/v1/pod.pb.h"

namespace windlass::placement {

bool tolerates(const PodNeeds& pod, const Taint& taint) {
  return std::any_of(
      pod.tolerations.begin(), pod.tolerations.end(),
      [&taint](const Toleration& toleration) { return api::tolerates(toleration, taint); });
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

namespace {

namespace core = api::core::v1;
using api::LabelOperator;
using QuantityMap = google::protobuf::Map<std::string, api::meta::v1::Quantity>;

// The API server has validated quantities; one that cannot be read counts as nothing.
Quantity read_quantity(const api::meta::v1::Quantity& quantity) {
  return Quantity::parse(quantity.string()).value_or(Quantity());
}

Resources read_resources(const QuantityMap& map) {
  Resources resources;
  for (const auto& [name, message] : map) {
    set_amount(resources, name, read_quantity(message));
  }
  return resources;
}

template <class Containers>
std::vector<ContainerResourceRequest> read_requests(const Containers& containers, bool init,
                                                    const Unasked& unasked) {
  std::vector<ContainerResourceRequest> requests;
  for (const core::Container& container : containers) {
    const QuantityMap& asked = container.resources().requests();
    ContainerResourceRequest request{read_resources(asked),
                                     init && container.restart_policy() == "Always"};
    if (!asked.contains("cpu")) {
      request.requests.milli_cpu = unasked.milli_cpu;
    }
    if (!asked.contains("memory")) {
      request.requests.memory = unasked.memory;
    }
    requests.push_back(std::move(request));
  }
  return requests;
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

LabelOperator node_operator(const std::string& name) {
  if (name == "In") {
    return LabelOperator::in;
  }
  if (name == "NotIn") {
    return LabelOperator::not_in;
  }
  if (name == "DoesNotExist") {
    return LabelOperator::does_not_exist;
  }
  if (name == "Gt") {
    return LabelOperator::greater_than;
  }
  return name == "Lt" ? LabelOperator::less_than : LabelOperator::exists;
}

}  // namespace

NodeTerm read_node_term(const core::NodeSelectorTerm& term) {
  const auto read = [](const core::NodeSelectorRequirement& requirement) {
    api::LabelRequirement read_one{requirement.key(),
                                   node_operator(requirement.operator_()),
                                   {requirement.values().begin(), requirement.values().end()}};
    std::ranges::sort(read_one.values);
    return read_one;
  };
  NodeTerm out;
  std::transform(term.match_expressions().begin(), term.match_expressions().end(),
                 std::back_inserter(out.labels), read);
  std::transform(term.match_fields().begin(), term.match_fields().end(),
                 std::back_inserter(out.fields), read);
  return out;
}

Resources requests_of(const core::PodSpec& spec, const Unasked& unasked) {
  return pod_requests(read_requests(spec.init_containers(), true, unasked),
                      read_requests(spec.containers(), false, unasked),
                      read_resources(spec.overhead()));
}

PodNeeds read_needs(const core::Pod& pod) {
  const core::PodSpec& spec = pod.spec();
  PodNeeds needs;
  needs.requests = requests_of(spec, {});
  needs.node_selector = {spec.node_selector().begin(), spec.node_selector().end()};
  needs.tolerations = api::read_tolerations(spec);
  read_ports(spec.init_containers(), true, needs.host_ports);
  read_ports(spec.containers(), false, needs.host_ports);
  const core::NodeAffinity& affinity = spec.affinity().node_affinity();
  if (affinity.has_required_during_scheduling_ignored_during_execution()) {
    needs.required_nodes.emplace();
    for (const auto& term :
         affinity.required_during_scheduling_ignored_during_execution().node_selector_terms()) {
      needs.required_nodes->push_back(read_node_term(term));
    }
  }
  return needs;
}

NodeTraits read_traits(const core::Node& node) {
  NodeTraits traits;
  traits.name = node.metadata().name();
  traits.labels = {node.metadata().labels().begin(), node.metadata().labels().end()};
  traits.taints = api::read_taints(node);
  return traits;
}

void read_allocatable(const core::NodeStatus& status, Resources& allocatable, int64_t& max_pods) {
  allocatable = read_resources(status.allocatable());
  const auto pods = status.allocatable().find("pods");
  max_pods = pods == status.allocatable().end() ? 0 : read_quantity(pods->second).value();
}

}  // namespace windlass::placement
