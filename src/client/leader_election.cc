#include "client/leader_election.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "api/codec/wire_time.h"
#include "base/check.h"
#include "base/generator.h"
#include "client/object_identity.h"
#include "client/update_status.h"
#include "schema/coordination/v1/lease.pb.h"

namespace windlass::client {

namespace {

using api::coordination::v1::Lease;

int32_t whole_seconds(Duration duration) {
  return static_cast<int32_t>(std::chrono::ceil<seconds>(duration).count());
}

}  // namespace

LeaderElection::LeaderElection(ClientEnv env, Options options, Callbacks callbacks)
    : env_(env), options_(std::move(options)), callbacks_(std::move(callbacks)) {
  CHECK(!options_.identity.empty() && !options_.name.empty(), "an election has names");
  CHECK(options_.renew_deadline < options_.lease, "the holder stops before others may begin");
}

LeaderElection::~LeaderElection() {
  env_.executor.cancel(timer_);
  env_.executor.cancel(deadline_);
}

void LeaderElection::start() {
  try_now();
}

bool LeaderElection::is_leader() const {
  return state_ == State::leading && !vanished_ && env_.clock.monotonic() < leads_until_;
}

void LeaderElection::plan() {
  if (state_ == State::stopped) {
    return;
  }
  const auto range = static_cast<uint64_t>(options_.retry.count() / 100 * kJitterPercent);
  const Duration jitter(
      state_ == State::leading ? 0 : static_cast<int64_t>(uniform(env_.random, range + 1)));
  env_.executor.cancel(timer_);
  timer_ = env_.executor.schedule(options_.retry + jitter, [this] {
    timer_ = env::TimerId::none;
    try_now();
  });
}

void LeaderElection::try_now() {
  if (busy_ || state_ == State::stopped) {
    return;
  }
  busy_ = true;
  const MonotonicTime sent = env_.clock.monotonic();
  if (state_ == State::leading) {
    write(sent);  // from what the last answer said: one call per renewal
    return;
  }
  env_.client.get(ref(), callback(sent, &LeaderElection::on_read));
}

void LeaderElection::on_read(MonotonicTime sent, const Result<ObjectPtr>& answer) {
  if (answer) {
    observe(*answer);
  } else if (is_not_found(answer.error())) {
    observe_none();
  } else {
    env_.log.warning("reading the leader's lease failed", {{"error", answer.error().message}});
    busy_ = false;
    plan();
    return;
  }
  if (state_ == State::stopped || !may_take()) {
    busy_ = false;
    plan();
    return;
  }
  write(sent);
}

void LeaderElection::observe(const ObjectPtr& lease) {
  const bool changed = !lease_ || resource_version_of(*lease_) != resource_version_of(*lease);
  lease_ = lease;
  holder_ = static_cast<const Lease&>(*lease).spec().holder_identity();
  if (changed) {
    free_from_ = end_of_lease();
  }
}

// Its holder may not know yet, and may have renewed it right before.
void LeaderElection::observe_none() {
  if (lease_) {
    free_from_ = end_of_lease();
  }
  lease_ = nullptr;
  holder_.clear();
}

// The time is measured here, from when the Lease was first seen as it is: the holder's clock and
// the time it wrote do not matter.
MonotonicTime LeaderElection::end_of_lease() const {
  const MonotonicTime now = env_.clock.monotonic();
  if (holder_.empty() || holder_ == options_.identity) {
    return now;
  }
  const int32_t told = static_cast<const Lease&>(*lease_).spec().lease_duration_seconds();
  return now + std::max<Duration>(options_.lease, seconds(told));
}

bool LeaderElection::may_take() const {
  return state_ == State::leading || env_.clock.monotonic() >= free_from_;
}

void LeaderElection::write(MonotonicTime sent) {
  auto lease =
      lease_ ? std::make_shared<Lease>(*api::object_as<Lease>(lease_)) : std::make_shared<Lease>();
  lease->mutable_metadata()->set_name(options_.name);
  lease->mutable_metadata()->set_namespace_(options_.ns);
  auto& spec = *lease->mutable_spec();
  const Time now = env_.clock.now();
  if (spec.holder_identity() != options_.identity) {
    if (lease_) {
      constexpr int32_t kMost = std::numeric_limits<int32_t>::max();
      spec.set_lease_transitions(std::min(spec.lease_transitions(), kMost - 1) + 1);
    }
    spec.set_holder_identity(options_.identity);
    api::set_time(*spec.mutable_acquire_time(), now);
  }
  spec.set_lease_duration_seconds(whole_seconds(options_.lease));
  api::set_time(*spec.mutable_renew_time(), now);
  const Done<ObjectPtr> done = callback(sent, &LeaderElection::on_written);
  if (lease_) {
    env_.client.update(ref(), "", std::move(lease), done);
  } else {
    env_.client.create(ref(), std::move(lease), done);
  }
}

void LeaderElection::on_written(MonotonicTime sent, const Result<ObjectPtr>& answer) {
  busy_ = false;
  if (answer && state_ != State::stopped) {
    observe(*answer);
    lead(sent);
  } else if (!answer && state_ == State::leading) {
    // A conflict: another client wrote to it. Reading tells whether that was another leader.
    env_.log.warning("renewing the leader's lease failed", {{"error", answer.error().message}});
    busy_ = true;
    env_.client.get(ref(), callback(sent, &LeaderElection::on_read_again));
    return;
  }
  plan();
}

void LeaderElection::on_read_again(MonotonicTime, const Result<ObjectPtr>& answer) {
  busy_ = false;
  if (answer) {
    observe(*answer);
    if (state_ == State::leading && holder_ != options_.identity) {
      stop_leading();
    }
  } else if (is_not_found(answer.error()) && state_ == State::leading) {
    const bool is_news = lease_ != nullptr;
    vanished_ = true;
    observe_none();
    // Once: where no Lease can be made, the next try is as far away as any other.
    if (is_news) {
      try_now();
      return;
    }
  }
  plan();
}

void LeaderElection::lead(MonotonicTime sent) {
  leads_until_ = sent + options_.renew_deadline;
  vanished_ = false;
  if (env_.clock.monotonic() >= leads_until_) {
    if (state_ == State::leading) {
      stop_leading();  // the answer came too late to count
    }
    return;
  }
  env_.executor.cancel(deadline_);
  deadline_ = env_.executor.schedule(leads_until_ - env_.clock.monotonic(), [this] {
    deadline_ = env::TimerId::none;
    stop_leading();
  });
  if (state_ == State::waiting) {
    state_ = State::leading;
    env_.log.info("leading now", {{"lease", options_.ns + "/" + options_.name}});
    callbacks_.on_started_leading();
  }
}

void LeaderElection::stop_leading() {
  if (state_ != State::leading) {
    return;
  }
  state_ = State::stopped;
  env_.executor.cancel(std::exchange(timer_, env::TimerId::none));
  env_.executor.cancel(std::exchange(deadline_, env::TimerId::none));
  env_.log.warning("not leading any more", {{"lease", options_.ns + "/" + options_.name}});
  callbacks_.on_stopped_leading();
}

void LeaderElection::release(std::function<void(bool freed)> done) {
  const bool held = is_leader() && lease_;
  if (state_ == State::leading) {
    stop_leading();
  }
  state_ = State::stopped;
  env_.executor.cancel(std::exchange(timer_, env::TimerId::none));
  if (!held) {
    env_.executor.post([done = std::move(done)] { done(false); });
    return;
  }
  // A renewal that is on its way makes this a conflict, and is one itself if it comes later.
  update_object(
      env_.client, ref(), uid_of(*lease_),
      [identity = options_.identity, now = env_.clock.now()](api::Message& object) {
        auto& spec = *static_cast<Lease&>(object).mutable_spec();
        if (spec.holder_identity() != identity) {
          return false;
        }
        spec.set_holder_identity("");
        spec.set_lease_duration_seconds(1);
        api::set_time(*spec.mutable_renew_time(), now);
        return true;
      },
      [done = std::move(done)](const Result<ObjectPtr>& written) { done(written.has_value()); });
}

Done<ObjectPtr> LeaderElection::callback(MonotonicTime sent,
                                         void (LeaderElection::*method)(MonotonicTime,
                                                                        const Result<ObjectPtr>&)) {
  return self_.bind([sent, method](LeaderElection& self, const Result<ObjectPtr>& answer) {
    (self.*method)(sent, answer);
  });
}

}  // namespace windlass::client
