// `windlass supervisor`: the process that holds a node's containers. Windlass starts it itself.
#include "cli/flags/command_line.h"
#include "supervisor/server/serve.h"

namespace windlass::cli {

Command supervisor_command() {
  Command command{"supervisor", "Hold the containers of one node", [](Flags& flags) -> Execute {
                    auto directory = std::make_shared<std::string>();
                    flags.text("--dir DIR", *directory, "Folder of its socket and its records");
                    flags.check([directory]() -> Result<void> {
                      return directory->empty() ? fail(plain_error("must specify --dir DIR"))
                                                : Result<void>();
                    });
                    return [directory](Output& output) {
                      supervisor::SupervisorOptions options;
                      options.directory = *directory;
                      const Result<void> served = supervisor::serve(options);
                      if (!served) {
                        output.err("error: " + served.error().message + "\n");
                      }
                      return served ? ExitCode::ok : ExitCode::failed;
                    };
                  }};
  command.hidden = true;
  return command;
}

}  // namespace windlass::cli
