// The life cycle of nodes: a node whose heartbeats stop becomes Unknown and its pods not ready. The
// taints of every node follow its conditions; those that drive pods away come one node at a time,
// slower when much of a zone is gone, not at all when everything is (disruption.md N-1 to N-7).
//
// Signs of life are timed by this process's own monotonic clock when it sees them: clocks of nodes
// do not matter. A controller that was stopped itself for longer than its rounds believes no node
// dead because of that. Lives on the client's executor; nothing runs after destruction.
#pragma once

#include <deque>
#include <map>
#include <memory>
#include <set>
#include <string>

#include "base/weak_self.h"
#include "client/event_recorder.h"
#include "client/informer.h"
#include "client/work_queue.h"
#include "controllers/node_lifecycle/node_view.h"
#include "controllers/node_lifecycle/pod_marker.h"
#include "controllers/node_lifecycle/zones.h"

namespace windlass::controllers::node_lifecycle {

class NodeLifecycleController {
 public:
  struct Options {
    Duration period = seconds(5);
    Duration grace = seconds(50);
    Duration startup_grace = seconds(60);  // while a node has never said whether it is ready
    EvictionRates rates = {};
    bool evicts_by_taints =
        true;  // false: no NoExecute taints, another controller deletes pods (N-11)
  };

  NodeLifecycleController(client::ClientEnv env, Options options);
  ~NodeLifecycleController();
  NodeLifecycleController(const NodeLifecycleController&) = delete;
  NodeLifecycleController& operator=(const NodeLifecycleController&) = delete;

  void start();

 private:
  static constexpr size_t kWorkers = 8;
  static constexpr int kMissedRounds = 3;  // then this process itself was away

  struct LeaseView {
    std::string node = {};
    int64_t seconds = 0;
    int32_t nanos = 0;
  };
  struct Health {
    MonotonicTime last_seen;
    bool waiting = false;   // in its zone, for its turn
    bool silent = false;    // for longer than the grace
    bool its_turn = false;  // may get its NoExecute taint
  };
  struct Zone {
    ZoneCount count;
    std::deque<std::string> waiting;  // nodes, each once
    double tokens = 1;
  };

  static LeaseView read_lease(const api::Message& lease);
  void on_node_added(const NodeView& node);
  void on_node_changed(const NodeView& before, const NodeView& now);
  void on_node_gone(const NodeView& node);
  void on_sign_of_life(const std::string& node);

  void run_round();
  void look_for_silent_nodes(MonotonicTime now);
  void count_zones();
  void plan_evictions(Duration passed);
  // False when it needs none.
  bool give_turn(const std::string& node);
  void mark_pods_of_lost_nodes();

  void process(const std::string& name);
  bool change_status(const std::string& name, api::Message& node);
  bool change_taints(const std::string& name, api::Message& node);
  void finish(const std::string& name, const Result<client::ObjectPtr>& answer);
  void record(const NodeView& node, const std::string& reason, const std::string& message);

  client::ClientEnv env_;
  Options options_;
  client::EventRecorder events_;
  std::map<std::string, Health> health_;  // by node
  std::map<std::string, Zone> zones_;
  bool everything_is_down_ = false;
  MonotonicTime last_round_;
  env::TimerId timer_ = env::TimerId::none;
  client::WorkQueue queue_;  // of nodes
  PodMarker pods_;
  client::Informer<LeaseView> leases_;
  client::Informer<NodeView> nodes_;
  WeakSelf<NodeLifecycleController> self_{this};
};

}  // namespace windlass::controllers::node_lifecycle
