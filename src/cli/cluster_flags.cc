#include "cli/cluster_flags.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>

#include "api/field_error.h"
#include "api/names.h"
#include "cli/flag_values.h"

namespace windlass::cli {
namespace {

void add_cluster_flags(CLI::App& command, ClusterFlags& cluster) {
  command.add_option("--kubeconfig", cluster.kubeconfig,
                     "Which cluster, and who we are ($KUBECONFIG, the pod's own, ~/.kube/config)");
  command.add_option("--context", cluster.context, "Of the kubeconfig (its current one)");
}

}  // namespace

CLI::App* add_controller(CLI::App& app, ControllerFlags& flags) {
  CLI::App* command = app.add_subcommand(
      "controller", "Run the Job controller for a Kubernetes cluster, beside or for its own");
  ControllerOptions& controller = flags.options;
  add_cluster_flags(*command, controller.cluster);
  command->add_option("--managed-by", flags.manager,
                      "Take care of Jobs with this spec.managedBy: windlass.dev/job-controller");
  command->add_flag("--replace-builtin", flags.replace_built_in,
                    "Take care of all Jobs without a foreign manager; the cluster's own controller "
                    "must be off");
  command->add_option("-n,--namespace", controller.ns, "Only in this namespace (everywhere)");
  command->add_flag("--leader-elect", controller.leader_elect,
                    "Wait for the Lease, so that several may run (true)");
  command->add_option("--leader-elect-resource-namespace", controller.lease_namespace,
                      "Where the Lease is (the pod's own, --namespace, or kube-system)");
  command->add_option("--leader-elect-resource-name", controller.lease_name, "Its name");
  command->add_option("--leader-elect-lease-duration", flags.lease,
                      "How long others wait before they take the Lease (15s)");
  command->add_option("--leader-elect-renew-deadline", flags.renew_deadline,
                      "How long the leader goes on without renewing it (10s)");
  command->add_option("--leader-elect-retry-period", flags.retry, "Between two tries (2s)");
  command->add_option("--listen", controller.listen,
                      "ADDRESS:PORT of /healthz, /readyz and /metrics, plain HTTP; \"\" for none "
                      "(127.0.0.1:10257)");
  command->add_option("--concurrent-job-syncs", controller.concurrent_syncs, "Jobs at a time (5)")
      ->check(CLI::Range(1, 1000));
  command
      ->add_option("--connections", controller.connections,
                   "Requests to the API server at a time (100; over HTTP/1.1 32)")
      ->check(CLI::Range(1, 1000));
  command->add_flag("--disable-http2", controller.disable_http2,
                    "Speak only HTTP/1.1 to the API server");
  command
      ->add_option("--kube-api-qps", controller.requests_per_second,
                   "Requests to the API server a second (no limit)")
      ->check(CLI::NonNegativeNumber);
  command
      ->add_option("--kube-api-burst", controller.burst,
                   "How many of them may come at once (1, with --kube-api-qps)")
      ->check(CLI::NonNegativeNumber);
  command->add_option("--backoff-base", flags.backoff_base,
                      "Delay before the first replacement of a failed pod, then doubled (10s)");
  command->add_option("--backoff-cap", flags.backoff_cap, "Its longest (10m)");
  command->add_option("--feature-gates", flags.feature_gates,
                      "Switch features: A=true,B=false (all are on by default)");
  command->add_option("-v", controller.verbosity, "Log more: 0 warnings, 1 information, 2 all");
  command->footer(
      "Runs until SIGTERM, which gives the lease back. Exit code: 0 stopped, 1 the cluster cannot\n"
      "be used or the lease was lost (start it again), 2 wrong usage.\n\n"
      "Examples:\n"
      "  windlass controller --managed-by windlass.dev/job-controller\n"
      "  windlass controller --kubeconfig prod.yaml --replace-builtin --listen 0.0.0.0:10257");
  return command;
}

Result<ControllerOptions> read_controller_flags(const ControllerFlags& flags) {
  ControllerOptions options = flags.options;
  if (flags.replace_built_in == !flags.manager.empty()) {
    return fail(plain_error("must specify either --managed-by NAME or --replace-builtin"));
  }
  if (flags.manager == api::kBuiltInJobController) {
    return fail(plain_error("that name is the built-in controller's: use --replace-builtin"));
  }
  api::FieldErrors errors;  // what no Job could name, nobody would ever serve
  api::validate_domain_prefixed_path(errors, api::FieldPath("managedBy"), flags.manager);
  if (!flags.manager.empty() && !errors.empty()) {
    return fail(plain_error(fmt::format(
        "invalid --managed-by \"{}\": must be a path with a domain, as windlass.dev/job-controller",
        flags.manager)));
  }
  options.manager =
      flags.replace_built_in ? std::string(api::kBuiltInJobController) : flags.manager;
  TRY(options.gates, api::FeatureGates::parse(flags.feature_gates));
  TRY(options.backoff_base, positive_duration("--backoff-base", flags.backoff_base));
  TRY(options.backoff_cap, positive_duration("--backoff-cap", flags.backoff_cap));
  TRY(options.lease, positive_duration("--leader-elect-lease-duration", flags.lease));
  TRY(options.renew_deadline,
      positive_duration("--leader-elect-renew-deadline", flags.renew_deadline));
  TRY(options.retry, positive_duration("--leader-elect-retry-period", flags.retry));
  if (options.renew_deadline <= options.retry || options.lease <= options.renew_deadline) {
    return fail(plain_error(
        "--leader-elect-lease-duration must be above --leader-elect-renew-deadline, and that above "
        "--leader-elect-retry-period"));
  }
  return options;
}

CLI::App* add_doctor(CLI::App& app, DoctorFlags& flags) {
  CLI::App* command =
      app.add_subcommand("doctor", "Say what is wrong with the Jobs of a cluster; reads only");
  add_cluster_flags(*command, flags.options.cluster);
  command->add_option("-n,--namespace", flags.options.ns, "Only in this namespace (everywhere)");
  command->add_option("--wait", flags.wait, "Between the two looks (10s)");
  command->add_option("--patience", flags.patience, "What may take this long is not late (1m)");
  command->add_option("-o,--output", flags.output, "json");
  command->footer(
      "Finds pods that cannot go because of a tracking finalizer (stuck-pod), counters that do "
      "not\n"
      "agree with pods (counters), Jobs that nobody begins with (unmanaged), two controllers of "
      "one\n"
      "Job (two-managers), and status that the API server does not take (refused-status).\n"
      "Exit code: 0 nothing wrong, 1 problems, 2 wrong usage or a cluster that cannot be read.\n\n"
      "Examples:\n"
      "  windlass doctor --kubeconfig prod.yaml\n"
      "  windlass doctor -n training -o json");
  return command;
}

Result<DoctorOptions> read_doctor_flags(const DoctorFlags& flags) {
  DoctorOptions options = flags.options;
  TRY(options.wait, positive_duration("--wait", flags.wait));
  TRY(options.patience, positive_duration("--patience", flags.patience));
  if (!flags.output.empty() && flags.output != "json") {
    return fail(plain_error(
        fmt::format("unable to match a printer suitable for the output format \"{}\", allowed "
                    "formats are: json",
                    flags.output)));
  }
  options.json = !flags.output.empty();
  return options;
}

}  // namespace windlass::cli
