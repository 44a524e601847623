#include "cli/manifests/policy_jobs.h"

#include <fmt/format.h>

#include <algorithm>

#include "api/codec/json/json.h"

namespace windlass::cli {
namespace {

enum class Sort { job, cron_job, other, list, nameless };

Sort sort_of(const Manifest& manifest) {
  if (manifest.document.json.starts_with('[')) {
    return Sort::list;
  }
  const auto type = api::peek_json_type(manifest.document.json);
  if (!type || type->kind.empty()) {
    return Sort::nameless;
  }
  // Extensions also have kinds of these names.
  if (is_of_a_domain(type->api_version)) {
    return Sort::other;
  }
  return type->kind == "Job" ? Sort::job : type->kind == "CronJob" ? Sort::cron_job : Sort::other;
}

// False without a Job in it; any error or warning about that is printed.
bool holds_job(const Manifest& manifest, PolicyJobs& found, Output& output) {
  switch (sort_of(manifest)) {
    case Sort::job:
    case Sort::nameless:
      return true;
    case Sort::cron_job:
      output.err(fmt::format(
          "{}: warning: skipped a CronJob. To check its jobTemplate, put it into a file "
          "as a Job\n",
          place_of(manifest, "kind")));
      return false;
    case Sort::list:
      output.err(fmt::format("{}: error: a list is not a Job. For a list of cases, use --cases\n",
                             place_of(manifest, "")));
      found.code = ExitCode::failed;
      return false;
    case Sort::other:
      return false;
  }
  return false;
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
    if (holds_job(manifest, found, output)) {
      CheckedObject checked = check_manifest(manifest, {FieldValidation::strict, gates});
      found.jobs.push_back({std::move(manifest), std::move(checked)});
    }
  }
  if (found.jobs.empty() && loaded.unreadable.empty() && found.code == ExitCode::ok) {
    output.err(fmt::format("error: no Job in {}\n", fmt::join(manifests.paths, ", ")));
    found.code = ExitCode::usage;
  }
  for (const auto& text : loaded.unreadable) {
    output.err(fmt::format("error: {}\n", text));
    found.code = ExitCode::usage;
  }
  return found;
}

}  // namespace windlass::cli
