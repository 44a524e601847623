#include "cli/commands/node/machine_shutdown.h"

#include <fmt/format.h>

#include <optional>
#include <utility>

#include "cli/output/text.h"

namespace windlass::cli {

void follow_machine(env::MachineShutdown& machine, plane::LocalNodes& nodes,
                    const node::ShutdownGroups& groups, Output& output,
                    std::function<bool()> stopping) {
  std::optional<Duration> wanted;
  for (const node::ShutdownGroup& group : groups) {
    wanted = wanted.value_or(Duration::zero()) + group.time;
  }
  machine.watch(wanted, [&machine, &nodes, &output, stopping = std::move(stopping)](bool imminent) {
    if (stopping()) {
      return;
    }
    if (!imminent) {
      output.err("The shutdown of the machine was cancelled\n");
      nodes.stay_up();
      return;
    }
    output.err(
        fmt::format("The machine shuts down: stopping {}\n", counted(nodes.running_pods(), "pod")));
    nodes.prepare_for_shutdown([&machine] { machine.release(); });
  });
}

}  // namespace windlass::cli
