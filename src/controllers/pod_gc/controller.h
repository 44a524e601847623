// Pod GC: every 20 seconds deletes pods that no other component will (disruption.md G-1 to G-11):
// ended ones above a threshold, those that are being deleted on nodes out of service, those whose
// node is gone, and those that were deleted before they had a node. What they end with is in
// force_deleter.h.
//
// A node counts as gone only when it has been missing for the whole quarantine and the server
// itself says so. Lives on the client's executor; nothing runs after destruction.
#pragma once

#include <map>
#include <memory>
#include <set>
#include <string>

#include "api/feature_gates.h"
#include "base/weak_self.h"
#include "client/informer.h"
#include "controllers/pod_gc/force_deleter.h"
#include "controllers/pod_gc/pods.h"

namespace windlass::controllers::pod_gc {

// F-1: PodDisruptionConditions and JobPodReplacementPolicy.
Writes writes_with(const api::FeatureGates& gates);

class PodGcController {
 public:
  struct Options {
    Writes writes = {};
    size_t terminated_threshold = 12'500;  // 0: no limit
    Duration period = seconds(20);
    Duration quarantine = seconds(40);
    // pod_gc_collector_force_delete_pods_total for every call, and ..._pod_errors_total for those
    // that failed.
    ForceDeleter::Count count = {};
  };

  PodGcController(client::ClientEnv env, Options options);
  ~PodGcController();
  PodGcController(const PodGcController&) = delete;
  PodGcController& operator=(const PodGcController&) = delete;

  void start();

 private:
  static constexpr size_t kMaxNodeChecks = 20;  // questions about nodes under way

  void run_round();
  void sweep_terminated();
  void sweep_out_of_service();
  void sweep_orphaned();
  void sweep_unscheduled();

  bool has_orphans(const std::set<std::string>& keys) const;
  void check_next_node();
  void on_node_checked(const std::string& node, const Result<client::ObjectPtr>& answer);
  void sweep_pods_of(const std::string& node);
  // Unless only a finalizer is left to hold it: then another delete would change nothing.
  void collect(const CollectablePod& pod, Sweep sweep);
  bool is_done_with(const CollectablePod& pod) const;

  client::ClientEnv env_;
  Options options_;
  PodIndex index_;
  std::set<std::string> out_of_service_;             // nodes
  std::map<std::string, MonotonicTime> quarantine_;  // missing nodes: when it ends
  std::set<std::string> to_check_;                   // missing nodes whose quarantine is over
  size_t checks_under_way_ = 0;
  ForceDeleter deleter_;
  client::Informer<ServiceNode> nodes_;
  client::Informer<CollectablePod> pods_;
  env::TimerId timer_ = env::TimerId::none;
  WeakSelf<PodGcController> self_{this};
};

}  // namespace windlass::controllers::pod_gc
