#include "controllers/lost_nodes/controller.h"

#include <algorithm>
#include <utility>

#include "api/kind.h"
#include "api/node/node_reading.h"
#include "client/object_identity.h"
#include "client/update_status.h"
#include "schema/core/v1/node.pb.h"
#include "schema/core/v1/pod.pb.h"

namespace windlass::controllers::lost_nodes {
namespace {

constexpr const char* kReason = "NodeLost";

client::ObjectRef pod_ref(const std::string& key) {
  client::KeyParts parts = client::split_key(key);
  return {&api::kinds::pod(), std::move(parts.ns), std::move(parts.name)};
}

bool is_of_daemon_set(const api::core::v1::Pod& pod) {
  const auto& owners = pod.metadata().owner_references();
  return std::any_of(owners.begin(), owners.end(), [](const auto& owner) {
    return owner.controller() && owner.kind() == "DaemonSet";
  });
}

}  // namespace

LostNodeController::LostNodeController(client::ClientEnv env, Options options)
    : env_(env),
      options_(options),
      events_(env, "node-controller"),
      queue_(env.executor, env.clock, {kWorkers}, [this](const std::string& key) { process(key); }),
      pods_(env, {&api::kinds::pod()}, read_pod),
      nodes_(env, {&api::kinds::node()}, read_node) {
  pods_.add_handler(
      {[this](const EvictablePod& added) { on_pod({}, added); },
       [this](const EvictablePod& before, const EvictablePod& now) { on_pod(before, now); },
       [this](const EvictablePod& last) { on_pod(last, {}); }});
  nodes_.add_handler({[this](const WatchedNode& added) { on_node(added); },
                      [this](const WatchedNode&, const WatchedNode& now) { on_node(now); },
                      [this](const WatchedNode& last) { absent_.erase(last.name); }});
  nodes_.when_synced([this] {
    pods_.start();
    run_round();
  });
}

LostNodeController::~LostNodeController() {
  env_.executor.cancel(timer_);
}

void LostNodeController::start() {
  nodes_.start();
}

LostNodeController::WatchedNode LostNodeController::read_node(const api::Message& message) {
  const auto& node = static_cast<const api::core::v1::Node&>(message);
  return {node.metadata().name(), node.metadata().uid(),
          api::node_ready(node) == api::NodeReady::yes};
}

LostNodeController::EvictablePod LostNodeController::read_pod(const api::Message& message) {
  const auto& pod = static_cast<const api::core::v1::Pod&>(message);
  if (is_of_daemon_set(pod) || pod.metadata().has_deletion_timestamp()) {
    return {};
  }
  return {client::key_of(pod), pod.metadata().uid(), pod.spec().node_name()};
}

void LostNodeController::on_node(const WatchedNode& node) {
  if (node.ready) {
    absent_.erase(node.name);
  } else {
    absent_.emplace(node.name, Absence{env_.clock.monotonic()});
  }
}

void LostNodeController::on_pod(const EvictablePod& before, const EvictablePod& now) {
  if (const auto found = pods_of_.find(before.node); found != pods_of_.end()) {
    found->second.erase(before.key);
    if (found->second.empty()) {
      pods_of_.erase(found);
    }
  }
  if (!now.node.empty()) {
    pods_of_[now.node].insert(now.key);
  }
}

void LostNodeController::run_round() {
  timer_ = env_.executor.schedule(options_.period, [this] { run_round(); });
  if (absent_.size() == nodes_.size()) {
    return;
  }
  for (auto& [name, absence] : absent_) {
    if (env_.clock.monotonic() - absence.since > options_.timeout) {
      empty(*nodes_.find(name), absence);
    }
  }
}

void LostNodeController::empty(const WatchedNode& node, Absence& absence) {
  const auto pods = pods_of_.find(node.name);
  if (pods == pods_of_.end()) {
    return;
  }
  if (!std::exchange(absence.told, true)) {
    events_.normal({"v1", "Node", "", node.name, node.uid}, "DeletingAllPods",
                   "Deleting all Pods from Node " + node.name + ".");
  }
  for (const std::string& key : pods->second) {
    queue_.add(key);
  }
}

void LostNodeController::process(const std::string& key) {
  const EvictablePod* pod = pods_.find(key);
  if (pod == nullptr || !absent_.contains(pod->node)) {
    queue_.done(key);
    return;
  }
  const client::ObjectRef ref = pod_ref(key);
  client::update_status(
      env_.client, ref, pod->uid,
      [text = "Node " + pod->node + " which was running pod " + ref.name +
              " is unresponsive"](api::Message& message) {
        auto& status = *static_cast<api::core::v1::Pod&>(message).mutable_status();
        // What has ended says why it did (B-4).
        if (status.reason() == kReason || status.phase() == "Succeeded" ||
            status.phase() == "Failed") {
          return false;
        }
        status.set_reason(kReason);
        status.set_message(text);
        return true;
      },
      self_.bind(
          [key, info = *pod](LostNodeController& self, const Result<client::ObjectPtr>& answer) {
            self.on_marked(key, info, answer);
          }));
}

void LostNodeController::on_marked(const std::string& key, const EvictablePod& pod,
                                   const Result<client::ObjectPtr>& answer) {
  if (!answer) {
    return finish(key, answer);
  }
  const client::ObjectRef ref = pod_ref(key);
  events_.normal({"v1", "Pod", ref.ns, ref.name, pod.uid}, "NodeControllerEviction",
                 "Marking for deletion Pod " + ref.name + " from Node " + pod.node);
  client::DeleteOptions options;
  options.preconditions.uid = pod.uid;
  env_.client.remove(
      ref, options,
      self_.bind([key](LostNodeController& self, const Result<client::ObjectPtr>& deleted) {
        self.finish(key, deleted);
      }));
}

// A failure is left to the next round.
void LostNodeController::finish(const std::string& key, const Result<client::ObjectPtr>& answer) {
  if (!answer && !is_not_found(answer.error())) {
    env_.log.warning("deleting a pod of a lost node failed, will try again",
                     {{"pod", key}, {"error", answer.error().message}});
  }
  queue_.done(key);
}

}  // namespace windlass::controllers::lost_nodes
