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
  flags.parsed("-o,--output FORMAT",
               "Print the defaulted objects as yaml or json, or what is wrong as sarif, junit or "
               "github annotations",
               [&options](const std::string& text) -> Result<void> {
                 options.findings = finding_format(text);
                 if (options.findings || text.empty()) {
                   return {};
                 }
                 if (text != "yaml" && text != "json") {
                   return unknown_output_format(text, "github,json,junit,sarif,yaml");
                 }
                 options.format = text == "yaml" ? OutputFormat::yaml : OutputFormat::json;
                 return {};
               });
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
                  "windlass validate -f job.yaml -o yaml   # what the API server would store",
                  "windlass validate -f jobs/ -R -o sarif > validate.sarif"});
}

Command validate_command() {
  return make_command<ValidateOptions>(
      "validate", "Default and validate manifests offline, as Kubernetes would",
      [](const ValidateOptions& options, Output& output) {
        posix::PosixFiles files;
        return validate(options, files, output);
      });
}

namespace {

constexpr const char* kInvalid = "invalid";

// For pipelines: what is wrong, and in what.
struct ManifestReport {
  void add(const std::string& line, const std::string& object = "") {
    FileFinding finding = finding_of_line(line);
    finding.rule = kInvalid;
    finding.object = object;
    findings.push_back(std::move(finding));
  }

  std::vector<FileFinding> findings = {};
  std::vector<Examined> examined = {};
};

}  // namespace

ExitCode validate(const ValidateOptions& options, env::Files& files, Output& output) {
  ManifestReport report;
  const LoadedManifests loaded = load_manifests(files, options.manifests);
  for (const auto& text : loaded.unreadable) {
    output.err(fmt::format("error: {}\n", text));
  }
  for (const auto& text : loaded.malformed) {
    output.err(text + "\n");
    report.add(text);
  }

  bool all_valid = loaded.malformed.empty();
  std::vector<PrintableObject> objects;
  for (const auto& manifest : loaded.manifests) {
    CheckedObject checked = check_manifest(manifest, {options.fields, options.gates});
    for (const auto& warning : checked.warnings) {
      output.err(warning.line + "\n");
      report.add(warning.line, checked.title);
    }
    for (const auto& error : checked.errors) {
      output.err(error.line + "\n");
      report.add(error.line, checked.title);
    }
    report.examined.push_back({manifest.source, checked.title});
    if (!checked.valid()) {
      all_valid = false;
    } else if (checked.object == nullptr || options.findings) {
      continue;
    } else if (options.format == OutputFormat::text) {
      output.out(fmt::format("{} valid ({})\n", checked.title, manifest.source));
    } else {
      objects.push_back({checked.kind, std::move(checked.object)});
    }
  }
  if (options.findings) {
    output.out(findings_text(*options.findings, "validate", report.findings, report.examined));
  } else if (!objects.empty()) {
    output.out(print_objects(objects, options.format));
  }

  if (!loaded.unreadable.empty()) {
    return ExitCode::usage;
  }
  return all_valid ? ExitCode::ok : ExitCode::failed;
}

}  // namespace windlass::cli
