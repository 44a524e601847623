#include "controllers/taint_eviction/controller.h"

#include <utility>

#include "api/kind.h"

namespace windlass::controllers::taint_eviction {

TaintEvictionController::TaintEvictionController(client::ClientEnv env, Options options)
    : env_(env),
      events_(env, "taint-eviction-controller"),
      evictor_(env, events_, options.mark_pods, std::move(options.on_deleted)),
      nodes_(env, {&api::kinds::node()}, read_node),
      pods_(env, {&api::kinds::pod()}, read_pod) {
  nodes_.add_handler({[this](const TaintedNode& added) { on_node(added); },
                      [this](const TaintedNode& before, const TaintedNode& now) {
                        if (before.taints != now.taints) {
                          on_node(now);
                        }
                      },
                      [this](const TaintedNode& last) { on_node({last.name}); }});
  pods_.keep_while(is_current);
  pods_.add_handler({[this](const ToleratingPod& added) {
                       index(added);
                       on_pod(added);
                     },
                     [this](const ToleratingPod& before, const ToleratingPod& now) {
                       const bool replaced = before.uid != now.uid;
                       if (replaced) {
                         cancel(before);
                         evictor_.cancel(before.uid);
                       }
                       if (before.node != now.node) {
                         unindex(before);
                         index(now);
                       }
                       if (replaced || before.node != now.node ||
                           before.tolerations != now.tolerations) {
                         on_pod(now);
                       }
                     },
                     [this](const ToleratingPod& last) {
                       unindex(last);
                       cancel(last);
                       evictor_.cancel(last.uid);
                     }});
  nodes_.when_synced([this] { pods_.start(); });
}

TaintEvictionController::~TaintEvictionController() {
  for (const auto& [key, timer] : timers_) {
    env_.executor.cancel(timer);
  }
}

void TaintEvictionController::start() {
  nodes_.start();
}

void TaintEvictionController::index(const ToleratingPod& pod) {
  if (!pod.node.empty()) {
    pods_of_[pod.node].insert(pod.key);
  }
}

void TaintEvictionController::unindex(const ToleratingPod& pod) {
  const auto found = pods_of_.find(pod.node);
  if (found != pods_of_.end()) {
    found->second.erase(pod.key);
    if (found->second.empty()) {
      pods_of_.erase(found);
    }
  }
}

void TaintEvictionController::on_node(const TaintedNode& node) {
  const auto pods = pods_of_.find(node.name);
  if (pods == pods_of_.end()) {
    return;
  }
  for (const std::string& key : pods->second) {
    judge(*pods_.find(key));
  }
}

void TaintEvictionController::on_pod(const ToleratingPod& pod) {
  if (!pod.node.empty()) {
    judge(pod);
  }
}

void TaintEvictionController::judge(const ToleratingPod& pod) {
  const TaintedNode* node = nodes_.find(pod.node);
  const Tolerance allowed =
      node == nullptr ? Tolerance() : tolerance(node->taints, pod.tolerations);
  switch (allowed.kind) {
    case Tolerance::Kind::for_ever:
      cancel(pod);
      evictor_.cancel(pod.uid);
      return;
    case Tolerance::Kind::not_at_all:  // T-4
      cancel(pod);
      evictor_.evict(pod, TaintEvictor::Why::untolerated);
      return;
    case Tolerance::Kind::for_a_while:
      break;
  }
  if (allowed.time == Duration::zero()) {
    cancel(pod);
    evictor_.evict(pod, TaintEvictor::Why::untolerated);
    return;
  }
  if (evictor_.is_overdue(pod.uid)) {
    return;
  }
  evictor_.cancel(pod.uid);
  if (!timers_.contains(pod.key)) {  // T-6
    timers_[pod.key] = env_.executor.schedule(allowed.time, [this, key = pod.key] { fire(key); });
  }
}

void TaintEvictionController::fire(const std::string& key) {
  timers_.erase(key);
  if (const ToleratingPod* pod = pods_.find(key)) {
    evictor_.evict(*pod, TaintEvictor::Why::time_is_over);
  }
}

void TaintEvictionController::cancel(const ToleratingPod& pod) {
  const auto found = timers_.find(pod.key);
  if (found == timers_.end()) {
    return;
  }
  env_.executor.cancel(found->second);
  timers_.erase(found);
  events_.normal(event_target(pod), "TaintManagerEviction",
                 "Cancelling deletion of Pod " + pod.key);
}

}  // namespace windlass::controllers::taint_eviction
