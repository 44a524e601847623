#pragma once

#include "cli/command_line.h"
#include "cli/output.h"
#include "env/files.h"

namespace windlass::cli {

// `windlass annotate`: prints all documents of the manifests. In Jobs the names of failure rules
// move into the annotation that a server keeps; everything else stays as it was written.
ExitCode annotate(const AnnotateOptions& options, env::Files& files, Output& output);

}  // namespace windlass::cli
