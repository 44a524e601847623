#include "cli/validate.h"

#include <fmt/format.h>

#include "api/codec/json.h"
#include "api/codec/yaml.h"
#include "cli/checked_object.h"
#include "cli/print_objects.h"

namespace windlass::cli {

ExitCode validate(const ValidateOptions& options, env::Files& files, Output& output) {
  const LoadedManifests loaded = load_manifests(files, options.manifests);
  for (const auto& text : loaded.unreadable) {
    output.err(fmt::format("error: {}\n", text));
  }
  for (const auto& text : loaded.malformed) {
    output.err(text + "\n");
  }

  bool all_valid = loaded.malformed.empty();
  std::vector<PrintableObject> objects;
  for (const auto& manifest : loaded.manifests) {
    CheckedObject checked = check_manifest(manifest, {options.fields, options.gates});
    for (const auto& warning : checked.warnings) {
      output.err(warning.line + "\n");
    }
    for (const auto& error : checked.errors) {
      output.err(error.line + "\n");
    }
    if (!checked.valid()) {
      all_valid = false;
    } else if (checked.object == nullptr) {
      continue;
    } else if (options.format == OutputFormat::text) {
      output.out(fmt::format("{} valid ({})\n", checked.title, manifest.source));
    } else {
      objects.push_back({checked.kind, std::move(checked.object)});
    }
  }
  if (!objects.empty()) {
    output.out(print_objects(objects, options.format));
  }

  if (!loaded.unreadable.empty()) {
    return ExitCode::usage;
  }
  return all_valid ? ExitCode::ok : ExitCode::failed;
}

}  // namespace windlass::cli
