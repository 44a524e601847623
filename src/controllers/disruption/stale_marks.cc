#include "controllers/disruption/stale_marks.h"

#include <algorithm>
#include <utility>

#include "api/codec/wire_time.h"
#include "api/kind.h"
#include "api/pod/pod_condition.h"
#include "base/time.h"
#include "client/object_identity.h"
#include "client/update_status.h"
#include "schema/core/v1/pod.pb.h"

namespace windlass::controllers::disruption {
namespace {

constexpr const char* kDisruptionTarget = "DisruptionTarget";
constexpr const char* kTerminationByKubelet = "TerminationByKubelet";

}  // namespace

std::optional<Mark> read_mark(const api::Message& message) {
  const auto& pod = static_cast<const api::core::v1::Pod&>(message);
  const auto& conditions = pod.status().conditions();
  const auto found = std::find_if(conditions.begin(), conditions.end(), [](const auto& condition) {
    return condition.type() == kDisruptionTarget;
  });
  const std::string& phase = pod.status().phase();
  const bool may_be_stale = found != conditions.end() && found->status() == "True" &&
                            found->reason() != kTerminationByKubelet &&
                            !pod.metadata().has_deletion_timestamp() && phase != "Failed" &&
                            phase != "Succeeded";
  if (!may_be_stale) {
    return std::nullopt;
  }
  return Mark{client::key_of(pod), pod.metadata().uid(),
              api::time_of(found->last_transition_time()), found->reason(), found->message()};
}

StaleMarkCleaner::StaleMarkCleaner(client::ClientEnv env, Options options)
    : env_(env),
      options_(options),
      queue_(env.executor, env.clock, {options.workers},
             [this](const std::string& key) { process(key); }),
      pods_(env, {&api::kinds::pod()}, read_mark) {
  pods_.add_handler({[this](const Mark& added) { on_pod(nullptr, added); },
                     [this](const Mark& before, const Mark& now) { on_pod(&before, now); },
                     [this](const Mark& last) {
                       renewed_.erase(last.key);
                       queue_.forget(last.key);
                     }});
}

StaleMarkCleaner::~StaleMarkCleaner() = default;

void StaleMarkCleaner::start() {
  pods_.start();
}

void StaleMarkCleaner::on_pod(const Mark* before, const Mark& now) {
  if (before != nullptr && before->same_mark(now)) {
    return;  // it waits already
  }
  if (pods_.has_synced()) {
    renewed_[now.key] = env_.clock.monotonic();
  }
  queue_.add_after(now.key, time_left(now));
}

Duration StaleMarkCleaner::time_left(const Mark& mark) {
  // Looked at again after one timeout at the latest: the wall clock may jump.
  const Time wall = env_.clock.now();
  Duration left =
      mark.since > wall ? options_.timeout : latest_instant(mark.since) + options_.timeout - wall;
  if (const auto renewed = renewed_.find(mark.key); renewed != renewed_.end()) {
    left = std::max(left, renewed->second + options_.timeout - env_.clock.monotonic());
  }
  return left;
}

void StaleMarkCleaner::process(const std::string& key) {
  const Mark* mark = pods_.find(key);
  const Duration left = mark != nullptr ? time_left(*mark) : Duration::zero();
  if (mark == nullptr || left > Duration::zero()) {
    if (left > Duration::zero()) {
      queue_.add_after(key, left);
    }
    queue_.done(key);
    return;
  }
  client::KeyParts parts = client::split_key(key);
  client::update_status(
      env_.client, {&api::kinds::pod(), std::move(parts.ns), std::move(parts.name)}, mark->uid,
      [judged = *mark, &clock = env_.clock](api::Message& message) {
        const std::optional<Mark> now = read_mark(message);
        return now && now->same_mark(judged) &&
               api::set_pod_condition(static_cast<api::core::v1::Pod&>(message), kDisruptionTarget,
                                      "False", clock.now());
      },
      self_.bind([key](StaleMarkCleaner& self, const Result<client::ObjectPtr>& result) {
        self.finish(key, result);
      }));
}

void StaleMarkCleaner::finish(const std::string& key, const Result<client::ObjectPtr>& result) {
  if (result || is_not_found(result.error())) {
    queue_.forget(key);
  } else {
    env_.log.warning("clearing a stale DisruptionTarget failed, will try again",
                     {{"pod", key}, {"error", result.error().message}});
    queue_.add_rate_limited(key);
  }
  queue_.done(key);
}

}  // namespace windlass::controllers::disruption
