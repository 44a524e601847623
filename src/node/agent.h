// A node agent: registers its Node, and runs every pod that is bound to it, each by its own worker.
// The containers are the supervisor's (env::Containers): they outlive the agent, and a new one
// takes over those it finds, or ends them when their pods are gone.
//
// Lives on the client's executor. Owns the parts: registration and heartbeats, admission, workers,
// shutdown, eviction. Stopping ends all pods gracefully and says when.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/weak_self.h"
#include "client/api_client.h"
#include "client/event_recorder.h"
#include "client/informer.h"
#include "env/containers.h"
#include "env/env.h"
#include "env/host_resources.h"
#include "node/config.h"
#include "node/container/environment.h"
#include "node/heartbeats.h"
#include "node/machine_ports.h"
#include "node/node_watch.h"
#include "node/pod/pod_admission.h"
#include "node/pod/pod_spec_view.h"
#include "node/pod/pod_worker.h"
#include "node/pod/pod_workers.h"
#include "node/pressure/pressure_eviction.h"
#include "node/registration.h"
#include "node/shutdown/shutdown_manager.h"

namespace windlass::node {

class Agent {
 public:
  Agent(env::Env env, env::Containers& containers, client::ApiClient& api, AgentConfig config,
        ContainerObserver* observer = nullptr, env::NetworkChecks* network = nullptr,
        env::HostResources* host_resources = nullptr);
  ~Agent();
  Agent(const Agent&) = delete;
  Agent& operator=(const Agent&) = delete;

  // `on_registered` runs once the Node object says Ready.
  void start(std::function<void()> on_registered = {});
  // No pod starts any more; all end within `grace` (or their own, if less). `on_stopped` runs when
  // nothing is left running and the API knows.
  void stop(Duration grace, std::function<void()> on_stopped);
  // The machine goes down: the node is not ready any more, takes no pods, and ends those it has,
  // group by group (disruption.md K-70 to K-74). `on_done` runs as with stop().
  void shut_down(std::function<void()> on_done);
  // It does not, after all: the callback of shut_down() does not run (K-71).
  void stay_up();
  // Kills what is left, without waiting for grace periods. After stop().
  void kill();

  size_t running_pods() const;
  const AgentConfig& config() const { return config_; }
  // Before it is started, where other nodes are on the same machine. Outlives the agent.
  void share_ports(MachinePorts& ports) { workers_.share_ports(ports); }

 private:
  void on_support(const env::ContainerSupport& support);
  void on_runs(const std::vector<env::ContainerRunInfo>& runs);
  void on_synced();
  void sweep();
  void on_pod(const BoundPod& pod);
  void run(const BoundPod& pod);
  void on_pod_gone(const BoundPod& pod);
  void on_worker_done(const std::string& uid);
  void finish_stop();
  void check_pods_later();
  client::EventTarget node_target() const;
  WorkerHost worker_host();
  ShutdownManager::Host shutdown_host();
  PodAdmission::Host admission_host();
  PressureEviction::Host pressure_host(env::HostResources& host_resources);
  void on_pressure(const pressure::Conditions& conditions);
  bool reclaim_disk();
  void report_health();

  env::Env env_;
  env::Containers& containers_;
  client::ApiClient& api_;
  AgentConfig config_;
  HostFacts facts_;
  env::ContainerSupport support_;
  ContainerObserver* observer_;
  env::NetworkChecks* network_;
  client::EventRecorder events_;
  Registration registration_;
  Heartbeats heartbeats_;
  PodWorkers workers_;
  ShutdownManager shutdown_;
  NodeWatch node_watch_;
  pressure::Conditions pressed_;
  PodAdmission admission_;
  std::unique_ptr<PressureEviction> pressure_;  // null where nothing measures the machine
  std::map<std::string, PodRuns> found_runs_;   // of an earlier agent, until a worker has them
  std::function<void()> on_registered_;
  std::function<void()> on_stopped_;
  bool stopping_ = false;
  env::TimerId pods_timer_ = env::TimerId::none;
  client::Informer<BoundPod> pods_;
  WeakSelf<Agent> self_{this};
};

}  // namespace windlass::node
