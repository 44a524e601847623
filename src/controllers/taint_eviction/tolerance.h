// How long a pod may stay on a node with these taints (disruption.md T-3 to T-5, T-8), and what the
// controller keeps of pods and nodes to decide it. Plain data and pure functions; any thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "api/object.h"
#include "base/time.h"

namespace windlass::controllers::taint_eviction {

// With effect NoExecute; others do not count here (T-1).
struct Taint {
  std::string key = {};
  std::string value = {};

  bool operator==(const Taint&) const = default;
};

// One that can match a NoExecute taint.
struct Toleration {
  std::string key = {};
  bool exists = false;  // any value will do
  std::string value = {};
  std::optional<int64_t> seconds = {};

  bool operator==(const Toleration&) const = default;
};

struct NodeInfo {
  std::string name = {};
  std::vector<Taint> taints = {};
};

struct PodInfo {
  std::string key = {};
  std::string ns = {};
  std::string name = {};
  std::string uid = {};
  std::string node = {};
  std::vector<Toleration> tolerations = {};
};

NodeInfo read_node(const api::Message& node);
PodInfo read_pod(const api::Message& pod);
// What was read of it before is what would be read now.
bool is_current(const PodInfo& known, const api::Message& pod);

bool tolerates(const Toleration& toleration, const Taint& taint);

struct Tolerance {
  enum class Kind { for_ever, for_a_while, not_at_all };

  Kind kind = Kind::for_ever;
  Duration time = {};  // for a while; zero: until now

  bool operator==(const Tolerance&) const = default;
};

Tolerance tolerance(const std::vector<Taint>& taints, const std::vector<Toleration>& tolerations);

}  // namespace windlass::controllers::taint_eviction
