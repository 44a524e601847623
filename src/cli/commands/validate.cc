#include "cli/commands/validate.h"

#include <fmt/format.h>

#include "api/codec/json/json.h"
#include "api/codec/yaml/yaml.h"
#include "cli/flags/command_line.h"
#include "cli/flags/manifest_flags.h"
#include "posix/files/posix_files.h"

namespace windlass::cli {

void declare_flags(Flags& flags, ValidateOptions& options) {
  declare_manifest_flags(flags, options.manifests);
  declare_output_format(flags, options.format, "Print the defaulted objects as yaml or json");
  flags.choice<FieldValidation>("--field-validation MODE", options.fields,
                                {{"strict", FieldValidation::strict},
                                 {"warn", FieldValidation::warn},
                                 {"ignore", FieldValidation::ignore}},
                                "Treatment of unknown and duplicate fields: strict (an error), "
                                "warn or ignore (default: strict)");
  declare_feature_gates(flags, options.gates);
  flags.paragraph(
      "Kinds that Windlass does not know, such as Deployments, are listed and not checked.");
  flags.exit_codes({{0, "All manifests are valid"},
                    {1, "A manifest is invalid"},
                    {2, "Wrong usage, or a file cannot be read"}});
  flags.examples({"windlass validate -f job.yaml", "helm template . | windlass validate -f -",
                  "windlass validate -f job.yaml -o yaml   # what the API server would store"});
}

Command validate_command() {
  return make_command<ValidateOptions>(
      "validate", "Default and validate manifests offline, as Kubernetes would",
      [](const ValidateOptions& options, Output& output) {
        posix::PosixFiles files;
        return validate(options, files, output);
      });
}

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
