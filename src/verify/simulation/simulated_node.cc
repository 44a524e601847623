#include "verify/simulation/simulated_node.h"

#include <cstdlib>

#include "node/agent.h"
#include "virtual_world/virtual_containers.h"
#include "virtual_world/virtual_files.h"

namespace windlass::verify::simulation {
namespace {

std::optional<int32_t> index_of(const env::ContainerRequest& request) {
  constexpr std::string_view kName = "JOB_COMPLETION_INDEX=";
  for (const std::string& variable : request.environment) {
    if (variable.starts_with(kName)) {
      return std::atoi(variable.c_str() + kName.size());
    }
  }
  return std::nullopt;
}

class SimulatedAgent final : public SimulatedProcess, private node::ContainerObserver {
 public:
  SimulatedAgent(const client::ClientEnv& env, const SimulatedNodeOptions& options,
                 ProcessScripts& scripts, History& history)
      : clock_(env.clock),
        history_(history),
        containers_(env.executor, env.clock,
                    [this, &scripts](const env::ContainerRequest& request) {
                      return run(scripts, request);
                    }),
        agent_(env::Env{env.clock, env.random, env.executor, env.log, files_}, containers_,
               env.client, config(options), this) {
    agent_.start();
  }

 private:
  static node::AgentConfig config(const SimulatedNodeOptions& options) {
    node::AgentConfig config;
    config.host_root = {true, true};  // processes are functions
    config.node_name = options.name;
    config.data_dir = "/data";
    config.capacity = {{"cpu", options.cpu}, {"memory", "8Gi"}, {"pods", "110"}};
    config.disruption_conditions = options.disruption_conditions;
    return config;
  }

  Result<virtual_world::VirtualProcess> run(ProcessScripts& scripts,
                                            const env::ContainerRequest& request) {
    if (request.command.size() != 3 || request.command[0] != "sim") {
      return fail(plain_error("exec: executable file not found in $PATH"));
    }
    const std::optional<int32_t> index = index_of(request);
    TRY(virtual_world::VirtualProcess process,
        scripts.next(request.command[1], index, request.command[2]));
    const std::string uid = request.id.substr(0, request.id.find('/'));
    history_.on_execution({uid, request.command[1], index, clock_.monotonic(), {}});
    return process;
  }

  void on_container_started(const node::ContainerLog&) override {}
  void on_container_ended(const node::ContainerLog& log, int exit_code) override {
    history_.on_exit(log.pod_uid, exit_code);
  }

  env::Clock& clock_;
  History& history_;
  virtual_world::VirtualFiles files_;
  virtual_world::VirtualContainers containers_;
  node::Agent agent_;
};

}  // namespace

std::unique_ptr<SimulatedProcess> make_node(const client::ClientEnv& env,
                                            const SimulatedNodeOptions& options,
                                            ProcessScripts& scripts, History& history) {
  return std::make_unique<SimulatedAgent>(env, options, scripts, history);
}

}  // namespace windlass::verify::simulation
