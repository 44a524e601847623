// Binds pods that have no node to one that takes them. Pods wait in the order of priority, then of
// arrival; one that fits nowhere says why in its status and is looked at again when something
// changes that could help it: a node, or a pod that leaves one (disruption.md S-1, S-2, S-5, S-18).
//
// Lives on the client's executor. Sees only its caches; decides in rounds of bounded length.
#pragma once

#include <map>
#include <memory>
#include <set>
#include <string>
#include <tuple>

#include "client/event_recorder.h"
#include "client/informer.h"
#include "scheduler/cluster.h"
#include "scheduler/condition_writer.h"
#include "scheduler/projection.h"

namespace windlass::scheduler {

class Scheduler {
 public:
  struct Options {
    std::string name = "default-scheduler";
    // After a binding that failed with an error (S-3).
    Duration first_retry = seconds(1);
    Duration max_retry = seconds(10);
    size_t pods_per_round = 100;
  };

  Scheduler(client::ClientEnv env, Options options);
  ~Scheduler();
  Scheduler(const Scheduler&) = delete;
  Scheduler& operator=(const Scheduler&) = delete;

  void start();
  // Pods without a node that are not being bound right now.
  size_t waiting() const { return ready_.size() + parked_.size(); }

 private:
  enum class Place { ready, parked, binding, backing_off };
  // Higher priority first, then first come.
  using Turn = std::tuple<int64_t, uint64_t, std::string>;

  struct Waiting {
    PodInfo pod;
    uint64_t arrival = 0;
    Place place = Place::ready;
    Duration next_retry{};
    env::TimerId timer = env::TimerId::none;
    std::string told;  // the message last written to its status
  };

  void on_pod(const ScheduledPod& pod);
  void on_pod_gone(const ScheduledPod& pod);
  void on_node(const NodeInfo& node);

  bool wants_node(const ScheduledPod& pod) const;
  void move(Waiting& waiting, Place place);
  void drop(const std::string& uid);
  void wake_parked();
  void run_soon();
  void run_round();
  void try_pod(Waiting& waiting);
  void on_bound(const client::EventTarget& target, const std::string& node,
                const Result<void>& result);
  void tell(Waiting& waiting, const std::string& reason, const std::string& message);
  static Turn turn(const Waiting& waiting);

  client::ClientEnv env_;
  Options options_;
  Cluster cluster_;
  ConditionWriter conditions_;
  client::EventRecorder events_;
  std::map<std::string, Waiting> pods_;  // by uid: all that this scheduler has to place
  std::set<Turn> ready_;
  std::set<Turn> parked_;  // fit nowhere when they were last tried
  uint64_t arrivals_ = 0;
  bool round_posted_ = false;
  std::shared_ptr<Scheduler*> self_;  // posted tasks and callbacks hold it weakly
  client::Informer<NodeInfo> nodes_informer_;
  client::Informer<ScheduledPod> pods_informer_;
};

}  // namespace windlass::scheduler
