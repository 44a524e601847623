#include <signal.h>

#include "cli/program.h"
#include "cli/std_output.h"

int main(int argc, char** argv) {
  // A reader that goes away is an error of write(), not the end of the program; so is a file that
  // is as long as it may be.
  ::signal(SIGPIPE, SIG_IGN);
  ::signal(SIGXFSZ, SIG_IGN);
  windlass::cli::StdOutput output;
  const auto code = windlass::cli::run_program({argv + 1, argv + argc}, output);
  return static_cast<int>(output.exit_code(code));
}
