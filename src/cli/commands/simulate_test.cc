#include "cli/commands/simulate.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/output/captured_output_testing.h"
#include "virtual_world/virtual_files.h"

namespace windlass::cli {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

constexpr const char* kSimulatedJob = R"(apiVersion: batch/v1
kind: Job
metadata:
  name: demo
spec:
  completionMode: Indexed
  completions: 6
  parallelism: 3
  backoffLimit: 0
  podFailurePolicy:
    rules:
    - action: Ignore
      onPodConditions:
      - type: DisruptionTarget
    - action: FailJob
      onExitCodes: {operator: In, values: [42]}
  template:
    spec:
      restartPolicy: Never
      containers:
      - name: main
        image: busybox:1.36
)";

class SimulateTest : public ::testing::Test {
 protected:
  SimulateTest() {
    options_.manifests.paths = {"job.yaml"};
    files_.put("job.yaml", kSimulatedJob);
  }
  ExitCode run() {
    output_ = {};
    return simulate(options_, files_, output_);
  }
  void pods_take(Duration duration) {
    options_.cluster.mix.shortest = options_.cluster.mix.longest = duration;
  }

  virtual_world::VirtualFiles files_;
  SimulateOptions options_;
  testing::TextOutput output_;
};

TEST_F(SimulateTest, AJobThatTakesHoursIsToldAtOnce) {
  pods_take(hours(2));
  EXPECT_EQ(run(), ExitCode::ok);
  EXPECT_THAT(output_.out_text, HasSubstr("job.batch/demo Complete"));
  EXPECT_THAT(output_.out_text, HasSubstr("6 of 6 succeeded, 0 failed, 4h"));
  EXPECT_THAT(output_.err_text, HasSubstr("with seed 1: 6 pods, 0 drains, 0 lost nodes"));
}

TEST_F(SimulateTest, APolicyDecides) {
  options_.cluster.mix.percent_failing = 100;
  options_.cluster.mix.exit_code = 42;
  EXPECT_EQ(run(), ExitCode::failed);
  EXPECT_THAT(output_.out_text, HasSubstr("PodFailurePolicy"));
}

TEST_F(SimulateTest, DrainsAndLostNodesCostNothingWhereThePolicySaysSo) {
  pods_take(hours(3));
  options_.cluster.drain_every = minutes(50);
  options_.cluster.lose_node_every = hours(4);
  EXPECT_EQ(run(), ExitCode::ok) << output_.err_text;
  EXPECT_THAT(output_.out_text, HasSubstr("6 of 6 succeeded, 0 failed"));
  EXPECT_THAT(output_.err_text, HasSubstr("is drained: "));
  EXPECT_THAT(output_.err_text, HasSubstr("is unreachable for 10m"));
  EXPECT_THAT(output_.err_text, Not(HasSubstr(": 6 pods,")));
}

TEST_F(SimulateTest, TheSameSeedTellsTheSameStory) {
  pods_take(hours(1));
  options_.cluster.drain_every = minutes(20);
  options_.cluster.seed = 7;
  run();
  const std::string first = output_.out_text + output_.err_text;
  run();
  EXPECT_EQ(output_.out_text + output_.err_text, first);
}

TEST_F(SimulateTest, WhatDoesNotEndIsGivenUp) {
  pods_take(hours(100));
  options_.cluster.limit = hours(1);
  EXPECT_EQ(run(), ExitCode::timed_out);
  EXPECT_THAT(output_.err_text, HasSubstr("1 Job did not finish within 1h"));
}

// A manifest comes without the cluster that has them.
TEST_F(SimulateTest, PodsHaveWhateverAccountAndPriorityClassTheyName) {
  std::string manifest = kSimulatedJob;
  manifest.replace(manifest.find("      restartPolicy"), 0,
                   "      serviceAccountName: trainer\n      priorityClassName: urgent\n");
  files_.put("job.yaml", manifest);
  EXPECT_EQ(run(), ExitCode::ok) << output_.err_text;
  EXPECT_THAT(output_.out_text, HasSubstr("6 of 6 succeeded"));
}

TEST_F(SimulateTest, PriorityClassesCountWhereTheManifestsHaveThem) {
  std::string manifest = kSimulatedJob;
  manifest.replace(manifest.find("      restartPolicy"), 0, "      priorityClassName: urgent\n");
  files_.put("job.yaml", manifest +
                             "---\napiVersion: scheduling.k8s.io/v1\nkind: PriorityClass\n"
                             "metadata: {name: urgent}\nvalue: 7\n");
  EXPECT_EQ(run(), ExitCode::ok) << output_.err_text;
}

TEST_F(SimulateTest, SaysWhyPodsAreRefused) {
  std::string manifest = kSimulatedJob;
  manifest.replace(manifest.find("      restartPolicy"), 0, "      priority: 5\n");
  files_.put("job.yaml", manifest);
  options_.cluster.limit = hours(1);
  EXPECT_EQ(run(), ExitCode::timed_out);
  const size_t said = output_.err_text.find("warning: job.batch/demo: FailedCreate: ");
  ASSERT_NE(said, std::string::npos) << output_.err_text;
  EXPECT_EQ(output_.err_text.find("FailedCreate", said + 40), std::string::npos)
      << "once, although each try has a pod of another name: " << output_.err_text;
}

TEST_F(SimulateTest, AnInvalidManifestIsNotSimulated) {
  files_.put("job.yaml", std::string(kSimulatedJob) + "  parallelism: -1\n");
  EXPECT_EQ(run(), ExitCode::usage);
}

}  // namespace
}  // namespace windlass::cli
