#pragma once

#include <string>

#include "api/feature_gates.h"
#include "cli/commands/policy/policy_format.h"
#include "cli/flags/flags.h"
#include "cli/manifests/manifest.h"
#include "cli/output/output.h"
#include "env/files.h"

namespace windlass::cli {

struct PolicyTestOptions {
  ManifestOptions manifests = {};
  std::string cases = {};  // file of expectations; "": none
  PolicyFormat format = PolicyFormat::table;
  api::FeatureGates gates = {};
};

void declare_flags(Flags& flags, PolicyTestOptions& options);

// `windlass policy test`: the reaction of each Job to each failure, found with the Job engine in
// memory, and whether it is the one that a cases file expects. Reads files and writes to `output`.
ExitCode policy_test(const PolicyTestOptions& options, env::Files& files, Output& output);

}  // namespace windlass::cli
