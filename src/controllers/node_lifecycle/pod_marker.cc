#include "controllers/node_lifecycle/pod_marker.h"

#include <algorithm>
#include <utility>

#include "api/kind.h"
#include "api/pod/pod_condition.h"
#include "client/object_identity.h"
#include "client/update_status.h"
#include "schema/core/v1/pod.pb.h"

namespace windlass::controllers::node_lifecycle {
namespace {

bool says_ready(const api::core::v1::Pod& pod) {
  const auto& conditions = pod.status().conditions();
  return std::any_of(conditions.begin(), conditions.end(), [](const auto& condition) {
    return condition.type() == "Ready" && condition.status() == "True";
  });
}

}  // namespace

PodMarker::PodMarker(client::ClientEnv env, client::EventRecorder& events, Check is_down)
    : env_(env),
      events_(events),
      is_down_(std::move(is_down)),
      queue_(env.executor, env.clock, {kWorkers}, [this](const std::string& key) { process(key); }),
      pods_(env, {&api::kinds::pod()}, read_pod) {
  pods_.add_handler({[this](const ReadyPod& added) { index(added); },
                     [this](const ReadyPod& before, const ReadyPod& now) {
                       unindex(before);
                       index(now);
                     },
                     [this](const ReadyPod& last) { unindex(last); }});
}

void PodMarker::start(std::function<void()> synced) {
  pods_.when_synced(std::move(synced));
  pods_.start();
}

std::optional<PodMarker::ReadyPod> PodMarker::read_pod(const api::Message& message) {
  const auto& pod = static_cast<const api::core::v1::Pod&>(message);
  if (pod.spec().node_name().empty() || !says_ready(pod)) {
    return std::nullopt;
  }
  return ReadyPod{client::key_of(pod), pod.metadata().uid(), pod.spec().node_name()};
}

void PodMarker::index(const ReadyPod& pod) {
  ready_pods_of_[pod.node].insert(pod.key);
}

void PodMarker::unindex(const ReadyPod& pod) {
  const auto found = ready_pods_of_.find(pod.node);
  if (found != ready_pods_of_.end()) {
    found->second.erase(pod.key);
    if (found->second.empty()) {
      ready_pods_of_.erase(found);
    }
  }
}

void PodMarker::mark_pods_of(const std::string& node) {
  const auto found = ready_pods_of_.find(node);
  if (found == ready_pods_of_.end()) {
    return;
  }
  for (const std::string& key : found->second) {
    queue_.add(key);
  }
}

void PodMarker::process(const std::string& key) {
  const ReadyPod* pod = pods_.find(key);
  if (pod == nullptr || !is_down_(pod->node)) {
    queue_.forget(key);
    queue_.done(key);
    return;
  }
  client::KeyParts parts = client::split_key(key);
  const auto changed = std::make_shared<bool>(false);
  client::update_status(
      env_.client, {&api::kinds::pod(), std::move(parts.ns), std::move(parts.name)}, pod->uid,
      [changed, &clock = env_.clock](api::Message& message) {
        auto& fresh = static_cast<api::core::v1::Pod&>(message);
        *changed =
            says_ready(fresh) && api::set_pod_condition(fresh, "Ready", "False", clock.now(), "",
                                                        "", api::ConditionGeneration::kept);
        return *changed;
      },
      self_.bind(
          [key, info = *pod, changed](PodMarker& self, const Result<client::ObjectPtr>& answer) {
            self.finish(key, info, *changed, answer);
          }));
}

void PodMarker::finish(const std::string& key, const ReadyPod& pod, bool changed,
                       const Result<client::ObjectPtr>& answer) {
  if (answer && changed) {
    const client::KeyParts parts = client::split_key(key);
    events_.warning({"v1", "Pod", parts.ns, parts.name, pod.uid}, "NodeNotReady",
                    "Node is not ready");
  }
  if (answer || is_not_found(answer.error())) {
    queue_.forget(key);
  } else {
    env_.log.warning("marking a pod as not ready failed, will try again",
                     {{"pod", key}, {"error", answer.error().message}});
    queue_.add_rate_limited(key);
  }
  queue_.done(key);
}

}  // namespace windlass::controllers::node_lifecycle
