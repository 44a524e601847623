// The filters of disruption.md 1.2 that look at one node alone, and the texts of all filters. The
// result says what keeps a pod off a node, and whether preempting others there could change that.
// Pure functions of plain values.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>

#include "scheduler/cluster/node_info.h"

namespace windlass::scheduler {

// What keeps a pod off a node; each is one bit of Fit::reasons. The first extended resource that
// the pod asks for and the node is short of is bit kFirstExtended, and so on.
enum class Reason : uint32_t {
  asks_too_much,
  unschedulable,
  taint,
  node_affinity,
  ports,
  too_many_pods,
  cpu,
  memory,
  ephemeral_storage,
  spread,
  spread_label,
  pod_affinity,
  pod_anti_affinity,
  existing_anti_affinity,
  no_victims,   // of preemption: no pod there may be preempted
  not_helpful,  // of preemption: whatever went, the pod would not fit
};
inline constexpr uint32_t kReasons = 16;
inline constexpr uint32_t kFirstExtended = 16;

constexpr uint64_t bit(Reason reason) {
  return uint64_t{1} << static_cast<uint32_t>(reason);
}

struct Fit {
  uint64_t reasons = 0;
  bool hopeless = false;  // preemption cannot help (UU of the table)

  bool fits() const { return reasons == 0; }
  bool operator==(const Fit&) const = default;
};

// The filters in their order; the first that fails ends it.
Fit fit_locally(const PodShape& pod, const NodeInfo& node, const NodeUsage& usage);

// How often each reason kept a pod off, over all nodes.
class FitCounts {
 public:
  explicit FitCounts(const PodShape& pod) : pod_(pod) {}
  void add(const Fit& fit);
  // Which filters said no, on any node.
  uint64_t reasons() const { return reasons_; }
  // `0/3 nodes are available: 1 Insufficient cpu, 2 node(s) were unschedulable.` (S-18)
  std::string text(size_t nodes) const;

 private:
  std::string name_of(uint32_t reason) const;

  const PodShape& pod_;
  uint64_t reasons_ = 0;
  std::array<size_t, 64> counts_{};
};

}  // namespace windlass::scheduler
