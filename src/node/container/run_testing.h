// Containers in the three states, as the tests of the node's pure parts need them. Included by
// *_test.cc only.
#pragma once

#include <string>
#include <utility>

#include "node/container/container_flow.h"
#include "node/pod/pod_status.h"

namespace windlass::node {

inline const Time kNow = time_from_unix(1'000'000);
inline const MonotonicTime kMonotonicNow{seconds(1'000)};

inline ContainerRun waiting(std::string name, bool sidecar = false) {
  ContainerRun run;
  run.name = std::move(name);
  run.sidecar = sidecar;
  return run;
}

inline ContainerRun running(std::string name, bool sidecar = false) {
  ContainerRun run = waiting(std::move(name), sidecar);
  run.state = Running{kNow};
  run.ever_started = true;
  return run;
}

inline ContainerRun ended(std::string name, int code) {
  ContainerRun run = waiting(std::move(name));
  run.state = Terminated{code, std::string(end_reason(code)), "", kNow - seconds(5), kNow, "id"};
  run.ever_started = true;
  return run;
}

}  // namespace windlass::node
