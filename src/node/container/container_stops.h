// Ends containers one by one: the preStop hook within the grace period, then the stop signal, then
// what is left of the grace (at least a minimum), then SIGKILL (disruption.md K-31 to K-33). A
// container that has to wait for others (a sidecar) runs its hook at once and gets its signal when
// it is told that its turn has come, or its grace is over.
//
// Owned by the pod's worker, on its executor; nothing is called after destruction.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>

#include "env/clock.h"
#include "env/containers.h"
#include "env/executor.h"
#include "node/container/handler_runner.h"

namespace windlass::node {

class ContainerStops {
 public:
  struct Host {
    env::Executor& executor;
    env::Clock& clock;
    env::Containers& containers;
    HandlerRunner& handlers;
    Duration minimum_grace;  // between stop signal and SIGKILL
    std::function<Result<HandlerTarget>(size_t container)> target;
    std::function<int(size_t container)> stop_signal;
    // The hook failed, or was cut off.
    std::function<void(size_t container)> on_hook_failed;
  };

  explicit ContainerStops(Host host);
  ~ContainerStops();
  ContainerStops(const ContainerStops&) = delete;
  ContainerStops& operator=(const ContainerStops&) = delete;

  // From now on it has so much time. For one that is ending already: no more than this. `hook` may
  // be null; without any grace it is not run (K-33).
  void begin(size_t container, const std::string& run_id, const HandlerPlan* hook, Duration grace);
  // Its turn for the signal.
  void let_go(size_t container);
  // It has ended.
  void forget(size_t container);

 private:
  struct Stop {
    std::string run_id;
    MonotonicTime hook_until;
    MonotonicTime kill_at;
    HandlerRunner::Handle hook;  // while it runs
    bool may_go = false;
    std::optional<MonotonicTime> signalled;
    env::TimerId timer = env::TimerId::none;
  };

  void start_hook(size_t container, Stop& stop, const HandlerPlan& hook);
  void step(size_t container);
  void on_time(size_t container);

  Host host_;
  std::map<size_t, Stop> stops_;
};

}  // namespace windlass::node
