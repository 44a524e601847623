// Asks the probes of a pod's containers at their times, and tells the pod's worker what came of it.
// What the answers mean is probe_state.h's. Owned by the worker, on its executor; nothing is called
// after destruction.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>

#include "env/clock.h"
#include "env/executor.h"
#include "node/container/handler_runner.h"
#include "node/probes/probe_state.h"

namespace windlass::node {

class PodProbes {
 public:
  struct Host {
    env::Executor& executor;
    env::Clock& clock;
    HandlerRunner& handlers;
    // The container in which a probe's command runs, as it is now.
    std::function<Result<HandlerTarget>(size_t container)> target;
    std::function<void(size_t container, const ProbeState& state)> on_change;
    // `what` is a sentence: `Liveness probe failed: ...`.
    std::function<void(size_t container, const std::string& what)> on_unhealthy;
    std::function<void(size_t container, ProbeKind why)> on_kill;
  };

  explicit PodProbes(Host host);
  ~PodProbes();
  PodProbes(const PodProbes&) = delete;
  PodProbes& operator=(const PodProbes&) = delete;

  // For the run that has just begun, or that began `age` ago; `checks` outlive it.
  void begin(size_t container, const ContainerChecks& checks, Duration age,
             ProbeState::Before before);
  // The run is over, or about to be. Does nothing for one that has no probes.
  void end(size_t container);
  void end_all();

 private:
  struct Watched {
    const ContainerChecks* checks = nullptr;
    ProbeState state;
    std::map<ProbeKind, HandlerRunner::Handle> under_way;
  };

  void ask_due();
  void ask(size_t container, Watched& watched, ProbeKind kind);
  void on_answer(size_t container, ProbeKind kind, const HandlerResult& result);
  void arm();

  Host host_;
  std::map<size_t, Watched> watched_;
  env::TimerId timer_ = env::TimerId::none;
};

// `Liveness`, and `liveness` as events say it.
std::string_view probe_title(ProbeKind kind);
std::string_view probe_word(ProbeKind kind);

}  // namespace windlass::node
