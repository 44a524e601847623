// Deletes the pods of nodes that were not ready for too long, the way Kubernetes did before taints
// drove pods away (disruption.md N-11): the pod says NodeLost, stays Running, and gets no
// DisruptionTarget. Runs instead of taint eviction, for those who want to see what a policy does
// with such pods. While no node is ready at all, no pod is evicted (N-7).
//
// Lives on the client's executor; nothing runs after destruction.
#pragma once

#include <map>
#include <memory>
#include <set>
#include <string>

#include "base/weak_self.h"
#include "client/event_recorder.h"
#include "client/informer.h"
#include "client/work_queue.h"

namespace windlass::controllers::lost_nodes {

class LostNodeController {
 public:
  struct Options {
    Duration timeout = minutes(5);
    Duration period = seconds(5);
  };

  LostNodeController(client::ClientEnv env, Options options);
  ~LostNodeController();
  LostNodeController(const LostNodeController&) = delete;
  LostNodeController& operator=(const LostNodeController&) = delete;

  void start();

 private:
  static constexpr size_t kWorkers = 32;

  struct WatchedNode {
    std::string name = {};
    std::string uid = {};
    bool ready = false;
  };
  struct EvictablePod {
    std::string key = {};
    std::string uid = {};
    std::string node = {};  // "" when it is none of ours: of a DaemonSet, or deleted already
  };
  struct Absence {
    MonotonicTime since;
    bool told = false;
  };

  static WatchedNode read_node(const api::Message& node);
  static EvictablePod read_pod(const api::Message& pod);
  void on_node(const WatchedNode& node);
  void on_pod(const EvictablePod& before, const EvictablePod& now);

  void run_round();
  void empty(const WatchedNode& node, Absence& absence);
  void process(const std::string& key);
  void on_marked(const std::string& key, const EvictablePod& pod,
                 const Result<client::ObjectPtr>& answer);
  void finish(const std::string& key, const Result<client::ObjectPtr>& answer);

  client::ClientEnv env_;
  Options options_;
  client::EventRecorder events_;
  std::map<std::string, Absence> absent_;                 // by node
  std::map<std::string, std::set<std::string>> pods_of_;  // pod keys by node
  env::TimerId timer_ = env::TimerId::none;
  client::WorkQueue queue_;  // of pod keys
  client::Informer<EvictablePod> pods_;
  client::Informer<WatchedNode> nodes_;
  WeakSelf<LostNodeController> self_{this};
};

}  // namespace windlass::controllers::lost_nodes
