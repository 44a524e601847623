// How long a pod may stay on a node with these taints (disruption.md T-3 to T-5, T-8), and what the
// controller keeps of pods and nodes to decide it. Plain data and pure functions; any thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "api/node/node_reading.h"
#include "api/object.h"
#include "base/time.h"

namespace windlass::controllers::taint_eviction {

using api::Taint;
using api::Toleration;

struct TaintedNode {
  std::string name = {};
  std::vector<Taint> taints = {};  // with effect NoExecute; others do not count here (T-1)
};

struct ToleratingPod {
  std::string key = {};
  std::string ns = {};
  std::string name = {};
  std::string uid = {};
  std::string node = {};
  std::vector<Toleration> tolerations = {};  // those that can match NoExecute
};

TaintedNode read_node(const api::Message& node);
ToleratingPod read_pod(const api::Message& pod);
// What was read of it before is what would be read now.
bool is_current(const ToleratingPod& known, const api::Message& pod);

struct Tolerance {
  enum class Kind { for_ever, for_a_while, not_at_all };

  Kind kind = Kind::for_ever;
  Duration time = {};  // for a while; zero: until now

  bool operator==(const Tolerance&) const = default;
};

Tolerance tolerance(const std::vector<Taint>& taints, const std::vector<Toleration>& tolerations);

}  // namespace windlass::controllers::taint_eviction
