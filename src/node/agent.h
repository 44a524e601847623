// A node agent: registers its Node, and runs every pod that is bound to it, each by its own worker.
// The containers are the supervisor's (env::Containers): they outlive the agent, and a new one
// takes over those it finds, or ends them when their pods are gone.
//
// Lives on the client's executor. Owns the workers, by pod UID; a worker lives until its pod's
// object is gone and nothing of it runs. Stopping ends all pods gracefully and says when.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "client/api_client.h"
#include "client/event_recorder.h"
#include "client/informer.h"
#include "env/containers.h"
#include "env/env.h"
#include "env/supplies.h"
#include "node/admission.h"
#include "node/config.h"
#include "node/environment.h"
#include "node/heartbeats.h"
#include "node/machine_ports.h"
#include "node/node_shutdown.h"
#include "node/node_watch.h"
#include "node/pod_plan.h"
#include "node/pod_worker.h"
#include "node/pressure_eviction.h"
#include "node/registration.h"
#include "node/shutdown_mark.h"

namespace windlass::node {

class Agent {
 public:
  Agent(env::Env env, env::Containers& containers, client::ApiClient& api, AgentConfig config,
        ContainerObserver* observer = nullptr, env::NetworkChecks* network = nullptr,
        env::Supplies* supplies = nullptr);
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
  // It does not, after all: whoever waits for the end of all pods is not called back (K-71).
  void stay_up();
  // Kills what is left, without waiting for grace periods. After stop().
  void kill();

  size_t running_pods() const;
  const AgentConfig& config() const { return config_; }
  // Before it is started, where other nodes are on the same machine. Outlives the agent.
  void share_ports(MachinePorts& ports) { machine_ports_ = &ports; }

 private:
  struct BoundPod {
    PodPlan plan;
    PodSeen seen;
  };

  void on_support(const env::ContainerSupport& support);
  void on_runs(const std::vector<env::ContainerRunInfo>& runs);
  void sweep();
  void on_pod(const BoundPod& pod);
  PodWorker& add_worker(const BoundPod& pod);
  void take_ports(const PodPlan& plan);
  void run(const BoundPod& pod);
  // agent_admission.cc: new pods.
  void admit_waiting();
  void admit(const BoundPod& pod, bool node_is_fresh);
  std::optional<Rejection> refuse(const PodPlan& plan, const NodeRoom& room) const;
  NodeRoom room();
  void make_room(const BoundPod& pod, const std::vector<Shortage>& shortages);
  void admit_held();
  void admit_again(const PodIdentity& pod, bool node_is_fresh);
  void on_pod_gone(const BoundPod& pod);
  void on_worker_done(const std::string& uid);
  void finish_stop();
  void forget_shutdown();
  void warn_if_failed(const Result<void>& marked);
  void consider_shutdown();
  std::vector<NodeShutdown::Pod> live_pods() const;
  client::EventTarget node_target() const;
  void look_at_pods_later();
  PressureEviction::Host pressure_host(env::Supplies& supplies);
  void on_pressure(const pressure::Conditions& conditions);
  bool reclaim_disk();
  void say_health();

  env::Env env_;
  env::Containers& containers_;
  client::ApiClient& api_;
  AgentConfig config_;
  HostFacts facts_;
  placement::Resources allocatable_;
  int64_t max_pods_ = 0;
  ContainerObserver* observer_;
  env::NetworkChecks* network_;
  MachinePorts* machine_ports_ = nullptr;
  client::EventRecorder events_;
  Registration registration_;
  Heartbeats heartbeats_;
  NodeShutdown shutdown_;
  ShutdownMark shutdown_mark_;
  std::optional<Time> was_shut_down_;    // by an earlier agent, which did not say all of it
  std::set<std::string> ended_by_that_;  // UIDs of pods, until the API knows
  NodeWatch node_watch_;
  std::unique_ptr<PressureEviction> pressure_;  // null where nobody says what the machine has
  pressure::Conditions pressed_;
  std::map<std::string, std::unique_ptr<PodWorker>> workers_;
  env::ContainerSupport support_;
  std::map<std::string, PodRuns> found_runs_;  // of an earlier agent, until a worker has them
  std::vector<BoundPod> waiting_;              // new ones, until it is known who else is there
  // Critical ones, until the pods are gone that make room for them; by UID.
  struct HeldPod {
    PodIdentity pod;
    std::vector<std::string> victims;
  };
  std::map<std::string, HeldPod> held_;
  std::set<std::string> looked_at_;  // UIDs of those that wait for a look at the Node
  std::set<std::string> takers_;     // UIDs of the pods whose requests count
  std::function<void()> on_registered_;
  std::function<void()> on_stopped_;
  bool stopping_ = false;
  bool ordered_ = false;     // to shut down, by the Node object
  bool going_down_ = false;  // with its machine
  env::TimerId pods_timer_ = env::TimerId::none;
  client::Informer<BoundPod> pods_;
  std::shared_ptr<Agent*> self_;  // callbacks hold it weakly
};

}  // namespace windlass::node
