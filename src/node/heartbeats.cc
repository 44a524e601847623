#include "node/heartbeats.h"

#include "api/codec/wire_time.h"
#include "api/kind.h"
#include "base/hash.h"
#include "schema/coordination/v1/lease.pb.h"

namespace windlass::node {

namespace {

using api::coordination::v1::Lease;

constexpr const char* kNamespace = "kube-node-lease";

client::ObjectRef ref(const std::string& node) {
  return {&api::kinds::lease(), kNamespace, node};
}

MonotonicTime rounded_up(MonotonicTime time, Duration to) {
  const Duration rest = time.time_since_epoch() % to;
  return rest == Duration::zero() ? time : time + (to - rest);
}

}  // namespace

Heartbeats::Heartbeats(client::ClientEnv env, HeartbeatTiming timing)
    : env_(env), timing_(timing) {}

Heartbeats::~Heartbeats() {
  env_.executor.cancel(timer_);
}

void Heartbeats::add(const std::string& name, const std::string& node_uid) {
  Node& node = nodes_[name];
  node.uid = node_uid;
  node.lease = nullptr;
  renew(name, node);
  const auto period = static_cast<uint64_t>(timing_.period.count());
  const Duration offset(static_cast<int64_t>(stable_hash(name) % period));
  plan(name, node, env_.clock.monotonic() + offset);
}

void Heartbeats::set_owner(const std::string& name, const std::string& node_uid) {
  const auto found = nodes_.find(name);
  if (found != nodes_.end() && std::exchange(found->second.uid, node_uid) != node_uid) {
    plan(name, found->second, env_.clock.monotonic());
  }
}

void Heartbeats::set_silent(const std::string& name, bool silent) {
  const auto found = nodes_.find(name);
  if (found == nodes_.end()) {
    return;
  }
  if (std::exchange(found->second.silent, silent) && !silent) {
    plan(name, found->second, env_.clock.monotonic());
  }
}

void Heartbeats::plan(const std::string& name, Node& node, MonotonicTime due) {
  plan_.erase({node.due, name});
  node.due = rounded_up(due, kTick);
  plan_.emplace(std::pair(node.due, name), &node);
  arm();
}

void Heartbeats::arm() {
  env_.executor.cancel(std::exchange(timer_, env::TimerId::none));
  if (!plan_.empty()) {
    timer_ = env_.executor.schedule(plan_.begin()->first.first - env_.clock.monotonic(), [this] {
      timer_ = env::TimerId::none;
      run();
    });
  }
}

void Heartbeats::run() {
  const MonotonicTime now = env_.clock.monotonic();
  while (!plan_.empty() && plan_.begin()->first.first <= now) {
    const auto entry = plan_.extract(plan_.begin());
    Node& node = *entry.mapped();
    if (!node.silent && !node.busy) {
      renew(entry.key().second, node);
    }
    node.due = rounded_up(now + timing_.period, kTick);
    plan_.emplace(std::pair(node.due, entry.key().second), &node);
  }
  arm();
}

void Heartbeats::renew(const std::string& name, Node& node) {
  node.busy = true;
  auto lease = node.lease ? std::make_shared<Lease>(*api::object_as<Lease>(node.lease))
                          : std::make_shared<Lease>();
  lease->mutable_metadata()->set_name(name);
  lease->mutable_metadata()->set_namespace_(kNamespace);
  lease->mutable_metadata()->clear_owner_references();
  auto& owner = *lease->mutable_metadata()->add_owner_references();
  owner.set_api_version("v1");
  owner.set_kind("Node");
  owner.set_name(name);
  owner.set_uid(node.uid);
  auto& spec = *lease->mutable_spec();
  spec.set_holder_identity(name);
  spec.set_lease_duration_seconds(
      static_cast<int32_t>(std::chrono::duration_cast<seconds>(timing_.lease).count()));
  api::set_time(*spec.mutable_renew_time(), env_.clock.now());
  const auto done = callback(name, &Heartbeats::on_answer);
  if (node.lease) {
    env_.client.update(ref(name), "", std::move(lease), done);
  } else {
    env_.client.create(ref(name), std::move(lease), done);
  }
}

void Heartbeats::on_answer(const std::string& name, const Result<client::ObjectPtr>& answer) {
  Node& node = nodes_.at(name);
  if (answer) {
    node.busy = false;
    node.read_again = false;
    node.lease = *answer;
    return;
  }
  const Status& why = answer.error();
  if ((is_conflict(why) || is_already_exists(why)) && !std::exchange(node.read_again, true)) {
    env_.client.get(ref(name), callback(name, &Heartbeats::on_read));
    return;
  }
  env_.log.warning("renewing a node's lease failed, will try again",
                   {{"node", name}, {"error", why.message}});
  node.busy = false;
  node.read_again = false;
  node.lease = nullptr;  // whatever is there now, the next attempt finds out
  plan(name, node, env_.clock.monotonic() + timing_.period / kRetriesPerPeriod);
}

// Another client wrote to it, or an earlier run of this node made it.
void Heartbeats::on_read(const std::string& name, const Result<client::ObjectPtr>& answer) {
  Node& node = nodes_.at(name);
  node.busy = false;
  if (answer) {
    node.lease = *answer;
    if (!node.silent) {
      renew(name, node);
    }
    return;
  }
  node.lease = nullptr;
  plan(name, node, env_.clock.monotonic() + timing_.period / kRetriesPerPeriod);
}

client::Done<client::ObjectPtr> Heartbeats::callback(
    const std::string& name,
    void (Heartbeats::*method)(const std::string&, const Result<client::ObjectPtr>&)) {
  return self_.bind([name, method](Heartbeats& self, const Result<client::ObjectPtr>& answer) {
    (self.*method)(name, answer);
  });
}

}  // namespace windlass::node
