// A hollow node in the simulated cluster: the pods' scripts, which real nodes read from commands,
// come in the annotation windlass.dev/hollow-script.
#include <cstdlib>

#include "node/hollow/hollow_nodes.h"
#include "verify/simulation/simulated_node.h"

namespace windlass::verify::simulation {
namespace {

using node::hollow::Behavior;
using node::hollow::PodSpec;

std::optional<Duration> limited(Duration length) {
  return length == virtual_world::VirtualProcess::kForever ? std::nullopt : std::optional(length);
}

// The same life for a pod whatever asks, also after a crash: attempts count pods.
Behavior behave(const PodSpec& pod, ProcessScripts& scripts, History& history, env::Clock& clock) {
  const std::optional<int32_t> index =
      pod.index.empty() ? std::nullopt : std::optional(std::atoi(pod.index.c_str()));
  const auto script = pod.told.find("script");
  Behavior behavior;
  const Result<virtual_world::VirtualProcess> process =
      scripts.of_pod(pod.uid, pod.job, index, script == pod.told.end() ? "0@1" : script->second);
  if (!process) {
    behavior.error = process.error().message;
    return behavior;
  }
  behavior.duration = limited(process->duration);
  behavior.exit_code = process->exit.code;
  behavior.term_delay = limited(process->term_delay);
  behavior.term_exit_code = process->exit_on_term.code;
  const bool may_succeed = behavior.exit_code == 0 || behavior.term_exit_code == 0;
  history.on_hollow_execution({pod.uid, pod.job, index, clock.monotonic(), may_succeed ? 0 : 1});
  return behavior;
}

class SimulatedHollowNode final : public SimulatedProcess {
 public:
  SimulatedHollowNode(const client::ClientEnv& env, const SimulatedNodeOptions& options,
                      ProcessScripts& scripts, History& history)
      : nodes_(env, hollow_options(options,
                                   [&scripts, &history, &clock = env.clock](const PodSpec& pod) {
                                     return behave(pod, scripts, history, clock);
                                   })) {
    nodes_.start();
  }

 private:
  static node::hollow::HollowOptions hollow_options(const SimulatedNodeOptions& options,
                                                    node::hollow::Script script) {
    node::AgentConfig config = node::hollow::hollow_config(0);
    config.node_name = options.name;
    config.capacity = {{"cpu", options.cpu}, {"memory", "8Gi"}, {"pods", "110"}};
    node::hollow::HollowOptions hollow;
    hollow.nodes = {config};
    hollow.script = std::move(script);
    hollow.disruption_conditions = options.disruption_conditions;
    return hollow;
  }

  node::hollow::HollowNodes nodes_;
};

}  // namespace

std::unique_ptr<SimulatedProcess> make_hollow_node(const client::ClientEnv& env,
                                                   const SimulatedNodeOptions& options,
                                                   ProcessScripts& scripts, History& history) {
  return std::make_unique<SimulatedHollowNode>(env, options, scripts, history);
}

}  // namespace windlass::verify::simulation
