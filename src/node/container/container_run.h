// The state of a pod's containers as the agent knows it: plain values, changed by the pod worker,
// read by the pure functions that decide what to start next (container_flow.h) and what to report
// (pod_status.h).
#pragma once

#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "api/pod/container_restart.h"
#include "base/time.h"

namespace windlass::node {

using api::OwnRestart;
using api::RestartPolicy;
using api::RestartRule;

struct Waiting {
  std::string reason;
  std::string message;

  bool operator==(const Waiting&) const = default;
};

struct Running {
  Time started_at;

  bool operator==(const Running&) const = default;
};

struct Terminated {
  int exit_code = 0;
  std::string reason;  // Completed, Error, StartError, ContainerStatusUnknown
  std::string message;
  std::optional<Time> started_at;
  std::optional<Time> finished_at;
  std::string container_id;

  bool operator==(const Terminated&) const = default;
};

constexpr int kLostExitCode = 137;  // of a container whose end is unknown (K-12)

using ContainerState = std::variant<Waiting, Running, Terminated>;

struct ContainerRun {
  std::string name;
  std::string image;
  bool sidecar = false;
  OwnRestart restart;
  ContainerState state = Waiting{};
  std::optional<Terminated> last;  // how the run before this one ended
  int restarts = 0;
  bool ever_started = false;  // some run of it was attempted
  bool starting = false;      // asked for, and not yet known whether it runs
  // What hooks and probes have not yet said of the run: without any, nothing is waited for.
  bool awaits_startup = false;    // postStart and the startup probe
  bool awaits_readiness = false;  // the readiness probe
  bool never_was_up = false;      // no run of it has got past awaits_startup
  bool unhealthy = false;         // the run is stopped because a probe or a hook failed
  bool blocked = false;           // what it asks for is not to be had here; it is never started
  std::string container_id;
  std::string image_id;
  // Restart delay (disruption.md K-17). The first restart is immediate. Delays pass by the clock
  // that never jumps; the wall clock's times are only reported.
  Duration next_delay{};
  std::optional<MonotonicTime> restart_at;  // while it waits for a restart
  std::optional<MonotonicTime> began;       // the newest run, unless it could not be started

  int next_attempt() const { return ever_started ? restarts + 1 : 0; }
  bool running() const { return std::holds_alternative<Running>(state); }
  bool started() const { return running() && !awaits_startup; }
  bool ready() const { return started() && !awaits_readiness; }
  // A sidecar that was up does not delay the next container (disruption.md K-13).
  bool was_up() const { return ever_started && !never_was_up; }
  // Something of it may run.
  bool active() const { return running() || starting; }
  const Terminated* ended() const { return std::get_if<Terminated>(&state); }
  bool succeeded() const { return ended() != nullptr && ended()->exit_code == 0; }
};

struct PodRun {
  std::vector<ContainerRun> init_containers;
  std::vector<ContainerRun> containers;

  bool any_active() const;
  bool any_starting() const;
};

}  // namespace windlass::node
