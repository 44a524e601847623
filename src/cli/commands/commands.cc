#include "cli/commands/commands.h"

namespace windlass::cli {

// Each is defined in the file, or the folder, of its name; runs is in the folder of run; restore is
// in backup.cc; complete and man are in completion.cc.
#define WINDLASS_COMMANDS(COMMAND) \
  COMMAND(run)                     \
  COMMAND(runs)                    \
  COMMAND(simulate)                \
  COMMAND(validate)                \
  COMMAND(policy)                  \
  COMMAND(explain)                 \
  COMMAND(rerun)                   \
  COMMAND(ledger)                  \
  COMMAND(report)                  \
  COMMAND(dashboard)               \
  COMMAND(up)                      \
  COMMAND(down)                    \
  COMMAND(kubeconfig)              \
  COMMAND(backup)                  \
  COMMAND(restore)                 \
  COMMAND(node)                    \
  COMMAND(image)                   \
  COMMAND(controller)              \
  COMMAND(doctor)                  \
  COMMAND(annotate)                \
  COMMAND(version)                 \
  COMMAND(completion)              \
  COMMAND(help)                    \
  COMMAND(complete)                \
  COMMAND(man)                     \
  COMMAND(supervisor)

#define WINDLASS_DECLARE_COMMAND(name) Command name##_command();
WINDLASS_COMMANDS(WINDLASS_DECLARE_COMMAND)

std::vector<Command> all_commands() {
  std::vector<Command> commands;
#define WINDLASS_ADD_COMMAND(name) commands.push_back(name##_command());
  WINDLASS_COMMANDS(WINDLASS_ADD_COMMAND)
  return commands;
}

}  // namespace windlass::cli
