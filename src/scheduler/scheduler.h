// Puts pods on nodes (disruption.md 1): takes pods that have none in the order of priority, finds
// the best node for each and binds it; a pod that fits nowhere says why in its status, and makes
// room by preempting pods of lower priority where that helps.
//
// Lives on the client's executor. Sees only its caches; decides in rounds of bounded length, with a
// bounded number of bindings under way. Everything random comes from the environment.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "api/feature_gates.h"
#include "base/weak_self.h"
#include "client/event_recorder.h"
#include "client/informer.h"
#include "scheduler/cluster/cluster.h"
#include "scheduler/cluster/projection.h"
#include "scheduler/failure_handler.h"
#include "scheduler/placer.h"
#include "scheduler/pod_waker.h"
#include "scheduler/queue.h"

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

  Scheduler(client::ClientEnv env, Options options);
  ~Scheduler();
  Scheduler(const Scheduler&) = delete;
  Scheduler& operator=(const Scheduler&) = delete;

  void start();
  // Pods without a node that are not being bound right now.
  size_t waiting() const { return queue_.waiting(); }
  const SchedulerMetrics& metrics() const { return metrics_; }

 private:
  // The caches report changes.
  void on_pod(const PodInfo* before, const PodPtr& pod);
  void on_pod_gone(const PodPtr& pod);
  void on_assigned(const PodInfo* before, const PodPtr& pod);
  void on_waiting(const PodPtr& pod);
  void on_node(const NodeInfo& node);
  void on_node_gone(const std::string& name);
  void on_namespace(const NamespaceInfo& ns);
  void drop(const std::string& uid);
  bool is_synced() const;
  std::vector<DisruptionBudget> budgets() const;

  // Rounds, attempts, bindings.
  void run_soon();
  void run_round();
  void try_pod(QueuedPod& queued);
  void try_everywhere(QueuedPod& queued);
  void bind(QueuedPod& queued, const std::string& node);
  void on_bound(const client::EventTarget& target, const std::string& node,
                const Result<void>& result);
  void report_scheduled(const client::EventTarget& target, const std::string& node);
  void on_bind_failed(QueuedPod& queued, const std::string& node, const Status& why);
  void skip_deleting(QueuedPod& queued);

  client::ClientEnv env_;
  Options options_;
  SchedulerMetrics metrics_;
  ShapeTable shapes_;
  Cluster cluster_;
  Nominations nominations_;
  Placer placer_;
  SchedulingQueue queue_;
  client::EventRecorder events_;
  PodWaker waker_;
  FailureHandler failures_;
  size_t bindings_ = 0;
  bool round_posted_ = false;
  client::Informer<NodeInfo> node_informer_;
  client::Informer<PodPtr> pod_informer_;
  client::Informer<DisruptionBudget> budget_informer_;
  client::Informer<NamespaceInfo> namespace_informer_;
  WeakSelf<Scheduler> self_{this};
};

Scheduler::Options options_with(const api::FeatureGates& gates);

}  // namespace windlass::scheduler
