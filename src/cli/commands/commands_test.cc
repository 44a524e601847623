#include "cli/commands/commands.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <optional>
#include <sstream>

#include "cli/commands/annotate.h"
#include "cli/commands/controller/controller.h"
#include "cli/commands/doctor/doctor.h"
#include "cli/commands/explain/explain.h"
#include "cli/commands/image.h"
#include "cli/commands/kubeconfig.h"
#include "cli/commands/node/node.h"
#include "cli/commands/policy/policy_lint.h"
#include "cli/commands/policy/policy_test_command.h"
#include "cli/commands/run/run.h"
#include "cli/commands/simulate.h"
#include "cli/commands/up.h"
#include "cli/commands/validate.h"
#include "cli/flags/parsed_options_testing.h"
#include "cli/output/text.h"
#include "posix/testing.h"

namespace windlass::cli {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using testing::parsed;
using testing::TextOutput;

// The error that the whole program answers with.
std::string refused(const std::vector<std::string>& arguments) {
  TextOutput output;
  EXPECT_EQ(run_command_line(all_commands(), arguments, output), ExitCode::usage);
  EXPECT_EQ(output.out_text, "");
  return output.err_text;
}

// The output of a command that cannot fail.
std::string printed(const std::vector<std::string>& arguments) {
  TextOutput output;
  EXPECT_EQ(run_command_line(all_commands(), arguments, output), ExitCode::ok);
  EXPECT_EQ(output.err_text, "");
  return output.out_text;
}

TEST(Commands, ExplainTakesAJobOrAKeptRun) {
  EXPECT_EQ(parsed<ExplainOptions>({"explain", "job/j"}).run, "");
  EXPECT_EQ(parsed<ExplainOptions>({"explain", "run/12"}).run, "12");
  const auto one = parsed<ExplainOptions>({"explain", "run/last/train"});
  EXPECT_EQ(one.run, "last");
  EXPECT_EQ(one.job, "train");
  for (const char* bad : {"run/", "run/1/", "run/1/a/b"}) {
    EXPECT_THAT(refused({"explain", bad}), HasSubstr("must be run/12 or run/12/NAME"));
  }
  EXPECT_THAT(refused({"explain", "run/1", "--ledger", "sqlite:f"}), HasSubstr("of its own"));
  EXPECT_THAT(refused({"rerun", "run/1", "--failed"}), HasSubstr("must be job/NAME"));
}

TEST(Commands, VersionIsAFlagToo) {
  EXPECT_EQ(printed({"--version"}), printed({"version"}));
  EXPECT_THAT(printed({"version"}), HasSubstr("++ "));
  EXPECT_THAT(printed({"version", "-o", "json"}), HasSubstr("\"version\": \"v"));
}

TEST(Commands, ValidateTakesFilesInBothForms) {
  const auto options =
      parsed<ValidateOptions>({"validate", "-f", "a.yaml", "--filename", "-", "b.yaml", "-R"});
  EXPECT_EQ(options.manifests.paths, (std::vector<std::string>{"a.yaml", "-", "b.yaml"}));
  EXPECT_TRUE(options.manifests.recursive);
  EXPECT_EQ(options.format, OutputFormat::text);
  EXPECT_EQ(options.fields, FieldValidation::strict);
}

TEST(Commands, ValidateTakesFormatsModesAndGates) {
  const auto options =
      parsed<ValidateOptions>({"validate", "-f", "a", "-o", "yaml", "--field-validation=warn",
                               "--feature-gates", "PodFailurePolicyName=false"});
  EXPECT_EQ(options.format, OutputFormat::yaml);
  EXPECT_EQ(options.fields, FieldValidation::warn);
  EXPECT_FALSE(options.gates.enabled(api::Feature::pod_failure_policy_name));
  EXPECT_TRUE(options.gates.enabled(api::Feature::job_pod_failure_policy));
}

TEST(Commands, PolicyTestTakesCasesFormatsAndGates) {
  const auto plain = parsed<PolicyTestOptions>({"test", "-f", "a.yaml"});
  EXPECT_EQ(plain.format, PolicyFormat::table);
  EXPECT_EQ(plain.cases, "");
  const auto options =
      parsed<PolicyTestOptions>({"test", "a.yaml", "--cases", "c.yaml", "-o", "junit",
                                 "--feature-gates", "PodDisruptionConditions=false"});
  EXPECT_EQ(options.manifests.paths, (std::vector<std::string>{"a.yaml"}));
  EXPECT_EQ(options.cases, "c.yaml");
  EXPECT_EQ(options.format, PolicyFormat::junit);
  EXPECT_FALSE(options.gates.enabled(api::Feature::pod_disruption_conditions));
}

TEST(Commands, PolicyLintTakesFormatAndSeverity) {
  EXPECT_EQ(parsed<PolicyLintOptions>({"lint", "a"}).fail_on, policy::Severity::warning);
  const auto options = parsed<PolicyLintOptions>({"lint", "a", "-o", "json", "--fail-on", "error"});
  EXPECT_EQ(options.format, PolicyFormat::json);
  EXPECT_EQ(options.fail_on, policy::Severity::error);
}

TEST(Commands, PolicyRefusesWhatMakesNoSense) {
  EXPECT_THAT(refused({"policy", "test", "a", "-o", "sarif"}),
              HasSubstr("allowed formats are: table,json,junit\n"));
  EXPECT_THAT(refused({"policy", "test", "-f", "-", "--cases", "-"}),
              HasSubstr("standard input can be read once"));
  EXPECT_THAT(refused({"policy", "lint", "a", "-o", "xml"}),
              HasSubstr("allowed formats are: table,json,sarif,junit,github\n"
                        "Run 'windlass policy lint --help'"));
  EXPECT_THAT(refused({"policy", "lint", "a", "--fail-on", "all"}),
              HasSubstr("must be error, warning or info"));
  EXPECT_THAT(refused({"policy", "test"}), HasSubstr("must specify a file"));
  EXPECT_THAT(refused({"policy", "test", "a", "--zork"}),
              HasSubstr("Run 'windlass policy test --help' for usage."));
  EXPECT_THAT(refused({"policy"}), HasSubstr("lint"));
}

TEST(Commands, PolicyHasHelp) {
  for (const std::vector<std::string>& words :
       {std::vector<std::string>{"policy", "test", "--help"}, {"policy", "lint", "-h"}}) {
    const std::string help = printed(words);
    EXPECT_THAT(help, HasSubstr("Exit codes:\n  0 "));
    EXPECT_THAT(help, HasSubstr("Usage: windlass policy " + words[1]));
    EXPECT_THAT(help, HasSubstr("Examples:"));
  }
}

TEST(Commands, RunHasKubernetesPeriodsByDefault) {
  const auto options = parsed<RunOptions>({"run", "job.yaml"});
  EXPECT_EQ(options.backoff_base, seconds(10));
  EXPECT_EQ(options.backoff_cap, minutes(10));
  EXPECT_FALSE(options.timeout.has_value());
  EXPECT_EQ(options.ns, "default");
}

TEST(Commands, RunTakesDurations) {
  const auto options =
      parsed<RunOptions>({"run", "job.yaml", "--timeout", "1h30m", "--backoff-base=10ms",
                          "--backoff-cap", "1s", "-n", "training"});
  EXPECT_EQ(options.timeout, minutes(90));
  EXPECT_EQ(options.backoff_base, milliseconds(10));
  EXPECT_EQ(options.backoff_cap, seconds(1));
  EXPECT_EQ(options.ns, "training");
}

TEST(Commands, UpTakesHollowNodes) {
  const auto options = parsed<UpOptions>(
      {"up", "--hollow-nodes", "1000", "--hollow-mix", "duration=1s..5s,fail=10%"});
  EXPECT_EQ(options.hollow_nodes, 1000u);
  EXPECT_EQ(options.hollow_mix.longest, seconds(5));
  EXPECT_EQ(options.hollow_mix.percent_failing, 10);
  EXPECT_THAT(refused({"up", "--hollow-mix", "fail=often"}), HasSubstr("fail"));
}

TEST(Commands, UpAcceptsLostWritesOnlyWhenToldTo) {
  EXPECT_FALSE(parsed<UpOptions>({"up"}).accept_lost_writes);
  EXPECT_TRUE(parsed<UpOptions>({"up", "--accept-lost-writes"}).accept_lost_writes);
}

TEST(Commands, UpTakesTheLimitsOfItsLedger) {
  const auto usual = parsed<UpOptions>({"up"}).ledger;
  EXPECT_TRUE(usual.enabled);
  EXPECT_EQ(usual.log_bytes, 16U * 1024);
  const auto limits = parsed<UpOptions>({"up", "--ledger=off", "--ledger-max-age", "24h",
                                         "--ledger-max-size=500Mi", "--ledger-log-bytes", "0"})
                          .ledger;
  EXPECT_FALSE(limits.enabled);
  EXPECT_EQ(limits.max_age, hours(24));
  EXPECT_EQ(limits.max_bytes, 500U * 1024 * 1024);
  EXPECT_EQ(limits.log_bytes, 0U);
  EXPECT_EQ(parsed<UpOptions>({"up", "--otlp-endpoint", "https://c:4318"}).traces.endpoint,
            "https://c:4318");
  EXPECT_THAT(refused({"up", "--otlp-endpoint", "c:4318"}), HasSubstr("http://"));
  EXPECT_THAT(refused({"up", "--ledger=off", "--otlp-endpoint", "http://c"}),
              HasSubstr("--ledger=off"));
  EXPECT_THAT(refused({"up", "--otlp-endpoint", "http://c", "--otlp-token-file", "t"}),
              HasSubstr("https:// only"));
  EXPECT_THAT(refused({"controller", "--replace-builtin", "--otlp-endpoint", "http://c"}),
              HasSubstr("needs --ledger"));
  EXPECT_THAT(refused({"up", "--ledger", "maybe"}), HasSubstr("must be on or off"));
  EXPECT_THAT(refused({"up", "--ledger-max-size", "1Ki"}), HasSubstr("at least 1Mi"));
  EXPECT_THAT(refused({"up", "--ledger-max-age", "0s"}), HasSubstr("above zero"));
  EXPECT_THAT(refused({"controller", "--replace-builtin", "--ledger", "ledger.db"}),
              HasSubstr("must be sqlite:FILE"));
}

TEST(Commands, M29_EveryPeriodOfTheControlPlaneIsAFlag) {
  EXPECT_EQ(parsed<UpOptions>({"up"}).periods, plane::PlanePeriods());
  for (const plane::PeriodFlag& flag : plane::period_flags()) {
    const auto options = parsed<UpOptions>({"up", flag.name, "7s"});
    plane::PlanePeriods expected;
    expected.*flag.member = seconds(7);
    EXPECT_EQ(options.periods, expected) << flag.name;
    EXPECT_THAT(refused({"up", flag.name, "0s"}), HasSubstr(flag.name));
  }
}

TEST(Commands, SaysWhatIsWrong) {
  EXPECT_THAT(refused({"validate"}), HasSubstr("must specify a file"));
  EXPECT_THAT(refused({"validate"}), HasSubstr("Run 'windlass validate --help' for usage."));
  EXPECT_THAT(refused({"validate", "-f", "a", "--zork"}), HasSubstr("--zork"));
  EXPECT_THAT(refused({"validate", "-f", "a", "-o", "xml"}),
              HasSubstr("unable to match a printer suitable for the output format \"xml\""));
  EXPECT_THAT(refused({"validate", "-f", "a", "--field-validation", "maybe"}),
              HasSubstr("must be strict, warn or ignore"));
  EXPECT_THAT(refused({"validate", "-f", "a", "--feature-gates", "Zork=true"}), HasSubstr("Zork"));
  EXPECT_THAT(refused({"run", "a", "--timeout", "soon"}), HasSubstr("invalid --timeout \"soon\""));
  EXPECT_THAT(refused({"run", "a", "--timeout", "-5s"}), HasSubstr("above zero"));
  EXPECT_THAT(refused({"zork"}), HasSubstr("zork"));
}

TEST(Commands, NoCommandIsAnErrorThatShowsTheHelp) {
  EXPECT_THAT(refused({}), HasSubstr("validate"));
}

TEST(Commands, HelpIsNotAnError) {
  for (const auto& arguments : std::vector<std::vector<std::string>>{
           {"help"}, {"--help"}, {"-h"}, {"validate", "--help"}, {"run", "-h"}}) {
    EXPECT_THAT(printed(arguments), HasSubstr("Usage: windlass"));
  }
  EXPECT_THAT(printed({"run", "--help"}), HasSubstr("124  Timed out"));
}

TEST(Commands, HelpIsAboutTheProgramOrTheCommandThatItNames) {
  EXPECT_EQ(printed({"help"}), printed({"--help"}));
  EXPECT_THAT(printed({"help"}), HasSubstr("explain"));
  EXPECT_EQ(printed({"help", "run"}), printed({"run", "--help"}));
  EXPECT_EQ(printed({"help", "policy", "test"}), printed({"policy", "test", "--help"}));
  EXPECT_THAT(refused({"help", "zork"}), HasSubstr("zork"));
}

TEST(Commands, CompletionKnowsCommandsAndFlags) {
  const std::string script = printed({"completion", "bash"});
  EXPECT_THAT(script, HasSubstr("complete -F _windlass windlass kubectl-windlass"));
  EXPECT_THAT(printed({"completion", "zsh"}), HasSubstr("#compdef windlass"));
  EXPECT_THAT(printed({"completion", "fish"}), HasSubstr("complete -c windlass"));
  EXPECT_THAT(refused({"completion", "csh"}), HasSubstr("must be bash, zsh or fish"));
  EXPECT_EQ(printed({"__complete", "policy", "te"}),
            "test\tShow which rule applies to each failure and how the Job reacts\n:4\n");
  EXPECT_THAT(printed({"__complete", "simulate", "--"}), HasSubstr("--lose-node-every\t"));
  EXPECT_THAT(printed({"__complete", ""}), Not(HasSubstr("supervisor")));
}

TEST(Commands, SimulateTakesACluster) {
  const auto options = parsed<SimulateOptions>({"simulate", "-f", "a.yaml", "--seed", "7",
                                                "--nodes", "5", "--mix", "duration=1m..2h,fail=5%",
                                                "--drain-every", "30m", "--limit", "24h"});
  EXPECT_EQ(options.manifests.paths, std::vector<std::string>{"a.yaml"});
  EXPECT_EQ(options.cluster.seed, 7U);
  EXPECT_EQ(options.cluster.nodes, 5U);
  EXPECT_EQ(options.cluster.mix.longest, hours(2));
  EXPECT_EQ(options.cluster.drain_every, minutes(30));
  EXPECT_EQ(options.cluster.lose_node_every, std::nullopt);
  EXPECT_EQ(options.cluster.limit, hours(24));
  EXPECT_THAT(refused({"simulate", "-f", "a", "--mix", "zork=1"}), HasSubstr("zork"));
  EXPECT_THAT(refused({"simulate", "-f", "a", "--mix", "fail=5%,seed=7"}), HasSubstr("--seed"));
  EXPECT_THAT(refused({"simulate", "-f", "a", "--drain-every", "0s"}), HasSubstr("--drain-every"));
}

TEST(Commands, SaysWhatItDoesNotKnow) {
  const auto error = [](const std::vector<std::string>& arguments) {
    const std::string text = refused(arguments);
    return text.substr(0, text.find('\n'));
  };
  EXPECT_EQ(error({"up", "--lisen", "x"}), "error: unknown flag: --lisen");
  EXPECT_EQ(error({"up", "extra"}), "error: unexpected argument \"extra\"");
  EXPECT_EQ(error({"upp"}), "error: unknown command \"upp\"");
  EXPECT_EQ(error({"--zork", "up"}), "error: unknown flag: --zork");
}

TEST(Commands, UpTakesNamesOfItsServer) {
  const auto options = parsed<UpOptions>(
      {"up", "--server-name", "build1.example.com", "--server-name=2001:db8::1", "--nodes", "2"});
  EXPECT_EQ(options.server_names, (std::vector<std::string>{"build1.example.com", "2001:db8::1"}));
  EXPECT_EQ(options.nodes, 2u);
  EXPECT_TRUE(parsed<UpOptions>({"up"}).server_names.empty());
  for (const char* name : {"", "a,DNS:b", "https://a", "A", "::g"}) {
    EXPECT_THAT(refused({"up", std::string("--server-name=") + name}), HasSubstr("--server-name"))
        << name;
  }
}

TEST(Commands, KubeconfigTakesARoleAndAUser) {
  const auto options = parsed<KubeconfigOptions>(
      {"kubeconfig", "--role", "node", "--user", "n1", "--data-dir", "d", "--server", "https://a"});
  EXPECT_EQ(options.role, "node");
  EXPECT_EQ(options.user, "n1");
  EXPECT_EQ(options.data_dir, "d");
  EXPECT_EQ(options.server, "https://a");
  EXPECT_EQ(parsed<KubeconfigOptions>({"kubeconfig"}).role, "viewer");
}

struct ParsedNode {
  ExitCode run(const std::vector<std::string>& arguments) {
    TextOutput output;
    return run_command_line({node_command(
                                [this](const NodeOptions& options, Output&) {
                                  node = options;
                                  return ExitCode::ok;
                                },
                                [this](const NodeShutdownOptions& options, Output&) {
                                  shutdown = options;
                                  return ExitCode::ok;
                                })},
                            arguments, output);
  }
  std::optional<NodeOptions> node = {};
  std::optional<NodeShutdownOptions> shutdown = {};
};

NodeOptions parsed_node(const std::vector<std::string>& arguments) {
  ParsedNode parsed;
  EXPECT_EQ(parsed.run(arguments), ExitCode::ok);
  EXPECT_TRUE(parsed.node.has_value());
  return parsed.node.value_or(NodeOptions());
}

TEST(Commands, NodeTakesItsNameAndWhere) {
  const auto options =
      parsed_node({"node", "--name", "a", "--kubeconfig", "k", "--data-dir", "d", "--node-ip",
                   "::1", "--node-labels", "disk=ssd,example.com/zone=", "--node-capacity", "cpu=2",
                   "--feature-gates", "PodDisruptionConditions=false"});
  EXPECT_EQ(options.name, "a");
  EXPECT_EQ(options.cluster.kubeconfig, "k");
  EXPECT_EQ(options.data_dir, "d");
  EXPECT_EQ(options.address, "::1");
  EXPECT_EQ(options.labels,
            (std::map<std::string, std::string>{{"disk", "ssd"}, {"example.com/zone", ""}}));
  EXPECT_EQ(options.limits.capacity.at("cpu"), "2");
  EXPECT_FALSE(options.gates.enabled(api::Feature::pod_disruption_conditions));
  EXPECT_THAT(refused({"node"}), HasSubstr("must specify --name NAME"));
  EXPECT_THAT(refused({"node", "--name", "../a"}), HasSubstr("invalid --name"));
  EXPECT_THAT(refused({"node", "--name", "a", "--node-ip", "here"}),
              HasSubstr("invalid --node-ip"));
  for (const char* labels : {"disk", "=x", "a=b c", "kubernetes.io/hostname=x", "x.k8s.io/a=b"}) {
    EXPECT_THAT(refused({"node", "--name", "a", "--node-labels", labels}),
                HasSubstr("invalid --node-labels"))
        << labels;
  }
}

TEST(Commands, NodeShutdownIsOfTheClusterThatEitherNames) {
  for (const std::vector<std::string>& words :
       {std::vector<std::string>{"node", "--kubeconfig", "k", "shutdown", "n"},
        std::vector<std::string>{"node", "shutdown", "n", "--kubeconfig", "k"}}) {
    ParsedNode parsed;
    EXPECT_EQ(parsed.run(words), ExitCode::ok);
    ASSERT_TRUE(parsed.shutdown.has_value());
    EXPECT_EQ(parsed.shutdown->node, "n");
    EXPECT_EQ(parsed.shutdown->cluster.kubeconfig, "k");
  }
  ParsedNode cancelled;
  EXPECT_EQ(cancelled.run({"node", "shutdown", "node/node-1", "--cancel"}), ExitCode::ok);
  EXPECT_EQ(cancelled.shutdown.value_or(NodeShutdownOptions()).node, "node-1");
  EXPECT_TRUE(cancelled.shutdown.value_or(NodeShutdownOptions()).cancel);
  EXPECT_THAT(refused({"node", "shutdown"}), HasSubstr("must specify a node"));
  EXPECT_THAT(refused({"node", "--name", "a", "shutdown", "n"}), HasSubstr("--name is a flag of"));
}

TEST(Commands, RunTakesNodes) {
  EXPECT_EQ(parsed<RunOptions>({"run", "f", "--nodes", "3"}).nodes, 3u);
  EXPECT_EQ(parsed<RunOptions>({"run", "f"}).nodes, 1u);
  EXPECT_THAT(refused({"run", "f", "--nodes", "0"}), HasSubstr("--nodes"));
}

TEST(Commands, RunTakesLogs) {
  using Show = RunLogOptions::Show;
  EXPECT_EQ(parsed<RunOptions>({"run", "f"}).logs.show, Show::none);
  const auto all = parsed<RunOptions>({"run", "--logs", "f", "--log-dir", "d"});
  EXPECT_EQ(all.logs.show, Show::all);
  EXPECT_EQ(all.logs.directory, "d");
  EXPECT_EQ(all.manifests.paths, std::vector<std::string>{"f"}) << "no value of --logs";
  EXPECT_EQ(parsed<RunOptions>({"run", "--logs=failed", "f"}).logs.show, Show::failed);
  EXPECT_THAT(refused({"run", "f", "--logs=some"}), HasSubstr("must be --logs or --logs=failed"));
}

TEST(Commands, RunTakesARunToResume) {
  EXPECT_EQ(parsed<RunOptions>({"run", "f"}).resume.run, std::nullopt);
  EXPECT_EQ(parsed<RunOptions>({"run", "--resume"}).resume.run, "") << "needs no file";
  const auto named = parsed<RunOptions>({"run", "--resume=12", "f", "--force"});
  EXPECT_EQ(named.resume.run, "12");
  EXPECT_TRUE(named.resume.force);
  EXPECT_EQ(named.manifests.paths, std::vector<std::string>{"f"});
  EXPECT_THAT(refused({"run"}), HasSubstr("must specify a file"));
  EXPECT_THAT(refused({"run", "f", "--force"}), HasSubstr("--force needs --resume"));
}

TEST(Commands, ControllerTakesWhoseJobsAndWhere) {
  const auto options = parsed<ControllerOptions>(
      {"controller", "--kubeconfig", "k", "--context=c", "--managed-by", "example.com/jobs", "-n",
       "training", "--leader-elect=false", "--listen", "", "--concurrent-job-syncs", "7",
       "--kube-api-qps=50.5", "--kube-api-burst", "100", "--feature-gates",
       "JobSuccessPolicy=false"});
  EXPECT_EQ(options.cluster.kubeconfig, "k");
  EXPECT_EQ(options.cluster.context, "c");
  EXPECT_EQ(options.manager, "example.com/jobs");
  EXPECT_FALSE(options.replaces_built_in());
  EXPECT_EQ(options.ns, "training");
  EXPECT_FALSE(options.leader_elect);
  EXPECT_EQ(options.listen, "");
  EXPECT_EQ(options.concurrent_syncs, 7u);
  EXPECT_EQ(options.requests_per_second, 50.5);
  EXPECT_EQ(options.burst, 100);
  EXPECT_FALSE(options.gates.enabled(api::Feature::job_success_policy));

  const auto all = parsed<ControllerOptions>({"controller", "--replace-builtin", "--leader-elect"});
  EXPECT_TRUE(all.replaces_built_in());
  EXPECT_TRUE(all.leader_elect);
  EXPECT_EQ(all.ns, "");
}

TEST(Commands, ControllerRefusesWhatMakesNoSense) {
  EXPECT_THAT(refused({"controller"}), HasSubstr("must specify either --managed-by"));
  EXPECT_THAT(refused({"controller", "--replace-builtin", "--managed-by", "a.b/c"}),
              HasSubstr("must specify either --managed-by"));
  EXPECT_THAT(refused({"controller", "--managed-by", "kubernetes.io/job-controller"}),
              HasSubstr("use --replace-builtin"));
  for (const char* bad : {"windlass", "/x", "a b/c", "a.b/"}) {
    EXPECT_THAT(refused({"controller", "--managed-by", bad}), HasSubstr("path with a domain"));
  }
  EXPECT_THAT(refused({"controller", "--replace-builtin", "--connections", "0"}),
              HasSubstr("--connections"));
  EXPECT_THAT(refused({"controller", "--replace-builtin", "--leader-elect-renew-deadline", "15s"}),
              HasSubstr("--leader-elect-lease-duration must be above"));
  EXPECT_THAT(refused({"controller", "--replace-builtin", "--leader-elect-retry-period", "x"}),
              HasSubstr("invalid --leader-elect-retry-period \"x\""));
}

TEST(Commands, DoctorTakesWhereAndHowLong) {
  const auto options = parsed<DoctorOptions>(
      {"doctor", "--kubeconfig", "k", "-n", "x", "--wait", "1s", "--patience=5m", "-o", "json"});
  EXPECT_EQ(options.cluster.kubeconfig, "k");
  EXPECT_EQ(options.ns, "x");
  EXPECT_EQ(options.wait, seconds(1));
  EXPECT_EQ(options.patience, minutes(5));
  EXPECT_TRUE(options.json);
  EXPECT_THAT(refused({"doctor", "-o", "xml"}), HasSubstr("allowed formats are: json"));
  EXPECT_THAT(refused({"doctor", "--wait", "never"}), HasSubstr("invalid --wait"));
}

TEST(Commands, AnnotateTakesFilesAndPrintsYaml) {
  const auto options = parsed<AnnotateOptions>({"annotate", "-f", "a.yaml"});
  EXPECT_EQ(options.manifests.paths, (std::vector<std::string>{"a.yaml"}));
  EXPECT_EQ(options.format, OutputFormat::yaml);
  EXPECT_EQ(parsed<AnnotateOptions>({"annotate", "a", "-o", "json"}).format, OutputFormat::json);
  EXPECT_THAT(refused({"annotate"}), HasSubstr("must specify a file"));
}

TEST(Commands, TheSupervisorIsThereButNotInTheHelp) {
  EXPECT_THAT(refused({"supervisor"}), HasSubstr("must specify --dir DIR"));
  EXPECT_THAT(printed({"--help"}), Not(HasSubstr("supervisor")));
  EXPECT_THAT(printed({"supervisor", "--help"}), HasSubstr("--dir DIR"));
}

TEST(Commands, ExplainTakesAJobAsKubectlNamesIt) {
  for (const char* job : {"job/j", "jobs/j", "job.batch/j", "j"}) {
    const auto options = parsed<ExplainOptions>({"explain", job, "--index", "3", "-o", "json"});
    EXPECT_EQ(options.job, "j");
    EXPECT_EQ(options.index, 3);
    EXPECT_TRUE(options.json);
    EXPECT_EQ(options.ns, "");
  }
  EXPECT_THAT(refused({"explain"}), HasSubstr("must specify a Job"));
  EXPECT_THAT(refused({"explain", "pod/p"}), HasSubstr("must be job/NAME"));
  EXPECT_THAT(refused({"explain", "job/"}), HasSubstr("must be job/NAME"));
  EXPECT_THAT(refused({"explain", "job/j", "-o", "wide"}), HasSubstr("allowed formats are: json"));
  EXPECT_THAT(refused({"explain", "job/j", "--index", "-1"}),
              HasSubstr("invalid --index \"-1\": must be a number of at least 0"));
  EXPECT_THAT(refused({"explain", "job/j", "--backoff-base", "0s"}), HasSubstr("--backoff-base"));
}

TEST(Commands, ImageHasThreeActions) {
  using Action = ImageOptions::Action;
  const auto added = parsed<ImageOptions>({"add", "busybox", "--from-static", "/bin/busybox"},
                                          {.action = Action::add});
  EXPECT_EQ(added.name, "busybox");
  EXPECT_EQ(added.from_static, "/bin/busybox");
  const auto listed =
      parsed<ImageOptions>({"list", "--image-dir", "/images"}, {.action = Action::list});
  EXPECT_EQ(listed.directory, "/images");
  EXPECT_THAT(refused({"image"}), HasSubstr("Usage: windlass image"));
  EXPECT_THAT(refused({"image", "add"}), HasSubstr("must specify NAME"));
  EXPECT_THAT(refused({"image", "add", "a"}), HasSubstr("must specify one of"));
  EXPECT_THAT(refused({"image", "add", "a", "dir", "--from-static", "b"}),
              HasSubstr("must specify one of"));
  EXPECT_THAT(refused({"image", "remove"}), HasSubstr("must specify NAME"));
  const auto host_root = [](const char* flag) {
    return parsed<RunOptions>({"run", "j.yaml", flag}).images.host_root;
  };
  EXPECT_EQ(host_root("--host-root"), (node::HostRoot{true, false}));
  EXPECT_EQ(host_root("--host-root=ro"), (node::HostRoot{true, false}));
  EXPECT_EQ(host_root("--host-root=rw"), (node::HostRoot{true, true}));
  EXPECT_THAT(refused({"run", "j.yaml", "--host-root=all"}), HasSubstr("must be ro or rw"));
  const auto up = parsed<UpOptions>({"up", "--image-dir", "/i"});
  EXPECT_EQ(up.images.host_root, node::HostRoot());
  EXPECT_EQ(up.images.directory, "/i");
}

TEST(Commands, NodesTakeWhatContainersMayHave) {
  EXPECT_EQ(parsed<RunOptions>({"run", "j.yaml"}).limits.protection,
            (node::NodeProtection{false, 4096}));
  EXPECT_EQ(parsed<UpOptions>({"up", "--allow-privileged", "--container-max-pids", "100"})
                .limits.protection,
            (node::NodeProtection{true, 100}));
}

TEST(Commands, K70_UpTakesGracePeriods) {
  using ::testing::ElementsAre;
  EXPECT_TRUE(parsed<UpOptions>({"up"}).shutdown.empty());
  EXPECT_THAT(parsed<UpOptions>({"up", "--shutdown-grace-period", "30s",
                                 "--shutdown-grace-period-critical-pods", "10s"})
                  .shutdown,
              ElementsAre(node::ShutdownGroup{0, seconds(20)},
                          node::ShutdownGroup{node::kCriticalPriority, seconds(10)}));
  EXPECT_THAT(
      parsed<UpOptions>({"up", "--shutdown-grace-period-by-pod-priority", "1000=5s,0=1m,-5=3s"})
          .shutdown,
      ElementsAre(node::ShutdownGroup{-5, seconds(3)}, node::ShutdownGroup{0, minutes(1)},
                  node::ShutdownGroup{1000, seconds(5)}));
}

TEST(Commands, UpRefusesGracePeriodsThatMakeNoSense) {
  const std::vector<std::vector<std::string>> cases = {
      {"--shutdown-grace-period", "0s"},
      {"--shutdown-grace-period-critical-pods", "5s"},
      {"--shutdown-grace-period", "5s", "--shutdown-grace-period-critical-pods", "6s"},
      {"--shutdown-grace-period", "5s", "--shutdown-grace-period-by-pod-priority", "0=5s"},
      {"--shutdown-grace-period-by-pod-priority", "0"},
      {"--shutdown-grace-period-by-pod-priority", "x=5s"},
      {"--shutdown-grace-period-by-pod-priority", "0=5s,0=6s"},
  };
  for (std::vector<std::string> arguments : cases) {
    arguments.insert(arguments.begin(), "up");
    EXPECT_THAT(refused(arguments), HasSubstr("--shutdown-grace-period"));
  }
}

// The words of every command, of subcommands too.
void collect(const std::vector<Command>& commands, const std::vector<std::string>& words,
             std::vector<std::vector<std::string>>& all) {
  for (const Command& command : commands) {
    std::vector<std::string> own = words;
    own.push_back(command.name);
    all.push_back(own);
    collect(command.subcommands, own, all);
  }
}

// Each line of a page that begins with a dot is one of these requests, so no word of the help is.
TEST(Commands, EveryCommandHasAManPage) {
  const posix::TemporaryDirectory directory;
  EXPECT_EQ(printed({"man", directory.path()}), "");
  size_t pages = 0;
  for (const auto& file : std::filesystem::directory_iterator(directory.path())) {
    ++pages;
    std::istringstream page(directory.read(file.path().filename()));
    for (std::string line; std::getline(page, line);) {
      EXPECT_TRUE(!line.starts_with('\'')) << file << line;
      EXPECT_TRUE(!line.starts_with('.') || line == ".TP" || line == ".PP" || line == ".nf" ||
                  line == ".fi" || line.starts_with(".TH \"WINDLASS") ||
                  line.starts_with(".SH \"") || line.starts_with(".B ") ||
                  line.starts_with(".BR windlass"))
          << file << line;
    }
  }
  EXPECT_GT(pages, 20U);
  EXPECT_THAT(directory.read("windlass-policy-test.1"),
              HasSubstr("windlass\\-policy\\-test \\- Show which rule"));
  EXPECT_THAT(directory.read("windlass-run.1"), HasSubstr(".SH \"EXIT STATUS\"\n.nf\n  0 "));
  EXPECT_FALSE(std::filesystem::exists(directory / "windlass-supervisor.1"));
}

TEST(Commands, EveryHelpFitsOnATerminal) {
  std::vector<std::vector<std::string>> all = {{}};
  collect(all_commands(), {}, all);
  EXPECT_GT(all.size(), 20u);
  for (std::vector<std::string> words : all) {
    words.emplace_back("--help");
    std::istringstream help(printed(words));
    for (std::string line; std::getline(help, line);) {
      EXPECT_LE(line.size(), kTextColumns) << line;
      EXPECT_FALSE(line.ends_with(' ')) << line;
    }
  }
}

}  // namespace
}  // namespace windlass::cli
