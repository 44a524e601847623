// Deletes pods that must leave their node (disruption.md T-9): asks the server itself whether the
// node still has the taint (T-1), tells of the eviction by an event, marks the pod with
// DisruptionTarget unless it has ended (T-11), and deletes it only once the mark is stored (C-7).
// What fails is tried again, soon at first and then ever more slowly, until it is done or nothing
// wants it any more; while it waits it keeps no other pod waiting. A bounded number at a time.
//
// Owned by the controller, on the client's executor; nothing is called after destruction.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "base/weak_self.h"
#include "client/event_recorder.h"
#include "client/reflector.h"
#include "client/work_queue.h"
#include "controllers/taint_eviction/tolerance.h"

namespace windlass::controllers::taint_eviction {

class TaintEvictor {
 public:
  static constexpr size_t kWorkers = 32;
  static constexpr Duration kFirstRetry = milliseconds(10);
  static constexpr Duration kMaxRetry = minutes(1);

  enum class Why { untolerated, time_is_over };

  // `on_deleted` hears how long after the planned moment the delete was acknowledged.
  TaintEvictor(client::ClientEnv env, client::EventRecorder& events, bool mark_pods,
               std::function<void(Duration late)> on_deleted);
  TaintEvictor(const TaintEvictor&) = delete;
  TaintEvictor& operator=(const TaintEvictor&) = delete;

  // One that is under way already is not begun again, but tried at once if it waits. One that was
  // cancelled in the middle of its work goes on, as what it is begun for now.
  void evict(const ToleratingPod& pod, Why why);
  // The pod may stay, or is gone: what has not been sent yet is not sent.
  void cancel(const std::string& uid);
  // Under way because the pod had stayed as long as it may.
  bool is_overdue(const std::string& uid) const;
  size_t under_way() const { return evictions_.size(); }

 private:
  struct Eviction {
    ToleratingPod pod;
    Why why;
    MonotonicTime planned;
    int attempts = 0;
    bool told = false;  // by the event
    bool in_work = false;
    bool cancelled = false;
  };

  void process(const std::string& uid);
  void on_node_read(const std::string& uid, const Result<client::ObjectPtr>& node);
  static bool drives_away(const TaintedNode& node, const Eviction& eviction);
  void begin(const std::string& uid);
  void mark(const std::string& uid);
  void on_marked(const std::string& uid, const Result<client::ObjectPtr>& pod);
  void remove(const std::string& uid, std::optional<std::string> version);
  void finish(const std::string& uid, const Result<client::ObjectPtr>& result);
  void try_later(const std::string& uid);
  void forget(const std::string& uid);
  client::ObjectRef ref(const ToleratingPod& pod) const;

  client::ClientEnv env_;
  client::EventRecorder& events_;
  bool mark_pods_;
  std::function<void(Duration)> on_deleted_;
  std::map<std::string, Eviction> evictions_;  // by pod UID: at most one per pod there is
  client::WorkQueue queue_;                    // of pod UIDs
  WeakSelf<TaintEvictor> self_{this};
};

client::EventTarget event_target(const ToleratingPod& pod);

}  // namespace windlass::controllers::taint_eviction
