#include "cli/raw_flags.h"

#include <CLI/CLI.hpp>

namespace windlass::cli {
namespace {

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
  command.add_option("-o,--output", raw.output, "Print the Jobs in the end: yaml or json");
  command.add_option("-n,--namespace", raw.ns, "Namespace for objects that name none");
}

void add_backoff_flags(CLI::App& command, RawFlags& raw) {
  command.add_option("--backoff-base", raw.backoff_base,
                     "Delay after the first failure; doubles with each further one (10s)");
  command.add_option("--backoff-cap", raw.backoff_cap, "The longest delay (10m)");
}

void add_period_flags(CLI::App& command, RawFlags& raw) {
  for (const PeriodFlag& flag : period_flags()) {
    command.add_option(flag.name, raw.periods[flag.name], flag.help)->group("Periods");
  }
}

}  // namespace

CLI::App* add_validate(CLI::App& app, RawFlags& raw) {
  CLI::App* command =
      app.add_subcommand("validate", "Default and validate manifests as Kubernetes would, offline");
  add_manifest_flags(*command, raw);
  command->add_option("-o,--output", raw.output, "Print the defaulted objects: yaml or json");
  command->add_option("--field-validation", raw.field_validation,
                      "Unknown and duplicate fields: strict (an error), warn or ignore");
  command->footer(
      "Kinds that are not known here, as Deployments, are named and not checked.\n"
      "Exit code: 0 nothing is invalid, 1 something is, 2 wrong usage or an unreadable file.\n\n"
      "Examples:\n"
      "  windlass validate -f job.yaml\n"
      "  helm template . | windlass validate -f -\n"
      "  windlass validate -f job.yaml -o yaml      # what the API server would store");
  return command;
}

CLI::App* add_run(CLI::App& app, RawFlags& raw) {
  CLI::App* command =
      app.add_subcommand("run", "Run Jobs to their end on this machine, as real processes");
  add_job_flags(*command, raw);
  command->add_option("--timeout", raw.timeout, "Give up after this long, e.g. 90s, 5m, 1h30m");
  add_backoff_flags(*command, raw);
  command
      ->add_option("--nodes", raw.nodes,
                   "Nodes that the pods are spread over, each with all that the machine has (1)")
      ->check(CLI::Range(size_t{1}, kMaxNodes));
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
      ->add_option("--server-name", raw.server_names,
                   "Name or address by which other machines reach the server, for its certificate; "
                   "repeatable")
      ->allow_extra_args(false);
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
  command->add_flag("--accept-lost-writes", raw.accept_lost_writes,
                    "Start although the data directory has lost acknowledged writes");
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
      "  windlass up --listen 0.0.0.0:6443 --server-name build1.example.com\n"
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
  CLI::App* command =
      app.add_subcommand("kubeconfig", "Print a kubeconfig for one more user of `windlass up`");
  command->add_option(
      "--role", raw.role,
      "admin (everything), viewer (reads all but Secrets; the default) or node (what a "
      "node's agent may do)");
  command->add_option("--user", raw.user, "Name of the user (that of the role), or of the node");
  command->add_option("--server", raw.server,
                      "URL of the server, where clients know it by another one, which `windlass up "
                      "--server-name` has to name");
  command->add_option("--data-dir", raw.data_dir,
                      "That of `windlass up` ($XDG_STATE_HOME/windlass, or "
                      "~/.local/state/windlass)");
  command->footer(
      "The user proves itself with a new client certificate, good for a year. It cannot be taken\n"
      "back; only a new authority ends it (delete ca.crt and ca.key, and restart).\n"
      "The nodes of `windlass up` itself need no kubeconfig; the role node is for `windlass "
      "node`.\n"
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

CLI::App* add_version(CLI::App& app, RawFlags& raw) {
  CLI::App* command = app.add_subcommand("version", "Print the version of this program");
  command->add_option("-o,--output", raw.output, "yaml or json");
  return command;
}

CLI::App* add_completion(CLI::App& app, RawFlags& raw) {
  CLI::App* command =
      app.add_subcommand("completion", "Print a script that completes commands and flags: bash");
  command->add_option("SHELL", raw.shell, "bash")->required()->check(CLI::IsMember({"bash"}));
  command->footer("Example:\n  source <(windlass completion bash)");
  return command;
}

CLI::App* add_help(CLI::App& app, RawFlags& raw) {
  CLI::App* command = app.add_subcommand("help", "Print this help, or that of a command");
  command->add_option("COMMAND", raw.help_words, "e.g. run, or policy test");
  return command;
}

}  // namespace windlass::cli
