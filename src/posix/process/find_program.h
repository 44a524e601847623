#pragma once

#include <string>
#include <vector>

#include "base/result.h"

namespace windlass::posix {

// The program that execvp would run for command[0], by the PATH of this environment and not of our
// own. A name with a slash is used as it is.
Result<std::string> find_program(const std::vector<std::string>& command,
                                 const std::vector<std::string>& environment);

}  // namespace windlass::posix
