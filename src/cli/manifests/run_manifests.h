// The objects that `windlass run` creates, in order: validated, with namespaces filled in and
// missing namespaces added in front. Jobs and pods come last, after everything they use.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "api/kind.h"
#include "cli/flags/manifest_flags.h"
#include "cli/output/output.h"
#include "client/api_client.h"
#include "env/files.h"

namespace windlass::cli {

struct ObjectToCreate {
  client::ObjectRef ref;
  api::ObjectPtr object;
  std::string title;  // job.batch/demo
};

struct RunPlan {
  std::vector<ObjectToCreate> objects;
  size_t jobs = 0;
};

// Whether this error is harmless: every cluster creates some objects itself (the namespace and the
// service account `default`), and no plan has an object twice.
bool is_there_already(const ObjectToCreate& object, const Status& refusal);

// Nothing after an error, which is on `output.err`.
std::optional<RunPlan> plan_run(const JobOptions& options, env::Files& files, Output& output);

}  // namespace windlass::cli
