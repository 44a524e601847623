// What a pod asks of a node by itself, whatever other pods are there: amounts, labels, tolerations,
// ports. The scheduler filters nodes by it, and a node looks at it once more before it takes a pod
// (disruption.md 1.2, K-5). Plain values and pure functions; any thread.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "api/node/node_reading.h"
#include "api/select/label_selector.h"
#include "placement/resources.h"

namespace windlass::api::core::v1 {
class Node;
class NodeSelectorTerm;
class NodeStatus;
class Pod;
class PodSpec;
}  // namespace windlass::api::core::v1

namespace windlass::placement {

using Labels = std::map<std::string, std::string>;

using api::Taint;
using api::Toleration;

struct HostPort {
  std::string protocol;
  std::string ip;  // 0.0.0.0 for every address
  int32_t port = 0;

  bool operator==(const HostPort&) const = default;
};

// One term of a node selector: all of its requirements must hold; one without any matches nothing.
struct NodeTerm {
  std::vector<api::LabelRequirement> labels;
  std::vector<api::LabelRequirement> fields;  // metadata.name
};

struct PodNeeds {
  Resources requests;
  Labels node_selector;
  std::optional<std::vector<NodeTerm>> required_nodes;  // one of the terms must match
  std::vector<Toleration> tolerations;
  std::vector<HostPort> host_ports;
};

// What pods choose a node by, and are kept off it by.
struct NodeTraits {
  std::string name;
  Labels labels;
  std::vector<Taint> taints;

  bool operator==(const NodeTraits&) const = default;
};

bool tolerates(const PodNeeds& pod, const Taint& taint);

// The node selector and the required node affinity together.
bool wants_node(const PodNeeds& pod, const NodeTraits& node);
bool matches(const NodeTerm& term, const NodeTraits& node);

// The texts of filters that both the scheduler and nodes have.
inline constexpr const char* kNodeAffinityText =
    "node(s) didn't match Pod's node affinity/selector";
inline constexpr const char* kPortsText =
    "node(s) didn't have free ports for the requested pod ports";

// From Pods and Nodes to what placement compares of them. Pure.

// What a container counts for that asks for no cpu, or no memory.
struct Unasked {
  int64_t milli_cpu = 0;
  int64_t memory = 0;
};
Resources requests_of(const api::core::v1::PodSpec& spec, const Unasked& unasked);

PodNeeds read_needs(const api::core::v1::Pod& pod);
NodeTerm read_node_term(const api::core::v1::NodeSelectorTerm& term);

NodeTraits read_traits(const api::core::v1::Node& node);
void read_allocatable(const api::core::v1::NodeStatus& status, Resources& allocatable,
                      int64_t& max_pods);

}  // namespace windlass::placement
