// Runs one pod: its init containers in order, then its containers, as processes; restarts them by
// policy; ends them with SIGTERM, grace and SIGKILL when the pod is deleted; reports its status.
//
// A container of a pod that has been seen running before this worker existed is never run again
// under restartPolicy Never: what cannot be found is reported as lost (disruption.md K-12).
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
#include "env/env.h"
#include "node/config.h"
#include "node/environment.h"
#include "node/pod_files.h"
#include "node/pod_plan.h"
#include "node/pod_status.h"
#include "node/status_writer.h"

namespace windlass::node {

struct WorkerHost {
  env::Env env;
  client::ApiClient& api;
  const AgentConfig& config;
  const HostFacts& facts;
  client::EventRecorder& events;
  ContainerObserver* observer = nullptr;
};

class PodWorker {
 public:
  // `on_done` runs when done() has become true, perhaps more than once, never inside a call to the
  // worker.
  PodWorker(WorkerHost host, PodPlan plan, PodSeen seen, std::function<void()> on_done);
  ~PodWorker();
  PodWorker(const PodWorker&) = delete;
  PodWorker& operator=(const PodWorker&) = delete;

  void start();
  // The object changed.
  void observe(PodSeen seen);
  // The object is gone; what still runs is killed with the least grace (K-44).
  void forget();
  // Ends the pod within `grace`, or its own grace if that is less.
  void stop(Duration grace);
  // Sends SIGKILL now.
  void kill();

  bool stopped() const { return finished_ && !run_.any_running(); }
  bool forgotten() const { return forgotten_; }
  // Stopped, and the API server knows all there is to know or has no such pod.
  bool done() const { return stopped() && (forgotten_ || writer_->idle()); }
  const PodPlan& plan() const { return plan_; }

 private:
  enum class Ending { none, by_itself, told };

  void adopt_seen_containers();
  void set_up();
  void advance();
  void start_due_containers();
  void start_container(size_t number);
  void spawn(size_t number, const ContainerCommand& command);
  void on_exit(size_t number, env::ProcessExit exit);
  void end_container(size_t number, Ended ended);
  void end(Ending how, Duration grace);
  void signal_next();
  void finish();
  void report();
  void notify_when_done();

  const ContainerPlan& plan_of(size_t number) const;
  ContainerLog log_of(size_t number) const;
  client::EventTarget event_target(size_t number) const;
  void schedule(env::TimerId& timer, Duration delay, void (PodWorker::*task)());
  void on_deadline();

  WorkerHost host_;
  PodPlan plan_;
  PodSeen seen_;
  std::function<void()> on_done_;
  PodFiles files_;
  PodRun run_;
  std::map<size_t, env::ProcessId> processes_;  // by container number, of those that run
  std::set<size_t> signalled_;                  // have got their SIGTERM
  Time start_time_{};
  bool set_up_ = false;
  bool finished_ = false;   // the final status is computed
  bool forgotten_ = false;  // the object is gone
  Ending ending_ = Ending::none;
  std::optional<ForcedEnd> forced_;
  std::optional<MonotonicTime> kill_at_;
  env::TimerId step_timer_ = env::TimerId::none;
  env::TimerId kill_timer_ = env::TimerId::none;
  env::TimerId deadline_timer_ = env::TimerId::none;
  std::unique_ptr<StatusWriter> writer_;
  std::shared_ptr<PodWorker*> self_;  // callbacks hold it weakly
};

}  // namespace windlass::node
