#include "node/container/pod_containers.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/check.h"
#include "base/utf8.h"
#include "node/probes/pod_probes.h"

namespace windlass::node {

namespace {

constexpr Duration kStartRetry = seconds(10);
// Of all containers of a pod together; each has the same share.
constexpr size_t kMaxMessageBytesOfPod = 12 * 1024;
// Why a container waits may repeat what an object says, at any length.
constexpr size_t kMaxWaitingBytes = 1024;

ContainerRun new_run(const ContainerSpecView& spec) {
  ContainerRun run;
  run.name = spec.name;
  run.image = spec.image;
  run.sidecar = spec.sidecar;
  run.restart = spec.restart;
  return run;
}

}  // namespace

PodContainers::PodContainers(const PodSpecView& spec, const RestartTiming& timing,
                             std::deque<PodAction>& actions)
    : spec_(spec), timing_(timing), actions_(actions) {
  for (const ContainerSpecView& container : spec_.init_containers) {
    run_.init_containers.push_back(new_run(container));
  }
  for (const ContainerSpecView& container : spec_.containers) {
    run_.containers.push_back(new_run(container));
  }
}

void PodContainers::warn(size_t container, std::string reason, std::string message) {
  emit(EmitPodEvent{true, container, std::move(reason), std::move(message)});
}

bool PodContainers::any_has_run() const {
  const auto has_run = [](const ContainerRun& container) { return container.ever_started; };
  return std::any_of(run_.init_containers.begin(), run_.init_containers.end(), has_run) ||
         std::any_of(run_.containers.begin(), run_.containers.end(), has_run);
}

const ContainerSpecView& PodContainers::spec_of(size_t container) const {
  const size_t inits = spec_.init_containers.size();
  return container < inits ? spec_.init_containers[container] : spec_.containers[container - inits];
}

std::string PodContainers::run_id_of(size_t container) const {
  const ContainerRun& run = at(container);
  return run_id(spec_.uid, run.name, run.starting ? run.next_attempt() : run.restarts);
}

void PodContainers::adopt(const PodSeen& seen, const PodRuns& runs, ClockReading now) {
  node::adopt(spec_, seen, runs, run_);
  for (size_t i = 0; i < container_count(run_); ++i) {
    ContainerRun& run = at(i);
    if (const auto* running = std::get_if<Running>(&run.state)) {
      run.began = began_at(running->started_at, now.wall, now.monotonic);
      emit(AttachContainer{i});
    }
  }
  for (const auto& [container, attempts] : runs) {
    for (const auto& [attempt, info] : attempts) {
      ended_runs_.emplace(info.id, container_count(run_));
    }
  }
  for (size_t i = 0; i < container_count(run_); ++i) {
    if (at(i).running()) {
      ended_runs_.erase(run_id_of(i));
    }
  }
  for (const auto& [id, container] : ended_runs_) {
    emit(KillRun{id});
  }
}

void PodContainers::set_message(size_t container, const std::string& message) {
  auto& ended = std::get<Terminated>(at(container).state);
  ended = with_message(std::move(ended), message);
}

// The termination message of a run (api.md E78), unless its end itself says more.
Terminated PodContainers::with_message(Terminated ended, const std::string& message) const {
  const size_t share = kMaxMessageBytesOfPod / container_count(run_);
  const std::string& text = ended.message.empty() ? message : ended.message;
  ended.message = readable(from_whole_character(text), share);
  return ended;
}

void PodContainers::start(const std::vector<size_t>& containers) {
  unanswered_starts_ = containers.size();
  for (const size_t container : containers) {
    emit(StartContainer{container});
  }
}

bool PodContainers::start_answered(size_t container, const ContainerStartAnswer& answer,
                                   ClockReading now) {
  ContainerRun& run = at(container);
  if (const auto* asked = std::get_if<ContainerAsked>(&answer)) {
    run.starting = true;
    run.image_id = asked->image_id;
  } else if (const auto* missing = std::get_if<ImageMissing>(&answer)) {
    hold(container, missing->why, missing->until);
    for (const std::string& warning : missing->warnings) {
      warn(container, "Failed", warning);
    }
  } else if (const auto* invalid = std::get_if<ContainerInvalid>(&answer)) {
    const Status& why = invalid->why;
    hold(container, {"CreateContainerConfigError", why.message}, now.monotonic + kStartRetry);
    // An object that is not there may come; everything else stays as it is.
    run.blocked = !is_not_found(why);
    warn(container, "Failed", "Error: " + why.message);
  } else {
    not_created(container, std::get<ContainerNotCreated>(answer).why, now);
  }
  unanswered_starts_ -= std::min<size_t>(unanswered_starts_, 1);
  return unanswered_starts_ == 0;
}

// The container waits for its next start.
void PodContainers::hold(size_t container, Waiting why, MonotonicTime until) {
  ContainerRun& run = at(container);
  if (const Terminated* ended = run.ended()) {
    run.last = *ended;
  }
  run.starting = false;
  why.message = readable(why.message, kMaxWaitingBytes);
  run.state = std::move(why);
  run.restart_at = until;
}

// Nothing came of the request, so nothing has failed: the same run is asked for again.
void PodContainers::not_created(size_t container, const Status& why, ClockReading now) {
  hold(container, {why.reason, why.message}, now.monotonic + kStartRetry);
  warn(container, "Failed", "Error: " + why.message);
}

void PodContainers::started(size_t container, const Result<void>& started, ClockReading now) {
  if (!started && env::is_not_created(started.error())) {
    not_created(container, started.error(), now);
    return;
  }
  const std::string id = run_id_of(container);
  ContainerRun& run = at(container);
  if (run.ever_started) {
    ++run.restarts;
    if (const Terminated* ended = run.ended()) {
      run.last = *ended;
    }
  }
  run.starting = false;
  run.ever_started = true;
  run.restart_at.reset();
  run.began.reset();
  run.container_id = container_id_of(id);
  if (!started) {
    ended_runs_.emplace(id, container);
    end_container(container, start_error(started.error().message, run.container_id, now.wall), now);
  } else {
    // The newer run is on record: how the ones before it ended is not needed any more.
    forget_runs(container);
    run.state = Running{now.wall};
    run.began = now.monotonic;
    begin_checks(container);
  }
}

void PodContainers::exited(size_t container, const env::ContainerExit& exit,
                           const std::string& message, ClockReading now) {
  const ContainerRun& run = at(container);
  CHECK(run.running(), "only a running container exits");
  ended_runs_.emplace(run_id_of(container), container);
  end_container(container, with_message(ended_from(exit, run, spec_.restart_policy), message), now);
}

void PodContainers::end_container(size_t container, Terminated ended, ClockReading now) {
  ContainerRun& run = at(container);
  run.state = std::move(ended);
  const bool init_done = container < run_.init_containers.size() && !run.sidecar && run.succeeded();
  if (closed_ || init_done || !will_restart(run, spec_.restart_policy)) {
    return;
  }
  plan_restart(run, timing_, now.monotonic, spec_);
  if (!run.ended()) {
    warn(container, "BackOff",
         fmt::format("Back-off restarting failed container {} in pod {}_{}({})", run.name,
                     spec_.name, spec_.ns, spec_.uid));
  }
}

// A run has just begun. The probes wait for the hook, and both for a pod that is not ending.
void PodContainers::begin_checks(size_t container) {
  const ContainerChecks& checks = spec_of(container).checks;
  ContainerRun& run = at(container);
  const bool first = run.restarts == 0;
  run.awaits_startup = checks.post_start || checks.startup;
  run.awaits_readiness = checks.readiness.has_value();
  run.never_was_up = (first || run.never_was_up) && run.awaits_startup;
  run.unhealthy = false;
  if (closed_) {
    return;
  }
  if (checks.post_start) {
    emit(RunPostStart{container});
  } else {
    begin_probes(container, Duration::zero(), {});
  }
}

void PodContainers::post_start_done(size_t container, bool succeeded) {
  if (!succeeded) {
    warn(container, "FailedPostStartHook", "PostStartHook failed");
    stop_unhealthy(container, spec_.grace, "FailedPostStartHook");
    return;
  }
  begin_probes(container, Duration::zero(), {});
}

void PodContainers::begin_probes(size_t container, Duration age, ProbeState::Before before) {
  const ContainerChecks& checks = spec_of(container).checks;
  ContainerRun& run = at(container);
  run.awaits_startup = checks.startup && !before.started;
  run.never_was_up = run.never_was_up && run.awaits_startup;
  run.awaits_readiness = checks.readiness && !before.ready;
  emit(BeginProbes{container, age, before});
}

// Runs that an earlier agent began are probed on from its last results. Its hooks are over: how
// they went is unknown, and they do not run twice.
void PodContainers::resume_checks(const PodSeen& api, ClockReading now) {
  const bool containers_ran =
      std::any_of(run_.containers.begin(), run_.containers.end(),
                  [](const ContainerRun& container) { return container.ever_started; });
  for (size_t i = 0; i < container_count(run_); ++i) {
    ContainerRun& run = at(i);
    if (!run.running()) {
      continue;
    }
    const auto seen =
        std::find_if(api.containers.begin(), api.containers.end(),
                     [&run](const SeenContainer& container) { return container.name == run.name; });
    const bool known = seen != api.containers.end() && seen->restarts == run.restarts &&
                       std::holds_alternative<Running>(seen->state);
    run.never_was_up = !containers_ran;
    begin_probes(i, now.monotonic - *run.began, {known && seen->started, known && seen->ready});
  }
}

void PodContainers::probe_changed(size_t container, bool started, bool ready) {
  ContainerRun& run = at(container);
  run.awaits_startup = !started;
  run.never_was_up = run.never_was_up && run.awaits_startup;
  run.awaits_readiness = spec_of(container).checks.readiness && !ready;
}

void PodContainers::probe_failed(size_t container, ProbeKind probe) {
  const ContainerSpecView& spec = spec_of(container);
  const std::optional<Duration> grace =
      (probe == ProbeKind::startup ? spec.checks.startup : spec.checks.liveness)->grace;
  const bool again = !spec.restart.runs_once(spec_.restart_policy);
  stop_unhealthy(container, grace.value_or(spec_.grace),
                 fmt::format("Container {} failed {} probe{}", spec.name, probe_word(probe),
                             again ? ", will be restarted" : ""));
}

void PodContainers::stop_unhealthy(size_t container, Duration grace, std::string why) {
  at(container).unhealthy = true;
  emit(EndProbes{container});
  emit(EmitPodEvent{false, container, "Killing", std::move(why)});
  emit(StopContainer{container, grace});
  emit(SignalContainer{container});
}

bool PodContainers::unblock() {
  bool any = false;
  for (size_t i = 0; i < container_count(run_); ++i) {
    if (std::exchange(at(i).blocked, false)) {
      at(i).restart_at.reset();
      any = true;
    }
  }
  return any;
}

void PodContainers::close() {
  closed_ = true;
  std::erase_if(actions_, [](const PodAction& action) {
    return std::holds_alternative<StartContainer>(action);
  });
  unanswered_starts_ = 0;
  emit(CancelPending{});
  for (size_t i = 0; i < container_count(run_); ++i) {
    if (at(i).running()) {
      emit(EmitPodEvent{false, i, "Killing", "Stopping container " + spec_of(i).name});
    }
  }
}

void PodContainers::kill() {
  for (size_t i = 0; i < container_count(run_); ++i) {
    if (at(i).active()) {
      emit(KillRun{run_id_of(i)});
    }
  }
}

// All containers get their stop signal at once; sidecars only when the others are gone, last one
// first. Their hooks run at once (K-32).
void PodContainers::stop(Duration grace) {
  std::vector<size_t> sidecars;
  std::vector<size_t> due;
  bool others = false;
  for (size_t i = 0; i < container_count(run_); ++i) {
    const ContainerRun& run = at(i);
    others = others || (run.active() && !run.sidecar);
    // A container that is starting gets its signal when it runs: before its command is there to
    // catch it, a signal would be lost.
    if (run.running()) {
      emit(StopContainer{i, grace});
      (run.sidecar ? sidecars : due).push_back(i);
    }
  }
  if (!others && !sidecars.empty()) {
    due.push_back(sidecars.back());
  }
  for (const size_t container : due) {
    emit(SignalContainer{container});
  }
}

void PodContainers::forget_runs(std::optional<size_t> of_container) {
  std::erase_if(ended_runs_, [&](const auto& run) {
    const bool now = !of_container || run.second == *of_container;
    if (now) {
      emit(ForgetRun{run.first});
    }
    return now;
  });
}

}  // namespace windlass::node
