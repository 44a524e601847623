#include "cli/command_line.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <map>

namespace windlass::cli {
namespace {

constexpr const char* kDescription =
    "Windlass runs Kubernetes Jobs with exact control over what happens when a pod fails.";

// What the flags are parsed into before they become options: CLI11 writes into plain variables.
struct RawFlags {
  std::vector<std::string> files;
  std::vector<std::string> positional_files;
  bool recursive = false;
  std::string output;
  std::string field_validation = "strict";
  std::string feature_gates;
  std::string ns = "default";
  std::string timeout;
  std::string backoff_base = "10s";
  std::string backoff_cap = "10m";
  bool logs = false;
  int verbosity = 0;
};

void add_manifest_flags(CLI::App& command, RawFlags& raw) {
  command.add_option("-f,--filename", raw.files,
                     "Manifest file or folder, YAML or JSON; - is standard input; repeatable");
  command.add_flag("-R,--recursive", raw.recursive, "Look into folders of folders");
  command.add_option("FILE", raw.positional_files, "The same as -f FILE");
  command.add_option("--feature-gates", raw.feature_gates,
                     "Switch features: A=true,B=false (all are on by default)");
}

CLI::App* add_validate(CLI::App& app, RawFlags& raw) {
  CLI::App* command =
      app.add_subcommand("validate", "Default and validate manifests as Kubernetes would, offline");
  add_manifest_flags(*command, raw);
  command->add_option("-o,--output", raw.output, "Print the defaulted objects: yaml or json");
  command->add_option("--field-validation", raw.field_validation,
                      "Unknown and duplicate fields: strict (an error), warn or ignore");
  command->footer(
      "Exit code: 0 all valid, 1 something is invalid, 2 wrong usage or an unreadable file.\n\n"
      "Examples:\n"
      "  windlass validate -f job.yaml\n"
      "  helm template . | windlass validate -f -\n"
      "  windlass validate -f job.yaml -o yaml      # what the API server would store");
  return command;
}

CLI::App* add_run(CLI::App& app, RawFlags& raw) {
  CLI::App* command =
      app.add_subcommand("run", "Run Jobs to their end on this machine, as real processes");
  add_manifest_flags(*command, raw);
  command->add_option("-o,--output", raw.output, "Print the finished Jobs: yaml or json");
  command->add_option("-n,--namespace", raw.ns, "Namespace for objects that name none");
  command->add_option("--timeout", raw.timeout, "Give up after this long, e.g. 90s, 5m, 1h30m");
  command->add_option("--backoff-base", raw.backoff_base,
                      "Delay after the first failure; doubles with each further one (10s)");
  command->add_option("--backoff-cap", raw.backoff_cap, "The longest delay (10m)");
  command->add_flag("--logs", raw.logs, "Print what the pods print, each line after its pod");
  command->add_option("-v", raw.verbosity, "Log more: 0 warnings, 1 information, 2 all");
  command->footer(
      "Exit code: 0 Complete, 1 Failed, 2 wrong usage or an invalid manifest, 124 timed out,\n"
      "130 interrupted (Ctrl-C stops the pods gracefully, a second one kills them).\n\n"
      "Examples:\n"
      "  windlass run examples/first-job.yaml\n"
      "  windlass run job.yaml --timeout 10m --logs");
  return command;
}

Usage usage_error(const std::string& what, const std::string& command) {
  const std::string help = command.empty() ? "windlass --help" : "windlass " + command + " --help";
  return {fmt::format("error: {}\nRun '{}' for usage.\n", what, help), true};
}

Result<OutputFormat> parse_output(const std::string& text) {
  static const std::map<std::string, OutputFormat, std::less<>> formats = {
      {"", OutputFormat::text}, {"yaml", OutputFormat::yaml}, {"json", OutputFormat::json}};
  const auto found = formats.find(text);
  if (found == formats.end()) {
    return fail(
        plain_error(fmt::format("unable to match a printer suitable for the output format \"{}\", "
                                "allowed formats are: json,yaml",
                                text)));
  }
  return found->second;
}

Result<FieldValidation> parse_field_validation(const std::string& text) {
  static const std::map<std::string, FieldValidation, std::less<>> modes = {
      {"strict", FieldValidation::strict},
      {"warn", FieldValidation::warn},
      {"ignore", FieldValidation::ignore}};
  const auto found = modes.find(text);
  if (found == modes.end()) {
    return fail(plain_error(
        fmt::format("invalid --field-validation \"{}\": must be strict, warn or ignore", text)));
  }
  return found->second;
}

Result<ManifestOptions> manifest_options(const RawFlags& raw) {
  ManifestOptions options;
  options.paths = raw.files;
  options.paths.insert(options.paths.end(), raw.positional_files.begin(),
                       raw.positional_files.end());
  options.recursive = raw.recursive;
  if (options.paths.empty()) {
    return fail(plain_error("must specify a file: -f FILE, or -f - for standard input"));
  }
  return options;
}

Result<Duration> positive_duration(std::string_view flag, const std::string& text) {
  const auto duration = parse_duration(text);
  if (!duration || *duration <= Duration::zero()) {
    return fail(plain_error(fmt::format(
        "invalid {} \"{}\": must be a duration above zero such as 90s, 5m or 1h30m", flag, text)));
  }
  return *duration;
}

Result<CommandLine> validate_options(const RawFlags& raw) {
  ValidateOptions options;
  TRY(options.manifests, manifest_options(raw));
  TRY(options.format, parse_output(raw.output));
  TRY(options.fields, parse_field_validation(raw.field_validation));
  TRY(options.gates, api::FeatureGates::parse(raw.feature_gates));
  return options;
}

Result<CommandLine> run_options(const RawFlags& raw) {
  RunOptions options;
  TRY(options.manifests, manifest_options(raw));
  TRY(options.format, parse_output(raw.output));
  TRY(options.gates, api::FeatureGates::parse(raw.feature_gates));
  TRY(options.backoff_base, positive_duration("--backoff-base", raw.backoff_base));
  TRY(options.backoff_cap, positive_duration("--backoff-cap", raw.backoff_cap));
  if (!raw.timeout.empty()) {
    TRY(options.timeout, positive_duration("--timeout", raw.timeout));
  }
  options.ns = raw.ns;
  options.logs = raw.logs;
  options.verbosity = raw.verbosity;
  return options;
}

Result<CommandLine> version_options(const RawFlags& raw) {
  VersionOptions options;
  TRY(options.format, parse_output(raw.output));
  return options;
}

}  // namespace

CommandLine parse_command_line(const std::vector<std::string>& arguments) {
  RawFlags raw;
  CLI::App app(kDescription, "windlass");
  app.require_subcommand(0, 1);
  CLI::App* validate = add_validate(app, raw);
  CLI::App* run = add_run(app, raw);
  CLI::App* version = app.add_subcommand("version", "Print the version of this program");
  version->add_option("-o,--output", raw.output, "yaml or json");
  CLI::App* help = app.add_subcommand("help", "Print this help");

  std::string chosen;
  try {
    // CLI11 takes the arguments last first.
    app.parse(std::vector<std::string>(arguments.rbegin(), arguments.rend()));
  } catch (const CLI::CallForHelp&) {
    for (const CLI::App* command : app.get_subcommands()) {
      return Usage{command->help("windlass"), false};
    }
    return Usage{app.help(), false};
  } catch (const CLI::ParseError& error) {
    const auto commands = app.get_subcommands();
    return usage_error(error.what(), commands.empty() ? "" : commands.front()->get_name());
  }

  Result<CommandLine> parsed = Usage{app.help(), !help->parsed()};
  if (*validate) {
    parsed = validate_options(raw);
    chosen = "validate";
  } else if (*run) {
    parsed = run_options(raw);
    chosen = "run";
  } else if (*version) {
    parsed = version_options(raw);
    chosen = "version";
  }
  if (!parsed) {
    return usage_error(parsed.error().message, chosen);
  }
  return *std::move(parsed);
}

}  // namespace windlass::cli
