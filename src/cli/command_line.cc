#include "cli/command_line.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <map>

#include "api/names.h"
#include "cli/completion.h"
#include "cli/flag_values.h"
#include "cli/raw_flags.h"

namespace windlass::cli {
namespace {

constexpr const char* kDescription =
    "Windlass runs Kubernetes Jobs with exact control over what happens when a pod fails.";

Usage usage_error(const std::string& what, const std::string& command) {
  const std::string help = command.empty() ? "windlass --help" : "windlass " + command + " --help";
  return {fmt::format("error: {}\nRun '{}' for usage.\n", what, help), true};
}

// The innermost command that the arguments name.
struct Chosen {
  const CLI::App* app = nullptr;
  std::string parent;  // the words before its name: `windlass policy`; "" for the program itself

  // `policy test`; "" for the program itself
  std::string words() const {
    const std::string program = "windlass";
    return parent.empty() ? "" : (parent + " " + app->get_name()).substr(program.size() + 1);
  }
};

Chosen chosen_command(const CLI::App& app) {
  Chosen chosen{&app, ""};
  while (!chosen.app->get_subcommands().empty()) {
    chosen.parent += (chosen.parent.empty() ? "" : " ") + chosen.app->get_name();
    chosen.app = chosen.app->get_subcommands().front();
  }
  return chosen;
}

// In kubectl's words.
std::string unexpected(const CLI::App& app) {
  const std::vector<std::string> words = app.remaining(true);
  const std::string first = words.empty() ? "" : words.front();
  if (first.starts_with('-')) {
    return "unknown flag: " + first;
  }
  return fmt::format("{} \"{}\"",
                     app.get_subcommands().empty() ? "unknown command" : "unexpected argument",
                     first);
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

Result<PolicyFormat> parse_policy_format(const std::string& text, bool with_junit) {
  static const std::map<std::string, PolicyFormat, std::less<>> formats = {
      {"", PolicyFormat::table},
      {"table", PolicyFormat::table},
      {"json", PolicyFormat::json},
      {"junit", PolicyFormat::junit}};
  const auto found = formats.find(text);
  if (found == formats.end() || (found->second == PolicyFormat::junit && !with_junit)) {
    return fail(
        plain_error(fmt::format("unable to match a printer suitable for the output format \"{}\", "
                                "allowed formats are: table,json{}",
                                text, with_junit ? ",junit" : "")));
  }
  return found->second;
}

Result<policy::Severity> parse_severity(const std::string& text) {
  for (const auto severity :
       {policy::Severity::info, policy::Severity::warning, policy::Severity::error}) {
    if (text == policy::severity_name(severity)) {
      return severity;
    }
  }
  return fail(
      plain_error(fmt::format("invalid --fail-on \"{}\": must be error, warning or info", text)));
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

Result<CommandLine> validate_options(const RawFlags& raw) {
  ValidateOptions options;
  TRY(options.manifests, manifest_options(raw));
  TRY(options.format, parse_output(raw.output));
  TRY(options.fields, parse_field_validation(raw.field_validation));
  TRY(options.gates, api::FeatureGates::parse(raw.feature_gates));
  return options;
}

Result<CommandLine> policy_test_options(const RawFlags& raw) {
  PolicyTestOptions options;
  TRY(options.manifests, manifest_options(raw));
  TRY(options.format, parse_policy_format(raw.output, true));
  TRY(options.gates, api::FeatureGates::parse(raw.feature_gates));
  options.cases = raw.cases;
  if (options.format == PolicyFormat::junit && options.cases.empty()) {
    return fail(plain_error("-o junit needs --cases: without expectations nothing can fail"));
  }
  const auto& paths = options.manifests.paths;
  if (options.cases == "-" && std::find(paths.begin(), paths.end(), "-") != paths.end()) {
    return fail(plain_error("standard input can be read once: for -f or for --cases"));
  }
  return options;
}

Result<CommandLine> policy_lint_options(const RawFlags& raw) {
  PolicyLintOptions options;
  TRY(options.manifests, manifest_options(raw));
  TRY(options.format, parse_policy_format(raw.output, false));
  TRY(options.fail_on, parse_severity(raw.fail_on));
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
  options.nodes = raw.nodes.value_or(1);
  options.images = raw.node_images;
  options.verbosity = raw.verbosity;
  TRY(options.limits, read_limit_flags(raw.limits));
  return options;
}

Result<CommandLine> simulate_options(const RawFlags& raw) {
  SimulateOptions options;
  TRY(options.run.manifests, manifest_options(raw));
  TRY(options.run.format, parse_output(raw.output));
  TRY(options.run.gates, api::FeatureGates::parse(raw.feature_gates));
  TRY(options.run.backoff_base, positive_duration("--backoff-base", raw.backoff_base));
  TRY(options.run.backoff_cap, positive_duration("--backoff-cap", raw.backoff_cap));
  options.run.ns = raw.ns;
  TRY(options.cluster, read_simulate_flags(raw.simulate));
  return options;
}

Result<PlanePeriods> plane_periods(const RawFlags& raw) {
  PlanePeriods periods;
  for (const PeriodFlag& flag : period_flags()) {
    if (const std::string& text = raw.periods.at(flag.name); !text.empty()) {
      TRY(periods.*flag.member, positive_duration(flag.name, text));
    }
  }
  return periods;
}

Result<std::vector<std::string>> certifiable(const std::vector<std::string>& names) {
  for (const std::string& name : names) {
    if (!is_ip_address(name) && !api::is_dns1123_subdomain(name)) {
      return fail(plain_error(fmt::format(
          "invalid --server-name \"{}\": must be a DNS name in lower case, or an address", name)));
    }
  }
  return names;
}

Result<CommandLine> up_options(const RawFlags& raw) {
  UpOptions options;
  TRY(options.periods, plane_periods(raw));
  TRY(options.gates, api::FeatureGates::parse(raw.feature_gates));
  options.data_dir = raw.data_dir;
  options.listen = raw.listen;
  TRY(options.server_names, certifiable(raw.server_names));
  options.verbosity = raw.verbosity;
  options.nodes = raw.nodes.value_or(raw.hollow_nodes > 0 ? 0 : 1);
  options.hollow_nodes = raw.hollow_nodes;
  options.accept_lost_writes = raw.accept_lost_writes;
  options.images = raw.node_images;
  TRY(options.hollow_mix, node::hollow::parse_mix(raw.hollow_mix));
  TRY(options.shutdown, read_shutdown_flags(raw.shutdown));
  TRY(options.limits, read_limit_flags(raw.limits));
  return options;
}

Result<CommandLine> down_options(const RawFlags& raw) {
  return DownOptions{raw.data_dir};
}

Result<CommandLine> kubeconfig_options(const RawFlags& raw) {
  return KubeconfigOptions{raw.data_dir, raw.role, raw.user, raw.server};
}

Result<CommandLine> controller_options(const RawFlags& raw) {
  TRY(ControllerOptions options, read_controller_flags(raw.controller));
  return options;
}

Result<CommandLine> doctor_options(const RawFlags& raw) {
  TRY(DoctorOptions options, read_doctor_flags(raw.doctor));
  return options;
}

Result<CommandLine> annotate_options(const RawFlags& raw) {
  AnnotateOptions options;
  TRY(options.manifests, manifest_options(raw));
  TRY(options.format, parse_output(raw.output));
  if (options.format == OutputFormat::text) {
    options.format = OutputFormat::yaml;
  }
  return options;
}

Result<CommandLine> explain_options(const RawFlags& raw) {
  TRY(ExplainOptions options, read_explain_flags(raw.explain));
  return options;
}

Result<CommandLine> node_options(const RawFlags& raw) {
  TRY(NodeOptions options, read_node_flags(raw.node));
  return options;
}

Result<CommandLine> node_shutdown_options(const RawFlags& raw) {
  TRY(NodeShutdownOptions options, read_node_shutdown_flags(raw.node));
  return options;
}

Result<CommandLine> image_options(const RawFlags& raw) {
  TRY_VOID(check_image_flags(raw.image));
  return raw.image;
}

Result<CommandLine> supervisor_options(const RawFlags& raw) {
  if (raw.supervisor_dir.empty()) {
    return fail(plain_error("must specify --dir DIR"));
  }
  return SupervisorCommand{raw.supervisor_dir};
}

Result<CommandLine> version_options(const RawFlags& raw) {
  VersionOptions options;
  TRY(options.format, parse_output(raw.output));
  return options;
}

// `windlass help WORDS...` is `windlass WORDS... --help`, and knows what is no command.
CommandLine help_about(const CLI::App& app, std::vector<std::string> words) {
  const CLI::App* topic = &app;
  for (const std::string& word : words) {
    const auto found = topic->get_subcommands(
        [&word](const CLI::App* command) { return command->get_name() == word; });
    if (found.empty()) {
      return usage_error(fmt::format("there is no command \"{}\"", word), "");
    }
    topic = found.front();
  }
  words.emplace_back("--help");
  return parse_command_line(words);
}

}  // namespace

CommandLine parse_command_line(const std::vector<std::string>& arguments) {
  RawFlags raw;
  CLI::App app(kDescription, "windlass");
  app.require_subcommand(0, 1);
  bool version = false;
  app.add_flag("--version", version, "Print the version of this program and exit");
  using Options = Result<CommandLine> (*)(const RawFlags&);
  std::vector<std::pair<const CLI::App*, Options>> commands = {
      {add_validate(app, raw), validate_options}, {add_run(app, raw), run_options},
      {add_simulate(app, raw), simulate_options}, {add_up(app, raw), up_options},
      {add_down(app, raw), down_options},         {add_kubeconfig(app, raw), kubeconfig_options},
  };
  CLI::App* policy = app.add_subcommand(
      "policy", "What a Job's failure policy does (test), and what is wrong with it (lint)");
  commands.emplace_back(add_policy_test(*policy, raw), policy_test_options);
  commands.emplace_back(add_policy_lint(*policy, raw), policy_lint_options);
  commands.emplace_back(add_controller(app, raw.controller), controller_options);
  commands.emplace_back(add_doctor(app, raw.doctor), doctor_options);
  commands.emplace_back(add_annotate(app, raw), annotate_options);
  commands.emplace_back(add_explain(app, raw.explain), explain_options);
  CLI::App* node = add_node(app, raw.node);
  commands.emplace_back(add_node_shutdown(*node, raw.node), node_shutdown_options);
  commands.emplace_back(node, node_options);
  const ImageCommands images = add_image(app, raw.image);
  for (const CLI::App* image : {images.add, images.list, images.remove}) {
    commands.emplace_back(image, image_options);
  }
  commands.emplace_back(add_supervisor(app, raw), supervisor_options);
  commands.emplace_back(add_version(app, raw), version_options);
  const CLI::App* completion = add_completion(app, raw);
  const CLI::App* help = add_help(app, raw);

  try {
    // CLI11 takes the arguments last first.
    app.parse(std::vector<std::string>(arguments.rbegin(), arguments.rend()));
  } catch (const CLI::CallForHelp&) {
    const Chosen chosen = chosen_command(app);
    return Usage{chosen.app->help(chosen.parent), false};
  } catch (const CLI::ExtrasError&) {
    return usage_error(unexpected(app), chosen_command(app).words());
  } catch (const CLI::ParseError& error) {
    return usage_error(error.what(), chosen_command(app).words());
  }
  if (version) {
    return VersionOptions{};
  }
  for (const auto& [command, options] : commands) {
    if (command->parsed()) {
      auto parsed = options(raw);
      return parsed ? *std::move(parsed)
                    : CommandLine(usage_error(parsed.error().message, chosen_command(app).words()));
    }
  }
  for (const CLI::App* group : {policy, images.image}) {
    if (group->parsed()) {
      return Usage{group->help("windlass"), true};
    }
  }
  if (completion->parsed()) {
    return Usage{bash_completion(app), false};
  }
  return help->parsed() ? help_about(app, raw.help_words) : CommandLine(Usage{app.help(), true});
}

}  // namespace windlass::cli
