// The program on the real world: picks the command, gives it the posix implementation of env, and
// answers with the exit code.
#pragma once

#include <string>
#include <vector>

#include "cli/output.h"

namespace windlass::cli {

ExitCode run_program(const std::vector<std::string>& arguments, Output& output);

}  // namespace windlass::cli
