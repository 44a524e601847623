// The table of commands. A new command is one file in this folder, which defines
// `Command name_command()`, and one line in commands.cc.
#pragma once

#include <vector>

#include "cli/flags/command_line.h"

namespace windlass::cli {

// In the order of the help.
std::vector<Command> all_commands();

}  // namespace windlass::cli
