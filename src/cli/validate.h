#pragma once

#include "cli/command_line.h"
#include "cli/output.h"
#include "env/files.h"

namespace windlass::cli {

// `windlass validate`: says what is wrong with each manifest, or prints the defaulted objects.
// Reads files and writes to `output`; nothing else happens.
ExitCode validate(const ValidateOptions& options, env::Files& files, Output& output);

}  // namespace windlass::cli
