#pragma once

#include "cli/command_line.h"
#include "cli/output.h"
#include "env/files.h"

namespace windlass::cli {

// `windlass policy lint`: what is wrong with the failure policies of Jobs, with the place, why it
// hurts and what to do. Reads files and writes to `output`; nothing to say is nothing written.
ExitCode policy_lint(const PolicyLintOptions& options, env::Files& files, Output& output);

}  // namespace windlass::cli
