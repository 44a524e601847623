// Decides what happens to one pod on a node: which containers start, when they stop, what the
// status says, when the object goes (disruption.md 7.2, 7.3). Observations in, actions out; pure:
// no I/O, no clock, no threads. Its shell is the PodWorker.
//
//   lifecycle.adopt(runs, now); lifecycle.start(now, begin);  // or reject()
//   loop: while (auto action = lifecycle.next_action()) carry it out;
//     report what happens, in any order: observe, container_started, container_exited, ...
//
// The pod is in one of three states, and never goes back:
//   alive     containers start and restart by policy; every change is reported;
//   ending    by itself (sidecars stop) or told to (all containers stop): nothing starts any more;
//   finished  nothing runs and the last status is decided.
// Independently of these its object may be gone (forgotten): then nothing is reported any more.
//
// A run is forgotten at the supervisor only when the API server has its end, or the pod's object is
// gone, so that nothing runs twice under restartPolicy Never (safety.md N1).
#pragma once

#include <deque>
#include <optional>
#include <string>

#include "base/result.h"
#include "base/time.h"
#include "env/containers.h"
#include "node/clock_reading.h"
#include "node/container/container_flow.h"
#include "node/container/known_runs.h"
#include "node/container/pod_containers.h"
#include "node/pod/pod_actions.h"
#include "node/pod/pod_spec_view.h"
#include "node/pod/pod_status.h"

namespace windlass::node {

class PodLifecycle {
 public:
  struct Options {
    RestartTiming restart = {};
    Duration volume_refresh = minutes(1);
  };
  enum class Begin {
    running,
    shut_down,  // its runs end, or have ended, because the node shut down
  };

  PodLifecycle(const Options& options, PodSpecView spec, PodSeen seen);
  PodLifecycle(const PodLifecycle&) = delete;
  PodLifecycle& operator=(const PodLifecycle&) = delete;

  std::optional<PodAction> next_action();

  // At first: the runs of this pod that an earlier agent started, then start(). Between the two,
  // set_message() for containers that have ended.
  void adopt(const PodRuns& runs, ClockReading now) { containers_.adopt(seen_, runs, now); }
  void set_message(size_t container, const std::string& message) {
    containers_.set_message(container, message);
  }
  void start(ClockReading now, Begin begin);
  // Instead of all that: the node does not take the pod (K-2).
  void reject(const std::string& reason, const std::string& message, ClockReading now);

  // The object.
  void observe(PodSeen seen, ClockReading now);
  // What may change of a running pod: labels, annotations, and the active deadline, which counts
  // from the pod's start (K-43).
  void update_spec(const PodSpecView& now_wanted, ClockReading now);
  // The object is gone: the containers are killed with the least grace (K-44).
  void object_gone(ClockReading now);
  // Everything that was to be written has been acknowledged.
  void status_written();
  // Time to compare what the API shows with what was reported (K-40): another client may have
  // written over it.
  void reconcile();

  // Containers.
  void start_answered(size_t container, const ContainerStartAnswer& answer, ClockReading now);
  // A pull that the container waits for has ended, in whatever way: look again.
  void image_answered(size_t container, ClockReading now);
  void container_started(size_t container, const Result<void>& started, ClockReading now);
  // `message` is what the run left as its termination message.
  void container_exited(size_t container, const env::ContainerExit& exit,
                        const std::string& message, ClockReading now);
  void post_start_done(size_t container, bool succeeded, ClockReading now);
  void probe_changed(size_t container, bool started, bool ready, ClockReading now);
  // A startup or liveness probe has failed for good.
  void probe_failed(size_t container, ProbeKind probe) {
    containers_.probe_failed(container, probe);
  }

  // Volumes, objects and timers.
  void work_directory_failed();
  void set_up_done(const Result<void>& prepared, ClockReading now);
  void objects_read(ClockReading now);
  void volumes_refreshed(const Result<void>& refreshed, ClockReading now);
  void fields_updated(const Result<void>& updated);
  void timer_fired(PodTimer timer, ClockReading now);

  // Orders. Grace is the pod's own if that is less.
  void stop(Duration grace, ClockReading now);  // the node shuts down (K-74)
  void evict(const std::string& message, Duration grace, ForcedEnd::Kind kind,
             ClockReading now);        // K-63
  void preempt(ClockReading now);      // to make room for a critical pod (K-81)
  void kill() { containers_.kill(); }  // SIGKILL now

  bool ending() const { return ending_ != Ending::none; }
  bool stopped() const { return finished_ && !run().any_active(); }
  bool forgotten() const { return forgotten_; }
  bool is_set_up() const { return set_up_; }
  // Its requests count against the node's capacity (K-4): the API does not show yet that it ended.
  bool takes_room() const { return !stopped() && !forgotten_ && !is_terminal_phase(seen_.phase); }
  // Stopped, and the API server has the last status or no such pod.
  bool done() const { return stopped() && (forgotten_ || !status_pending_); }
  const PodSpecView& spec() const { return spec_; }
  const PodContainers& containers() const { return containers_; }
  // As the status says, if it has none yet.
  Time start_time() const { return start_time_; }

 private:
  enum class Ending { none, by_itself, told };

  void emit(PodAction action) { actions_.push_back(std::move(action)); }
  void emit_event(bool warning, std::string reason, std::string message);
  const PodRun& run() const { return containers_.run(); }

  // One round of decisions, from everything that is known.
  void advance(ClockReading now);
  bool may_start();
  void await_deadline(ClockReading now);
  void refresh_later();

  void on_deadline(ClockReading now);
  void end(Ending how, Duration grace, ClockReading now);
  void go_on_ending(ClockReading now);
  void finish();

  PodStatusView view() const;
  void report();
  void complete_rejected();
  void check_done();

  const Options options_;
  PodSpecView spec_;
  PodSeen seen_;
  std::deque<PodAction> actions_;
  PodContainers containers_;
  Time start_time_{};
  MonotonicTime active_since_{};  // the same on the clock that never jumps
  bool set_up_ = false;
  bool objects_stale_ = false;  // a container could not start for want of an object
  bool reading_objects_ = false;
  bool finished_ = false;
  bool forgotten_ = false;
  bool rejected_ = false;        // and its status says no more than that
  bool status_pending_ = false;  // something is not yet acknowledged
  Ending ending_ = Ending::none;
  std::optional<ForcedEnd> forced_;
  std::optional<MonotonicTime> stop_by_;  // the pod's grace ends then
};

}  // namespace windlass::node
