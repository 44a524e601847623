// Whether a node takes a pod that is bound to it, in a kubelet's words (disruption.md 7.1, 7.7). A
// scheduler binds pods that fit; a user who names a node in a pod may not. Pure functions of plain
// values.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "env/containers.h"
#include "node/pod/pod_spec_view.h"
#include "node/pressure/pressure_tracker.h"
#include "placement/taken_ports.h"

namespace windlass::node {

struct Rejection {
  std::string reason;
  std::string message;

  bool operator==(const Rejection&) const = default;
};

// What there is on a node, and what the pods on it have asked for.
struct NodeRoom {
  placement::NodeTraits traits = {};
  placement::Resources allocatable = {};
  int64_t max_pods = 0;
  placement::Resources used = {};
  int64_t pods = 0;
  placement::TakenPorts ports = {};
  std::string operating_system = {};
};

// A resource that the node has too little of; cpu in thousandths, all else in whole units.
struct Shortage {
  std::string resource;
  int64_t requested = 0;
  int64_t used = 0;
  int64_t capacity = 0;

  int64_t missing() const { return requested - (capacity - used); }
  bool operator==(const Shortage&) const = default;
};

// Whether a node takes it in spite of what the node is short of (K-3); comes before all else.
std::optional<Rejection> pressure_rejection(const PodSpecView& pod,
                                            const pressure::Conditions& conditions);

// K-4. Requests for a resource that the node does not list are ignored.
std::vector<Shortage> shortages_of(const PodSpecView& pod, const NodeRoom& room);
Rejection shortage_rejection(const Shortage& shortage);

// K-5: affinity, ports and taints.
std::optional<Rejection> predicate_rejection(const PodSpecView& pod, const NodeRoom& room);
// Labels alone decide, and those may be newer than what is known of them.
bool depends_on_labels(const PodSpecView& pod, const NodeRoom& room);

// K-7.
std::optional<Rejection> system_rejection(const PodSpecView& pod, const NodeRoom& room);

// A pod that asks for protection which this node cannot give.
std::optional<Rejection> protection_rejection(const PodSpecView& pod,
                                              const env::ContainerSupport& support);

// A privileged container, on a node that allows none.
std::optional<Rejection> privilege_rejection(const PodSpecView& pod);

// One of the pods that a critical one may take the place of.
struct PlaceHolder {
  std::string uid;
  int32_t priority = 0;
  QosClass qos_class = QosClass::burstable;
  placement::Resources requests;
};

// The pods that have to go so that nothing is missing (K-80); or why that cannot be (K-81).
Result<std::vector<std::string>> pods_to_preempt(int32_t priority,
                                                 const std::vector<Shortage>& shortages,
                                                 const std::vector<PlaceHolder>& pods);

}  // namespace windlass::node
