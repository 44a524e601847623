#include "cli/runs/run_storage.h"

#include <fmt/format.h>

#include "cli/commands/run/run.h"
#include "cli/output/print_objects.h"
#include "cli/process.h"
#include "schema/core/v1/config_map.pb.h"

namespace windlass::cli {
namespace {

api::ObjectPtr without_values(const api::ObjectPtr& object) {
  auto secret =
      std::make_shared<api::core::v1::Secret>(*api::object_as<api::core::v1::Secret>(object));
  for (auto& [key, value] : *secret->mutable_data()) {
    value.clear();
  }
  for (auto& [key, value] : *secret->mutable_string_data()) {
    value.clear();
  }
  return secret;
}

RunRecord record_of(const RunOptions& options, const RunBeginning& beginning, Time now) {
  RunRecord record;
  record.started = now;
  record.directory = absolute_path("x");
  record.directory.resize(record.directory.rfind('/'));
  record.files = options.manifests.paths;
  record.recursive = options.manifests.recursive;
  record.ns = options.ns;
  record.resumes = beginning.resumes;
  record.done = beginning.done;
  return record;
}

}  // namespace

std::string kept_manifest(const RunPlan& plan) {
  std::vector<PrintableObject> objects;
  for (const ObjectToCreate& object : plan.objects) {
    const bool is_secret = object.ref.kind == &api::kinds::secret();
    objects.push_back({object.ref.kind, is_secret ? without_values(object.object) : object.object});
  }
  return print_objects(objects, OutputFormat::yaml);
}

std::optional<RunStorage> open_storage(const RunOptions& options, const RunBeginning& beginning,
                                       env::Clock& clock, Output& output) {
  RunStorage storage;
  storage.resumes = beginning.resumes;
  if (!options.logs.directory.empty()) {
    auto logs = open_log_directory(absolute_path(options.logs.directory));
    if (!logs) {
      output.err(fmt::format("error: invalid --log-dir: {}\n", logs.error().message));
      return std::nullopt;
    }
    storage.logs = *std::move(logs);
  }
  if (!options.no_record) {
    auto folder = RunStore(runs_directory())
                      .create(record_of(options, beginning, clock.now()),
                              kept_manifest(beginning.plan), RunLimits{});
    if (folder) {
      storage.folder = *std::move(folder);
    } else {
      output.err(fmt::format("warning: this run is not kept: {}\n", folder.error().message));
    }
  }
  return storage;
}

}  // namespace windlass::cli
