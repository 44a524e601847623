// Flags of the commands that take manifests and print objects.
#pragma once

#include <string>

#include "api/feature_gates.h"
#include "base/time.h"
#include "cli/flags/flags.h"
#include "cli/manifests/manifest.h"
#include "cli/output/print_objects.h"

namespace windlass::cli {

// -f, -R and files without a flag. At least one is required.
void declare_manifest_flags(Flags& flags, ManifestOptions& manifests);

// --feature-gates
void declare_feature_gates(Flags& flags, api::FeatureGates& gates);

// -o, with the formats yaml and json.
void declare_output_format(Flags& flags, OutputFormat& format, const std::string& help);
// -o, with the format json alone.
void declare_json_output(Flags& flags, bool& json);

// --backoff-base and --backoff-cap: the delay before a retry is the base, doubled with every
// failure in a row, and at most the cap.
struct BackoffOptions {
  Duration backoff_base = seconds(10);
  Duration backoff_cap = minutes(10);
};
void declare_backoff_flags(Flags& flags, BackoffOptions& backoff);

// What the commands that carry out Jobs have in common.
struct JobOptions : BackoffOptions {
  ManifestOptions manifests = {};
  OutputFormat format = OutputFormat::text;
  std::string ns = "default";
  api::FeatureGates gates = {};
};
void declare_job_flags(Flags& flags, JobOptions& options,
                       const std::string& output_help = "Print the final Jobs as yaml or json");

}  // namespace windlass::cli
