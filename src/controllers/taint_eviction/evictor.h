// Deletes pods that must leave their node (disruption.md T-9): tells of it by an event, marks the
// pod with DisruptionTarget, and deletes it only once the mark is stored (C-7). Five attempts, then
// it is left until somebody asks again. A bounded number at a time.
//
// Owned by the controller, on the client's executor; nothing is called after destruction.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>

#include "client/event_recorder.h"
#include "client/reflector.h"
#include "client/work_queue.h"
#include "controllers/taint_eviction/tolerance.h"

namespace windlass::controllers::taint_eviction {

class Evictor {
 public:
  static constexpr size_t kWorkers = 32;
  static constexpr int kAttempts = 5;
  static constexpr Duration kRetry = milliseconds(10);

  // `on_deleted` hears how long after the planned moment the delete was acknowledged.
  Evictor(client::ClientEnv env, client::EventRecorder& events, bool mark_pods,
          std::function<void(Duration late)> on_deleted);
  ~Evictor();
  Evictor(const Evictor&) = delete;
  Evictor& operator=(const Evictor&) = delete;

  // One that is under way already is not begun again.
  void evict(const PodInfo& pod);

 private:
  struct Eviction {
    PodInfo pod;
    MonotonicTime planned;
    int attempts = 0;
    env::TimerId timer = env::TimerId::none;
  };

  void process(const std::string& uid);
  void attempt(const std::string& uid);
  void remove(const std::string& uid);
  void finish(const std::string& uid, const Result<client::ObjectPtr>& result, bool of_delete);
  client::ObjectRef ref(const PodInfo& pod) const;

  client::ClientEnv env_;
  client::EventRecorder& events_;
  bool mark_pods_;
  std::function<void(Duration)> on_deleted_;
  std::map<std::string, Eviction> evictions_;  // by pod UID: at most one per pod there is
  client::WorkQueue queue_;
  std::shared_ptr<Evictor*> self_;  // callbacks hold it weakly
};

client::EventTarget event_target(const PodInfo& pod);

}  // namespace windlass::controllers::taint_eviction
