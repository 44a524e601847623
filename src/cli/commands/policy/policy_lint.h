#pragma once

#include "api/feature_gates.h"
#include "cli/commands/policy/policy_format.h"
#include "cli/flags/flags.h"
#include "cli/manifests/manifest.h"
#include "cli/output/output.h"
#include "env/files.h"
#include "policy/lint.h"

namespace windlass::cli {

struct PolicyLintOptions {
  ManifestOptions manifests = {};
  PolicyFormat format = PolicyFormat::table;
  policy::Severity fail_on = policy::Severity::warning;
  api::FeatureGates gates = {};
};

void declare_flags(Flags& flags, PolicyLintOptions& options);

// `windlass policy lint`: reports mistakes in failure policies. Reads files and writes to `output`.
ExitCode policy_lint(const PolicyLintOptions& options, env::Files& files, Output& output);

}  // namespace windlass::cli
