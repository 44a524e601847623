// What happens to a pod that no node takes (disruption.md S-18 to S-20, 1.4): makes room for it by
// preempting pods of lower priority where that helps, or parks it in the queue; and says why in its
// status and in an event. Remembers the verdict for each group of pods that are all alike, so that
// it is found once.
//
// Owned by the scheduler, on the client's executor; nothing is called after destruction.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "base/weak_self.h"
#include "client/bounded_map.h"
#include "client/event_recorder.h"
#include "scheduler/cluster/cluster.h"
#include "scheduler/eviction.h"
#include "scheduler/placer.h"
#include "scheduler/preemption.h"
#include "scheduler/queue.h"
#include "scheduler/status_writer.h"

namespace windlass::scheduler {

// P-23 and what became of the attempts; only ever grows.
struct SchedulerMetrics {
  uint64_t scheduled = 0;
  uint64_t unschedulable = 0;
  uint64_t errors = 0;
  uint64_t preemption_attempts = 0;
  uint64_t preemption_victims = 0;
};

class FailureHandler {
 public:
  struct Parts {
    const Cluster& cluster;
    Nominations& nominations;
    SchedulingQueue& queue;
    client::EventRecorder& events;
    SchedulerMetrics& metrics;
    std::function<std::vector<DisruptionBudget>()> budgets;
  };
  using OnPreemption = std::function<void(size_t victims)>;

  FailureHandler(client::ClientEnv env, Parts parts, bool disruption_conditions,
                 OnPreemption on_preemption);

  // Preempts or parks a pod in work that fits nowhere.
  void handle(QueuedPod& queued, Attempt& attempt, const Placement& placement);
  // Parks it as the last one of its group, if nothing has changed since. False: it needs an
  // attempt.
  bool park_like_its_group(QueuedPod& queued);
  void park(QueuedPod& queued, uint64_t reasons, const std::string& message);
  // S-18, S-20: only when there is something new to say.
  void report(QueuedPod& queued, const char* reason, const std::string& message);

 private:
  // The verdict on the last pod of a group; holds as long as nothing changes.
  struct LastVerdict {
    uint64_t cluster_generation = 0;
    uint64_t nomination_generation = 0;
    uint64_t reasons = 0;
    std::string message;
    std::string reported;  // to all of its group
  };
  static constexpr size_t kMaxLastVerdicts = 1024;

  bool depends_on_labels(const PodInfo& pod) const;
  std::string group_of(const PodInfo& pod) const;
  bool may_preempt(const QueuedPod& queued, const Placement& placement, std::string& text) const;
  void preempt(QueuedPod& queued, const Victims& victims);
  void on_preempted(const std::string& uid, uint64_t reasons,
                    const VictimEvictor::EvictionResult& outcome);
  void release_lower_nominations(const PodInfo& preemptor, const std::string& node);
  void nominate(QueuedPod& queued, const std::string& node);

  client::ClientEnv env_;
  Parts parts_;
  const bool disruption_conditions_;
  OnPreemption on_preemption_;
  SchedulingStatusWriter statuses_;
  VictimEvictor evictor_;
  client::BoundedMap<LastVerdict> last_verdicts_{kMaxLastVerdicts};  // by group
  WeakSelf<FailureHandler> self_{this};
};

client::EventTarget event_target(const PodInfo& pod);

}  // namespace windlass::scheduler
