#pragma once

#include <string>
#include <vector>

#include "base/result.h"

namespace windlass::posix {

// Runs a program to its end, with our standard streams and environment. command[0] is looked up in
// PATH. An error where it cannot be started, or ends with anything but 0. Blocks.
Result<void> run_program(const std::vector<std::string>& command);

}  // namespace windlass::posix
