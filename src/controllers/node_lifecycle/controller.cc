#include "controllers/node_lifecycle/controller.h"

#include <algorithm>
#include <utility>

#include "api/kind.h"
#include "client/update_status.h"
#include "schema/coordination/v1/lease.pb.h"

namespace windlass::controllers::node_lifecycle {
namespace {

using api::NodeReady;

bool is_lost(const NodeView& node) {
  return node.ready == NodeReady::no || node.ready == NodeReady::unknown;
}

}  // namespace

NodeLifecycleController::NodeLifecycleController(client::ClientEnv env, Options options)
    : env_(env),
      options_(options),
      events_(env, "node-controller"),
      queue_(env.executor, env.clock, {kWorkers},
             [this](const std::string& name) { process(name); }),
      pods_(env, events_,
            [this](const std::string& name) {
              const NodeView* node = nodes_.find(name);
              return node != nullptr && node->ready != NodeReady::yes;
            }),
      leases_(env, {&api::kinds::lease(), "kube-node-lease"}, read_lease),
      nodes_(env, {&api::kinds::node()}, read_node) {
  leases_.add_handler({[this](const LeaseView& added) { on_sign_of_life(added.node); },
                       [this](const LeaseView& before, const LeaseView& now) {
                         if (before.seconds != now.seconds || before.nanos != now.nanos) {
                           on_sign_of_life(now.node);
                         }
                       },
                       {}});
  nodes_.add_handler(
      {[this](const NodeView& added) { on_node_added(added); },
       [this](const NodeView& before, const NodeView& now) { on_node_changed(before, now); },
       [this](const NodeView& last) { on_node_gone(last); }});
  nodes_.when_synced([this] {
    leases_.start();
    pods_.start([this] { mark_pods_of_lost_nodes(); });
    last_round_ = env_.clock.monotonic();
    run_round();
  });
}

NodeLifecycleController::~NodeLifecycleController() {
  env_.executor.cancel(timer_);
}

void NodeLifecycleController::start() {
  nodes_.start();
}

NodeLifecycleController::LeaseView NodeLifecycleController::read_lease(
    const api::Message& message) {
  const auto& lease = static_cast<const api::coordination::v1::Lease&>(message);
  const auto& time = lease.spec().renew_time();
  return {lease.metadata().name(), time.seconds(), time.nanos()};
}

void NodeLifecycleController::record(const NodeView& node, const std::string& reason,
                                     const std::string& message) {
  events_.normal({"v1", "Node", "", node.name, node.uid}, reason, message);
}

void NodeLifecycleController::on_node_added(const NodeView& node) {
  health_[node.name] = {env_.clock.monotonic()};
  record(node, "RegisteredNode",
         "Node " + node.name + " event: Registered Node " + node.name + " in Controller");
  if (!node.taints_are_right) {
    queue_.add(node.name);
  }
}

void NodeLifecycleController::on_node_changed(const NodeView& before, const NodeView& now) {
  if (before.heartbeat != now.heartbeat && now.ready != NodeReady::unknown) {
    on_sign_of_life(now.name);
  }
  // N-4: a node that says itself that it is not ready still speaks for its pods.
  if (before.ready == NodeReady::yes && now.ready == NodeReady::unknown) {
    record(now, "NodeNotReady", "Node " + now.name + " status is now: NodeNotReady");
    pods_.mark_pods_of(now.name);
  }
  Health& health = health_.at(now.name);
  if ((now.ready == NodeReady::yes && !health.silent) || now.evicting) {
    health.its_turn = false;
  }
  if (!now.taints_are_right || health.its_turn) {
    queue_.add(now.name);
  }
}

void NodeLifecycleController::on_node_gone(const NodeView& node) {
  health_.erase(node.name);
  queue_.forget(node.name);
  record(node, "RemovingNode",
         "Node " + node.name + " event: Removing Node " + node.name + " from Controller");
}

void NodeLifecycleController::on_sign_of_life(const std::string& node) {
  if (const auto found = health_.find(node); found != health_.end()) {
    found->second.last_seen = env_.clock.monotonic();
    if (std::exchange(found->second.silent, false) && !is_lost(*nodes_.find(node))) {
      found->second.its_turn = false;  // it was given for the silence alone
    }
  }
}

void NodeLifecycleController::run_round() {
  timer_ = env_.executor.schedule(options_.period, [this] { run_round(); });
  const MonotonicTime now = env_.clock.monotonic();
  const Duration passed = now - std::exchange(last_round_, now);
  if (passed > kMissedRounds * options_.period) {
    for (auto& [name, health] : health_) {
      health.last_seen = now;  // this controller did not listen
    }
  }
  look_for_silent_nodes(now);
  count_zones();
  plan_evictions(passed);
}

void NodeLifecycleController::look_for_silent_nodes(MonotonicTime now) {
  for (auto& [name, health] : health_) {
    const NodeView& node = *nodes_.find(name);
    const Duration grace =
        node.ready == NodeReady::never_posted ? options_.startup_grace : options_.grace;
    health.silent = now - health.last_seen > grace;
    if (health.silent && node.ready != NodeReady::unknown) {
      queue_.add(name);
    }
  }
}

// N-7.
void NodeLifecycleController::count_zones() {
  for (auto& [key, zone] : zones_) {
    zone.count = {};
  }
  for (const auto& [name, health] : health_) {
    const NodeView& node = *nodes_.find(name);
    ZoneCount& count = zones_[node.zone].count;
    ++(node.ready == NodeReady::yes && !health.silent ? count.ready : count.not_ready);
  }
  std::erase_if(zones_, [this](const auto& entry) {
    const Zone& zone = entry.second;
    if (zone.count.all() != 0) {
      return false;
    }
    // They have moved, and wait in their new zones from now on.
    for (const std::string& name : zone.waiting) {
      if (const auto health = health_.find(name); health != health_.end()) {
        health->second.waiting = false;
      }
    }
    return true;
  });
  const bool down =
      !zones_.empty() && std::all_of(zones_.begin(), zones_.end(), [this](const auto& entry) {
        return state_of(entry.second.count, options_.rates) == ZoneState::full;
      });
  if (down != std::exchange(everything_is_down_, down)) {
    env_.log.warning(down ? "no node is ready: pods stay on their nodes"
                          : "nodes are back: pods of the others may be evicted again");
    for (auto& [name, health] : health_) {
      health.last_seen = down ? health.last_seen : env_.clock.monotonic();
      health.its_turn = false;
    }
  }
}

void NodeLifecycleController::plan_evictions(Duration passed) {
  for (auto& [name, health] : health_) {
    const NodeView& node = *nodes_.find(name);
    if (everything_is_down_ && node.evicting) {
      queue_.add(name);
    }
    // A silent node becomes Unknown in this round, and its taints come with that.
    const bool due = options_.evicts_by_taints && (is_lost(node) || health.silent) &&
                     !node.evicting && !health.its_turn && !everything_is_down_;
    if (due && !std::exchange(health.waiting, true)) {
      zones_.at(node.zone).waiting.push_back(name);
    }
  }
  const double time = std::chrono::duration<double>(passed).count();
  for (auto& [key, zone] : zones_) {
    const double rate = rate_of(zone.count, options_.rates);
    zone.tokens = std::min(std::max(1.0, rate * time), zone.tokens + rate * time);
    while (!zone.waiting.empty() && (everything_is_down_ || (rate > 0 && zone.tokens >= 1))) {
      const std::string name = std::move(zone.waiting.front());
      zone.waiting.pop_front();
      if (give_turn(name)) {
        zone.tokens -= 1;
      }
    }
  }
}

bool NodeLifecycleController::give_turn(const std::string& name) {
  const auto health = health_.find(name);
  if (health == health_.end()) {
    return false;
  }
  health->second.waiting = false;
  const NodeView& node = *nodes_.find(name);
  const bool needs_taint = is_lost(node) || health->second.silent;
  if (everything_is_down_ || !needs_taint || node.evicting) {
    return false;
  }
  health->second.its_turn = true;
  queue_.add(name);
  return true;
}

// For a controller that was stopped after it had marked a node, and before its pods.
void NodeLifecycleController::mark_pods_of_lost_nodes() {
  for (const auto& [name, health] : health_) {
    if (nodes_.find(name)->ready == NodeReady::unknown) {
      pods_.mark_pods_of(name);
    }
  }
}

void NodeLifecycleController::process(const std::string& name) {
  const NodeView* node = nodes_.find(name);
  if (node == nullptr) {
    queue_.done(name);
    return;
  }
  const auto done =
      self_.bind([name](NodeLifecycleController& self, const Result<client::ObjectPtr>& answer) {
        self.finish(name, answer);
      });
  const client::ObjectRef ref{&api::kinds::node(), "", name};
  if (health_.at(name).silent && node->ready != NodeReady::unknown) {
    client::update_status(env_.client, ref, node->uid,
                          self_.bind([name](NodeLifecycleController& self, api::Message& message) {
                            return self.change_status(name, message);
                          }),
                          done);
    return;
  }
  client::update_object(env_.client, ref, node->uid,
                        self_.bind([name](NodeLifecycleController& self, api::Message& message) {
                          return self.change_taints(name, message);
                        }),
                        done);
}

bool NodeLifecycleController::change_status(const std::string& name, api::Message& message) {
  const auto health = health_.find(name);
  const NodeView* seen = nodes_.find(name);
  // One that has posted in the meantime is not silent, though its sign is still on the way here.
  return health != health_.end() && health->second.silent && seen != nullptr &&
         read_node(message).heartbeat == seen->heartbeat && mark_unknown(message, env_.clock.now());
}

bool NodeLifecycleController::change_taints(const std::string& name, api::Message& message) {
  const auto health = health_.find(name);
  return health != health_.end() &&
         correct_taints(message,
                        {health->second.its_turn && !everything_is_down_, everything_is_down_},
                        env_.clock.now());
}

void NodeLifecycleController::finish(const std::string& name,
                                     const Result<client::ObjectPtr>& answer) {
  if (answer || is_not_found(answer.error())) {
    queue_.forget(name);
  } else {
    env_.log.warning("updating a node failed, will try again",
                     {{"node", name}, {"error", answer.error().message}});
    queue_.add_rate_limited(name);
  }
  queue_.done(name);
}

}  // namespace windlass::controllers::node_lifecycle
