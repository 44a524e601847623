#include "node/hollow/hollow_pod.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/hash.h"

namespace windlass::node::hollow {

namespace {

constexpr Duration kMinimumGrace = seconds(2);  // K-31
constexpr int kKilled = 137;
constexpr const char* kImageId = "hollow:/";
constexpr RestartTiming kRestartTiming = {};

ContainerRun new_run(const ContainerSpec& spec) {
  ContainerRun run;
  run.name = spec.name;
  run.image = spec.image;
  run.sidecar = spec.sidecar;
  return run;
}

std::string container_id(const PodSpec& pod, const ContainerRun& run) {
  StableHash hash;
  hash.add(pod.uid);
  hash.add(run.name);
  hash.add(static_cast<uint64_t>(run.restarts));
  return fmt::format("hollow://{:016x}", hash.value());
}

std::optional<MonotonicTime> earlier(std::optional<MonotonicTime> a,
                                     std::optional<MonotonicTime> b) {
  return !a ? b : (!b ? a : std::min(*a, *b));
}

bool due(const std::optional<MonotonicTime>& at, ClockReading now) {
  return at && *at <= now.monotonic;
}

}  // namespace

HollowPod::HollowPod(std::shared_ptr<const PodSpec> spec, Behavior behavior, const PodSeen& seen,
                     ClockReading now)
    : spec_(std::move(spec)), behavior_(std::move(behavior)) {
  for (const ContainerSpec& container : spec_->init_containers) {
    run_.init_containers.push_back(new_run(container));
  }
  for (const ContainerSpec& container : spec_->containers) {
    run_.containers.push_back(new_run(container));
  }
  fates_.resize(container_count(run_));
  start_time_ = seen.start_time.value_or(now.wall);
  if (behavior_.start_delay) {
    starts_at_ = now.monotonic + *behavior_.start_delay;
  }
  if (spec_->active_deadline) {
    deadline_at_ = now.monotonic + deadline_left(*spec_->active_deadline, start_time_, now.wall);
  }
  const bool blocked = !behavior_.error.empty() || !behavior_.start_delay;
  set_up_ = blocked;  // K-18: there is a sandbox
  for (size_t i = 0; blocked && i < fates_.size(); ++i) {
    ContainerRun& run = container_at(run_, i);
    run.blocked = true;
    run.state =
        behavior_.error.empty()
            ? Waiting{"ImagePullBackOff", fmt::format("Back-off pulling image \"{}\"", run.image)}
            : Waiting{"CreateContainerConfigError", behavior_.error};
  }
  adopt(seen, now);
}

// A node that starts anew finds its pods as the API knows them: what ran goes on.
void HollowPod::adopt(const PodSeen& seen, ClockReading now) {
  for (size_t i = 0; i < fates_.size(); ++i) {
    ContainerRun& run = container_at(run_, i);
    const auto found =
        std::find_if(seen.containers.begin(), seen.containers.end(),
                     [&run](const SeenContainer& container) { return container.name == run.name; });
    if (found == seen.containers.end()) {
      continue;
    }
    const bool waits = std::holds_alternative<Waiting>(found->state);
    run.last = found->last;
    run.restarts = found->restarts;
    run.container_id = found->container_id;
    run.image_id = found->container_id.empty() ? "" : kImageId;
    run.ever_started = !waits || found->last.has_value();
    if (run.ever_started) {
      set_up_ = true;
      starts_at_ = now.monotonic;
    }
    if (const auto* running = std::get_if<Running>(&found->state)) {
      run.state = *running;
      const bool init = i < run_.init_containers.size();
      run.began = began_at(running->started_at, now.wall, now.monotonic);
      const Duration already = now.monotonic - *run.began;
      fates_[i] = natural_fate(run, init, already, now.monotonic);
      if (!init && forced_end(behavior_.end) && behavior_.duration) {
        node_ends_at_ = now.monotonic + std::max(*behavior_.duration - already, Duration::zero());
      }
    } else if (!waits) {
      run.state = found->state;
    } else if (found->last) {
      run.state = *std::exchange(run.last, std::nullopt);
    }
  }
}

HollowPod::Fate HollowPod::natural_fate(const ContainerRun& container, bool init, Duration already,
                                        MonotonicTime now) const {
  const auto own = behavior_.exit_codes.find(container.name);
  const bool told = own != behavior_.exit_codes.end();
  if (container.sidecar) {
    return {};
  }
  if (init) {  // takes no time, and succeeds unless it is named
    return {now, told ? own->second : 0};
  }
  if (!behavior_.duration || forced_end(behavior_.end)) {
    return {};
  }
  const MonotonicTime at = now + std::max(*behavior_.duration - already, Duration::zero());
  if (behavior_.end == End::oom) {
    return {at, kKilled, "OOMKilled"};  // K-50
  }
  return {at, told ? own->second : behavior_.exit_code};
}

void HollowPod::advance(ClockReading now) {
  // A container that takes no time may be restarted at once, once; then it waits (K-17).
  const size_t kMaxRounds = 4 * fates_.size() + 4;
  for (size_t round = 0; round < kMaxRounds && !finished_; ++round) {
    if (due(deadline_at_, now)) {
      deadline_at_.reset();
      end(spec_->grace,
          ForcedEnd{"DeadlineExceeded",
                    "Pod was active on the node longer than the specified deadline"},
          now);  // K-43
    }
    end_by_node(now);
    const bool ended = end_due(now);
    const bool started = start_due(now);
    if (ending_ != Ending::none && !run_.any_active()) {
      finish();
    } else if (!ended && !started) {
      break;
    }
  }
  plan_next();
}

void HollowPod::end_by_node(ClockReading now) {
  if (due(node_ends_at_, now)) {
    node_ends_at_.reset();
    const bool own_grace = behavior_.end == End::preempted || behavior_.end == End::shutdown;
    end(own_grace ? spec_->grace : Duration::zero(), forced_end(behavior_.end), now);
  }
}

bool HollowPod::start_due(ClockReading now) {
  look_again_.reset();
  if (ending_ != Ending::none || !due(starts_at_, now)) {
    return false;
  }
  if (!set_up_) {
    set_up_ = true;
    ++revision_;
  }
  const NextSteps steps = next_steps(run_, spec_->restart_policy, now.monotonic);
  look_again_ = steps.look_again;
  for (const size_t number : steps.start) {
    start(number, now);
  }
  if (steps.finished) {
    ending_ = Ending::by_itself;
    stop_sidecars(now);
    return true;
  }
  return !steps.start.empty();
}

void HollowPod::start(size_t number, ClockReading now) {
  ContainerRun& run = container_at(run_, number);
  if (run.ever_started) {
    ++run.restarts;
    if (const Terminated* ended = run.ended()) {
      run.last = *ended;
    }
  }
  run.ever_started = true;
  run.restart_at.reset();
  run.container_id = container_id(*spec_, run);
  run.image_id = kImageId;
  run.state = Running{now.wall};
  run.began = now.monotonic;
  const bool init = number < run_.init_containers.size();
  fates_[number] = natural_fate(run, init, Duration::zero(), now.monotonic);
  if (!init && !node_ends_at_ && behavior_.duration && forced_end(behavior_.end)) {
    node_ends_at_ = now.monotonic + *behavior_.duration;
  }
  ++revision_;
}

bool HollowPod::end_due(ClockReading now) {
  bool any = false;
  for (size_t i = 0; i < fates_.size(); ++i) {
    if (container_at(run_, i).running() && due(fates_[i].at, now)) {
      end_container(i, now);
      any = true;
    }
  }
  if (any && ending_ != Ending::none) {
    stop_sidecars(now);
  }
  return any;
}

void HollowPod::end_container(size_t number, ClockReading now) {
  ContainerRun& run = container_at(run_, number);
  const Fate& fate = fates_[number];
  const Time started = std::get<Running>(run.state).started_at;
  run.state =
      Terminated{fate.exit_code,
                 fate.reason != nullptr ? fate.reason : std::string(end_reason(fate.exit_code)),
                 "",
                 started,
                 now.wall,
                 run.container_id};
  const bool init_done = number < run_.init_containers.size() && !run.sidecar && run.succeeded();
  if (ending_ == Ending::none && !init_done && will_restart(run, spec_->restart_policy)) {
    PodSpecView names;
    names.ns = spec_->ns;
    names.name = spec_->name;
    names.uid = spec_->uid;
    plan_restart(run, kRestartTiming, now.monotonic, names);
  }
  ++revision_;
}

void HollowPod::end(Duration grace, std::optional<ForcedEnd> why, ClockReading now) {
  if (finished_) {
    return;
  }
  const MonotonicTime kill_at = now.monotonic + std::max(grace, kMinimumGrace);
  kill_at_ = earlier(kill_at_, kill_at);
  if (ending_ == Ending::none) {
    ending_ = Ending::told;
    forced_ = std::move(why);
    deadline_at_.reset();
    node_ends_at_.reset();
  }
  for (size_t i = 0; i < fates_.size(); ++i) {
    const ContainerRun& run = container_at(run_, i);
    if (run.running() && !run.sidecar) {
      terminate(i, now);
    }
  }
  stop_sidecars(now);
}

// What the container makes of SIGTERM, or of SIGKILL if that comes first. One that would have ended
// by itself before that still does.
void HollowPod::terminate(size_t number, ClockReading now) {
  Fate& fate = fates_[number];
  const std::optional<MonotonicTime> by_itself = fate.at;
  Fate told = {kill_at_, kKilled};
  if (behavior_.term_delay && now.monotonic + *behavior_.term_delay < *kill_at_) {
    told = {now.monotonic + *behavior_.term_delay, behavior_.term_exit_code};
  }
  if (!by_itself || *told.at < *by_itself) {
    fate = told;
  }
}

// K-32: sidecars get their signal when the others are gone.
void HollowPod::stop_sidecars(ClockReading now) {
  const auto runs = [](const ContainerRun& run) { return run.running() && !run.sidecar; };
  const bool others = std::any_of(run_.containers.begin(), run_.containers.end(), runs) ||
                      std::any_of(run_.init_containers.begin(), run_.init_containers.end(), runs);
  for (size_t i = 0; i < run_.init_containers.size(); ++i) {
    if (run_.init_containers[i].sidecar && run_.init_containers[i].running()) {
      fates_[i] = others ? Fate{kill_at_, kKilled} : Fate{now.monotonic, 0};
    }
  }
}

void HollowPod::finish() {
  if (ending_ == Ending::told || initialized(run_)) {
    settle(run_);
  }
  finished_ = true;
  ++revision_;
}

void HollowPod::plan_next() {
  next_.reset();
  if (finished_) {
    return;
  }
  if (ending_ == Ending::none) {
    next_ = earlier(deadline_at_, node_ends_at_);
    if (!set_up_) {
      next_ = earlier(next_, starts_at_);
    }
    if (look_again_) {
      next_ = earlier(next_, look_again_);
    }
  }
  for (size_t i = 0; i < fates_.size(); ++i) {
    if (container_at(run_, i).running()) {
      next_ = earlier(next_, fates_[i].at);
    }
  }
}

PodStatusView HollowPod::status() const {
  return describe({run_, spec_->restart_policy, ending_ == Ending::told, forced_, set_up_});
}

}  // namespace windlass::node::hollow
