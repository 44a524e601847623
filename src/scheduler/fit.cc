#include "scheduler/fit.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

namespace windlass::scheduler {
namespace {

constexpr std::array<std::string_view, kReasons> kTexts = {
    "node(s) were not compared: the pod has more than 100 pod affinity terms and topology spread "
    "constraints, or more than 1000 node requirements, tolerations and extended resources",
    "node(s) were unschedulable",
    "node(s) had untolerated taint(s)",
    placement::kNodeAffinityText,
    placement::kPortsText,
    "Too many pods",
    "Insufficient cpu",
    "Insufficient memory",
    "Insufficient ephemeral-storage",
    "node(s) didn't match pod topology spread constraints",
    "node(s) didn't match pod topology spread constraints (missing required label)",
    "node(s) didn't match pod affinity rules",
    "node(s) didn't match pod anti-affinity rules",
    "node(s) didn't satisfy existing pods anti-affinity rules",
    "No preemption victims found for incoming pod",
    "Preemption is not helpful for scheduling",
};

Fit hopeless(Reason reason) {
  return {bit(reason), true};
}

// Several reasons at once; a request beyond the whole node is hopeless.
class Shortages {
 public:
  void compare(uint64_t reason, int64_t want, int64_t allocatable, int64_t used) {
    if (want > 0 && want > allocatable - used) {
      fit_.reasons |= reason;
      fit_.hopeless = fit_.hopeless || want > allocatable;
    }
  }
  Fit& fit() { return fit_; }

 private:
  Fit fit_;
};

int64_t amount(const Resources& resources, const std::string& name) {
  const auto found = resources.extended.find(name);
  return found == resources.extended.end() ? 0 : found->second;
}

Fit fit_resources(const PodShape& pod, const NodeInfo& node, const NodeUsage& usage) {
  Shortages shortages;
  if (usage.pods + 1 > node.max_pods) {
    shortages.fit().reasons |= bit(Reason::too_many_pods);
  }
  const Resources& want = pod.requests;
  const Resources& all = node.allocatable;
  const Resources& used = usage.requested;
  shortages.compare(bit(Reason::cpu), want.milli_cpu, all.milli_cpu, used.milli_cpu);
  shortages.compare(bit(Reason::memory), want.memory, all.memory, used.memory);
  shortages.compare(bit(Reason::ephemeral_storage), want.ephemeral_storage, all.ephemeral_storage,
                    used.ephemeral_storage);
  uint32_t index = kFirstExtended;
  for (const auto& [name, value] : want.extended) {
    // More different resources than bits: the last ones share a text, no filter is skipped.
    shortages.compare(uint64_t{1} << std::min(index++, 63u), value, amount(all, name),
                      amount(used, name));
  }
  return shortages.fit();
}

}  // namespace

Fit fit_locally(const PodShape& pod, const NodeInfo& node, const NodeUsage& usage) {
  if (pod.asks_too_much) {
    return hopeless(Reason::asks_too_much);
  }
  if (node.unschedulable) {
    const Taint cordon{"node.kubernetes.io/unschedulable", "", "NoSchedule"};
    if (!tolerates(pod, cordon)) {
      return hopeless(Reason::unschedulable);
    }
  }
  if (is_kept_off_by_taints(pod, node)) {
    return hopeless(Reason::taint);
  }
  if (!wants_node(pod, node)) {
    return hopeless(Reason::node_affinity);
  }
  if (usage.ports.first_taken(pod.host_ports) != nullptr) {
    return {bit(Reason::ports), false};
  }
  return fit_resources(pod, node, usage);
}

void FitCounts::add(const Fit& fit) {
  reasons_ |= fit.reasons;
  for (uint64_t left = fit.reasons; left != 0; left &= left - 1) {
    ++counts_[static_cast<size_t>(__builtin_ctzll(left))];
  }
}

std::string FitCounts::name_of(uint32_t reason) const {
  if (reason < kReasons) {
    return std::string(kTexts[reason]);
  }
  const auto& extended = pod_.requests.extended;
  auto resource = extended.begin();
  std::advance(resource, reason - kFirstExtended);
  return "Insufficient " + resource->first;
}

std::string FitCounts::text(size_t nodes) const {
  std::vector<std::string> entries;
  for (uint32_t reason = 0; reason < counts_.size(); ++reason) {
    if (counts_[reason] > 0) {
      entries.push_back(fmt::format("{} {}", counts_[reason], name_of(reason)));
    }
  }
  std::sort(entries.begin(), entries.end());
  return fmt::format("0/{} nodes are available: {}.", nodes, fmt::join(entries, ", "));
}

}  // namespace windlass::scheduler
