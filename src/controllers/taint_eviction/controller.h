// Taint eviction: pods that do not tolerate a NoExecute taint of their node are deleted, at once or
// when their tolerationSeconds are over (disruption.md T-1 to T-12).
//
// A timer belongs to a pod on a node that is there: it goes with the pod, with the node's last such
// taint, and with the Node object itself (upstream lets it fire then; T-7). Lives on the client's
// executor; nothing runs after destruction.
#pragma once

#include <functional>
#include <map>
#include <set>
#include <string>

#include "client/event_recorder.h"
#include "client/informer.h"
#include "controllers/taint_eviction/evictor.h"
#include "controllers/taint_eviction/tolerance.h"

namespace windlass::controllers::taint_eviction {

class TaintEvictionController {
 public:
  struct Options {
    bool mark_pods = true;  // gate PodDisruptionConditions
    // taint_eviction_controller_pod_deletions_total and ..._pod_deletion_duration_seconds (T-12).
    std::function<void(Duration late)> on_deleted = {};
  };

  TaintEvictionController(client::ClientEnv env, Options options);
  ~TaintEvictionController();
  TaintEvictionController(const TaintEvictionController&) = delete;
  TaintEvictionController& operator=(const TaintEvictionController&) = delete;

  void start();
  size_t timers() const { return timers_.size(); }
  size_t evictions() const { return evictor_.under_way(); }

 private:
  void on_node(const NodeInfo& node);
  void on_pod(const PodInfo& pod);
  void index(const PodInfo& pod);
  void unindex(const PodInfo& pod);
  void judge(const PodInfo& pod);
  void fire(const std::string& key);
  // With an event if there was a timer (T-10).
  void cancel(const PodInfo& pod);

  client::ClientEnv env_;
  client::EventRecorder events_;
  Evictor evictor_;
  std::map<std::string, std::set<std::string>> pods_of_;  // pod keys by node
  std::map<std::string, env::TimerId> timers_;            // by pod key
  client::Informer<NodeInfo> nodes_;
  client::Informer<PodInfo> pods_;
};

}  // namespace windlass::controllers::taint_eviction
