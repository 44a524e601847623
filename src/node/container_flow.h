// Which containers of a pod to start now: init containers one after the other, sidecars that stay,
// then all others; restarts by policy and delay (disruption.md K-13, K-17). A pure function of the
// containers' states and the time; the pod worker acts on the answer.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "base/time.h"
#include "node/container_run.h"
#include "node/pod_plan.h"

namespace windlass::node {

struct RestartTiming {
  Duration first = seconds(10);  // of the second restart: the first one is immediate
  Duration cap = seconds(300);
  Duration reset_after = minutes(10);  // running that long forgets earlier failures
};

// Containers are numbered: init containers first, in order, then the others.
struct NextSteps {
  std::vector<size_t> start;
  std::optional<Time> look_again;  // when the next restart is due
  // Nothing will be started any more: what still runs (sidecars) may be stopped.
  bool finished = false;
};

ContainerRun& container_at(PodRun& run, size_t number);
const ContainerRun& container_at(const PodRun& run, size_t number);
size_t container_count(const PodRun& run);

NextSteps next_steps(const PodRun& run, RestartPolicy policy, Time now);

// One-shot init containers have all ended with 0, sidecars have been up.
bool initialized(const PodRun& run);
// An init container failed and will not be run again.
bool initialization_failed(const PodRun& run, RestartPolicy policy);
bool will_restart(const ContainerRun& container, RestartPolicy policy);

// The container has just ended; says when it may start again and shows it as waiting if that is
// later than now. Call only if will_restart says so.
void plan_restart(ContainerRun& container, const RestartTiming& timing, Time now,
                  const PodPlan& pod);

}  // namespace windlass::node
