#include "controllers/taint_eviction/evictor.h"

#include <utility>

#include "api/kind.h"
#include "api/pod/pod_condition.h"
#include "client/update_status.h"
#include "schema/core/v1/pod.pb.h"

namespace windlass::controllers::taint_eviction {

client::EventTarget event_target(const PodInfo& pod) {
  return {"v1", "Pod", pod.ns, pod.name, pod.uid};
}

Evictor::Evictor(client::ClientEnv env, client::EventRecorder& events, bool mark_pods,
                 std::function<void(Duration late)> on_deleted)
    : env_(env),
      events_(events),
      mark_pods_(mark_pods),
      on_deleted_(std::move(on_deleted)),
      queue_(env.executor, env.clock, {kWorkers}, [this](const std::string& uid) { process(uid); }),
      self_(std::make_shared<Evictor*>(this)) {}

Evictor::~Evictor() {
  for (const auto& [uid, eviction] : evictions_) {
    env_.executor.cancel(eviction.timer);
  }
}

client::ObjectRef Evictor::ref(const PodInfo& pod) const {
  return {&api::kinds::pod(), pod.ns, pod.name};
}

void Evictor::evict(const PodInfo& pod) {
  if (evictions_.emplace(pod.uid, Eviction{pod, env_.clock.monotonic()}).second) {
    queue_.add(pod.uid);
  }
}

void Evictor::process(const std::string& uid) {
  const PodInfo& pod = evictions_.at(uid).pod;
  events_.normal(event_target(pod), "TaintManagerEviction", "Marking for deletion Pod " + pod.key);
  attempt(uid);
}

void Evictor::attempt(const std::string& uid) {
  Eviction& eviction = evictions_.at(uid);
  eviction.timer = env::TimerId::none;
  ++eviction.attempts;
  if (!mark_pods_) {
    remove(uid);  // F-1
    return;
  }
  client::update_status(
      env_.client, ref(eviction.pod), uid,
      [&clock = env_.clock](api::Message& pod) {
        return api::set_pod_condition(static_cast<api::core::v1::Pod&>(pod), "DisruptionTarget",
                                      "True", clock.now(), "DeletionByTaintManager",
                                      "Taint manager: deleting due to NoExecute taint");
      },
      [weak = std::weak_ptr<Evictor*>(self_), uid](const Result<client::ObjectPtr>& pod) {
        const auto self = weak.lock();
        if (!self) {
          return;
        }
        if (pod) {
          (*self)->remove(uid);
        } else {
          (*self)->finish(uid, pod, false);
        }
      });
}

void Evictor::remove(const std::string& uid) {
  client::DeleteOptions options;
  options.preconditions.uid = uid;
  env_.client.remove(
      ref(evictions_.at(uid).pod), options,
      [weak = std::weak_ptr<Evictor*>(self_), uid](const Result<client::ObjectPtr>& pod) {
        if (const auto self = weak.lock()) {
          (*self)->finish(uid, pod, true);
        }
      });
}

void Evictor::finish(const std::string& uid, const Result<client::ObjectPtr>& result,
                     bool of_delete) {
  Eviction& eviction = evictions_.at(uid);
  // A conflict of the delete is its UID precondition: another pod has the name.
  const bool gone =
      !result && (is_not_found(result.error()) || (of_delete && is_conflict(result.error())));
  if (!result && !gone) {
    env_.log.warning("evicting a pod from a tainted node failed",
                     {{"pod", eviction.pod.key},
                      {"attempt", std::to_string(eviction.attempts)},
                      {"error", result.error().message}});
    if (eviction.attempts < kAttempts) {
      eviction.timer = env_.executor.schedule(kRetry, [this, uid] { attempt(uid); });
      return;
    }
  }
  if (result && on_deleted_) {
    on_deleted_(env_.clock.monotonic() - eviction.planned);
  }
  evictions_.erase(uid);
  queue_.done(uid);
}

}  // namespace windlass::controllers::taint_eviction
