// The Jobs among the manifests of a command line, for the commands that look at Jobs alone: other
// kinds, known here or not, may stand between them and are passed over; of those that hold the
// template of a Job it is said that nobody looked.
#pragma once

#include <optional>
#include <vector>

#include "api/feature_gates.h"
#include "cli/checked_object.h"
#include "cli/manifest.h"
#include "cli/output.h"
#include "env/files.h"

namespace windlass::cli {

struct PolicyJob {
  Manifest manifest;
  CheckedObject checked;
};

struct PolicyJobs {
  std::vector<PolicyJob> jobs;
  // What went wrong on the way: unreadable and malformed files, no Job at all. All said already.
  ExitCode code = ExitCode::ok;
};

PolicyJobs load_jobs(const ManifestOptions& manifests, const api::FeatureGates& gates,
                     env::Files& files, Output& output);

}  // namespace windlass::cli
