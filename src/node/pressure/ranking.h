// Which pod goes when a node is short of something, and what its status says then (disruption.md
// K-60, K-61). Pure functions of plain values.
//
// Unlike a kubelet we leave pods alone whose end would not help: those that use less than a
// hundredth of what is missing. On a machine that also serves other ends they are not the cause.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "env/host_resources.h"
#include "node/pressure/thresholds.h"

namespace windlass::node::pressure {

struct ContainerShare {
  std::string name;
  uint64_t used = 0;
  uint64_t requested = 0;
};

// What one pod has of the resource.
struct Candidate {
  std::string uid;
  int32_t priority = 0;
  uint64_t used = 0;
  uint64_t requested = 0;
  std::vector<ContainerShare> containers;
};

inline constexpr uint64_t kWorthOneIn = 100;

// The first to go first. Critical pods (C-10) never go, and are not in the answer.
std::vector<Candidate> in_order_of_eviction(EvictionSignal signal, std::vector<Candidate> pods,
                                            uint64_t missing);

std::string eviction_message(const Threshold& threshold, const env::ResourceLevel& level,
                             const Candidate& pod);

}  // namespace windlass::node::pressure
