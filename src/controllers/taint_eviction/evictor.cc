#include "controllers/taint_eviction/evictor.h"

#include <utility>

#include "api/kind.h"
#include "api/pod/pod_condition.h"
#include "client/object_identity.h"
#include "client/update_status.h"
#include "schema/core/v1/pod.pb.h"

namespace windlass::controllers::taint_eviction {

namespace {

// What ended before the eviction did not end by it: a mark would make a failure that counts one
// that a rule ignores.
bool mark_pod(api::core::v1::Pod& pod, Time now) {
  const std::string& phase = pod.status().phase();
  return phase != "Succeeded" && phase != "Failed" &&
         api::set_pod_condition(pod, "DisruptionTarget", "True", now, "DeletionByTaintManager",
                                "Taint manager: deleting due to NoExecute taint");
}

}  // namespace

client::EventTarget event_target(const ToleratingPod& pod) {
  return {"v1", "Pod", pod.ns, pod.name, pod.uid};
}

TaintEvictor::TaintEvictor(client::ClientEnv env, client::EventRecorder& events, bool mark_pods,
                           std::function<void(Duration late)> on_deleted)
    : env_(env),
      events_(events),
      mark_pods_(mark_pods),
      on_deleted_(std::move(on_deleted)),
      queue_(env.executor, env.clock, {kWorkers, kFirstRetry, kMaxRetry},
             [this](const std::string& uid) { process(uid); }) {}

client::ObjectRef TaintEvictor::ref(const ToleratingPod& pod) const {
  return {&api::kinds::pod(), pod.ns, pod.name};
}

void TaintEvictor::evict(const ToleratingPod& pod, Why why) {
  const MonotonicTime now = env_.clock.monotonic();
  Eviction& eviction = evictions_.emplace(pod.uid, Eviction{pod, why, now}).first->second;
  if (std::exchange(eviction.cancelled, false)) {
    eviction.pod = pod;
    eviction.why = why;
    eviction.planned = now;
  }
  if (!eviction.in_work) {
    queue_.add(pod.uid);
  }
}

void TaintEvictor::cancel(const std::string& uid) {
  const auto found = evictions_.find(uid);
  if (found == evictions_.end()) {
    return;
  }
  if (found->second.in_work) {
    found->second.cancelled = true;
  } else {
    forget(uid);
  }
}

bool TaintEvictor::is_overdue(const std::string& uid) const {
  const auto found = evictions_.find(uid);
  return found != evictions_.end() && !found->second.cancelled &&
         found->second.why == Why::time_is_over;
}

void TaintEvictor::process(const std::string& uid) {
  const auto found = evictions_.find(uid);
  if (found == evictions_.end()) {
    queue_.done(uid);  // cancelled while it waited
    return;
  }
  Eviction& eviction = found->second;
  eviction.in_work = true;
  ++eviction.attempts;
  env_.client.get({&api::kinds::node(), "", eviction.pod.node},
                  self_.bind([uid](TaintEvictor& self, const Result<client::ObjectPtr>& node) {
                    self.on_node_read(uid, node);
                  }));
}

void TaintEvictor::on_node_read(const std::string& uid, const Result<client::ObjectPtr>& node) {
  const Eviction& eviction = evictions_.at(uid);
  if (eviction.cancelled || (!node && !is_not_found(node.error()))) {
    finish(uid, node);
  } else if (!node || !drives_away(read_node(**node), eviction)) {
    // The controller's view is behind, and cancels this when it has caught up. The taint may be
    // back by then, and the view see no difference.
    try_later(uid);
  } else {
    begin(uid);
  }
}

bool TaintEvictor::drives_away(const TaintedNode& node, const Eviction& eviction) {
  const Tolerance allowed = tolerance(node.taints, eviction.pod.tolerations);
  switch (allowed.kind) {
    case Tolerance::Kind::for_ever:
      return false;
    case Tolerance::Kind::for_a_while:  // T-6: more time is not given
      return eviction.why == Why::time_is_over || allowed.time == Duration::zero();
    case Tolerance::Kind::not_at_all:
      break;
  }
  return true;
}

void TaintEvictor::begin(const std::string& uid) {
  Eviction& eviction = evictions_.at(uid);
  if (!std::exchange(eviction.told, true)) {
    events_.normal(event_target(eviction.pod), "TaintManagerEviction",
                   "Marking for deletion Pod " + eviction.pod.key);
  }
  if (mark_pods_) {
    mark(uid);
  } else {
    remove(uid, {});  // F-1
  }
}

void TaintEvictor::mark(const std::string& uid) {
  client::update_status(
      env_.client, ref(evictions_.at(uid).pod), uid,
      [&clock = env_.clock](api::Message& pod) {
        return mark_pod(static_cast<api::core::v1::Pod&>(pod), clock.now());
      },
      self_.bind([uid](TaintEvictor& self, const Result<client::ObjectPtr>& pod) {
        self.on_marked(uid, pod);
      }));
}

void TaintEvictor::on_marked(const std::string& uid, const Result<client::ObjectPtr>& pod) {
  // A mark without a delete is cleared again by the cleaner of stale marks (D-10).
  if (pod && !evictions_.at(uid).cancelled) {
    remove(uid, client::resource_version_of(**pod));
  } else {
    finish(uid, pod);
  }
}

void TaintEvictor::remove(const std::string& uid, std::optional<std::string> version) {
  client::DeleteOptions options;
  options.preconditions.uid = uid;
  // As it was marked: the mark may have been cleared since (D-14).
  options.preconditions.resource_version = std::move(version);
  env_.client.remove(
      ref(evictions_.at(uid).pod), options,
      self_.bind([uid](TaintEvictor& self, const Result<client::ObjectPtr>& pod) {
        if (pod && self.on_deleted_) {
          self.on_deleted_(self.env_.clock.monotonic() - self.evictions_.at(uid).planned);
        }
        self.finish(uid, pod);
      }));
}

// Another pod that has the name by now is found out by reading it, or by the controller's cache.
void TaintEvictor::finish(const std::string& uid, const Result<client::ObjectPtr>& result) {
  const Eviction& eviction = evictions_.at(uid);
  if (result || is_not_found(result.error()) || eviction.cancelled) {
    forget(uid);
    queue_.done(uid);
    return;
  }
  env_.log.warning("evicting a pod from a tainted node failed, will try again",
                   {{"pod", eviction.pod.key},
                    {"attempt", std::to_string(eviction.attempts)},
                    {"error", result.error().message}});
  try_later(uid);
}

void TaintEvictor::try_later(const std::string& uid) {
  evictions_.at(uid).in_work = false;
  queue_.add_rate_limited(uid);
  queue_.done(uid);
}

void TaintEvictor::forget(const std::string& uid) {
  evictions_.erase(uid);
  queue_.forget(uid);
}

}  // namespace windlass::controllers::taint_eviction
