// Evicts pods from a node that runs short of memory, disk or process numbers, one at a time
// (disruption.md 7.5): looks every ten seconds, and after an eviction as soon as the pod is gone.
//
// What a node has is what the machine has, or less where its capacity says so; then what its own
// pods take counts against that. What each pod takes is found out only when something is short, or
// when the node has less than the machine.
//
// Owned by the agent, on its executor; nothing is called after destruction. Does not own the pods.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/weak_self.h"
#include "env/clock.h"
#include "env/containers.h"
#include "env/executor.h"
#include "env/host_resources.h"
#include "node/config.h"
#include "node/pod/pod_worker.h"
#include "node/pressure/pressure_tracker.h"
#include "node/pressure/ranking.h"

namespace windlass::node {

class PressureEviction {
 public:
  struct Host {
    env::Executor& executor;
    env::Clock& clock;
    env::Containers& containers;
    env::HostResources& host_resources;
    // Those of which something may still run, at this moment.
    std::function<std::vector<PodWorker*>()> pods;
    // Gives back what no pod needs any more (K-59). True when there was something; the disk may
    // have it a little later.
    std::function<bool()> reclaim_disk;
    std::function<void(const pressure::Conditions&)> on_conditions;  // each time they change
    std::function<void(std::string_view resource)> on_short;         // before pods are evicted
  };

  PressureEviction(Host host, const AgentConfig& config);
  ~PressureEviction();
  PressureEviction(const PressureEviction&) = delete;
  PressureEviction& operator=(const PressureEviction&) = delete;

  void start();
  const pressure::Conditions& conditions() const { return tracker_.conditions(); }

 private:
  // Of the victim's cleanup (K-61).
  static constexpr Duration kVictimLook = seconds(1);
  static constexpr int kMaxVictimLooks = 30;
  static constexpr Duration kReclaimLook = seconds(1);
  static constexpr Duration kHardGrace = seconds(1);  // K-56

  using Uses = std::vector<env::ContainerUse>;

  void look();
  void look_after(Duration delay);
  void judge(const Uses& uses);
  pressure::ResourceLevels levels(const Uses& uses) const;
  bool has_share_of(const std::optional<env::ResourceLevel>& machine, uint64_t own) const;
  // True when the next look is planned: a pod was told to go, or the disk gets some room.
  bool act(const pressure::Threshold& threshold, const Uses& uses);
  void evict(PodWorker& victim, const pressure::Candidate& shares,
             const pressure::Threshold& threshold, const env::ResourceLevel& level);
  void wait_for(const std::string& victim, int looks_left);
  pressure::Candidate candidate(const PodWorker& pod, pressure::EvictionSignal signal,
                                const Uses& uses) const;

  Host host_;
  const AgentConfig& config_;
  uint64_t memory_ = 0;  // of the node; 0 where its capacity does not say
  uint64_t disk_ = 0;
  pressure::PressureTracker tracker_;
  env::TimerId timer_ = env::TimerId::none;
  WeakSelf<PressureEviction> self_{this};
};

}  // namespace windlass::node
