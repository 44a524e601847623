// The Jobs among the manifests of a command line, for commands that examine Jobs alone. Skips other
// kinds; a skipped CronJob, which holds the template of a Job, is a warning.
#pragma once

#include <optional>
#include <vector>

#include "api/feature_gates.h"
#include "cli/manifests/checked_object.h"
#include "cli/manifests/manifest.h"
#include "cli/output/output.h"
#include "env/files.h"

namespace windlass::cli {

struct PolicyJob {
  Manifest manifest;
  CheckedObject checked;
};

struct PolicyJobs {
  std::vector<PolicyJob> jobs;
  // Not ok after unreadable or malformed files, or without any Job. All errors are printed already.
  ExitCode code = ExitCode::ok;
};

PolicyJobs load_jobs(const ManifestOptions& manifests, const api::FeatureGates& gates,
                     env::Files& files, Output& output);

}  // namespace windlass::cli
