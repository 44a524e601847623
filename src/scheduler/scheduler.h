// Puts pods on nodes (disruption.md 1): takes pods that have none in the order of priority, finds
// the best node for each and binds it; a pod that fits nowhere says why in its status, and makes
// room by preempting pods of lower priority where that helps.
//
// Lives on the client's executor. Sees only its caches; decides in rounds of bounded length, with a
// bounded number of bindings under way. Everything random comes from the environment.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>

#include "api/feature_gates.h"
#include "base/weak_self.h"
#include "client/event_recorder.h"
#include "client/informer.h"
#include "scheduler/cluster/cluster.h"
#include "scheduler/cluster/projection.h"
#include "scheduler/eviction.h"
#include "scheduler/placer.h"
#include "scheduler/preemption.h"
#include "scheduler/queue.h"
#include "scheduler/status_writer.h"

namespace windlass::scheduler {

class Scheduler {
 public:
  struct Options {
    std::string name = "default-scheduler";
    std::string host = {};  // where it runs: its events are from `name-host`
    QueueOptions queue = {};
    // The feature gate PodDisruptionConditions: victims are marked before they are deleted.
    bool disruption_conditions = true;
    size_t pods_per_round = 100;
    size_t max_bindings = 256;  // under way at the same time
    // scheduler_preemption_attempts_total and scheduler_preemption_victims (P-23): every attempt,
    // with the number of victims it found.
    std::function<void(size_t victims)> on_preemption = {};
  };

  // P-23 and what became of the attempts; only ever grows.
  struct Metrics {
    uint64_t scheduled = 0;
    uint64_t unschedulable = 0;
    uint64_t errors = 0;
    uint64_t preemption_attempts = 0;
    uint64_t preemption_victims = 0;
  };

  Scheduler(client::ClientEnv env, Options options);
  ~Scheduler();
  Scheduler(const Scheduler&) = delete;
  Scheduler& operator=(const Scheduler&) = delete;

  void start();
  // Pods without a node that are not being bound right now.
  size_t waiting() const { return queue_.waiting(); }
  const Metrics& metrics() const { return metrics_; }

 private:
  // What the last attempt at a pod of a group said; holds as long as nothing changes.
  struct LastNo {
    uint64_t cluster_generation = 0;
    uint64_t nomination_generation = 0;
    uint64_t reasons = 0;
    std::string message;
    std::string told;  // to all of its group
  };
  static constexpr size_t kMaxLastNos = 1024;

  // scheduler_events.cc: what the caches hear, and whom it wakes (S-5).
  void on_pod(const PodInfo* before, const PodPtr& pod);
  void on_pod_gone(const PodPtr& pod);
  void on_assigned(const PodInfo* before, const PodPtr& pod);
  void on_waiting(const PodPtr& pod);
  void on_node(const NodeInfo& node);
  void on_node_gone(const std::string& name);
  void on_namespace(const NamespaceInfo& ns);
  void wake_let_down(const std::string& node);
  void on_nomination_gone(const PodInfo& pod);
  void on_room_freed(const std::string& node);
  void drop(const std::string& uid);

  // scheduler.cc: rounds, attempts, bindings.
  void run_soon();
  void run_round();
  bool is_synced() const;
  void try_pod(QueuedPod& queued);
  void try_everywhere(QueuedPod& queued);
  void bind(QueuedPod& queued, const std::string& node);
  void on_bound(const client::EventTarget& target, const std::string& node,
                const Result<void>& result);
  void tell_scheduled(const client::EventTarget& target, const std::string& node);
  void on_bind_failed(QueuedPod& queued, const std::string& node, const Status& why);
  void skip_deleting(QueuedPod& queued);
  bool depends_on_labels(const PodInfo& pod) const;
  std::string group_of(const PodInfo& pod) const;

  // scheduler_failures.cc: no node takes the pod.
  void fail_everywhere(QueuedPod& queued, Attempt& attempt, const Placement& placement);
  bool may_preempt(const QueuedPod& queued, const Placement& placement, std::string& text) const;
  void preempt(QueuedPod& queued, const Victims& victims);
  void on_preempted(const std::string& uid, uint64_t reasons,
                    const VictimEvictor::EvictionResult& outcome);
  void release_lower_nominations(const PodInfo& preemptor, const std::string& node);
  void nominate(QueuedPod& queued, const std::string& node);
  void park(QueuedPod& queued, uint64_t reasons, const std::string& message);
  void tell(QueuedPod& queued, const char* reason, const std::string& message);
  std::vector<DisruptionBudget> budgets() const;

  client::ClientEnv env_;
  Options options_;
  Metrics metrics_;
  ShapeTable shapes_;
  Cluster cluster_;
  Nominations nominations_;
  Placer placer_;
  SchedulingQueue queue_;
  SchedulingStatusWriter statuses_;
  client::EventRecorder events_;
  VictimEvictor evictor_;
  client::BoundedMap<LastNo> last_nos_{kMaxLastNos};  // by group
  size_t bindings_ = 0;
  bool round_posted_ = false;
  client::Informer<NodeInfo> node_informer_;
  client::Informer<PodPtr> pod_informer_;
  client::Informer<DisruptionBudget> budget_informer_;
  client::Informer<NamespaceInfo> namespace_informer_;
  WeakSelf<Scheduler> self_{this};
};

client::EventTarget event_target(const PodInfo& pod);
Scheduler::Options options_with(const api::FeatureGates& gates);

}  // namespace windlass::scheduler
