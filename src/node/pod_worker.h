// Runs one pod: its init containers in order, then its containers; restarts them by policy; ends
// them with SIGTERM, grace and SIGKILL when the pod is deleted; reports its status.
//
// The containers are the supervisor's and outlive this: a new worker adopts the runs it is given
// (known_runs.h). A run is forgotten there only when the API server has its end, or the pod's
// object is gone, so that nothing runs twice under restartPolicy Never (reliability.md N1).
// Owned by the agent, on its executor. Owns the pod's files.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>

#include "client/api_client.h"
#include "client/event_recorder.h"
#include "env/containers.h"
#include "env/env.h"
#include "env/network_checks.h"
#include "node/config.h"
#include "node/container_stops.h"
#include "node/environment.h"
#include "node/image_pull.h"
#include "node/known_runs.h"
#include "node/pod_files.h"
#include "node/pod_plan.h"
#include "node/pod_probes.h"
#include "node/pod_setup.h"
#include "node/pod_status.h"
#include "node/status_writer.h"
#include "node/storage_limits.h"

namespace windlass::node {

struct WorkerHost {
  env::Env env;
  env::Containers& containers;
  const env::ContainerSupport& support;
  client::ApiClient& api;
  const AgentConfig& config;
  const HostFacts& facts;
  client::EventRecorder& events;
  ContainerObserver* observer = nullptr;
  env::NetworkChecks* network = nullptr;
};

class PodWorker {
 public:
  // `on_done` runs when done() has become true, perhaps more than once, never inside a call to the
  // worker.
  PodWorker(WorkerHost host, PodPlan plan, PodSeen seen, std::function<void()> on_done);
  ~PodWorker();
  PodWorker(const PodWorker&) = delete;
  PodWorker& operator=(const PodWorker&) = delete;

  // `runs` are those of this pod that an earlier agent started; with `shut_down` they end, or have
  // ended, because the node shut down, and no more is started.
  enum class Begin { running, shut_down };
  void start(const PodRuns& runs = {}, Begin begin = Begin::running);
  // Instead: the node does not take the pod (K-2).
  void reject(const std::string& reason, const std::string& message);
  // The object changed.
  void observe(PodSeen seen);
  // Says again what the API has lost of the status (K-40): a node that was not ready for a while
  // finds its pods marked so, and an end that somebody wrote over is waited for.
  void reconcile();
  // Takes up what may change of a running pod: labels and annotations, which downwardAPI volumes
  // follow at once, and the active deadline, which counts from the pod's start (K-43).
  void take_up(const PodPlan& now);
  // The object is gone; what still runs is killed with the least grace (K-44).
  void forget();
  // Ends the pod within `grace`, or its own grace if that is less.
  void stop(Duration grace);
  // Evicts the pod if it has more on the disk than it may (K-62). Looks at files.
  void check_storage();
  // Ends it with reason Evicted (K-63), within `grace` or its own if that is less.
  void evict(const std::string& message, Duration grace, ForcedEnd::Kind kind);
  // Ends it to make room for a critical pod (K-81).
  void preempt();
  // Looks at files.
  StorageUse storage_use() const;
  // Sends SIGKILL now.
  void kill();

  bool ending() const { return ending_ != Ending::none; }
  bool stopped() const { return finished_ && !run_.any_active(); }
  bool forgotten() const { return forgotten_; }
  // What it asks for is taken (K-4): nobody has been told yet that it is over.
  bool takes_room() const { return !stopped() && !forgotten_ && !is_terminal_phase(seen_.phase); }
  // Stopped, and the API server knows all there is to know or has no such pod.
  bool done() const { return stopped() && (forgotten_ || writer_->idle()); }
  const PodPlan& plan() const { return plan_; }

 private:
  enum class Ending { none, by_itself, told };

  void adopt_runs(const PodRuns& runs);
  void fill_in_rejected();
  void hold(size_t number, Waiting why, MonotonicTime until);
  void block(size_t number, const Status& why);
  void advance();
  void start_due_containers();
  void start_container(size_t number);
  void ask_for(size_t number, const ContainerCommand& command, const ImageAnswer& image);
  void refuse_start(size_t number, const Status& why, const ImageAnswer& image);
  void on_started(size_t number, const Result<void>& started);
  void refused(size_t number, const Status& why);
  void on_exit(size_t number, const env::ContainerExit& exit);
  void add_last_words(size_t number, Ended& ended) const;
  void end_container(size_t number, Ended ended);
  void end(Ending how, Duration grace);
  void signal_next();
  // pod_worker_volumes.cc: what has to be there before anything starts.
  void warn_of_ignored();
  void set_up();
  void refresh_later();
  void refresh();
  void on_prepared(const Result<void>& prepared);
  bool may_start_now();
  void update_fields();
  void unblock();
  // pod_worker_checks.cc: hooks, probes, and stopping one container.
  void begin_checks(size_t number);
  void on_post_start(size_t number, const HandlerResult& result);
  void begin_probes(size_t number, Duration age, ProbeState::Before before);
  void resume_checks();
  void end_checks(size_t number);
  void on_probe_change(size_t number, const ProbeState& state);
  void stop_unhealthy(size_t number, Duration grace, const std::string& why);
  void kill_by_probe(size_t number, ProbeKind kind);
  Result<HandlerTarget> handler_target(size_t number) const;
  PodProbes::Host probes_host();
  ContainerStops::Host stops_host();
  void finish();
  PodStatusView view_now() const;
  void report();
  void notify_when_done();
  void forget_runs(std::optional<size_t> of_container = std::nullopt);

  const ContainerPlan& plan_of(size_t number) const;
  ContainerLog log_of(size_t number, int attempt) const;
  std::function<void(const env::ContainerExit&)> exit_callback(size_t number);
  client::EventTarget pod_target() const;
  client::EventTarget event_target(size_t number) const;
  void schedule(env::TimerId& timer, Duration delay, void (PodWorker::*task)());
  void await_deadline();
  void on_deadline();

  WorkerHost host_;
  PodPlan plan_;
  PodSeen seen_;
  std::function<void()> on_done_;
  PodFiles files_;
  PodSetup setup_;
  ImagePulls images_;
  PodRun run_;
  HandlerRunner handlers_;
  PodProbes probes_;
  ContainerStops stops_;
  std::map<size_t, HandlerRunner::Handle> post_starts_;  // under way
  std::map<size_t, std::string> run_ids_;                // by container number: its newest run
  std::map<std::string, size_t> over_;  // runs that have ended, and whose; not yet forgotten
  Time start_time_{};
  MonotonicTime active_since_{};  // the same on the clock that nobody sets
  bool set_up_ = false;
  bool objects_stale_ = false;  // something that may yet come was not there
  bool reading_ = false;        // the objects, again
  bool finished_ = false;       // the final status is computed
  bool forgotten_ = false;      // the object is gone
  bool rejected_ = false;       // not admitted, and its status says no more than that
  Ending ending_ = Ending::none;
  std::optional<ForcedEnd> forced_;
  std::optional<MonotonicTime> stop_by_;  // the pod's grace ends then
  env::TimerId step_timer_ = env::TimerId::none;
  env::TimerId deadline_timer_ = env::TimerId::none;
  env::TimerId refresh_timer_ = env::TimerId::none;
  std::unique_ptr<StatusWriter> writer_;
  std::shared_ptr<PodWorker*> self_;  // callbacks hold it weakly
};

}  // namespace windlass::node
