#include "cli/commands/run/run.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <optional>

#include "cli/output/captured_output_testing.h"
#include "ledger/ledger.h"
#include "schema/ledger/v1/attempt.pb.h"
#include "virtual_world/virtual_containers.h"
#include "virtual_world/virtual_files.h"
#include "virtual_world/world.h"

namespace windlass::cli {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

std::string job_yaml(const std::string& name, const std::string& spec) {
  return "apiVersion: batch/v1\nkind: Job\nmetadata:\n  name: " + name + "\nspec:\n" + spec +
         "  template:\n    spec:\n      restartPolicy: Never\n      containers:\n"
         "      - name: main\n        image: busybox\n        command: [work]\n";
}

// `windlass run` with everything but the processes and the clock as it really is.
class RunTest : public ::testing::Test {
 protected:
  RunTest()
      : world_(42),
        containers_(world_.executor(), world_.clock(),
                    [this](const env::ContainerRequest& request) { return script_(request); }) {
    options_.images.host_root = {true, true};
  }

  std::optional<ExitCode> run(const std::string& manifest, Duration limit = hours(2)) {
    files_.put("job.yaml", manifest);
    options_.manifests.paths = {"job.yaml"};
    const auto plan = plan_run(options_, files_, output_);
    if (!plan) {
      return ExitCode::usage;
    }
    const plane::NodeMachine machine{
        {{"cpu", "2"}, {"memory", "1Gi"}, {"pods", "10"}}, {"PATH=/bin"}, "/scratch"};
    session_ = std::make_unique<RunSession>(
        env::Env{world_.clock(), world_.random(), world_.executor(), world_.log(), files_},
        [this](const std::string& directory, plane::ContainerLife life) {
          EXPECT_EQ(life, plane::ContainerLife::with_owner);
          directories_.push_back(directory);
          if (directories_.size() > 1) {
            further_.push_back(std::make_shared<virtual_world::VirtualContainers>(
                world_.executor(), world_.clock(),
                [this](const env::ContainerRequest& request) { return script_(request); }));
            return std::static_pointer_cast<env::Containers>(further_.back());
          }
          return std::shared_ptr<env::Containers>(&containers_, [](env::Containers*) {});
        },
        options_, *plan, machine, storage_, output_, [this](ExitCode code) { code_ = code; },
        page_);
    session_->start();
    EXPECT_TRUE(world_.run_until([this] { return code_.has_value() || stop_waiting_; }, limit));
    return code_;
  }

  static Result<virtual_world::VirtualProcess> exits(int code, Duration after = seconds(1)) {
    virtual_world::VirtualProcess process;
    process.duration = after;
    process.exit.code = code;
    return process;
  }

  virtual_world::VirtualWorld world_;
  virtual_world::VirtualFiles files_;
  std::function<Result<virtual_world::VirtualProcess>(const env::ContainerRequest&)> script_ =
      [](const env::ContainerRequest&) { return exits(0); };
  virtual_world::VirtualContainers containers_;
  std::vector<std::shared_ptr<virtual_world::VirtualContainers>>
      further_;                           // of nodes after the first
  std::vector<std::string> directories_;  // of the nodes' containers
  testing::TextOutput output_;
  RunOptions options_;
  RunStorage storage_;
  RunPageTools page_;
  std::unique_ptr<RunSession> session_;
  std::optional<ExitCode> code_;
  bool stop_waiting_ = false;
};

TEST_F(RunTest, CompleteIsZero) {
  EXPECT_EQ(run(job_yaml("demo", "  completions: 3\n  parallelism: 2\n")), ExitCode::ok);
  EXPECT_THAT(output_.out_text,
              HasSubstr("job.batch/demo Complete: CompletionsReached: Reached expected number of "
                        "succeeded pods (3 of 3 succeeded, 0 failed"));
  EXPECT_EQ(containers_.started(), 3u);
  EXPECT_EQ(containers_.running(), 0u);
}

TEST_F(RunTest, AJobThatGoesAtOnceStillTellsItsVerdict) {
  EXPECT_EQ(run(job_yaml("demo", "  ttlSecondsAfterFinished: 0\n")), ExitCode::ok);
  EXPECT_THAT(output_.out_text, HasSubstr("job.batch/demo Complete: CompletionsReached"));
}

TEST_F(RunTest, AJobThatFailsAndGoesAtOnceStillTellsItsVerdict) {
  script_ = [](const env::ContainerRequest&) { return exits(3); };
  EXPECT_EQ(run(job_yaml("demo", "  backoffLimit: 0\n  ttlSecondsAfterFinished: 0\n")),
            ExitCode::failed);
  EXPECT_THAT(output_.out_text, HasSubstr("job.batch/demo Failed: BackoffLimitExceeded"));
}

TEST_F(RunTest, ARetryWaitsForTheBackoffAndSaysSo) {
  int attempts = 0;
  script_ = [&](const env::ContainerRequest&) { return exits(++attempts == 1 ? 7 : 0); };
  const MonotonicTime start = world_.clock().monotonic();
  EXPECT_EQ(run(job_yaml("demo", "  backoffLimit: 1\n")), ExitCode::ok);
  EXPECT_GE(world_.clock().monotonic() - start, seconds(10));
  EXPECT_THAT(output_.err_text, HasSubstr("failed: container main exited with 7"));
  EXPECT_THAT(output_.err_text, HasSubstr("job.batch/demo retries in "));
  EXPECT_THAT(output_.err_text, HasSubstr("after 1 failure in a row"));
}

// job-controller.md 7.12
TEST_F(RunTest, ARetryOfAnIndexWaitsForItsBackoffAndSaysSo) {
  output_.watched = true;
  options_.verbose = true;
  output_.width = 200;
  script_ = [](const env::ContainerRequest&) { return exits(7); };
  EXPECT_EQ(run(job_yaml("demo",
                         "  completionMode: Indexed\n  completions: 1\n"
                         "  backoffLimitPerIndex: 1\n")),
            ExitCode::failed);
  EXPECT_EQ(containers_.started(), 2u);
  EXPECT_THAT(output_.err_text,
              ::testing::ContainsRegex("pod demo-0-.*exited with 7; counts as a failure; "
                                       "the index retries in (10.0|9.[0-9])s\n"));
  EXPECT_THAT(output_.err_text, ::testing::ContainsRegex("0/1 succeeded\n  retry in 5s"));
  EXPECT_THAT(output_.err_text, HasSubstr("counts as a failure; the index has failed\n"));
}

TEST_F(RunTest, ATerminalShowsOneBlockAndNoLinesOfPods) {
  output_.watched = true;
  script_ = [](const env::ContainerRequest&) { return exits(7); };
  EXPECT_EQ(run(job_yaml("demo", "  completions: 1\n  backoffLimit: 1\n")), ExitCode::failed);
  EXPECT_THAT(output_.err_text, HasSubstr("\n  last: pod demo-"));
  EXPECT_THAT(output_.err_text, Not(::testing::ContainsRegex("s  pod demo-")));
  EXPECT_THAT(output_.err_text, Not(HasSubstr("retries in 10")));
  EXPECT_THAT(output_.err_text, HasSubstr("retry in 10s")) << "the block has it";
}

TEST_F(RunTest, APipeGetsFailuresRetriesAndTheVerdict) {
  int runs = 0;
  script_ = [&runs](const env::ContainerRequest&) { return exits(runs++ == 0 ? 7 : 0); };
  EXPECT_EQ(run(job_yaml("demo", "  completions: 1\n  backoffLimit: 1\n")), ExitCode::ok);
  EXPECT_THAT(output_.err_text, ::testing::ContainsRegex("s  pod demo-.* failed: .*exited with 7"));
  EXPECT_THAT(output_.err_text, HasSubstr("job.batch/demo retries in "));
  EXPECT_THAT(output_.err_text, Not(HasSubstr(" running\n")));
  EXPECT_THAT(output_.err_text, Not(::testing::ContainsRegex("pod demo-.* succeeded\n")));
  EXPECT_THAT(output_.out_text, HasSubstr("job.batch/demo Complete"));
}

TEST_F(RunTest, VerboseNamesEveryPod) {
  options_.verbose = true;
  script_ = [](const env::ContainerRequest&) { return exits(0); };
  EXPECT_EQ(run(job_yaml("demo", "  completions: 1\n")), ExitCode::ok);
  EXPECT_THAT(output_.err_text, ::testing::ContainsRegex("s  pod demo-.* running\n"));
  EXPECT_THAT(output_.err_text, ::testing::ContainsRegex("s  pod demo-.* succeeded\n"));
}

TEST_F(RunTest, FailedIsOneAndNamesTheRule) {
  script_ = [](const env::ContainerRequest&) { return exits(42); };
  EXPECT_EQ(run(job_yaml("demo",
                         "  podFailurePolicy:\n    rules:\n    - name: bug\n"
                         "      action: FailJob\n"
                         "      onExitCodes: {operator: In, values: [42]}\n")),
            ExitCode::failed);
  EXPECT_EQ(containers_.started(), 1u);
  EXPECT_THAT(output_.err_text, HasSubstr("exited with 42; rule 0 (bug) says FailJob"));
  EXPECT_THAT(output_.out_text, HasSubstr("job.batch/demo Failed: PodFailurePolicy_bug: "));
}

TEST_F(RunTest, BackoffLimitExceededIsOne) {
  script_ = [](const env::ContainerRequest&) { return exits(1); };
  EXPECT_EQ(run(job_yaml("demo", "  backoffLimit: 2\n")), ExitCode::failed);
  EXPECT_EQ(containers_.started(), 3u);
  EXPECT_THAT(output_.out_text, HasSubstr("Failed: BackoffLimitExceeded: "));
}

TEST_F(RunTest, TimeOutStopsThePodsAndIs124) {
  options_.timeout = seconds(30);
  script_ = [](const env::ContainerRequest&) {
    return exits(0, virtual_world::VirtualProcess::kForever);
  };
  EXPECT_EQ(run(job_yaml("demo", "")), ExitCode::timed_out);
  EXPECT_EQ(containers_.running(), 0u);
  EXPECT_THAT(output_.err_text,
              HasSubstr("timed out after 30s: stopping 1 pod: SIGTERM now, SIGKILL in 30s\n"));
  EXPECT_EQ(output_.out_text, "job.batch/demo timed out after 30s: 0 of 1 succeeded, 0 failed\n");
}

TEST_F(RunTest, ATimeOutSaysHowManyJobsDidNotFinish) {
  options_.timeout = seconds(30);
  script_ = [](const env::ContainerRequest& request) {
    return exits(0, request.log_path.find("_long-") != std::string::npos
                        ? virtual_world::VirtualProcess::kForever
                        : seconds(1));
  };
  EXPECT_EQ(run(job_yaml("long", "") + "---\n" + job_yaml("short", "")), ExitCode::timed_out);
  EXPECT_THAT(output_.out_text, HasSubstr("job.batch/long timed out after 30s"));
  EXPECT_THAT(output_.out_text, HasSubstr("job.batch/short Complete"));
  EXPECT_THAT(output_.err_text, HasSubstr("1 of 2 Jobs did not finish"));
}

bool has_index(const env::ContainerRequest& request, int index) {
  return std::count(request.environment.begin(), request.environment.end(),
                    fmt::format("JOB_COMPLETION_INDEX={}", index)) > 0;
}

// Stopping is no failure of the Job, even where one failure is one too many.
TEST_F(RunTest, CtrlCSaysWhichIndexesAreDoneAndGivesNoVerdict) {
  script_ = [](const env::ContainerRequest& request) {
    const bool first = has_index(request, 0) || has_index(request, 2);
    return exits(0, first ? seconds(1) : virtual_world::VirtualProcess::kForever);
  };
  world_.executor().post(
      [this] { world_.executor().schedule(seconds(5), [this] { session_->interrupt(); }); });
  EXPECT_EQ(run(job_yaml("demo",
                         "  completionMode: Indexed\n  completions: 8\n  parallelism: 3\n"
                         "  backoffLimit: 0\n")),
            ExitCode::interrupted);
  EXPECT_EQ(output_.out_text,
            "job.batch/demo interrupted: 2 of 8 succeeded, 0 failed; succeeded indexes 0,2, "
            "indexes not done 1,3-7\n");
  EXPECT_THAT(output_.err_text,
              ::testing::ContainsRegex("pod demo-1-[a-z0-9]+ \\(index 1\\) stopped\n"));
  EXPECT_THAT(output_.err_text, Not(HasSubstr("BackoffLimitExceeded")));
  EXPECT_THAT(output_.err_text, Not(HasSubstr("imminent node shutdown")));
}

TEST_F(RunTest, ATerminalCountsDownToTheKill) {
  output_.watched = true;
  script_ = [](const env::ContainerRequest&) {
    auto process = exits(0, virtual_world::VirtualProcess::kForever);
    process->term_delay = virtual_world::VirtualProcess::kForever;
    return process;
  };
  world_.executor().post(
      [this] { world_.executor().schedule(seconds(5), [this] { session_->interrupt(); }); });
  EXPECT_EQ(run(job_yaml("demo", "")), ExitCode::interrupted);
  EXPECT_THAT(output_.err_text, HasSubstr("stopping 1 pod, SIGKILL in 29s"));
  EXPECT_THAT(output_.err_text, HasSubstr("stopping 1 pod, SIGKILL in 2s"));
}

TEST_F(RunTest, CtrlCLeavesJobsOfOtherControllersAlone) {
  world_.executor().post(
      [this] { world_.executor().schedule(seconds(5), [this] { session_->interrupt(); }); });
  const MonotonicTime start = world_.clock().monotonic();
  EXPECT_EQ(run(job_yaml("demo", "  managedBy: example.com/other\n")), ExitCode::interrupted);
  EXPECT_LT(world_.clock().monotonic() - start, seconds(6));
  EXPECT_THAT(output_.err_text, HasSubstr("s  interrupted\n"));
}

TEST_F(RunTest, CtrlCStopsGracefullyASecondKills) {
  script_ = [](const env::ContainerRequest&) {
    auto process = exits(0, virtual_world::VirtualProcess::kForever);
    process->term_delay = virtual_world::VirtualProcess::kForever;
    return process;
  };
  world_.executor().post([this] {
    world_.executor().schedule(seconds(5), [this] { session_->interrupt(); });
    world_.executor().schedule(seconds(8), [this] { session_->interrupt(); });
  });
  EXPECT_EQ(run(job_yaml("demo", "")), ExitCode::interrupted);
  ASSERT_EQ(containers_.signals().size(), 2u);
  EXPECT_EQ(containers_.signals()[0].number, 15);
  EXPECT_EQ(containers_.signals()[1].number, 9);
  EXPECT_THAT(output_.err_text,
              HasSubstr("interrupted: stopping 1 pod: SIGTERM now, SIGKILL in 30s. Press Ctrl-C "
                        "again to kill them immediately\n"));
}

// The last pods end while it stops, before it says what came of the Job.
TEST_F(RunTest, TheFinalObjectOfATimeOutIsASuspendedJob) {
  options_.timeout = seconds(30);
  options_.format = OutputFormat::json;
  script_ = [](const env::ContainerRequest&) {
    auto process = exits(0, virtual_world::VirtualProcess::kForever);
    process->term_delay = seconds(2);
    return process;
  };
  EXPECT_EQ(run(job_yaml("demo", "  completions: 4\n  parallelism: 4\n")), ExitCode::timed_out);
  EXPECT_THAT(output_.out_text, HasSubstr("\"suspend\": true"));
  EXPECT_THAT(output_.out_text, HasSubstr("\"type\": \"Suspended\""));
  EXPECT_THAT(output_.out_text, HasSubstr("\"failed\": 0,\n"));
  EXPECT_THAT(output_.out_text, ::testing::Not(HasSubstr("\"active\": ")));
  EXPECT_THAT(output_.err_text,
              HasSubstr("job.batch/demo timed out after 30s: 0 of 4 succeeded, 0 failed\n"));
  EXPECT_THAT(output_.out_text, ::testing::Not(HasSubstr("\"uncountedTerminatedPods\": {\n")));
}

class RunRetryTest : public RunTest, public ::testing::WithParamInterface<const char*> {};

TEST_P(RunRetryTest, CtrlCAnnouncesNone) {
  script_ = [](const env::ContainerRequest&) {
    return exits(0, virtual_world::VirtualProcess::kForever);
  };
  world_.executor().post(
      [this] { world_.executor().schedule(seconds(5), [this] { session_->interrupt(); }); });
  EXPECT_EQ(run(job_yaml("demo", GetParam())), ExitCode::interrupted);
  EXPECT_THAT(output_.err_text, ::testing::ContainsRegex("pod demo-.* stopped\n"));
  EXPECT_THAT(output_.err_text, ::testing::Not(HasSubstr("retrie")));
}

INSTANTIATE_TEST_SUITE_P(OfAJobAndOfAnIndex, RunRetryTest,
                         ::testing::Values("  backoffLimit: 3\n",
                                           "  completionMode: Indexed\n  completions: 1\n"
                                           "  backoffLimitPerIndex: 3\n"));

TEST_F(RunTest, AnInvalidManifestRunsNothing) {
  EXPECT_EQ(run(job_yaml("demo", "  parallelism: -1\n")), ExitCode::usage);
  EXPECT_EQ(containers_.started(), 0u);
  EXPECT_THAT(output_.err_text, HasSubstr("spec.parallelism: Invalid value: -1"));
}

TEST_F(RunTest, AFileWithoutAJobRunsNothing) {
  EXPECT_EQ(run("apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n"), ExitCode::usage);
  EXPECT_THAT(output_.err_text, HasSubstr("no Job in job.yaml"));
}

TEST_F(RunTest, TheSameJobTwiceRunsNothing) {
  EXPECT_EQ(run(job_yaml("one", "") + "---\n" + job_yaml("two", "") + "---\n" +
                job_yaml("one", "  completions: 3\n")),
            ExitCode::usage);
  EXPECT_EQ(containers_.started(), 0u);
  EXPECT_THAT(output_.err_text,
              ::testing::MatchesRegex(
                  "job.yaml:[0-9]+:3: error: job.batch/one is already in job.yaml:4:3\n"));
}

TEST_F(RunTest, JobsOfOneNameInTwoNamespacesAreTwo) {
  std::string other = job_yaml("one", "");
  other.insert(other.find("name: one"), "namespace: other\n  ");
  EXPECT_EQ(run(job_yaml("one", "") + "---\n" + other), ExitCode::ok);
  EXPECT_EQ(containers_.started(), 2u);
}

TEST_F(RunTest, SeveralJobsAndNamespacesThatAreNotThereYet) {
  options_.ns = "training";
  EXPECT_EQ(run(job_yaml("one", "") + "---\n" + job_yaml("two", "")), ExitCode::ok);
  EXPECT_THAT(output_.out_text, HasSubstr("job.batch/one Complete"));
  EXPECT_THAT(output_.out_text, HasSubstr("job.batch/two Complete"));
}

TEST_F(RunTest, FilesMayHaveAnyOrderAndWhatEveryClusterHas) {
  std::string job = job_yaml("demo", "");
  job.insert(job.find("name: demo"), "namespace: training\n  ");
  EXPECT_EQ(run(job + "---\n{apiVersion: v1, kind: ServiceAccount, metadata: {name: default}}\n"
                      "---\n{apiVersion: v1, kind: Namespace, metadata: {name: default}}\n"
                      "---\n{apiVersion: v1, kind: Namespace, metadata: {name: training}}\n"),
            ExitCode::ok)
      << output_.err_text;
  EXPECT_THAT(output_.out_text, HasSubstr("job.batch/demo Complete"));
}

TEST_F(RunTest, KindsThatAreNotKnownHereArePassedOver) {
  EXPECT_EQ(run("apiVersion: rbac.authorization.k8s.io/v1\nkind: Role\nmetadata: {name: r}\n---\n" +
                job_yaml("demo", "")),
            ExitCode::ok);
  EXPECT_THAT(output_.err_text, HasSubstr("warning: kind \"Role\""));
  EXPECT_THAT(output_.out_text, HasSubstr("job.batch/demo Complete"));
}

TEST_F(RunTest, ACommandThatIsNotThereFailsThePodWithAReason) {
  script_ = [](const env::ContainerRequest&) -> Result<virtual_world::VirtualProcess> {
    return fail(plain_error("exec work: no such file or directory"));
  };
  EXPECT_EQ(run(job_yaml("demo", "  backoffLimit: 0\n")), ExitCode::failed);
  EXPECT_THAT(output_.err_text, HasSubstr("no such file or directory"));
}

TEST_F(RunTest, WhatIsStoppedAfterTheOutcomeIsNotCalledAFailure) {
  int started = 0;
  script_ = [&](const env::ContainerRequest&) {
    return exits(0,
                 ++started == 1 ? Duration(seconds(1)) : virtual_world::VirtualProcess::kForever);
  };
  EXPECT_EQ(run(job_yaml("demo",
                         "  completionMode: Indexed\n  completions: 2\n  parallelism: 2\n"
                         "  successPolicy: {rules: [{succeededCount: 1}]}\n")),
            ExitCode::ok);
  EXPECT_THAT(output_.err_text, HasSubstr("stopped, because the outcome of the Job is known"));
  EXPECT_THAT(output_.err_text, Not(HasSubstr("counts as a failure")));
  EXPECT_THAT(output_.out_text, HasSubstr("(1 of 2 succeeded, 0 failed"));
}

std::string job_with_volume(const std::string& volume) {
  return job_yaml("demo", "") + "        volumeMounts: [{name: v, mountPath: /v}]\n" +
         "      volumes: [{name: v, " + volume + "}]\n";
}

size_t occurrences(const std::string& text, const std::string& what) {
  size_t count = 0;
  for (size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + 1)) {
    ++count;
  }
  return count;
}

// K-18: the pod's status never says why it does not start.
TEST_F(RunTest, SaysOnceWhyAVolumeCannotBeMounted) {
  options_.timeout = minutes(5);
  EXPECT_EQ(run(job_with_volume("configMap: {name: settings}")), ExitCode::timed_out);
  EXPECT_THAT(output_.err_text,
              ::testing::ContainsRegex("s  warning: pod demo-[a-z0-9]+: FailedMount: "
                                       "MountVolume.SetUp failed for volume \"v\" : configmap "
                                       "\"settings\" not found\n"));
  EXPECT_EQ(occurrences(output_.err_text, "FailedMount"), 1u) << output_.err_text;
}

TEST_F(RunTest, SaysWarningsOnATerminalToo) {
  output_.watched = true;
  options_.timeout = minutes(5);
  EXPECT_EQ(run(job_with_volume("configMap: {name: settings}")), ExitCode::timed_out);
  EXPECT_EQ(occurrences(output_.err_text, "FailedMount"), 1u) << output_.err_text;
}

TEST_F(RunTest, SaysOnceThatAPodDoesNotFit) {
  options_.timeout = minutes(5);
  EXPECT_EQ(run(job_yaml("demo", "") + "        resources: {requests: {cpu: 100}}\n"),
            ExitCode::timed_out);
  EXPECT_EQ(occurrences(output_.err_text, "Insufficient cpu"), 1u) << output_.err_text;
}

TEST_F(RunTest, ManyPodsThatDoNotFitAreTwoLines) {
  options_.timeout = minutes(5);
  EXPECT_EQ(run(job_yaml("demo", "  completions: 20\n  parallelism: 20\n") +
                "        resources: {requests: {cpu: 100}}\n"),
            ExitCode::timed_out);
  EXPECT_EQ(occurrences(output_.err_text, "Insufficient cpu"), 1u) << output_.err_text;
  EXPECT_EQ(occurrences(output_.err_text, "pending for the same reason; not listing further pods"),
            1u)
      << output_.err_text;
}

TEST_F(RunTest, IgnoredFailuresAreNamedBesideTheCounts) {
  int attempts = 0;
  script_ = [&](const env::ContainerRequest&) { return exits(++attempts <= 2 ? 42 : 0); };
  EXPECT_EQ(
      run(job_yaml("demo",
                   "  backoffLimit: 0\n  podFailurePolicy:\n    rules:\n    - action: Ignore\n"
                   "      onExitCodes: {operator: In, values: [42]}\n")),
      ExitCode::ok);
  EXPECT_THAT(output_.err_text, HasSubstr("after 2 failures in a row, including ignored ones\n"));
  EXPECT_THAT(output_.out_text, HasSubstr("(1 of 1 succeeded, 0 failed, 2 ignored, "));
}

TEST_F(RunTest, SaysWhatAContainerWaitsForOnceAndNotAgainAsAWarning) {
  options_.timeout = minutes(10);
  options_.images.host_root = {};
  EXPECT_EQ(run(job_yaml("demo", "")), ExitCode::timed_out);
  EXPECT_EQ(occurrences(output_.err_text, "waits: ErrImagePull"), 1u) << output_.err_text;
  EXPECT_EQ(occurrences(output_.err_text, "waits: ImagePullBackOff"), 1u) << output_.err_text;
  EXPECT_THAT(output_.err_text, Not(HasSubstr("warning: ")));
}

TEST_F(RunTest, SaysThatAContainerIsRestartedOverAndOver) {
  options_.timeout = minutes(10);
  script_ = [](const env::ContainerRequest&) { return exits(1); };
  std::string manifest = job_yaml("demo", "  backoffLimit: 100\n");
  manifest.replace(manifest.find("Never"), 5, "OnFailure");
  EXPECT_EQ(run(manifest), ExitCode::timed_out);
  EXPECT_EQ(occurrences(output_.err_text, "BackOff: Back-off restarting failed container main"), 1u)
      << output_.err_text;
}

TEST_F(RunTest, DoesNotWarnOfWhatTheVerdictSays) {
  script_ = [](const env::ContainerRequest&) { return exits(1); };
  EXPECT_EQ(run(job_yaml("demo", "  backoffLimit: 0\n")), ExitCode::failed);
  EXPECT_THAT(output_.err_text, Not(HasSubstr("warning: ")));
}

TEST_F(RunTest, SaysThatAJobOfAnotherManagerIsLeftAlone) {
  options_.timeout = seconds(5);
  EXPECT_EQ(run(job_yaml("demo", "  managedBy: example.com/other\n")), ExitCode::timed_out);
  EXPECT_EQ(containers_.started(), 0u);
  EXPECT_THAT(output_.err_text,
              HasSubstr("its spec.managedBy names another controller, example.com/other"));
}

// Each node has room for one of them at a time.
TEST_F(RunTest, SeveralNodesShareThePods) {
  options_.nodes = 3;
  const MonotonicTime start = world_.clock().monotonic();
  const std::string spec = "  completions: 3\n  parallelism: 3\n";
  std::string manifest = job_yaml("demo", spec);
  manifest += "        resources: {requests: {cpu: 2}}\n";
  EXPECT_EQ(run(manifest), ExitCode::ok);
  EXPECT_LT(world_.clock().monotonic() - start, seconds(2));
  EXPECT_THAT(directories_,
              ::testing::ElementsAre("/scratch/local-1/supervisor", "/scratch/local-2/supervisor",
                                     "/scratch/local-3/supervisor"));
  ASSERT_EQ(further_.size(), 2u);
  EXPECT_EQ(containers_.started(), 1u);
  EXPECT_EQ(further_[0]->started(), 1u);
  EXPECT_EQ(further_[1]->started(), 1u);
}

TEST_F(RunTest, TimeOutStopsThePodsOfAllNodes) {
  options_.nodes = 2;
  options_.timeout = seconds(30);
  script_ = [](const env::ContainerRequest&) {
    return exits(0, virtual_world::VirtualProcess::kForever);
  };
  EXPECT_EQ(run(job_yaml("demo", "  completions: 4\n  parallelism: 4\n")), ExitCode::timed_out);
  EXPECT_GT(containers_.started(), 0u);
  EXPECT_GT(further_[0]->started(), 0u);
  EXPECT_EQ(containers_.running() + further_[0]->running(), 0u);
  EXPECT_THAT(output_.err_text, HasSubstr("timed out after 30s: stopping 4 pods"));
}

TEST_F(RunTest, PrintsTheFinalJob) {
  options_.format = OutputFormat::json;
  EXPECT_EQ(run(job_yaml("demo", "")), ExitCode::ok);
  EXPECT_THAT(output_.out_text, HasSubstr("\"succeeded\": 1"));
  EXPECT_THAT(output_.out_text, HasSubstr("\"type\": \"Complete\""));
  EXPECT_THAT(output_.out_text, Not(HasSubstr("job.batch/demo Complete")));
}

TEST_F(RunTest, JobsAreToldOfInTheOrderOfTheFiles) {
  std::string manifest;
  std::string order;
  for (const char* name : {"c", "a", "e", "b", "d"}) {
    manifest += job_yaml(name, "") + "---\n";
    order += fmt::format("job.batch/{} Complete.*", name);
  }
  EXPECT_EQ(run(manifest), ExitCode::ok);
  EXPECT_THAT(output_.out_text, ::testing::ContainsRegex(order));
}

TEST_F(RunTest, JsonHasAllJobsWhateverCameOfThem) {
  options_.format = OutputFormat::json;
  options_.timeout = seconds(30);
  script_ = [](const env::ContainerRequest&) {
    return exits(0, virtual_world::VirtualProcess::kForever);
  };
  const std::string suspended = job_yaml("first", "  suspend: true\n");
  EXPECT_EQ(run(suspended + "---\n" + job_yaml("second", "")), ExitCode::timed_out);
  EXPECT_THAT(output_.out_text, HasSubstr(R"("verdict": "TimedOut")"));
  EXPECT_THAT(output_.out_text, ::testing::ContainsRegex("\"name\": \"first\"(.|\n)*"
                                                         "\"name\": \"second\""));
}

TEST_F(RunTest, PrintsAJobThatDidNotFinishToo) {
  options_.format = OutputFormat::json;
  options_.timeout = seconds(30);
  script_ = [](const env::ContainerRequest&) {
    return exits(0, virtual_world::VirtualProcess::kForever);
  };
  EXPECT_EQ(run(job_yaml("demo", "")), ExitCode::timed_out);
  EXPECT_THAT(output_.out_text, StartsWith("{"));
  EXPECT_THAT(output_.out_text, HasSubstr(R"("name": "demo")"));
  EXPECT_THAT(output_.out_text, Not(HasSubstr("\"Complete\"")));
}

TEST_F(RunTest, AFailureComesWithTheEndOfItsLog) {
  script_ = [this](const env::ContainerRequest& request) {
    files_.put(request.log_path, "2025-01-01T00:00:00.000000000Z stdout F \x1b[31mno disk\r\n");
    return exits(7);
  };
  output_.watched = true;
  EXPECT_EQ(run(job_yaml("demo", "  backoffLimit: 1\n")), ExitCode::failed);
  EXPECT_THAT(output_.err_text, ::testing::ContainsRegex("last: pod demo-[^\n]*\n  \\| no disk"));
}

TEST_F(RunTest, LogsOfFailedPodsFollowTheirFailure) {
  options_.logs.show = RunLogOptions::Show::failed;
  int runs = 0;
  script_ = [this, &runs](const env::ContainerRequest& request) {
    files_.put(request.log_path,
               fmt::format("2025-01-01T00:00:00.000000000Z stdout F run {}\n", runs));
    return exits(runs++ == 0 ? 7 : 0);
  };
  EXPECT_EQ(run(job_yaml("demo", "  backoffLimit: 1\n")), ExitCode::ok);
  EXPECT_THAT(output_.err_text,
              ::testing::ContainsRegex("pod demo-[^\n]* failed: [^\n]*\n          \\| run 0\n"));
  EXPECT_THAT(output_.err_text, Not(HasSubstr("run 1")));
}

// `windlass run --logs job.yaml | less`: the pager has the terminal.
TEST_F(RunTest, NoBlockDrawsOverAPager) {
  output_.watched = true;
  output_.out_is_piped = true;
  options_.logs.show = RunLogOptions::Show::all;
  EXPECT_EQ(run(job_yaml("demo", "")), ExitCode::ok);
  EXPECT_THAT(output_.err_text, Not(HasSubstr("\x1b[")));
  EXPECT_THAT(output_.out_text, HasSubstr("job.batch/demo Complete"));
}

class AttemptsInMemory final : public ledger::Ledger {
 public:
  explicit AttemptsInMemory(env::Executor& executor) : executor_(executor) {}

  void record(ledger::AttemptPtr attempt, std::function<void(Result<void>)> done) override {
    counted[attempt->metadata().name()] = attempt->verdict().counted();
    executor_.post([done = std::move(done)] { done({}); });
  }

  std::map<std::string, std::string> counted;  // by UID of the pod

 private:
  env::Executor& executor_;
};

TEST_F(RunTest, EveryAttemptIsRecordedAndFailuresAreGroupedByCause) {
  AttemptsInMemory ledger(world_.executor());
  storage_.ledger = &ledger;
  script_ = [this](const env::ContainerRequest& request) {
    files_.put(request.log_path, "2025-01-01T00:00:00.000000000Z stdout F record 17 is no JSON\n");
    return exits(has_index(request, 1) || has_index(request, 3) ? 42 : 0);
  };
  EXPECT_EQ(run(job_yaml("demo",
                         "  completionMode: Indexed\n  completions: 5\n  parallelism: 2\n"
                         "  backoffLimitPerIndex: 0\n")),
            ExitCode::failed);
  std::map<std::string, int> counts;
  for (const auto& [pod, counted] : ledger.counted) {
    ++counts[counted];
  }
  EXPECT_THAT(counts, ::testing::ElementsAre(::testing::Pair("Failed", 2),
                                             ::testing::Pair("Succeeded", 3)));
  EXPECT_THAT(output_.out_text, HasSubstr("2 failures, 1 cause\n"));
  EXPECT_THAT(output_.out_text, HasSubstr("record N is no JSON"));
}

TEST_F(RunTest, TheReportHasTheCauses) {
  options_.format = OutputFormat::json;
  script_ = [](const env::ContainerRequest&) { return exits(42); };
  EXPECT_EQ(run(job_yaml("demo", "  backoffLimit: 0\n")), ExitCode::failed);
  EXPECT_THAT(output_.out_text, HasSubstr("\"causes\": [\n        {"));
  EXPECT_THAT(output_.err_text, HasSubstr("1 failure, 1 cause\n"));
}

TEST_F(RunTest, WithoutALedgerThereAreNoCauses) {
  options_.ledger.enabled = false;
  script_ = [](const env::ContainerRequest&) { return exits(42); };
  EXPECT_EQ(run(job_yaml("demo", "  backoffLimit: 0\n")), ExitCode::failed);
  EXPECT_THAT(output_.out_text, Not(HasSubstr("cause\n")));
}

TEST_F(RunTest, QuietPrintsTheVerdictAlone) {
  options_.quiet = true;
  EXPECT_EQ(run(job_yaml("demo", "")), ExitCode::ok);
  EXPECT_THAT(output_.out_text, StartsWith("job.batch/demo Complete"));
  EXPECT_EQ(output_.err_text, "");
}

TEST_F(RunTest, PipelinesGetAFileAndAnnotations) {
  options_.pipeline = {.junit = "report.xml", .annotations = true};
  script_ = [](const env::ContainerRequest&) { return exits(3); };
  EXPECT_EQ(run(job_yaml("demo", "  backoffLimit: 0\n")), ExitCode::failed);
  EXPECT_THAT(files_.read("report.xml", 100'000).value(), HasSubstr(R"(failures="1")"));
  EXPECT_THAT(output_.err_text, HasSubstr("::error title=job.batch/demo BackoffLimitExceeded::"));
}

TEST_F(RunTest, AJunitFileThatCannotBeWrittenFailsTheRun) {
  options_.pipeline.junit = "no/folder/report.xml";
  EXPECT_EQ(run(job_yaml("demo", "")), ExitCode::failed);
  EXPECT_THAT(output_.err_text, HasSubstr("error: "));
}

TEST_F(RunTest, NoBlockIsDrawnInTheBackgroundOfAShell) {
  output_.watched = true;
  output_.has_terminal = false;
  EXPECT_EQ(run(job_yaml("demo", "")), ExitCode::ok);
  EXPECT_THAT(output_.err_text, Not(HasSubstr("succeeded\n")));
  EXPECT_THAT(output_.err_text, Not(HasSubstr("\x1b[")));
}

// A page that tests can hold.
class HeldPage final : public RunPage {
 public:
  explicit HeldPage(std::function<void()>& end) : end_(end) {}
  std::string address() const override { return "http://127.0.0.1:1/ui/#login=1"; }
  void end(const std::function<void()>& then) override { end_ = then; }

 private:
  std::function<void()>& end_;
};

TEST_F(RunTest, APageIsShownTheEndOfTheRun) {
  options_.dashboard = true;
  std::function<void()> end;
  page_.open = [&end](plane::EmbeddedCluster& /*cluster*/, const FindNodeDirectory& find_node) {
    EXPECT_EQ(find_node("local"), "/scratch/local");
    return Result<std::unique_ptr<RunPage>>(std::make_unique<HeldPage>(end));
  };
  world_.executor().schedule(minutes(1), [&] {
    EXPECT_THAT(output_.out_text, HasSubstr("job.batch/demo Complete"));
    EXPECT_FALSE(code_.has_value());
    ASSERT_TRUE(end);
    end();
  });
  EXPECT_EQ(run(job_yaml("demo", "")), ExitCode::ok);
  EXPECT_THAT(output_.err_text, HasSubstr("once, within five minutes:\nhttp://127.0.0.1:1/ui/#"));
}

TEST_F(RunTest, WithoutAPageTheRunGoesOn) {
  options_.dashboard = true;
  page_.open = [](plane::EmbeddedCluster& /*cluster*/,
                  const FindNodeDirectory& /*find_node*/) -> Result<std::unique_ptr<RunPage>> {
    return fail(plain_error("no port is free"));
  };
  EXPECT_EQ(run(job_yaml("demo", "")), ExitCode::ok);
  EXPECT_THAT(output_.err_text, HasSubstr("warning: --dashboard: no port is free\n"));
}

TEST_F(RunTest, LogsAreNoPartOfTheObjects) {
  options_.logs.show = RunLogOptions::Show::all;
  options_.format = OutputFormat::json;
  script_ = [this](const env::ContainerRequest& request) {
    files_.put(request.log_path, "2025-01-01T00:00:00.000000000Z stdout F hello\n");
    return exits(0);
  };
  EXPECT_EQ(run(job_yaml("demo", "")), ExitCode::ok);
  EXPECT_THAT(output_.out_text, StartsWith("{"));
  EXPECT_THAT(output_.err_text, HasSubstr(" main] hello\n"));
}

}  // namespace
}  // namespace windlass::cli
