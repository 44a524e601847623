// A pod as the scheduler sees it. What its spec asks of a node is a PodShape, shared by all pods
// that ask the same (shape_table.h): the pods of a Job are one shape, and what was found out for
// one of them holds for all. Immutable values; any thread.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "api/select/label_selector.h"
#include "base/time.h"
#include "placement/needs.h"

namespace windlass::scheduler {

using placement::HostPort;
using placement::Labels;
using placement::NodeTerm;
using placement::Resources;
using placement::Taint;
using placement::Toleration;

struct PreferredNodeTerm {
  int32_t weight = 0;
  NodeTerm term;
};

// Which pods a term of pod affinity means, and in which topology.
struct PodTerm {
  api::LabelSelector selector;
  std::vector<std::string> namespaces;  // sorted
  std::optional<api::LabelSelector> namespace_selector;
  std::string topology_key;
  int32_t weight = 0;  // of a preferred term
  std::string key;     // equal keys select the same pods
};

struct SpreadConstraint {
  int32_t max_skew = 1;
  std::string topology_key;
  bool hard = true;  // DoNotSchedule
  api::LabelSelector selector;
  std::optional<int32_t> min_domains;
  bool honors_affinity = true;
  bool honors_taints = false;
  std::string key;  // equal keys select the same pods
};

struct PodShape : placement::PodNeeds {
  uint64_t id = 0;  // of this shape, while the process lives
  int32_t priority = 0;
  bool never_preempts = false;
  // For scores only: a container that asks for nothing counts as a little (disruption.md S-15).
  int64_t scored_milli_cpu = 0;
  int64_t scored_memory = 0;
  std::vector<PreferredNodeTerm> preferred_nodes;
  std::vector<PodTerm> required_affinity;
  std::vector<PodTerm> required_anti_affinity;
  std::vector<PodTerm> preferred_affinity;
  std::vector<PodTerm> preferred_anti_affinity;
  std::vector<SpreadConstraint> spread;
  // It asks for more than nodes are compared with (read_shape.h): it fits nowhere, and none of its
  // terms is here.
  bool asks_too_much = false;

  bool has_pod_terms() const {
    return !required_affinity.empty() || !required_anti_affinity.empty() ||
           !preferred_affinity.empty() || !preferred_anti_affinity.empty();
  }
  // Whether it fits depends on other pods' labels, or on its own. What it would like does not.
  bool insists_on_pods() const {
    return !required_affinity.empty() || !required_anti_affinity.empty() ||
           std::any_of(spread.begin(), spread.end(),
                       [](const SpreadConstraint& constraint) { return constraint.hard; });
  }
};

using ShapePtr = std::shared_ptr<const PodShape>;

// What its status says about scheduling; kept only while it says False.
struct ScheduledCondition {
  std::string reason;
  std::string message;

  bool operator==(const ScheduledCondition&) const = default;
};

struct PodInfo {
  std::string ns;
  std::string name;
  std::string uid;
  std::string node;            // "" until it is bound
  std::string nominated_node;  // status.nominatedNodeName
  std::string scheduler_name;
  Labels labels;
  ShapePtr shape;
  std::optional<Time> started;  // status.startTime
  std::optional<ScheduledCondition> unscheduled;
  bool deleting = false;
  bool preempted = false;  // DisruptionTarget is True, by PreemptionByScheduler
  bool gated = false;      // spec.schedulingGates is not empty

  int32_t priority() const { return shape->priority; }
};

using PodPtr = std::shared_ptr<const PodInfo>;

}  // namespace windlass::scheduler
