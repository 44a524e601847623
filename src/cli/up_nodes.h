// The nodes of `windlass up` that run containers: for each an agent, a folder of its own below the
// data directory, and a supervisor that holds its containers and outlives this process. Nodes of
// an earlier process that are not wanted any more are ended, with what runs on them.
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
#include "cli/image_options.h"
#include "client/api_client.h"
#include "env/env.h"
#include "node/agent.h"

namespace windlass::cli {

class UpNodes {
 public:
  struct Options {
    size_t count = 1;
    std::string data_dir;  // absolute; nodes/<name> appears below it
    std::map<std::string, std::string> capacity;
    std::vector<std::string> environment;
    bool disruption_conditions = true;      // gate PodDisruptionConditions
    env::NetworkChecks* network = nullptr;  // outlives the nodes
    node::ShutdownGroups shutdown = {};
    NodeImages images = {};
    env::Supplies* supplies = nullptr;  // outlives the nodes
    node::pressure::Config pressure = {};
  };

  UpNodes(env::Env env, ContainerFactory containers, client::ApiClient& api, Options options);

  // `on_ready` may run within the call. `on_missing` hears once what containers do not get here, if
  // there is such a thing.
  void start(std::function<void()> on_ready,
             std::function<void(const std::vector<std::string>&)> on_missing);
  // The nodes shut down: all pods end as the groups of the options say, then the supervisors.
  void stop(std::function<void()> on_stopped);
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

  void end_dropped();
  void on_dropped(const std::string& name, const std::string& directory);

  env::Env env_;
  ContainerFactory make_containers_;
  client::ApiClient& api_;
  const Options options_;
  std::map<std::string, Node> nodes_;
  std::map<std::string, std::shared_ptr<env::Containers>> dropped_;  // until they have ended
};

// The supervisors' directories that are there, whoever made them.
std::vector<std::string> supervisor_directories(env::Files& files, const std::string& data_dir);

}  // namespace windlass::cli
