#pragma once

#include "cli/flags/flags.h"
#include "cli/manifests/manifest.h"
#include "cli/output/output.h"
#include "cli/output/print_objects.h"
#include "env/files.h"

namespace windlass::cli {

struct AnnotateOptions {
  ManifestOptions manifests = {};
  OutputFormat format = OutputFormat::yaml;
};

void declare_flags(Flags& flags, AnnotateOptions& options);

// `windlass annotate`: prints all documents of the manifests. In Jobs, the names of failure rules
// move into the annotation that a server keeps; everything else stays as it was written.
ExitCode annotate(const AnnotateOptions& options, env::Files& files, Output& output);

}  // namespace windlass::cli
