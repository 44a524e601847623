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
  void on_node(const TaintedNode& node);
  void on_pod(const ToleratingPod& pod);
  void index(const ToleratingPod& pod);
  void unindex(const ToleratingPod& pod);
  void judge(const ToleratingPod& pod);
  void fire(const std::string& key);
  // With an event if there was a timer (T-10).
  void cancel(const ToleratingPod& pod);

  client::ClientEnv env_;
  client::EventRecorder events_;
  TaintEvictor evictor_;
  std::map<std::string, std::set<std::string>> pods_of_;  // pod keys by node
  std::map<std::string, env::TimerId> timers_;            // by pod key
  client::Informer<TaintedNode> nodes_;
  client::Informer<ToleratingPod> pods_;
};

}  // namespace windlass::controllers::taint_eviction
