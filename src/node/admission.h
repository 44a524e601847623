// Whether a node takes a pod that somebody has bound to it, in a kubelet's words (disruption.md
// 7.1). Whoever binds pods usually knows that they fit; who names a node in a pod does not. Pure
// functions of plain values.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "node/pod_plan.h"
#include "node/pressure/state.h"

namespace windlass::node {

struct Rejection {
  std::string reason;
  std::string message;

  bool operator==(const Rejection&) const = default;
};

// What there is on a node, and what the pods on it have asked for.
struct NodeRoom {
  MilliAmounts allocatable;  // `pods` too
  MilliAmounts used;
  int64_t pods = 0;
  std::string operating_system;
};

// What a pod takes of a node (S-10): all containers and sidecars together, or the largest step of
// its initialization if that is more, plus the overhead. As the scheduler counts it.
MilliAmounts pod_requests(const PodPlan& pod);

void add_amounts(const MilliAmounts& amounts, MilliAmounts& to);

// Whether a node takes it in spite of its shortages (K-3); comes before everything else.
std::optional<Rejection> pressure_rejection(const PodPlan& pod,
                                            const pressure::Conditions& conditions);

// Nothing: the pod is taken.
std::optional<Rejection> rejection_of(const PodPlan& pod, const NodeRoom& room);

}  // namespace windlass::node
