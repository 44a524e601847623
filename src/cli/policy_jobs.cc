#include "cli/policy_jobs.h"

#include <fmt/format.h>

#include <algorithm>

#include "api/codec/json.h"

namespace windlass::cli {
namespace {

enum class Sort { job, other, nameless };

Sort sort_of(const Manifest& manifest) {
  const auto type = api::peek_json_type(manifest.document.json);
  if (!type || type->kind.empty()) {
    return Sort::nameless;
  }
  return type->kind == "Job" ? Sort::job : Sort::other;
}

}  // namespace

PolicyJobs load_jobs(const ManifestOptions& manifests, const api::FeatureGates& gates,
                     env::Files& files, Output& output) {
  PolicyJobs found;
  LoadedManifests loaded = load_manifests(files, manifests);
  for (const auto& text : loaded.malformed) {
    output.err(text + "\n");
    found.code = ExitCode::failed;
  }
  for (auto& manifest : loaded.manifests) {
    if (sort_of(manifest) != Sort::other) {
      CheckedObject checked = check_manifest(manifest, {FieldValidation::strict, gates});
      found.jobs.push_back({std::move(manifest), std::move(checked)});
    }
  }
  if (found.jobs.empty() && loaded.unreadable.empty() && loaded.malformed.empty()) {
    output.err(fmt::format("error: there is no Job in {}\n", fmt::join(manifests.paths, ", ")));
    found.code = ExitCode::usage;
  }
  for (const auto& text : loaded.unreadable) {
    output.err(fmt::format("error: {}\n", text));
    found.code = ExitCode::usage;
  }
  return found;
}

}  // namespace windlass::cli
