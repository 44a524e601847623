// Which containers of a pod to start now: init containers one after the other, sidecars that stay,
// then all others; restarts by policy and delay (disruption.md K-13, K-17). A pure function of the
// containers' states and the time; the pod worker acts on the answer.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "base/time.h"
#include "node/container/container_run.h"
#include "node/pod/pod_spec_view.h"

namespace windlass::node {

struct RestartTiming {
  Duration first = seconds(10);  // of the second restart: the first one is immediate
  Duration cap = seconds(300);
  Duration reset_after = minutes(10);  // running that long forgets earlier failures
};

// Containers are numbered: init containers first, in order, then the others.
struct NextSteps {
  std::vector<size_t> start;
  std::optional<MonotonicTime> look_again;  // when the next restart is due
  // Nothing will be started any more: what still runs (sidecars) may be stopped.
  bool finished = false;
};

ContainerRun& container_at(PodRun& run, size_t number);
const ContainerRun& container_at(const PodRun& run, size_t number);
size_t container_count(const PodRun& run);

NextSteps next_steps(const PodRun& run, RestartPolicy policy, MonotonicTime now);

// One-shot init containers have all ended with 0, sidecars have been up.
bool initialized(const PodRun& run);
// An init container failed and will not be run again.
bool initialization_failed(const PodRun& run, RestartPolicy policy);
bool will_restart(const ContainerRun& container, RestartPolicy policy);

// The container has just ended; says when it may start again and shows it as waiting if that is
// later than now. Call only if will_restart says so.
void plan_restart(ContainerRun& container, const RestartTiming& timing, MonotonicTime now,
                  const PodSpecView& pod);
// When a run began that an earlier agent started: all that is left of it is the wall clock's time,
// which may lie in the future if that was set back.
MonotonicTime began_at(Time started_at, Time wall, MonotonicTime now);
// What is left of a pod's active deadline (K-43) that began at `start`: never more than all of it,
// however the wall clock was set since.
Duration deadline_left(Duration deadline, Time start, Time wall);

}  // namespace windlass::node
