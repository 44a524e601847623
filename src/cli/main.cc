#include <signal.h>

#include "cli/commands/commands.h"
#include "cli/output/std_output.h"

int main(int argc, char** argv) {
  // A reader that goes away is an error of write() and not the end of the program; so is a file
  // that has reached its size limit.
  ::signal(SIGPIPE, SIG_IGN);
  ::signal(SIGXFSZ, SIG_IGN);
  windlass::cli::StdOutput output;
  const auto code = windlass::cli::run_command_line(windlass::cli::all_commands(),
                                                    {argv + 1, argv + argc}, output);
  return static_cast<int>(output.exit_code(code));
}
