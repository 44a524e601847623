// Marks pods on nodes that fell silent as not ready (disruption.md N-4): their Ready condition
// becomes False, and an event tells of it. Phase, containers and other conditions stay.
//
// Watches pods and keeps which of them say that they are ready, by node. Retries with growing
// delays, as long as the node is not ready. Owned by the controller, on the client's executor;
// nothing is called after destruction.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>

#include "base/weak_self.h"
#include "client/event_recorder.h"
#include "client/informer.h"
#include "client/work_queue.h"

namespace windlass::controllers::node_lifecycle {

class PodMarker {
 public:
  // Asked right before a pod is touched: whether its node is still not ready.
  using Check = std::function<bool(const std::string& node)>;

  PodMarker(client::ClientEnv env, client::EventRecorder& events, Check is_down);
  PodMarker(const PodMarker&) = delete;
  PodMarker& operator=(const PodMarker&) = delete;

  // `synced` is called once, when the pods are known.
  void start(std::function<void()> synced);
  // All pods on this node that say Ready now.
  void mark_pods_of(const std::string& node);

 private:
  static constexpr size_t kWorkers = 32;

  // Of a pod that says it is ready.
  struct ReadyPod {
    std::string key = {};
    std::string uid = {};
    std::string node = {};
  };

  static std::optional<ReadyPod> read_pod(const api::Message& pod);
  void index(const ReadyPod& pod);
  void unindex(const ReadyPod& pod);
  void process(const std::string& key);
  void finish(const std::string& key, const ReadyPod& pod, bool changed,
              const Result<client::ObjectPtr>& answer);

  client::ClientEnv env_;
  client::EventRecorder& events_;
  Check is_down_;
  std::map<std::string, std::set<std::string>> ready_pods_of_;  // pod keys by node
  client::WorkQueue queue_;                                     // of pod keys
  client::Informer<ReadyPod> pods_;
  WeakSelf<PodMarker> self_{this};
};

}  // namespace windlass::controllers::node_lifecycle
