// From Pods and Nodes to what placement compares of them. Pure.
#pragma once

#include <cstdint>

#include "placement/needs.h"

namespace windlass::api::core::v1 {
class Node;
class NodeSelectorTerm;
class NodeStatus;
class Pod;
class PodSpec;
}  // namespace windlass::api::core::v1

namespace windlass::placement {

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
