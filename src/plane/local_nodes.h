// The nodes of this process that run containers, for `windlass up` and `windlass node`: for each an
// agent, a folder of its own, and a supervisor that holds its containers and outlives this process.
// Nodes of an earlier `windlass up` that are no longer configured end, with their pods.
//
// Lives on env.executor. Its containers outlive it.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "client/api_client.h"
#include "env/env.h"
#include "node/agent.h"
#include "plane/container_factory.h"
#include "plane/node_settings.h"

namespace windlass::plane {

class LocalNodes {
 public:
  struct Options {
    std::vector<std::string> names;
    std::string folder;        // absolute; each node has a folder of its name in it
    bool ends_others = false;  // ends all other nodes in the folder
    NodeSettings settings;
    env::NetworkChecks* network = nullptr;         // outlives the nodes
    env::HostResources* host_resources = nullptr;  // outlives the nodes
    ContainerLife life = ContainerLife::outlive_owner;
  };

  LocalNodes(env::Env env, ContainerFactory containers, client::ApiClient& api, Options options);

  // `on_ready` may run within the call. `on_missing` gets the isolation features that containers do
  // not have on this machine.
  void start(std::function<void()> on_ready,
             std::function<void(const std::vector<std::string>&)> on_missing);
  // Shuts the nodes down: first all pods, by the shutdown groups, then the supervisors.
  void stop(std::function<void()> on_stopped);
  // Kills all containers at once, and ends the supervisors. Nothing is written to the API any more.
  void kill(std::function<void()> on_killed);
  // Without the API server: running containers get SIGTERM and 30 seconds. There is at least one
  // node.
  void end_supervisors(std::function<void()> on_ended);
  // For a shutdown of the machine, which ends the supervisors itself. `on_done` runs when no pod is
  // left, unless the shutdown is cancelled.
  void prepare_for_shutdown(const std::function<void()>& on_done);
  void stay_up();
  size_t running_pods() const;
  // The folder of the node of this name.
  std::optional<std::string> directory_of(const std::string& node) const;

 private:
  struct Node {
    std::string directory;
    std::shared_ptr<env::Containers> containers;
    std::unique_ptr<node::Agent> agent;  // null after kill()
  };

  void end_others();
  void on_dropped(const std::string& name, const std::string& directory);

  env::Env env_;
  ContainerFactory make_containers_;
  client::ApiClient& api_;
  const Options options_;
  node::MachinePorts ports_;
  std::map<std::string, Node> nodes_;
  std::map<std::string, std::shared_ptr<env::Containers>> dropped_;  // until they have ended
};

// Whether the supervisor of the node with these files is running.
bool has_supervisor(const std::string& node_directory);
// Ends a supervisor without an agent, which would know the grace periods: sends SIGTERM to all
// containers, and after 30 seconds SIGKILL. `executor` and `clock` outlive that.
void end_gently(env::Executor& executor, env::Clock& clock,
                const std::shared_ptr<env::Containers>& containers,
                const std::function<void()>& ended);

// The names of the nodes of `windlass up`: node-1, node-2, ...
std::vector<std::string> numbered_nodes(size_t count);
// Below a data directory: the folder of the nodes of `windlass up`, and that of the nodes of
// `windlass node` that share it.
std::string up_nodes_folder(const std::string& data_dir);
std::string joined_nodes_folder(const std::string& data_dir);
// The directories of all nodes in such a folder.
std::vector<std::string> node_directories(env::Files& files, const std::string& folder);

}  // namespace windlass::plane
