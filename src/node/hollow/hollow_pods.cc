#include "node/hollow/hollow_pods.h"

#include <algorithm>
#include <utility>

#include "api/kind.h"
#include "api/pod/pod_condition.h"
#include "base/time.h"
#include "client/object_identity.h"
#include "client/update_status.h"
#include "node/pod/status_message.h"
#include "schema/core/v1/pod.pb.h"

namespace windlass::node::hollow {

HollowPods::HollowPods(client::ClientEnv env, Options options)
    : env_(env),
      options_(std::move(options)),
      informer_(env, {&api::kinds::pod()}, [this](const api::Message& pod) { return read(pod); }) {
  informer_.add_handler({[this](const Facts& pod) { on_pod(pod); },
                         [this](const Facts&, const Facts& pod) { on_pod(pod); },
                         [this](const Facts& pod) { on_gone(pod); }});
}

HollowPods::~HollowPods() {
  env_.executor.cancel(reconcile_timer_);
  for (const auto& [uid, live] : live_) {
    env_.executor.cancel(live.timer);
  }
}

client::ObjectRef HollowPods::ref(const Live& live) const {
  return {&api::kinds::pod(), live.pod.spec().ns, live.pod.spec().name};
}

HollowPods::Said HollowPods::said_of(const api::Message& message) {
  const auto& status = static_cast<const api::core::v1::Pod&>(message).status();
  Said said;
  said.running = status.phase() == "Running";
  said.terminal = is_terminal_phase(status.phase());
  said.ready = std::any_of(
      status.conditions().begin(), status.conditions().end(),
      [](const auto& each) { return each.type() == "Ready" && each.status() == "True"; });
  return said;
}

HollowPods::Facts HollowPods::read(const api::Message& message) const {
  const auto& pod = static_cast<const api::core::v1::Pod&>(message);
  const auto& metadata = pod.metadata();
  Facts facts;
  facts.node = pod.spec().node_name();
  if (!nodes_.contains(facts.node)) {
    return facts;
  }
  facts.key = client::key_of(pod);
  facts.uid = metadata.uid();
  facts.said = said_of(pod);
  facts.deleting = metadata.has_deletion_timestamp();
  facts.grace = bounded_seconds(metadata.deletion_grace_period_seconds());
  const bool to_remove = facts.deleting && facts.grace > Duration::zero();
  if ((!facts.said.terminal || to_remove) && !live_.contains(facts.uid)) {
    facts.spec = std::make_shared<PodSpec>(read_pod_spec(pod));
    facts.seen = std::make_shared<PodSeen>(read_seen(pod));
  }
  return facts;
}

void HollowPods::on_pod(const Facts& pod) {
  if (!nodes_.contains(pod.node)) {
    return;
  }
  const auto found = live_.find(pod.uid);
  if (found == live_.end()) {
    begin(pod);
    return;
  }
  note(pod, found->second);
  advance(pod.uid);
}

void HollowPods::note(const Facts& pod, Live& live) {
  live.seen_ended = pod.said.terminal;
  live.deleting = pod.deleting;
  live.removed = live.removed || (pod.deleting && pod.grace == Duration::zero());
  if (pod.deleting) {
    live.pod.end(pod.grace, std::nullopt, now());
  } else if (pod.said.terminal) {
    live.pod.end(live.pod.spec().grace, std::nullopt, now());  // K-30: another client ended it
  }
  // It may be what was there before the last write, or what others made of that.
  if (live.said && *live.said != pod.said) {
    doubtful_.insert(pod.uid);
    if (reconcile_timer_ == env::TimerId::none) {
      reconcile_timer_ = env_.executor.schedule(kReconcile, [this] { reconcile(); });
    }
  }
}

void HollowPods::reconcile() {
  reconcile_timer_ = env::TimerId::none;
  for (const std::string& uid : std::exchange(doubtful_, {})) {
    const auto found = live_.find(uid);
    if (found == live_.end() || found->second.busy) {
      continue;  // a write is under way, which reads the pod anew
    }
    Live& live = found->second;
    const Facts* facts = informer_.find(live.key);
    if (facts != nullptr && facts->uid == uid && !facts->said.terminal && live.said &&
        facts->said != *live.said) {
      live.undone = true;
      settle(uid, live);
    }
  }
}

void HollowPods::begin(const Facts& pod) {
  if (!pod.spec) {
    return;  // it has ended and nothing is left to do for it
  }
  HollowPod started(pod.spec, options_.script(*pod.spec), *pod.seen, now());
  Live& live = live_.emplace(pod.uid, Live(std::move(started), pod.key)).first->second;
  nodes_.at(pod.node).pods.insert(pod.uid);
  note(pod, live);
  advance(pod.uid);
}

void HollowPods::on_gone(const Facts& pod) {
  forget(pod.uid);
}

void HollowPods::forget(const std::string& uid) {
  const auto found = live_.find(uid);
  if (found == live_.end()) {
    return;
  }
  env_.executor.cancel(found->second.timer);
  nodes_.at(found->second.pod.spec().node).pods.erase(uid);
  live_.erase(found);
}

void HollowPods::advance(const std::string& uid) {
  const auto found = live_.find(uid);
  if (found == live_.end()) {
    return;
  }
  found->second.pod.advance(now());
  settle(uid, found->second);
}

void HollowPods::schedule(const std::string& uid, Live& live, Duration delay) {
  env_.executor.cancel(live.timer);
  live.timer = env_.executor.schedule(delay, [this, uid] {
    if (const auto found = live_.find(uid); found != live_.end()) {
      found->second.timer = env::TimerId::none;
    }
    advance(uid);
  });
}

bool HollowPods::has_work(const Live& live) {
  return live.written != live.pod.revision() || live.undone ||
         (live.pod.finished() && live.deleting && !live.removed);
}

void HollowPods::settle(const std::string& uid, Live& live) {
  if (const auto next = live.pod.next()) {
    schedule(uid, live, *next - env_.clock.monotonic());
  }
  if (live.busy || nodes_.at(live.pod.spec().node).silent) {
    return;
  }
  if (has_work(live)) {
    live.busy = true;
    to_write_.push_back(uid);
    write_next();
  } else if (live.pod.finished() && live.seen_ended) {
    forget(uid);
  }
}

void HollowPods::write_next() {
  while (in_flight_ < kMaxWritesInFlight && !to_write_.empty()) {
    const std::string uid = std::move(to_write_.front());
    to_write_.pop_front();
    const auto found = live_.find(uid);
    if (found == live_.end()) {
      continue;
    }
    if (nodes_.at(found->second.pod.spec().node).silent) {
      found->second.busy = false;
      continue;
    }
    ++in_flight_;
    write(uid, found->second);
  }
}

void HollowPods::write(const std::string& uid, Live& live) {
  if (live.written == live.pod.revision() && !live.undone) {
    remove(uid, live);
    return;
  }
  const auto written = std::make_shared<Written>();
  client::update_status(
      env_.client, ref(live), uid,
      [this, alive = self_.lifetime(), uid, written](api::Message& pod) {
        return !alive.expired() && change(uid, pod, written.get());
      },
      self_.bind([uid, written](HollowPods& self, const Result<client::ObjectPtr>& answer) {
        self.on_answer(uid, answer, written.get());
      }));
}

bool HollowPods::change(const std::string& uid, api::Message& message, Written* written) const {
  const auto found = live_.find(uid);
  if (found == live_.end()) {
    return false;
  }
  const HollowPod& hollow = found->second.pod;
  written->revision = hollow.revision();
  auto& pod = static_cast<api::core::v1::Pod&>(message);
  const bool was_terminal = is_terminal_phase(pod.status().phase());
  PodStatusView view = hollow.status();
  if (!options_.disruption_conditions) {
    view.disruption.reset();
  }
  bool changed = apply_status(
      view, {options_.address, options_.address, env_.clock.now(), hollow.start_time()}, pod);
  if (view.terminal() && !was_terminal) {
    for (const ConditionView& condition : hollow.behavior().conditions) {
      changed |= api::set_pod_condition(pod, condition.type, condition.status ? "True" : "False",
                                        env_.clock.now(), condition.reason, condition.message);
    }
  }
  written->said = said_of(pod);
  return changed;
}

// K-37: the last word of a kubelet on a pod that is being deleted.
void HollowPods::remove(const std::string& uid, const Live& live) {
  client::DeleteOptions options;
  options.grace_period_seconds = 0;
  options.preconditions.uid = uid;
  env_.client.remove(ref(live), options,
                     self_.bind([uid](HollowPods& self, const Result<client::ObjectPtr>& answer) {
                       self.on_answer(uid, answer, nullptr);
                     }));
}

void HollowPods::on_answer(const std::string& uid, const Result<client::ObjectPtr>& answer,
                           const Written* written) {
  --in_flight_;
  const auto found = live_.find(uid);
  if (found != live_.end()) {
    Live& live = found->second;
    // A conflict may be anything; if another pod has the name, the view tells.
    if (!answer && is_not_found(answer.error())) {
      forget(uid);
    } else if (!answer) {
      retry_later(uid, live, answer.error());
    } else {
      live.busy = false;
      live.retry = kFirstRetry;
      if (written != nullptr) {
        live.written = written->revision;
        live.said = written->said;
        live.undone = false;
      }
      live.removed = live.removed || written == nullptr;
      settle(uid, live);
    }
  }
  write_next();
}

void HollowPods::retry_later(const std::string& uid, Live& live, const Status& why) {
  env_.log.warning("a hollow node could not report on a pod, will try again",
                   {{"pod", live.key}, {"error", why.message}});
  env_.executor.schedule(live.retry, self_.bind([uid](HollowPods& self) {
    const auto found = self.live_.find(uid);
    if (found != self.live_.end()) {
      found->second.busy = false;
      self.settle(uid, found->second);
    }
  }));
  live.retry = std::min(live.retry * 2, kMaxRetry);
}

void HollowPods::set_silent(const std::string& node, bool silent) {
  Node& state = nodes_.at(node);
  state.silent = silent;
  for (const std::string& uid : std::set<std::string>(state.pods)) {
    advance(uid);
  }
}

void HollowPods::end_all(const std::string& node, const ForcedEnd& why, Duration grace) {
  for (const std::string& uid : std::set<std::string>(nodes_.at(node).pods)) {
    HollowPod& pod = live_.at(uid).pod;
    pod.end(std::min(grace, pod.spec().grace), why, now());
    advance(uid);
  }
}

bool HollowPods::end(const std::string& key, const ForcedEnd& why, Duration grace) {
  const Facts* facts = informer_.find(key);
  const auto found = facts == nullptr ? live_.end() : live_.find(facts->uid);
  if (found == live_.end()) {
    return false;
  }
  found->second.pod.end(grace, why, now());
  advance(std::string(found->first));
  return true;
}

}  // namespace windlass::node::hollow
