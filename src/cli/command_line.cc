#include "cli/command_line.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <map>

#include "cli/cluster_flags.h"
#include "cli/completion.h"
#include "cli/explain_flags.h"
#include "cli/flag_values.h"
#include "cli/image_flags.h"
#include "cli/node_flags.h"
#include "cli/simulate_flags.h"

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
  std::map<std::string, std::string> periods;  // by flag
  bool logs = false;
  int verbosity = 0;
  std::string data_dir;
  std::string listen = UpOptions().listen;
  std::string role = KubeconfigOptions().role;
  std::string user;
  std::string server;
  std::optional<size_t> nodes;
  size_t hollow_nodes = 0;
  std::string hollow_mix;
  std::string cases;
  std::string fail_on = "warning";
  std::string supervisor_dir;
  ControllerFlags controller;
  DoctorFlags doctor;
  ExplainFlags explain;
  NodeFlags node;
  ShutdownFlags shutdown;
  LimitFlags limits;
  SimulateFlags simulate;
  std::string shell;
  std::vector<std::string> help_words;
  NodeImages node_images;
  ImageOptions image;
};

void add_manifest_flags(CLI::App& command, RawFlags& raw) {
  command.add_option("-f,--filename", raw.files,
                     "Manifest file or folder, YAML or JSON; - is standard input; repeatable");
  command.add_flag("-R,--recursive", raw.recursive, "Look into folders of folders");
  command.add_option("FILE", raw.positional_files, "The same as -f FILE");
  command.add_option("--feature-gates", raw.feature_gates,
                     "Switch features: A=true,B=false (all are on by default)");
}

// Of commands that take Jobs to their end.
void add_job_flags(CLI::App& command, RawFlags& raw) {
  add_manifest_flags(command, raw);
  command.add_option("-o,--output", raw.output, "Print the finished Jobs: yaml or json");
  command.add_option("-n,--namespace", raw.ns, "Namespace for objects that name none");
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

void add_backoff_flags(CLI::App& command, RawFlags& raw) {
  command.add_option("--backoff-base", raw.backoff_base,
                     "Delay after the first failure; doubles with each further one (10s)");
  command.add_option("--backoff-cap", raw.backoff_cap, "The longest delay (10m)");
}

CLI::App* add_run(CLI::App& app, RawFlags& raw) {
  CLI::App* command =
      app.add_subcommand("run", "Run Jobs to their end on this machine, as real processes");
  add_job_flags(*command, raw);
  command->add_option("--timeout", raw.timeout, "Give up after this long, e.g. 90s, 5m, 1h30m");
  add_backoff_flags(*command, raw);
  add_node_image_flags(*command, raw.node_images);
  command->add_flag("--logs", raw.logs, "Print what the pods print, each line after its pod");
  command->add_option("-v", raw.verbosity, "Log more: 0 warnings, 1 information, 2 all");
  add_limit_flags(*command, raw.limits);
  command->footer(
      "Exit code: 0 Complete, 1 Failed, 2 wrong usage or an invalid manifest, 124 timed out,\n"
      "130 interrupted (Ctrl-C stops the pods gracefully, a second one kills them).\n\n"
      "Examples:\n"
      "  windlass run examples/first-job.yaml\n"
      "  windlass run job.yaml --timeout 10m --logs");
  return command;
}

CLI::App* add_simulate(CLI::App& app, RawFlags& raw) {
  CLI::App* command =
      app.add_subcommand("simulate", "Say what would become of Jobs on a cluster, in virtual time");
  add_job_flags(*command, raw);
  add_simulate_flags(*command, raw.simulate);
  add_backoff_flags(*command, raw);
  return command;
}

void add_period_flags(CLI::App& command, RawFlags& raw) {
  for (const PeriodFlag& flag : period_flags()) {
    command.add_option(flag.name, raw.periods[flag.name], flag.help)->group("Periods");
  }
}

CLI::App* add_up(CLI::App& app, RawFlags& raw) {
  CLI::App* command =
      app.add_subcommand("up", "Keep a control plane running, for kubectl and other clients");
  command->add_option("--data-dir", raw.data_dir,
                      "Where everything is kept; only its owner may enter it "
                      "($XDG_STATE_HOME/windlass, or ~/.local/state/windlass)");
  command->add_option("--listen", raw.listen,
                      "ADDRESS:PORT of the API server; port 0 takes any that is free "
                      "(127.0.0.1:6443)");
  command
      ->add_option("--nodes", raw.nodes,
                   "Nodes that run containers as processes of this machine, each with all it has "
                   "(1; 0 with hollow nodes)")
      ->check(CLI::Range(size_t{0}, kMaxNodes));
  add_node_image_flags(*command, raw.node_images);
  command
      ->add_option("--hollow-nodes", raw.hollow_nodes,
                   "Nodes that run nothing and end pods as their annotations say, for trials at "
                   "scale")
      ->check(CLI::Range(size_t{0}, kMaxHollowNodes));
  command->add_option("--hollow-mix", raw.hollow_mix,
                      "How pods without such annotations live: "
                      "duration=1s..5s,fail=10%,exit-code=42,seed=7");
  command->add_option("--feature-gates", raw.feature_gates,
                      "Switch features: A=true,B=false (all are on by default)");
  command->add_option("-v", raw.verbosity, "Log more: 0 warnings, 1 information, 2 all");
  add_period_flags(*command, raw);
  add_shutdown_flags(*command, raw.shutdown);
  add_limit_flags(*command, raw.limits);
  command->footer(
      "Runs until Ctrl-C or SIGTERM, which let requests under way complete. What was acknowledged\n"
      "is there again at the next start with the same data directory. Pods go on meanwhile;\n"
      "`windlass down` ends them too.\n"
      "Exit code: 0 stopped, 1 could not start, 2 wrong usage.\n\n"
      "Examples:\n"
      "  windlass up\n"
      "  windlass up --data-dir ./state --listen 127.0.0.1:0\n"
      "  windlass up --nodes 3\n"
      "  windlass up --hollow-nodes 1000 --hollow-mix duration=1s..5s,fail=1%\n"
      "  export KUBECONFIG=~/.local/state/windlass/kubeconfig; kubectl get jobs");
  return command;
}

CLI::App* add_down(CLI::App& app, RawFlags& raw) {
  CLI::App* command =
      app.add_subcommand("down", "Stop a `windlass up`, and its pods within their grace periods");
  command->add_option("--data-dir", raw.data_dir,
                      "That of `windlass up` ($XDG_STATE_HOME/windlass, or "
                      "~/.local/state/windlass)");
  command->footer(
      "Its objects stay; the next `windlass up` with the same data directory goes on with them.\n"
      "Exit code: 0, 1 could not be stopped, 2 wrong usage.");
  return command;
}

CLI::App* add_kubeconfig(CLI::App& app, RawFlags& raw) {
  CLI::App* command = app.add_subcommand(
      "kubeconfig", "Print a kubeconfig for one more user of `windlass up`, or for a node");
  command->add_option("--role", raw.role,
                      "admin (everything), viewer (reads all but Secrets; the default) or node");
  command->add_option("--user", raw.user, "Name of the user (that of the role), or of the node");
  command->add_option("--server", raw.server,
                      "URL of the server, where clients know it by another one");
  command->add_option("--data-dir", raw.data_dir,
                      "That of `windlass up` ($XDG_STATE_HOME/windlass, or "
                      "~/.local/state/windlass)");
  command->footer(
      "The user proves itself with a new client certificate, good for a year. It cannot be taken\n"
      "back; only a new authority ends it (delete ca.crt and ca.key, and restart).\n"
      "Exit code: 0, 1 cannot be made, 2 wrong usage.\n\n"
      "Examples:\n"
      "  windlass kubeconfig --user alice > alice.kubeconfig\n"
      "  windlass kubeconfig --role node --user worker-1 > worker-1.kubeconfig");
  return command;
}

CLI::App* add_policy_test(CLI::App& policy, RawFlags& raw) {
  CLI::App* command = policy.add_subcommand(
      "test", "Show which rule decides about each failure, and what the Job does next");
  add_manifest_flags(*command, raw);
  command->add_option("--cases", raw.cases,
                      "YAML list of failures with what is expected of them; compare with it");
  command->add_option("-o,--output", raw.output,
                      "table (the default), json, or junit with --cases");
  command->footer(
      "Exit code: 0 all as expected, 1 a case came out differently or a Job is invalid, 2 wrong\n"
      "usage, an unreadable file or a broken cases file.\n\n"
      "Examples:\n"
      "  windlass policy test -f job.yaml\n"
      "  windlass policy test -f job.yaml --cases job.policy-test.yaml\n"
      "  windlass policy test -f job.yaml --cases cases.yaml -o junit > report.xml");
  return command;
}

CLI::App* add_policy_lint(CLI::App& policy, RawFlags& raw) {
  CLI::App* command = policy.add_subcommand(
      "lint", "Find what is wrong with failure policies, why it hurts, and what to do");
  add_manifest_flags(*command, raw);
  command->add_option("-o,--output", raw.output, "table (the default) or json");
  command->add_option("--fail-on", raw.fail_on,
                      "Exit with 1 for findings of this severity and above: error, warning (the "
                      "default) or info");
  command->footer(
      "Prints nothing when there is nothing to say. The annotation windlass.dev/lint-ignore of a\n"
      "Job names findings to accept: never-matches,ttl-zero.\n"
      "Exit code: 0 no findings, or none so severe, 1 findings, 2 wrong usage or an unreadable\n"
      "file.\n\n"
      "Examples:\n"
      "  windlass policy lint -f job.yaml\n"
      "  helm template . | windlass policy lint -f -\n"
      "  windlass policy lint -f jobs/ -R --fail-on error -o json");
  return command;
}

CLI::App* add_annotate(CLI::App& app, RawFlags& raw) {
  CLI::App* command = app.add_subcommand(
      "annotate",
      "Print Jobs with the names of their failure rules where any API server keeps them");
  command->add_option("-f,--filename", raw.files,
                      "Manifest file or folder, YAML or JSON; - is standard input; repeatable");
  command->add_flag("-R,--recursive", raw.recursive, "Look into folders of folders");
  command->add_option("FILE", raw.positional_files, "The same as -f FILE");
  command->add_option("-o,--output", raw.output, "yaml (the default) or json");
  command->footer(
      "Kubernetes drops spec.podFailurePolicy.rules[].name. `windlass controller` also reads the\n"
      "annotation windlass.dev/failure-rule-names, which this makes of them.\n"
      "Exit code: 0, 1 a manifest cannot be read, 2 wrong usage or an unreadable file.\n\n"
      "Examples:\n"
      "  windlass annotate -f job.yaml | kubectl apply -f -");
  return command;
}

CLI::App* add_supervisor(CLI::App& app, RawFlags& raw) {
  CLI::App* command =
      app.add_subcommand("supervisor", "Hold the containers of one node (started by windlass)");
  command->group("");  // not for people
  command->add_option("--dir", raw.supervisor_dir, "Where its socket and its records are");
  return command;
}

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

Result<CommandLine> up_options(const RawFlags& raw) {
  UpOptions options;
  TRY(options.periods, plane_periods(raw));
  TRY(options.gates, api::FeatureGates::parse(raw.feature_gates));
  options.data_dir = raw.data_dir;
  options.listen = raw.listen;
  options.verbosity = raw.verbosity;
  options.nodes = raw.nodes.value_or(raw.hollow_nodes > 0 ? 0 : 1);
  options.hollow_nodes = raw.hollow_nodes;
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

}  // namespace

CommandLine parse_command_line(const std::vector<std::string>& arguments) {
  RawFlags raw;
  CLI::App app(kDescription, "windlass");
  app.require_subcommand(0, 1);
  CLI::App* validate = add_validate(app, raw);
  CLI::App* run = add_run(app, raw);
  CLI::App* simulate = add_simulate(app, raw);
  CLI::App* up = add_up(app, raw);
  CLI::App* down = add_down(app, raw);
  CLI::App* kubeconfig = add_kubeconfig(app, raw);
  CLI::App* policy = app.add_subcommand(
      "policy", "What a Job's failure policy does (test), and what is wrong with it (lint)");
  CLI::App* policy_test = add_policy_test(*policy, raw);
  CLI::App* policy_lint = add_policy_lint(*policy, raw);
  CLI::App* controller = add_controller(app, raw.controller);
  CLI::App* doctor = add_doctor(app, raw.doctor);
  CLI::App* annotate = add_annotate(app, raw);
  CLI::App* explain = add_explain(app, raw.explain);
  CLI::App* node = app.add_subcommand("node", "Act on one node of `windlass up`: shutdown");
  CLI::App* node_shutdown = add_node_shutdown(*node, raw.node);
  const ImageCommands images = add_image(app, raw.image);
  CLI::App* supervisor = add_supervisor(app, raw);
  CLI::App* version = app.add_subcommand("version", "Print the version of this program");
  version->add_option("-o,--output", raw.output, "yaml or json");
  CLI::App* completion =
      app.add_subcommand("completion", "Print a script that completes commands and flags: bash");
  completion->add_option("SHELL", raw.shell, "bash")->required()->check(CLI::IsMember({"bash"}));
  completion->footer("Example:\n  source <(windlass completion bash)");
  CLI::App* help = app.add_subcommand("help", "Print this help, or that of a command");
  help->add_option("COMMAND", raw.help_words, "e.g. run, or policy test");
  using Options = Result<CommandLine> (*)(const RawFlags&);
  const std::pair<const CLI::App*, Options> commands[] = {
      {validate, validate_options},
      {run, run_options},
      {simulate, simulate_options},
      {up, up_options},
      {down, down_options},
      {kubeconfig, kubeconfig_options},
      {policy_test, policy_test_options},
      {policy_lint, policy_lint_options},
      {controller, controller_options},
      {doctor, doctor_options},
      {annotate, annotate_options},
      {explain, explain_options},
      {node_shutdown, node_shutdown_options},
      {images.add, image_options},
      {images.list, image_options},
      {images.remove, image_options},
      {supervisor, supervisor_options},
      {version, version_options},
  };

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
  for (const auto& [command, options] : commands) {
    if (command->parsed()) {
      auto parsed = options(raw);
      return parsed ? *std::move(parsed)
                    : CommandLine(usage_error(parsed.error().message, chosen_command(app).words()));
    }
  }
  for (const CLI::App* group : {policy, node, images.image}) {
    if (group->parsed()) {
      return Usage{group->help("windlass"), true};
    }
  }
  if (completion->parsed()) {
    return Usage{bash_completion(app), false};
  }
  if (help->parsed()) {
    const CLI::App* topic = &app;
    for (const std::string& word : raw.help_words) {
      const auto found = topic->get_subcommands(
          [&word](const CLI::App* command) { return command->get_name() == word; });
      topic = found.empty() ? nullptr : found.front();
      if (topic == nullptr) {
        return usage_error(fmt::format("there is no command \"{}\"", word), "");
      }
    }
    raw.help_words.emplace_back("--help");
    return parse_command_line(raw.help_words);
  }
  return Usage{app.help(), true};
}

}  // namespace windlass::cli
