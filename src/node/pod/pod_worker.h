// Runs one pod: carries out what its PodLifecycle decides, and reports to it what happens. Knows
// the supervisor, the API server, files, timers and probes; decides nothing itself.
//
// The containers are the supervisor's and outlive this: a new worker adopts the runs it is given
// (known_runs.h). Owned by the agent, on its executor. Owns the pod's files.
#pragma once

#include <array>
#include <functional>
#include <map>
#include <memory>
#include <string>

#include "base/weak_self.h"
#include "client/api_client.h"
#include "client/event_recorder.h"
#include "env/containers.h"
#include "env/env.h"
#include "env/network_checks.h"
#include "node/config.h"
#include "node/container/container_starter.h"
#include "node/container/container_stops.h"
#include "node/container/known_runs.h"
#include "node/pod/pod_files.h"
#include "node/pod/pod_lifecycle.h"
#include "node/pod/pod_spec_view.h"
#include "node/pod/pod_status_writer.h"
#include "node/probes/pod_probes.h"
#include "node/volumes/pod_setup.h"
#include "node/volumes/storage_limits.h"

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
  PodWorker(WorkerHost host, PodSpecView spec, PodSeen seen, std::function<void()> on_done);
  ~PodWorker();
  PodWorker(const PodWorker&) = delete;
  PodWorker& operator=(const PodWorker&) = delete;

  using Begin = PodLifecycle::Begin;
  // `runs` are those of this pod that an earlier agent started.
  void start(const PodRuns& runs = {}, Begin begin = Begin::running);
  // Instead: the node does not take the pod (K-2).
  void reject(const std::string& reason, const std::string& message);
  // The object changed.
  void observe(PodSeen seen);
  void update_spec(const PodSpecView& spec);
  // The object is gone.
  void forget();
  // Writes the status again where the API has lost it (K-40).
  void reconcile();
  // Ends the pod within `grace`, or its own grace if that is less.
  void stop(Duration grace);
  // Evicts the pod if it has more on the disk than it may (K-62). Looks at files.
  void check_storage();
  // Ends it with reason Evicted (K-63), within `grace` or its own if that is less.
  void evict(const std::string& message, Duration grace, ForcedEnd::Kind kind);
  // Ends it to make room for a critical pod (K-81).
  void preempt();
  // Sends SIGKILL now.
  void kill();
  // Looks at files.
  StorageUse storage_use() const;

  bool ending() const { return lifecycle_.ending(); }
  bool stopped() const { return lifecycle_.stopped(); }
  bool forgotten() const { return lifecycle_.forgotten(); }
  bool takes_room() const { return lifecycle_.takes_room(); }
  bool done() const { return lifecycle_.done(); }
  const PodSpecView& spec() const { return lifecycle_.spec(); }

 private:
  // Until nothing is left to do. A call from within an action leaves that to the outer one.
  void carry_out();
  void act(const SetPodTimer& action);
  void act(const CancelPodTimer& action);
  void act(const SetUpPod& action);
  void act(const ReadPodObjects& action);
  void act(const RefreshVolumes& action);
  void act(const UpdateFieldVolumes& action);
  void act(const StartContainer& action);
  void act(const AttachContainer& action);
  void act(const RunPostStart& action);
  void act(const BeginProbes& action);
  void act(const EndProbes& action);
  void act(const StopContainer& action);
  void act(const SignalContainer& action);
  void act(const KillRun& action);
  void act(const ForgetRun& action);
  void act(const CancelPending& action);
  void act(WritePodStatus& action);
  void act(const RemovePodObject& action);
  void act(const EmitPodEvent& action);
  void act(const RemoveWorkFiles& action);
  void act(const RemoveLogs& action);
  void act(const ReportPodDone& action);

  void on_started(size_t container, const Result<void>& started);
  void on_exit(size_t container, const env::ContainerExit& exit);
  void on_post_start(size_t container, const HandlerResult& result);
  std::function<void(const env::ContainerExit&)> exit_callback(size_t container);
  std::string termination_message(size_t container, int exit_code) const;
  Result<HandlerTarget> handler_target(size_t container) const;
  PodProbes::Host probes_host();
  ContainerStops::Host stops_host();
  PodStatusWriter::Host writer_host() const;
  ImagePullHost images_host();
  void cancel(PodTimer timer);

  ClockReading now() { return {host_.env.clock.now(), host_.env.clock.monotonic()}; }
  const ContainerSpecView& spec_of(size_t container) const;
  const ContainerRun& run_of(size_t container) const;
  ContainerLog log_of(size_t container) const;
  client::EventTarget event_target(std::optional<size_t> container) const;

  WorkerHost host_;
  PodLifecycle lifecycle_;
  std::function<void()> on_done_;
  PodFiles files_;
  PodSetup setup_;
  ImagePulls images_;
  ContainerStarter starter_;
  HandlerRunner handlers_;
  PodProbes probes_;
  ContainerStops stops_;
  PodStatusWriter writer_;
  std::map<size_t, HandlerRunner::Handle> post_starts_;  // under way, by container
  std::array<env::TimerId, kPodTimers> timers_{};
  bool acting_ = false;
  WeakSelf<PodWorker> self_{this};
};

}  // namespace windlass::node
