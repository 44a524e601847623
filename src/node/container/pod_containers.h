// The containers of one pod: how each observation changes them, and what it makes the shell do with
// them. Whether they may start, and when they have to stop, is the PodLifecycle's, which owns this.
// Pure: no I/O, no clock.
#pragma once

#include <cstddef>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "env/containers.h"
#include "node/clock_reading.h"
#include "node/container/container_flow.h"
#include "node/container/container_run.h"
#include "node/container/known_runs.h"
#include "node/pod/pod_actions.h"
#include "node/pod/pod_spec_view.h"
#include "node/pod/pod_status.h"

namespace windlass::node {

class PodContainers {
 public:
  // `spec` and `actions`, to which decisions are added, outlive it.
  PodContainers(const PodSpecView& spec, const RestartTiming& timing,
                std::deque<PodAction>& actions);

  // Takes over the runs of an earlier agent and what the status says of them.
  void adopt(const PodSeen& seen, const PodRuns& runs, ClockReading now);
  // The termination message of a container that has ended (api.md E78).
  void set_message(size_t container, const std::string& message);

  void start(const std::vector<size_t>& containers);
  // True once all containers of start() have their answer.
  bool start_answered(size_t container, const ContainerStartAnswer& answer, ClockReading now);
  bool awaits_start_answers() const { return unanswered_starts_ > 0; }
  void started(size_t container, const Result<void>& started, ClockReading now);
  void exited(size_t container, const env::ContainerExit& exit, const std::string& message,
              ClockReading now);

  // The container need not wait any longer for its next start.
  void start_now(size_t container) { at(container).restart_at.reset(); }

  void post_start_done(size_t container, bool succeeded);
  void probe_changed(size_t container, bool started, bool ready);
  void probe_failed(size_t container, ProbeKind probe);
  // Probes the runs that adopt() found, on from the results in the status.
  void resume_checks(const PodSeen& api, ClockReading now);
  // Containers whose request could not be made may be tried again at once; false where none is.
  bool unblock();

  // From now on none starts, or is checked.
  void close();
  void stop(Duration grace);
  void kill();
  // Containers without a known end get one (K-36).
  void settle() { node::settle(run_); }
  // The ends of these runs are on record: of one container, or all.
  void forget_runs(std::optional<size_t> of_container = std::nullopt);

  const PodRun& run() const { return run_; }
  bool any_has_run() const;
  const ContainerSpecView& spec_of(size_t container) const;
  // The newest run of a container, or the one that is starting.
  std::string run_id_of(size_t container) const;

 private:
  ContainerRun& at(size_t container) { return container_at(run_, container); }
  const ContainerRun& at(size_t container) const { return container_at(run_, container); }
  void emit(PodAction action) { actions_.push_back(std::move(action)); }
  void warn(size_t container, std::string reason, std::string message);
  void hold(size_t container, Waiting why, MonotonicTime until);
  void not_created(size_t container, const Status& why, ClockReading now);
  Terminated with_message(Terminated ended, const std::string& message) const;
  void end_container(size_t container, Terminated ended, ClockReading now);
  void begin_checks(size_t container);
  void begin_probes(size_t container, Duration age, ProbeState::Before before);
  void stop_unhealthy(size_t container, Duration grace, std::string why);

  const PodSpecView& spec_;
  const RestartTiming timing_;
  std::deque<PodAction>& actions_;
  PodRun run_;
  size_t unanswered_starts_ = 0;
  bool closed_ = false;
  std::map<std::string, size_t> ended_runs_;  // and whose they are; not yet forgotten
};

}  // namespace windlass::node
