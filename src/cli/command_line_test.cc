#include "cli/command_line.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace windlass::cli {
namespace {

using ::testing::HasSubstr;

template <class Options>
Options parsed(const std::vector<std::string>& arguments) {
  CommandLine line = parse_command_line(arguments);
  EXPECT_TRUE(std::holds_alternative<Options>(line));
  return std::get<Options>(line);
}

Usage refused(const std::vector<std::string>& arguments) {
  const Usage usage = parsed<Usage>(arguments);
  EXPECT_TRUE(usage.is_error);
  return usage;
}

TEST(CommandLine, VersionIsAFlagToo) {
  EXPECT_TRUE(std::holds_alternative<VersionOptions>(parse_command_line({"--version"})));
}

TEST(CommandLine, ValidateTakesFilesInBothForms) {
  const auto options =
      parsed<ValidateOptions>({"validate", "-f", "a.yaml", "--filename", "-", "b.yaml", "-R"});
  EXPECT_EQ(options.manifests.paths, (std::vector<std::string>{"a.yaml", "-", "b.yaml"}));
  EXPECT_TRUE(options.manifests.recursive);
  EXPECT_EQ(options.format, OutputFormat::text);
  EXPECT_EQ(options.fields, FieldValidation::strict);
}

TEST(CommandLine, ValidateTakesFormatsModesAndGates) {
  const auto options =
      parsed<ValidateOptions>({"validate", "-f", "a", "-o", "yaml", "--field-validation=warn",
                               "--feature-gates", "PodFailurePolicyName=false"});
  EXPECT_EQ(options.format, OutputFormat::yaml);
  EXPECT_EQ(options.fields, FieldValidation::warn);
  EXPECT_FALSE(options.gates.enabled(api::Feature::pod_failure_policy_name));
  EXPECT_TRUE(options.gates.enabled(api::Feature::job_pod_failure_policy));
}

TEST(CommandLine, PolicyTestTakesCasesFormatsAndGates) {
  const auto plain = parsed<PolicyTestOptions>({"policy", "test", "-f", "a.yaml"});
  EXPECT_EQ(plain.format, PolicyFormat::table);
  EXPECT_EQ(plain.cases, "");
  const auto options =
      parsed<PolicyTestOptions>({"policy", "test", "a.yaml", "--cases", "c.yaml", "-o", "junit",
                                 "--feature-gates", "PodDisruptionConditions=false"});
  EXPECT_EQ(options.manifests.paths, (std::vector<std::string>{"a.yaml"}));
  EXPECT_EQ(options.cases, "c.yaml");
  EXPECT_EQ(options.format, PolicyFormat::junit);
  EXPECT_FALSE(options.gates.enabled(api::Feature::pod_disruption_conditions));
}

TEST(CommandLine, PolicyLintTakesFormatAndSeverity) {
  EXPECT_EQ(parsed<PolicyLintOptions>({"policy", "lint", "a"}).fail_on, policy::Severity::warning);
  const auto options =
      parsed<PolicyLintOptions>({"policy", "lint", "a", "-o", "json", "--fail-on", "error"});
  EXPECT_EQ(options.format, PolicyFormat::json);
  EXPECT_EQ(options.fail_on, policy::Severity::error);
}

TEST(CommandLine, PolicyRefusesWhatMakesNoSense) {
  EXPECT_THAT(refused({"policy", "test", "a", "-o", "junit"}).text,
              HasSubstr("-o junit needs --cases"));
  EXPECT_THAT(refused({"policy", "test", "-f", "-", "--cases", "-"}).text,
              HasSubstr("standard input can be read once"));
  EXPECT_THAT(refused({"policy", "lint", "a", "-o", "junit"}).text,
              HasSubstr("allowed formats are: table,json\nRun 'windlass policy lint --help'"));
  EXPECT_THAT(refused({"policy", "lint", "a", "--fail-on", "all"}).text,
              HasSubstr("must be error, warning or info"));
  EXPECT_THAT(refused({"policy", "test"}).text, HasSubstr("must specify a file"));
  EXPECT_THAT(refused({"policy", "test", "a", "--zork"}).text,
              HasSubstr("Run 'windlass policy test --help' for usage."));
  EXPECT_THAT(refused({"policy"}).text, HasSubstr("lint"));
}

TEST(CommandLine, PolicyHasHelp) {
  for (const std::vector<std::string>& words :
       {std::vector<std::string>{"policy", "test", "--help"}, {"policy", "lint", "-h"}}) {
    const Usage usage = parsed<Usage>(words);
    EXPECT_FALSE(usage.is_error);
    EXPECT_THAT(usage.text, HasSubstr("Exit code: 0"));
    EXPECT_THAT(usage.text, HasSubstr("windlass policy " + words[1]));
    EXPECT_THAT(usage.text, HasSubstr("Examples:"));
  }
}

TEST(CommandLine, RunHasKubernetesPeriodsByDefault) {
  const auto options = parsed<RunOptions>({"run", "job.yaml"});
  EXPECT_EQ(options.backoff_base, seconds(10));
  EXPECT_EQ(options.backoff_cap, minutes(10));
  EXPECT_FALSE(options.timeout.has_value());
  EXPECT_EQ(options.ns, "default");
}

TEST(CommandLine, RunTakesDurations) {
  const auto options =
      parsed<RunOptions>({"run", "job.yaml", "--timeout", "1h30m", "--backoff-base=10ms",
                          "--backoff-cap", "1s", "-n", "training"});
  EXPECT_EQ(options.timeout, minutes(90));
  EXPECT_EQ(options.backoff_base, milliseconds(10));
  EXPECT_EQ(options.backoff_cap, seconds(1));
  EXPECT_EQ(options.ns, "training");
}

TEST(CommandLine, UpTakesHollowNodes) {
  const auto options = parsed<UpOptions>(
      {"up", "--hollow-nodes", "1000", "--hollow-mix", "duration=1s..5s,fail=10%"});
  EXPECT_EQ(options.hollow_nodes, 1000u);
  EXPECT_EQ(options.hollow_mix.longest, seconds(5));
  EXPECT_EQ(options.hollow_mix.percent_failing, 10);
  EXPECT_THAT(refused({"up", "--hollow-mix", "fail=often"}).text, HasSubstr("fail"));
}

TEST(CommandLine, UpAcceptsLostWritesOnlyWhenToldTo) {
  EXPECT_FALSE(parsed<UpOptions>({"up"}).accept_lost_writes);
  EXPECT_TRUE(parsed<UpOptions>({"up", "--accept-lost-writes"}).accept_lost_writes);
}

TEST(CommandLine, M29_EveryPeriodOfTheControlPlaneIsAFlag) {
  EXPECT_EQ(parsed<UpOptions>({"up"}).periods, PlanePeriods());
  for (const PeriodFlag& flag : period_flags()) {
    const auto options = parsed<UpOptions>({"up", flag.name, "7s"});
    PlanePeriods expected;
    expected.*flag.member = seconds(7);
    EXPECT_EQ(options.periods, expected) << flag.name;
    EXPECT_THAT(refused({"up", flag.name, "0s"}).text, HasSubstr(flag.name));
  }
}

TEST(CommandLine, SaysWhatIsWrong) {
  EXPECT_THAT(refused({"validate"}).text, HasSubstr("must specify a file"));
  EXPECT_THAT(refused({"validate"}).text, HasSubstr("Run 'windlass validate --help' for usage."));
  EXPECT_THAT(refused({"validate", "-f", "a", "--zork"}).text, HasSubstr("--zork"));
  EXPECT_THAT(refused({"validate", "-f", "a", "-o", "xml"}).text,
              HasSubstr("unable to match a printer suitable for the output format \"xml\""));
  EXPECT_THAT(refused({"validate", "-f", "a", "--field-validation", "maybe"}).text,
              HasSubstr("must be strict, warn or ignore"));
  EXPECT_THAT(refused({"validate", "-f", "a", "--feature-gates", "Zork=true"}).text,
              HasSubstr("Zork"));
  EXPECT_THAT(refused({"run", "a", "--timeout", "soon"}).text,
              HasSubstr("invalid --timeout \"soon\""));
  EXPECT_THAT(refused({"run", "a", "--timeout", "-5s"}).text, HasSubstr("above zero"));
  EXPECT_THAT(refused({"zork"}).text, HasSubstr("zork"));
}

TEST(CommandLine, NoCommandIsAnErrorThatShowsTheHelp) {
  EXPECT_THAT(refused({}).text, HasSubstr("validate"));
}

TEST(CommandLine, HelpIsNotAnError) {
  for (const auto& arguments : std::vector<std::vector<std::string>>{
           {"help"}, {"--help"}, {"-h"}, {"validate", "--help"}, {"run", "-h"}}) {
    const Usage usage = parsed<Usage>(arguments);
    EXPECT_FALSE(usage.is_error);
    EXPECT_THAT(usage.text, HasSubstr("Usage"));
  }
  EXPECT_THAT(parsed<Usage>({"run", "--help"}).text, HasSubstr("124 timed out"));
}

TEST(CommandLine, HelpIsAboutTheProgramOrTheCommandThatItNames) {
  EXPECT_EQ(parsed<Usage>({"help"}).text, parsed<Usage>({"--help"}).text);
  EXPECT_THAT(parsed<Usage>({"help"}).text, HasSubstr("explain"));
  EXPECT_EQ(parsed<Usage>({"help", "run"}).text, parsed<Usage>({"run", "--help"}).text);
  EXPECT_EQ(parsed<Usage>({"help", "policy", "test"}).text,
            parsed<Usage>({"policy", "test", "--help"}).text);
  EXPECT_THAT(refused({"help", "zork"}).text, HasSubstr("zork"));
}

TEST(CommandLine, CompletionKnowsCommandsAndFlags) {
  const Usage script = parsed<Usage>({"completion", "bash"});
  EXPECT_FALSE(script.is_error);
  EXPECT_THAT(script.text, HasSubstr("\" policy test\") words=\""));
  EXPECT_THAT(script.text, HasSubstr("--lose-node-every "));
  EXPECT_THAT(script.text, ::testing::Not(HasSubstr("supervisor")));
  EXPECT_THAT(refused({"completion", "fish"}).text, HasSubstr("fish"));
}

TEST(CommandLine, SimulateTakesACluster) {
  const auto options = parsed<SimulateOptions>({"simulate", "-f", "a.yaml", "--seed", "7",
                                                "--nodes", "5", "--mix", "duration=1m..2h,fail=5%",
                                                "--drain-every", "30m", "--limit", "24h"});
  EXPECT_EQ(options.run.manifests.paths, std::vector<std::string>{"a.yaml"});
  EXPECT_EQ(options.cluster.seed, 7U);
  EXPECT_EQ(options.cluster.nodes, 5U);
  EXPECT_EQ(options.cluster.mix.longest, hours(2));
  EXPECT_EQ(options.cluster.drain_every, minutes(30));
  EXPECT_EQ(options.cluster.lose_node_every, std::nullopt);
  EXPECT_EQ(options.cluster.limit, hours(24));
  EXPECT_THAT(refused({"simulate", "-f", "a", "--mix", "zork=1"}).text, HasSubstr("zork"));
  EXPECT_THAT(refused({"simulate", "-f", "a", "--mix", "fail=5%,seed=7"}).text,
              HasSubstr("--seed"));
  EXPECT_THAT(refused({"simulate", "-f", "a", "--drain-every", "0s"}).text,
              HasSubstr("--drain-every"));
}

TEST(CommandLine, SaysWhatItDoesNotKnow) {
  const auto error = [](const std::vector<std::string>& arguments) {
    const std::string text = refused(arguments).text;
    return text.substr(0, text.find('\n'));
  };
  EXPECT_EQ(error({"up", "--lisen", "x"}), "error: unknown flag: --lisen");
  EXPECT_EQ(error({"up", "extra"}), "error: unexpected argument \"extra\"");
  EXPECT_EQ(error({"upp"}), "error: unknown command \"upp\"");
  EXPECT_EQ(error({"--zork", "up"}), "error: unknown flag: --zork");
}

TEST(CommandLine, UpTakesNamesOfItsServer) {
  const auto options = parsed<UpOptions>(
      {"up", "--server-name", "build1.example.com", "--server-name=2001:db8::1", "--nodes", "2"});
  EXPECT_EQ(options.server_names, (std::vector<std::string>{"build1.example.com", "2001:db8::1"}));
  EXPECT_EQ(options.nodes, 2u);
  EXPECT_TRUE(parsed<UpOptions>({"up"}).server_names.empty());
  for (const char* name : {"", "a,DNS:b", "https://a", "A", "::g"}) {
    EXPECT_THAT(refused({"up", std::string("--server-name=") + name}).text,
                HasSubstr("--server-name"))
        << name;
  }
}

TEST(CommandLine, KubeconfigTakesARoleAndAUser) {
  const auto options = parsed<KubeconfigOptions>(
      {"kubeconfig", "--role", "node", "--user", "n1", "--data-dir", "d", "--server", "https://a"});
  EXPECT_EQ(options.role, "node");
  EXPECT_EQ(options.user, "n1");
  EXPECT_EQ(options.data_dir, "d");
  EXPECT_EQ(options.server, "https://a");
  EXPECT_EQ(parsed<KubeconfigOptions>({"kubeconfig"}).role, "viewer");
}

TEST(CommandLine, NodeTakesItsNameAndWhere) {
  const auto options = parsed<NodeOptions>(
      {"node", "--name", "a", "--kubeconfig", "k", "--data-dir", "d", "--node-ip", "::1",
       "--node-labels", "disk=ssd,example.com/zone=", "--node-capacity", "cpu=2", "--feature-gates",
       "PodDisruptionConditions=false"});
  EXPECT_EQ(options.name, "a");
  EXPECT_EQ(options.cluster.kubeconfig, "k");
  EXPECT_EQ(options.data_dir, "d");
  EXPECT_EQ(options.address, "::1");
  EXPECT_EQ(options.labels,
            (std::map<std::string, std::string>{{"disk", "ssd"}, {"example.com/zone", ""}}));
  EXPECT_EQ(options.limits.capacity.at("cpu"), "2");
  EXPECT_FALSE(options.gates.enabled(api::Feature::pod_disruption_conditions));
  EXPECT_THAT(refused({"node"}).text, HasSubstr("must specify --name NAME"));
  EXPECT_THAT(refused({"node", "--name", "../a"}).text, HasSubstr("invalid --name"));
  EXPECT_THAT(refused({"node", "--name", "a", "--node-ip", "here"}).text,
              HasSubstr("invalid --node-ip"));
  for (const char* labels : {"disk", "=x", "a=b c", "kubernetes.io/hostname=x", "x.k8s.io/a=b"}) {
    EXPECT_THAT(refused({"node", "--name", "a", "--node-labels", labels}).text,
                HasSubstr("invalid --node-labels"))
        << labels;
  }
}

TEST(CommandLine, NodeShutdownIsOfTheClusterThatEitherNames) {
  for (const std::vector<std::string>& words :
       {std::vector<std::string>{"node", "--kubeconfig", "k", "shutdown", "n"},
        std::vector<std::string>{"node", "shutdown", "n", "--kubeconfig", "k"}}) {
    const auto options = parsed<NodeShutdownOptions>(words);
    EXPECT_EQ(options.node, "n");
    EXPECT_EQ(options.cluster.kubeconfig, "k");
  }
  EXPECT_THAT(refused({"node", "--name", "a", "shutdown", "n"}).text, HasSubstr("--name is for"));
}

TEST(CommandLine, RunTakesNodes) {
  EXPECT_EQ(parsed<RunOptions>({"run", "f", "--nodes", "3"}).nodes, 3u);
  EXPECT_EQ(parsed<RunOptions>({"run", "f"}).nodes, 1u);
  EXPECT_THAT(refused({"run", "f", "--nodes", "0"}).text, HasSubstr("--nodes"));
}

TEST(CommandLine, ControllerTakesWhoseJobsAndWhere) {
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

TEST(CommandLine, ControllerRefusesWhatMakesNoSense) {
  EXPECT_THAT(refused({"controller"}).text, HasSubstr("must specify either --managed-by"));
  EXPECT_THAT(refused({"controller", "--replace-builtin", "--managed-by", "a.b/c"}).text,
              HasSubstr("must specify either --managed-by"));
  EXPECT_THAT(refused({"controller", "--managed-by", "kubernetes.io/job-controller"}).text,
              HasSubstr("use --replace-builtin"));
  for (const char* bad : {"windlass", "/x", "a b/c", "a.b/"}) {
    EXPECT_THAT(refused({"controller", "--managed-by", bad}).text, HasSubstr("path with a domain"));
  }
  EXPECT_THAT(refused({"controller", "--replace-builtin", "--connections", "0"}).text,
              HasSubstr("--connections"));
  EXPECT_THAT(
      refused({"controller", "--replace-builtin", "--leader-elect-renew-deadline", "15s"}).text,
      HasSubstr("--leader-elect-lease-duration must be above"));
  EXPECT_THAT(refused({"controller", "--replace-builtin", "--leader-elect-retry-period", "x"}).text,
              HasSubstr("invalid --leader-elect-retry-period \"x\""));
}

TEST(CommandLine, DoctorTakesWhereAndHowLong) {
  const auto options = parsed<DoctorOptions>(
      {"doctor", "--kubeconfig", "k", "-n", "x", "--wait", "1s", "--patience=5m", "-o", "json"});
  EXPECT_EQ(options.cluster.kubeconfig, "k");
  EXPECT_EQ(options.ns, "x");
  EXPECT_EQ(options.wait, seconds(1));
  EXPECT_EQ(options.patience, minutes(5));
  EXPECT_TRUE(options.json);
  EXPECT_THAT(refused({"doctor", "-o", "xml"}).text, HasSubstr("allowed formats are: json"));
  EXPECT_THAT(refused({"doctor", "--wait", "never"}).text, HasSubstr("invalid --wait"));
}

TEST(CommandLine, AnnotateTakesFilesAndPrintsYaml) {
  const auto options = parsed<AnnotateOptions>({"annotate", "-f", "a.yaml"});
  EXPECT_EQ(options.manifests.paths, (std::vector<std::string>{"a.yaml"}));
  EXPECT_EQ(options.format, OutputFormat::yaml);
  EXPECT_EQ(parsed<AnnotateOptions>({"annotate", "a", "-o", "json"}).format, OutputFormat::json);
  EXPECT_THAT(refused({"annotate"}).text, HasSubstr("must specify a file"));
}

TEST(CommandLine, TheSupervisorIsThereButNotInTheHelp) {
  EXPECT_EQ(parsed<SupervisorCommand>({"supervisor", "--dir", "/run/x"}).directory, "/run/x");
  EXPECT_THAT(refused({"supervisor"}).text, HasSubstr("must specify --dir DIR"));
  EXPECT_THAT(parsed<Usage>({"--help"}).text, ::testing::Not(HasSubstr("supervisor")));
}

TEST(CommandLine, ExplainTakesAJobAsKubectlNamesIt) {
  for (const char* job : {"job/j", "jobs/j", "job.batch/j", "j"}) {
    const auto command = parse_command_line({"explain", job, "--index", "3", "-o", "json"});
    const auto* options = std::get_if<ExplainOptions>(&command);
    ASSERT_NE(options, nullptr) << job;
    EXPECT_EQ(options->job, "j");
    EXPECT_EQ(options->index, 3);
    EXPECT_TRUE(options->json);
    EXPECT_EQ(options->ns, "");
  }
  for (const std::vector<std::string>& wrong :
       std::vector<std::vector<std::string>>{{"explain"},
                                             {"explain", "pod/p"},
                                             {"explain", "job/"},
                                             {"explain", "job/j", "-o", "wide"},
                                             {"explain", "job/j", "--index", "-1"},
                                             {"explain", "job/j", "--backoff-base", "0s"}}) {
    const auto command = parse_command_line(wrong);
    const auto* usage = std::get_if<Usage>(&command);
    ASSERT_NE(usage, nullptr);
    EXPECT_TRUE(usage->is_error);
  }
}

TEST(CommandLine, ImageCommands) {
  const auto add = parse_command_line({"image", "add", "busybox", "--from-static", "/bin/busybox"});
  const auto* added = std::get_if<ImageOptions>(&add);
  ASSERT_NE(added, nullptr);
  EXPECT_EQ(added->action, ImageOptions::Action::add);
  EXPECT_EQ(added->name, "busybox");
  EXPECT_EQ(added->from_static, "/bin/busybox");
  const auto list = parse_command_line({"image", "list", "--image-dir", "/images"});
  const auto* listed = std::get_if<ImageOptions>(&list);
  ASSERT_NE(listed, nullptr);
  EXPECT_EQ(listed->action, ImageOptions::Action::list);
  EXPECT_EQ(listed->directory, "/images");
  for (const auto& arguments :
       std::vector<std::vector<std::string>>{{"image"},
                                             {"image", "add"},
                                             {"image", "add", "a"},
                                             {"image", "add", "a", "dir", "--from-static", "b"},
                                             {"image", "remove"}}) {
    const auto command = parse_command_line(arguments);
    const auto* usage = std::get_if<Usage>(&command);
    ASSERT_NE(usage, nullptr) << arguments.size();
    EXPECT_TRUE(usage->is_error);
  }
  const auto run = parse_command_line({"run", "j.yaml", "--require-images", "--image-dir", "/i"});
  EXPECT_TRUE(std::get<RunOptions>(run).images.required);
  const auto up = parse_command_line({"up", "--image-dir", "/i"});
  EXPECT_FALSE(std::get<UpOptions>(up).images.required);
  EXPECT_EQ(std::get<UpOptions>(up).images.directory, "/i");
}

}  // namespace
}  // namespace windlass::cli
