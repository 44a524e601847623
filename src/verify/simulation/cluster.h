// A whole control plane in one thread and virtual time: the API server, every controller, the
// scheduler and the nodes, each a process of its own that can crash, with a bad line between them.
// Every commit goes to the history and the monitors. Same seed, same faults: same run, to the hash.
#pragma once

#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "api/feature_gates.h"
#include "verify/simulation/api_host.h"
#include "verify/simulation/component.h"
#include "verify/simulation/history.h"
#include "verify/simulation/monitor.h"
#include "verify/simulation/script.h"
#include "verify/simulation/sightings.h"
#include "verify/simulation/simulated_ledger.h"
#include "verify/simulation/simulated_node.h"
#include "virtual_world/world.h"

namespace windlass::verify::simulation {

inline constexpr std::string_view kApiServer = "api-server";
inline constexpr std::string_view kJobController = "job-controller";
inline constexpr std::string_view kSecondJobController = "job-controller-2";
inline constexpr std::string_view kTaintEviction = "taint-eviction";
inline constexpr std::string_view kNodeLifecycle = "node-lifecycle";

struct TestedClusterOptions {
  std::vector<SimulatedNodeOptions> nodes = {{"node-1"}, {"node-2"}};
  bool elected = false;  // two Job controllers, of which the holder of a Lease works
  api::FeatureGates gates = {};
  store::StoreLimits limits = {};
  Duration latency = milliseconds(2);  // of a message, at most
  Duration commit_delay = Duration::zero();
  Allowances allowances = {};
};

class TestedCluster {
 public:
  TestedCluster(uint64_t seed, const TestedClusterOptions& options, FaultSource& faults);
  ~TestedCluster();
  TestedCluster(const TestedCluster&) = delete;
  TestedCluster& operator=(const TestedCluster&) = delete;

  void start();

  virtual_world::VirtualWorld& world() { return world_; }
  ApiHost& host() { return host_; }
  History& history() { return history_; }
  Report& report() { return report_; }
  Sightings& sightings() { return sightings_; }
  const Monitors& monitors() const { return monitors_; }
  // nullptr when there is none of this name.
  Component* component(std::string_view name);
  std::vector<std::string> component_names() const;

  // A component or the API server dies and comes back later.
  void crash(const std::string& name, Duration down_for);
  // Nothing of it runs for so long, and it does not know.
  void pause(const std::string& name, Duration length);
  // Everything dies; what comes back has these gates.
  void restart_with(const api::FeatureGates& gates);
  const api::FeatureGates& gates() const { return options_.gates; }
  // Everything is up and runs.
  void heal();

  // Commits so far that are no heartbeats of nodes.
  uint64_t changes() const { return changes_; }
  const std::string& last_change() const { return last_change_; }
  // The last commits, for reports.
  const std::deque<std::string>& log() const { return log_; }

 private:
  static constexpr size_t kMaxLog = 4000;

  void add(const std::string& name, Component::Factory factory);
  void add_controllers();
  void on_commit(std::string_view resource, const store::VersionPtr& version,
                 const WriteOrigin& writer);
  void on_node(const store::VersionPtr& version);
  void on_job(const JobChange& change);
  void on_pod(const PodChange& change);
  void keep_log(std::string_view resource, const store::Version& version,
                const WriteOrigin& writer);
  void start_later(const std::string& name, Duration delay);

  TestedClusterOptions options_;
  virtual_world::VirtualWorld world_;
  FaultSource& faults_;
  Generator generator_;
  History history_;
  Report report_;
  Sightings sightings_;
  Monitors monitors_;
  ProcessScripts scripts_;
  ApiHost host_;
  SimulatedLedger ledger_;
  std::vector<std::unique_ptr<Component>> components_;
  uint64_t changes_ = 0;
  std::string last_change_;
  std::deque<std::string> log_;
};

}  // namespace windlass::verify::simulation
