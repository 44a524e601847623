// What `windlass run` has to create, in order, from what the user gave: checked, with namespaces
// filled in, the missing ones too, and in front. Jobs and pods come last, when all else is there.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "api/kind.h"
#include "cli/command_line.h"
#include "cli/output.h"
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

// Whether this refusal of the object is none: every cluster has made some things itself (the
// namespace and the service account `default`), and no plan has an object twice.
bool is_there_already(const ObjectToCreate& object, const Status& refusal);

// Says what is wrong on `output.err` and answers nothing when anything is.
std::optional<RunPlan> plan_run(const RunOptions& options, env::Files& files, Output& output);

}  // namespace windlass::cli
