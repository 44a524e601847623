#pragma once

#include <optional>

#include "api/feature_gates.h"
#include "cli/flags/flags.h"
#include "cli/manifests/checked_object.h"
#include "cli/output/findings.h"
#include "cli/output/output.h"
#include "cli/output/print_objects.h"
#include "env/files.h"

namespace windlass::cli {

struct ValidateOptions {
  ManifestOptions manifests = {};
  OutputFormat format = OutputFormat::text;
  std::optional<FindingFormat> findings = {};  // prints them instead of the objects
  FieldValidation fields = FieldValidation::strict;
  api::FeatureGates gates = {};
};

void declare_flags(Flags& flags, ValidateOptions& options);

// `windlass validate`: reports the errors of each manifest, or prints the defaulted objects. Reads
// files and writes to `output`; nothing else happens.
ExitCode validate(const ValidateOptions& options, env::Files& files, Output& output);

}  // namespace windlass::cli
