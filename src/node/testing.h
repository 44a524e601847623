// For tests only: a node agent in a simulated world, and processes that do as their command says.
//   [run, SECONDS, CODE]                 ends by itself, or at once on SIGTERM with 143
//   [run, SECONDS, CODE, DELAY, CODE2]   ends DELAY seconds after SIGTERM, with CODE2
//   [missing]                            cannot be started
//   [flaky, SECONDS, N]                  fails with 1 the first N times in this pod, then succeeds
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "apiserver/testing.h"
#include "env/network_checks.h"
#include "node/agent.h"
#include "virtual_world/virtual_containers.h"
#include "virtual_world/virtual_files.h"

namespace windlass::node::testing {

class ScriptedProcesses {
 public:
  Result<virtual_world::VirtualProcess> operator()(const env::ContainerRequest& request) {
    const std::vector<std::string>& words = request.command;
    const auto number = [&words](size_t i) { return i < words.size() ? std::stoi(words[i]) : 0; };
    if (words.at(0) == "missing") {
      return fail(plain_error("exec: \"missing\": executable file not found in $PATH"));
    }
    virtual_world::VirtualProcess process;
    process.duration = number(1) < 0 ? virtual_world::VirtualProcess::kForever : seconds(number(1));
    if (words.at(0) == "flaky") {
      const bool fails = runs_[request.id.substr(0, request.id.find('/'))]++ < number(2);
      process.exit = {fails ? 1 : 0, 0};
    } else {
      process.exit = {number(2), 0};
    }
    if (words.size() > 4) {
      process.term_delay = seconds(number(3));
      process.exit_on_term = {number(4), 0};
    }
    return process;
  }

 private:
  std::map<std::string, int> runs_;  // by pod UID
};

class RecordingObserver final : public ContainerObserver {
 public:
  void on_container_started(const ContainerLog& log) override { started.push_back(log); }
  void on_container_ended(const ContainerLog& log, int exit_code) override {
    ended.emplace_back(log, exit_code);
  }

  std::vector<ContainerLog> started;
  std::vector<std::pair<ContainerLog, int>> ended;
};

// Ports that answer as a script says, at once; a negative status is no connection.
class ScriptedNetwork final : public env::NetworkChecks {
 public:
  explicit ScriptedNetwork(env::Executor& executor) : executor_(executor) {}

  Handle get(const env::HttpCheck& check, Duration, OnStatus on_status) override {
    asked.push_back(check);
    return later([status = statuses[check.port], on_status = std::move(on_status)] {
      on_status(status < 0 ? Result<int>(fail(plain_error("connection refused"))) : status);
    });
  }
  Handle connect(const std::string& address, uint16_t port, Duration,
                 OnConnected on_connected) override {
    asked.push_back({false, address, port, "", {}});
    return later([status = statuses[port], on_connected = std::move(on_connected)] {
      on_connected(status < 0 ? Result<void>(fail(plain_error("connection refused")))
                              : Result<void>());
    });
  }

  Handle ask_health(const env::GrpcCheck& check, Duration, OnHealth on_health) override {
    asked_health.push_back(check);
    return later(
        [health = healths[check.port], on_health = std::move(on_health)] { on_health(health); });
  }

  std::map<uint16_t, int> statuses;
  std::map<uint16_t, env::GrpcHealth> healths;
  std::vector<env::GrpcCheck> asked_health;
  std::vector<env::HttpCheck> asked;

 private:
  Handle later(std::function<void()> task) {
    const auto handle = std::make_shared<bool>(true);
    executor_.post([weak = std::weak_ptr<bool>(handle), task = std::move(task)] {
      if (weak.lock()) {
        task();
      }
    });
    return handle;
  }

  env::Executor& executor_;
};

// A machine that has what a test says.
class ScriptedHostResources final : public env::HostResources {
 public:
  env::HostResourceLevels look(const std::string&) override {
    if (on_look) {
      on_look(now);
    }
    return now;
  }

  env::HostResourceLevels now;
  std::function<void(env::HostResourceLevels&)> on_look;
};

struct SimulatedNode {
  explicit SimulatedNode(apiserver::testing::SimulatedApi& api, std::string name = "node-1",
                         const std::function<void(AgentConfig&)>& change = {})
      : containers(api.world.executor(), api.world.clock(),
                   [this](const env::ContainerRequest& request) {
                     spawned.push_back(request);
                     Result<virtual_world::VirtualProcess> process = script(request);
                     if (process && on_spawn) {
                       on_spawn(request, *process);
                     }
                     return process;
                   }),
        network(api.world.executor()) {
    config.node_name = std::move(name);
    config.data_dir = "/data";
    config.host_root = {true, true};  // of whatever image a pod names
    config.capacity = {{"cpu", "4"}, {"memory", "8Gi"}, {"pods", "110"}};
    if (change) {
      change(config);
    }
    make_agent(api);
  }

  // A new agent on the same machine, in place of any that is there.
  void make_agent(apiserver::testing::SimulatedApi& api) {
    agent.reset();
    const env::Env env{api.world.clock(), api.world.random(), api.world.executor(), api.world.log(),
                       files};
    agent = std::make_unique<Agent>(env, containers, api.client, config, &observer, &network,
                                    &host_resources);
  }

  AgentConfig config;
  ScriptedProcesses script;
  // Last word on what a process does.
  std::function<void(const env::ContainerRequest&, virtual_world::VirtualProcess&)> on_spawn;
  std::vector<env::ContainerRequest> spawned;
  virtual_world::VirtualFiles files;
  virtual_world::VirtualContainers containers;
  ScriptedNetwork network;
  ScriptedHostResources host_resources;
  RecordingObserver observer;
  std::unique_ptr<Agent> agent;
};

}  // namespace windlass::node::testing
