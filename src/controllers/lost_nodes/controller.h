// Deletes the pods of nodes that were not ready for too long, the way Kubernetes did before taints
// drove pods away (disruption.md N-11): the pod says NodeLost, stays Running, and gets no
// DisruptionTarget. Runs instead of taint eviction, for those who want to see what a policy does
// with such pods. While no node is ready at all, nobody is evicted (N-7).
//
// Lives on the client's executor; nothing runs after destruction.
#pragma once

#include <map>
#include <memory>
#include <set>
#include <string>

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

  struct NodeInfo {
    std::string name = {};
    std::string uid = {};
    bool ready = false;
  };
  struct PodInfo {
    std::string key = {};
    std::string uid = {};
    std::string node = {};  // "" when it is none of ours: of a DaemonSet, or deleted already
  };
  struct Absence {
    MonotonicTime since;
    bool told = false;
  };

  static NodeInfo read_node(const api::Message& node);
  static PodInfo read_pod(const api::Message& pod);
  void on_node(const NodeInfo& node);
  void on_pod(const PodInfo& before, const PodInfo& now);

  void run_round();
  void empty(const NodeInfo& node, Absence& absence);
  void process(const std::string& key);
  void on_marked(const std::string& key, const PodInfo& pod,
                 const Result<client::ObjectPtr>& answer);
  void finish(const std::string& key, const Result<client::ObjectPtr>& answer);

  client::ClientEnv env_;
  Options options_;
  client::EventRecorder events_;
  std::map<std::string, Absence> absent_;                 // by node
  std::map<std::string, std::set<std::string>> pods_of_;  // pod keys by node
  env::TimerId timer_ = env::TimerId::none;
  client::WorkQueue queue_;  // of pod keys
  client::Informer<PodInfo> pods_;
  client::Informer<NodeInfo> nodes_;
  std::shared_ptr<LostNodeController*> self_;  // callbacks hold it weakly
};

}  // namespace windlass::controllers::lost_nodes
