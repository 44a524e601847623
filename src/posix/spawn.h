#pragma once

#include <sys/types.h>

#include <string>

#include "base/result.h"
#include "env/processes.h"

namespace windlass::posix {

// The program that execvp would run for command[0], by the PATH of the request's environment and
// not of our own. A name with a slash is used as it is.
Result<std::string> find_program(const env::SpawnRequest& request);

// Starts the process and returns its pid; the caller reaps it. Errors name the step that failed.
Result<pid_t> spawn_process(const env::SpawnRequest& request);

}  // namespace windlass::posix
