#include "node/container/container_flow.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/check.h"
#include "base/time.h"

namespace windlass::node {

namespace {

// Starts the container, or says when its restart is due.
void start_when_due(const ContainerRun& container, size_t number, MonotonicTime now,
                    NextSteps& steps) {
  if (container.active() || container.blocked) {
    return;
  }
  if (container.restart_at && *container.restart_at > now) {
    steps.look_again =
        std::min(steps.look_again.value_or(*container.restart_at), *container.restart_at);
    return;
  }
  steps.start.push_back(number);
}

bool may_start(const ContainerRun& container, RestartPolicy policy) {
  return !container.ended() || will_restart(container, policy);
}

// True when the containers after the init containers may run.
bool step_init_containers(const PodRun& run, RestartPolicy policy, MonotonicTime now,
                          NextSteps& steps) {
  for (size_t i = 0; i < run.init_containers.size(); ++i) {
    const ContainerRun& container = run.init_containers[i];
    if (container.sidecar) {
      start_when_due(container, i, now, steps);
      if (!container.was_up()) {
        return false;
      }
      continue;
    }
    if (container.succeeded()) {
      continue;
    }
    if (may_start(container, policy)) {
      start_when_due(container, i, now, steps);
    } else {
      steps.finished = true;
    }
    return false;
  }
  return true;
}

}  // namespace

bool PodRun::any_active() const {
  const auto active = [](const ContainerRun& container) { return container.active(); };
  return std::any_of(init_containers.begin(), init_containers.end(), active) ||
         std::any_of(containers.begin(), containers.end(), active);
}

bool PodRun::any_starting() const {
  const auto starting = [](const ContainerRun& container) { return container.starting; };
  return std::any_of(init_containers.begin(), init_containers.end(), starting) ||
         std::any_of(containers.begin(), containers.end(), starting);
}

ContainerRun& container_at(PodRun& run, size_t number) {
  CHECK(number < container_count(run), "a pod has no such container");
  const size_t inits = run.init_containers.size();
  return number < inits ? run.init_containers[number] : run.containers[number - inits];
}

const ContainerRun& container_at(const PodRun& run, size_t number) {
  return container_at(const_cast<PodRun&>(run), number);
}

size_t container_count(const PodRun& run) {
  return run.init_containers.size() + run.containers.size();
}

bool will_restart(const ContainerRun& container, RestartPolicy policy) {
  // A container whose end is unknown counts as killed (K-12).
  const Terminated* ended = container.ended();
  const int32_t exit_code = ended != nullptr ? ended->exit_code : kLostExitCode;
  // One that a probe has had killed has failed, whatever it made of the signal.
  const bool unhealthy =
      container.unhealthy && container.restart.policy_or(policy) == RestartPolicy::on_failure;
  return container.sidecar || unhealthy || container.restart.restarts_after(exit_code, policy);
}

bool initialized(const PodRun& run) {
  return std::all_of(run.init_containers.begin(), run.init_containers.end(),
                     [](const ContainerRun& container) {
                       return container.sidecar ? container.was_up() : container.succeeded();
                     });
}

bool initialization_failed(const PodRun& run, RestartPolicy policy) {
  return std::any_of(run.init_containers.begin(), run.init_containers.end(),
                     [policy](const ContainerRun& container) {
                       return container.ended() && !container.succeeded() &&
                              !will_restart(container, policy);
                     });
}

NextSteps next_steps(const PodRun& run, RestartPolicy policy, MonotonicTime now) {
  NextSteps steps;
  if (!step_init_containers(run, policy, now, steps)) {
    if (steps.finished) {
      steps.start.clear();
    }
    return steps;
  }
  bool more = false;
  for (size_t i = 0; i < run.containers.size(); ++i) {
    const ContainerRun& container = run.containers[i];
    if (may_start(container, policy)) {
      more = true;
      start_when_due(container, run.init_containers.size() + i, now, steps);
    }
  }
  if (!more) {
    return {{}, std::nullopt, true};
  }
  return steps;
}

void plan_restart(ContainerRun& container, const RestartTiming& timing, MonotonicTime now,
                  const PodSpecView& pod) {
  CHECK(container.ended() != nullptr, "only a container that ended is restarted");
  const Terminated ended = *container.ended();
  if (container.began && now - *container.began >= timing.reset_after) {
    container.next_delay = Duration::zero();
  }
  const Duration delay = container.next_delay;
  container.next_delay = delay == Duration::zero() ? timing.first : std::min(delay * 2, timing.cap);
  container.restart_at = now + delay;
  if (delay > Duration::zero()) {
    container.last = ended;
    container.state =
        Waiting{"CrashLoopBackOff",
                fmt::format("back-off {} restarting failed container={} pod={}_{}({})",
                            format_duration(delay), container.name, pod.name, pod.ns, pod.uid)};
  }
}

MonotonicTime began_at(Time started_at, Time wall, MonotonicTime now) {
  return now - std::max(wall - latest_instant(started_at, wall), Duration::zero());
}

Duration deadline_left(Duration deadline, Time start, Time wall) {
  return std::min(latest_instant(start, wall) + deadline - wall, deadline);
}

}  // namespace windlass::node
