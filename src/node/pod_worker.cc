#include "node/pod_worker.h"

#include <fmt/format.h>

#include <algorithm>
#include <csignal>
#include <utility>

#include "base/check.h"
#include "node/container_flow.h"

namespace windlass::node {

namespace {

constexpr Duration kSetUpRetry = seconds(10);
constexpr int kStartErrorCode = 128;
constexpr int kLostExitCode = 137;
constexpr std::string_view kHostImageId = "host:/";  // the host's own root, as it is

std::string new_container_id(env::Random& random) {
  return fmt::format("windlass://{:016x}{:016x}{:016x}{:016x}", random.next(), random.next(),
                     random.next(), random.next());
}

ContainerRun new_run(const ContainerPlan& plan) {
  ContainerRun run;
  run.name = plan.name;
  run.image = plan.image;
  run.sidecar = plan.sidecar;
  return run;
}

// K-12, for an agent that does not know a container that was running.
Ended lost_container(const ContainerRun& container, RestartPolicy policy) {
  Ended ended;
  ended.exit_code = kLostExitCode;
  ended.reason = "ContainerStatusUnknown";
  ended.message = will_restart(container, policy)
                      ? "The container could not be located when the pod was deleted.  The "
                        "container used to be Running"
                      : "The container could not be located when the pod was terminated";
  return ended;
}

}  // namespace

PodWorker::PodWorker(WorkerHost host, PodPlan plan, PodSeen seen, std::function<void()> on_done)
    : host_(std::move(host)),
      plan_(std::move(plan)),
      seen_(std::move(seen)),
      on_done_(std::move(on_done)),
      files_(host_.env.files, host_.env.log, host_.config.data_dir, plan_.ns, plan_.name,
             plan_.uid),
      self_(std::make_shared<PodWorker*>(this)) {
  for (const ContainerPlan& container : plan_.init_containers) {
    run_.init_containers.push_back(new_run(container));
  }
  for (const ContainerPlan& container : plan_.containers) {
    run_.containers.push_back(new_run(container));
  }
  writer_ = std::make_unique<StatusWriter>(
      StatusWriter::Host{host_.api, host_.env.executor, host_.env.clock, host_.env.log,
                         host_.config.address, host_.config.disruption_conditions},
      PodIdentity{plan_.ns, plan_.name, plan_.uid}, [this] { forget(); },
      [this] { notify_when_done(); });
}

PodWorker::~PodWorker() {
  for (const env::TimerId timer : {step_timer_, kill_timer_, deadline_timer_}) {
    host_.env.executor.cancel(timer);
  }
  for (const auto& [number, process] : processes_) {
    host_.env.processes.signal(process, SIGKILL);
  }
}

void PodWorker::start() {
  start_time_ = seen_.start_time.value_or(host_.env.clock.now());
  writer_->set_start_time(start_time_);
  if (is_terminal_phase(seen_.phase)) {
    ending_ = Ending::by_itself;
    finished_ = true;
    observe(seen_);
    notify_when_done();
    return;
  }
  adopt_seen_containers();
  if (seen_.deleting) {
    end(Ending::told, seen_.deletion_grace);
    return;
  }
  if (plan_.active_deadline) {
    schedule(deadline_timer_, start_time_ + *plan_.active_deadline - host_.env.clock.now(),
             &PodWorker::on_deadline);
  }
  for (size_t i = 0; i < container_count(run_); ++i) {
    for (const std::string& feature : plan_of(i).ignored_features) {
      host_.env.log.warning("not supported by this node, ignored",
                            {{"pod", plan_.ns + "/" + plan_.name},
                             {"container", plan_of(i).name},
                             {"feature", feature}});
    }
  }
  set_up();
}

void PodWorker::adopt_seen_containers() {
  for (size_t i = 0; i < container_count(run_); ++i) {
    ContainerRun& run = container_at(run_, i);
    const auto seen =
        std::find_if(seen_.containers.begin(), seen_.containers.end(),
                     [&run](const SeenContainer& container) { return container.name == run.name; });
    if (seen == seen_.containers.end()) {
      continue;
    }
    run.last = seen->last;
    run.restarts = seen->restarts;
    run.container_id = seen->container_id;
    run.image_id = seen->container_id.empty() ? "" : kHostImageId;
    run.ever_started = !std::holds_alternative<Waiting>(seen->state) || seen->last.has_value();
    if (const auto* ended = std::get_if<Ended>(&seen->state)) {
      run.state = *ended;
    } else if (std::holds_alternative<Running>(seen->state)) {
      run.state = lost_container(run, plan_.restart_policy);
    } else if (seen->last) {
      run.state = *std::exchange(run.last, std::nullopt);  // it was about to be restarted
    }
  }
}

void PodWorker::set_up() {
  std::vector<std::string> names;
  for (size_t i = 0; i < container_count(run_); ++i) {
    names.push_back(plan_of(i).name);
  }
  const Result<void> made = files_.make(names);
  if (!made) {
    host_.env.log.warning("a pod's directory cannot be made",
                          {{"pod", plan_.ns + "/" + plan_.name}, {"error", made.error().message}});
    report();
    schedule(step_timer_, kSetUpRetry, &PodWorker::set_up);
    return;
  }
  set_up_ = true;
  advance();
}

void PodWorker::observe(PodSeen seen) {
  seen_ = std::move(seen);
  if (finished_) {
    // While a grace period is on the object nothing but a delete with grace 0 removes it (C-8a).
    if (seen_.deleting && seen_.deletion_grace > Duration::zero()) {
      writer_->remove();
    }
    return;
  }
  if (seen_.deleting) {
    end(Ending::told, seen_.deletion_grace);
  } else if (is_terminal_phase(seen_.phase)) {
    end(Ending::told, plan_.grace);  // K-30: somebody else has ended the pod
  }
}

void PodWorker::forget() {
  if (std::exchange(forgotten_, true)) {
    return;
  }
  if (!host_.config.keep_logs) {
    files_.remove_logs();
  }
  end(Ending::told, Duration::zero());
  notify_when_done();
}

void PodWorker::stop(Duration grace) {
  if (finished_) {
    return;
  }
  if (ending_ == Ending::none) {
    forced_ = ForcedEnd{"Terminated", "Pod was terminated in response to imminent node shutdown.",
                        ForcedEnd::Kind::disruption};  // K-74
  }
  end(Ending::told, std::min(grace, plan_.grace));
}

void PodWorker::kill() {
  for (const auto& [number, process] : processes_) {
    host_.env.processes.signal(process, SIGKILL);
  }
}

void PodWorker::on_deadline() {
  deadline_timer_ = env::TimerId::none;
  if (ending_ == Ending::none) {
    forced_ = ForcedEnd{"DeadlineExceeded",
                        "Pod was active on the node longer than the specified deadline",
                        ForcedEnd::Kind::failure};
    end(Ending::told, plan_.grace);
  }
}

void PodWorker::advance() {
  if (finished_) {
    notify_when_done();
    return;
  }
  if (ending_ == Ending::none) {
    start_due_containers();
  }
  if (finished_) {
    return;  // it ended within that call
  }
  if (ending_ == Ending::none) {
    report();
  } else if (run_.any_running()) {
    signal_next();
    if (ending_ == Ending::by_itself) {
      report();  // a pod that is killed has nothing to say until it is over (K-35)
    }
  } else {
    finish();
  }
}

void PodWorker::start_due_containers() {
  // A start that fails at once may be due again at once, once: the second time it waits.
  const size_t kMaxRounds = 2 * container_count(run_) + 2;
  for (size_t round = 0; round < kMaxRounds; ++round) {
    const Time now = host_.env.clock.now();
    const NextSteps steps = next_steps(run_, plan_.restart_policy, now);
    for (const size_t number : steps.start) {
      start_container(number);
    }
    if (steps.finished) {
      end(Ending::by_itself, plan_.grace);
      return;
    }
    if (steps.start.empty()) {
      if (steps.look_again) {
        schedule(step_timer_, *steps.look_again - now, &PodWorker::advance);
      }
      return;
    }
  }
}

void PodWorker::start_container(size_t number) {
  ContainerRun& run = container_at(run_, number);
  const Result<ContainerCommand> command = resolve_container(plan_, plan_of(number), host_.facts);
  if (!command) {
    run.state = Waiting{"CreateContainerConfigError", command.error().message};
    run.blocked = true;
    host_.env.log.warning("container cannot be configured", {{"pod", plan_.ns + "/" + plan_.name},
                                                             {"container", run.name},
                                                             {"error", command.error().message}});
    return;
  }
  if (run.ever_started) {
    ++run.restarts;
    if (const Ended* ended = run.ended()) {
      run.last = *ended;
    }
  }
  run.ever_started = true;
  run.restart_at.reset();
  run.container_id = new_container_id(host_.env.random);
  run.image_id = kHostImageId;
  spawn(number, *command);
}

void PodWorker::spawn(size_t number, const ContainerCommand& command) {
  ContainerRun& run = container_at(run_, number);
  const std::string& own_dir = plan_of(number).working_dir;
  const env::SpawnRequest request{command.command, command.environment,
                                  own_dir.empty() ? files_.work_dir() : own_dir,
                                  log_of(number).path};
  const Result<env::ProcessId> process = host_.env.processes.spawn(
      request, [weak = std::weak_ptr<PodWorker*>(self_), number](env::ProcessExit exit) {
        if (const auto worker = weak.lock()) {
          (*worker)->on_exit(number, exit);
        }
      });
  if (!process) {
    end_container(number, {kStartErrorCode, "StartError", process.error().message,
                           time_from_unix(0), host_.env.clock.now(), run.container_id});
    return;
  }
  processes_.emplace(number, *process);
  run.state = Running{host_.env.clock.now()};
  if (host_.observer != nullptr) {
    host_.observer->on_container_started(log_of(number));
  }
}

void PodWorker::on_exit(size_t number, env::ProcessExit exit) {
  processes_.erase(number);
  const ContainerRun& run = container_at(run_, number);
  const auto* running = std::get_if<Running>(&run.state);
  CHECK(running != nullptr, "only a running container exits");
  if (host_.observer != nullptr) {
    host_.observer->on_container_ended(log_of(number), exit.code);
  }
  end_container(number, {exit.code, std::string(end_reason(exit.code)), "", running->started_at,
                         host_.env.clock.now(), run.container_id});
  advance();
}

void PodWorker::end_container(size_t number, Ended ended) {
  ContainerRun& run = container_at(run_, number);
  run.state = std::move(ended);
  const bool init_done = number < run_.init_containers.size() && !run.sidecar && run.succeeded();
  if (ending_ == Ending::none && !init_done && will_restart(run, plan_.restart_policy)) {
    plan_restart(run, host_.config.restart, host_.env.clock.now(), plan_);
    if (!run.ended()) {
      host_.events.warning(event_target(number), "BackOff",
                           fmt::format("Back-off restarting failed container {} in pod {}_{}({})",
                                       run.name, plan_.name, plan_.ns, plan_.uid));
    }
  }
}

void PodWorker::end(Ending how, Duration grace) {
  if (finished_ && !run_.any_running()) {
    return;
  }
  const bool first = ending_ == Ending::none;
  // Told to end while it ends by itself: its outcome stands.
  ending_ = first ? how : ending_;
  if (first) {
    host_.env.executor.cancel(std::exchange(step_timer_, env::TimerId::none));
    host_.env.executor.cancel(std::exchange(deadline_timer_, env::TimerId::none));
    for (const auto& [number, process] : processes_) {
      host_.events.normal(event_target(number), "Killing",
                          "Stopping container " + plan_of(number).name);
    }
  }
  const MonotonicTime now = host_.env.clock.monotonic();
  const MonotonicTime kill_at = now + std::max(grace, host_.config.minimum_grace);
  if (!kill_at_ || kill_at < *kill_at_) {  // grace may only shrink (K-30)
    kill_at_ = kill_at;
    host_.env.executor.cancel(std::exchange(kill_timer_, env::TimerId::none));
    if (run_.any_running()) {
      schedule(kill_timer_, kill_at - now, &PodWorker::kill);
    }
  }
  if (first) {
    advance();
  }
}

// SIGTERM to all containers at once; to sidecars only when the others are gone, last one first
// (K-32).
void PodWorker::signal_next() {
  std::vector<size_t> now;
  bool others = false;
  for (const auto& [number, process] : processes_) {
    if (!container_at(run_, number).sidecar) {
      others = true;
      now.push_back(number);
    }
  }
  if (!others && !processes_.empty()) {
    now.push_back(processes_.rbegin()->first);
  }
  for (const size_t number : now) {
    if (signalled_.insert(number).second) {
      host_.env.processes.signal(processes_.at(number), SIGTERM);
    }
  }
}

void PodWorker::finish() {
  host_.env.executor.cancel(std::exchange(kill_timer_, env::TimerId::none));
  if (ending_ == Ending::told || initialized(run_)) {
    settle(run_);
  }
  finished_ = true;
  report();
  if (seen_.deleting) {
    writer_->remove();
  }
  files_.remove_work();
  notify_when_done();
}

void PodWorker::report() {
  if (forgotten_) {
    return;
  }
  writer_->submit(
      describe({run_, plan_.restart_policy, ending_ == Ending::told, forced_, set_up_}));
}

void PodWorker::notify_when_done() {
  if (!done()) {
    return;
  }
  host_.env.executor.post([weak = std::weak_ptr<PodWorker*>(self_)] {
    if (const auto worker = weak.lock()) {
      (*worker)->on_done_();
    }
  });
}

const ContainerPlan& PodWorker::plan_of(size_t number) const {
  const size_t inits = plan_.init_containers.size();
  return number < inits ? plan_.init_containers[number] : plan_.containers[number - inits];
}

client::EventTarget PodWorker::event_target(size_t number) const {
  const bool init = number < plan_.init_containers.size();
  return {
      "v1",
      "Pod",
      plan_.ns,
      plan_.name,
      plan_.uid,
      fmt::format("spec.{}{{{}}}", init ? "initContainers" : "containers", plan_of(number).name)};
}

ContainerLog PodWorker::log_of(size_t number) const {
  const ContainerRun& run = container_at(run_, number);
  return {plan_.ns, plan_.name,   plan_.uid,
          run.name, run.restarts, files_.log_path(run.name, run.restarts)};
}

void PodWorker::schedule(env::TimerId& timer, Duration delay, void (PodWorker::*task)()) {
  host_.env.executor.cancel(timer);
  timer = host_.env.executor.schedule(delay, [this, &timer, task] {
    timer = env::TimerId::none;
    (this->*task)();
  });
}

}  // namespace windlass::node
