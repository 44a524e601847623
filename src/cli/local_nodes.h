// The nodes of this process that run containers, for `windlass up` and `windlass node`: for each an
// agent, a folder of its own, and a supervisor that holds its containers and outlives this process.
// Nodes of an earlier `windlass up` that are not wanted any more are ended, with what runs on them.
//
// Lives on env.executor. Destroyed, it leaves the containers alone.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cli/container_factory.h"
#include "cli/node_settings.h"
#include "client/api_client.h"
#include "env/env.h"
#include "node/agent.h"

namespace windlass::cli {

class LocalNodes {
 public:
  struct Options {
    std::vector<std::string> names;
    std::string folder;        // absolute; each has its own below it, by its name
    bool ends_others = false;  // all other nodes in the folder are ended
    NodeSettings settings;
    env::NetworkChecks* network = nullptr;  // outlives the nodes
    env::Supplies* supplies = nullptr;      // outlives the nodes
  };

  LocalNodes(env::Env env, ContainerFactory containers, client::ApiClient& api, Options options);

  // `on_ready` may run within the call. `on_missing` hears once what containers do not get here, if
  // there is such a thing.
  void start(std::function<void()> on_ready,
             std::function<void(const std::vector<std::string>&)> on_missing);
  // The nodes shut down: all pods end as the groups of the options say, then the supervisors.
  void stop(std::function<void()> on_stopped);
  // Without the API server: what still runs gets SIGTERM and half a minute. There is at least one
  // node.
  void end_supervisors(std::function<void()> on_ended);
  // The machine goes down: the nodes shut down, their supervisors go with it. `on_done` runs when
  // no pod is left, unless the machine stays up after all.
  void prepare_for_shutdown(const std::function<void()>& on_done);
  void stay_up();
  size_t running_pods() const;
  // Where the node of this name has its files.
  std::optional<std::string> directory_of(const std::string& node) const;

 private:
  struct Node {
    std::string directory;
    std::shared_ptr<env::Containers> containers;
    std::unique_ptr<node::Agent> agent;
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

// Whether the node with these files has a supervisor at work.
bool has_supervisor(const std::string& node_directory);
// Without the agent that knows the pods: SIGTERM to all that such a supervisor runs, half a minute
// later the rest is killed, and it ends. `executor` and `clock` outlive that.
void end_gently(env::Executor& executor, env::Clock& clock,
                const std::shared_ptr<env::Containers>& containers,
                const std::function<void()>& ended);

// How `windlass up` calls so many nodes: node-1, node-2, ...
std::vector<std::string> numbered_nodes(size_t count);
// Below a data directory: the folder of the nodes of `windlass up`, and that of the nodes of
// `windlass node` that share it.
std::string up_nodes_folder(const std::string& data_dir);
std::string joined_nodes_folder(const std::string& data_dir);
// The nodes' own in such a folder, whoever made them.
std::vector<std::string> node_directories(env::Files& files, const std::string& folder);

}  // namespace windlass::cli
