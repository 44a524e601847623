#pragma once

#include "cli/command_line.h"
#include "cli/output.h"
#include "env/files.h"

namespace windlass::cli {

// `windlass policy test`: what each Job would do about each failure, found out with the Job engine
// in memory, or whether that is what a cases file expects. Reads files and writes to `output`.
ExitCode policy_test(const PolicyTestOptions& options, env::Files& files, Output& output);

}  // namespace windlass::cli
