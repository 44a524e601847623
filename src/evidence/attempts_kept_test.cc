// The Job controller with a ledger, a scheduler and a node, in one simulated world.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "controllers/job/controller.h"
#include "evidence/attempt_recorder.h"
#include "node/registration.h"
#include "node/testing.h"
#include "scheduler/scheduler.h"
#include "schema/ledger/v1/attempt.pb.h"
#include "verify/ledgers/memory_ledger.h"

namespace windlass::evidence {
namespace {

using apiserver::testing::Job;
using apiserver::testing::Pod;
using apiserver::testing::SimulatedApi;
using ::testing::ElementsAre;
using ::testing::UnorderedElementsAre;

struct AttemptsKept : public ::testing::Test {
  void SetUp() override {
    start();
    scheduler.emplace(api.client_env(), scheduler::Scheduler::Options{});
    scheduler->start();
    node.agent->start();
    api.world.run_for(milliseconds(1));
  }

  void start() {
    recorder.emplace(api.client_env(), ledger, AttemptRecorder::Options{});
    controllers::job::JobController::Options options;
    options.attempts = &*recorder;
    controller.emplace(api.client_env(), std::move(options));
    controller->start();
  }
  // As if its process was killed.
  void stop() {
    controller.reset();
    recorder.reset();
  }

  void create(const std::string& spec, const std::string& command,
              const std::string& pod_more = "restartPolicy: Never,") {
    api.create_job(
        fmt::format("{{metadata: {{name: j}}, spec: {{{} template: {{spec: {{{} "
                    "containers: [{{name: c, image: i, command: [{}]}}]}}}}}}}}",
                    spec, pod_more, command));
    api.world.run_for(milliseconds(1));
  }
  bool finished() {
    const auto job = api.job("j");
    return std::any_of(
        job->status().conditions().begin(), job->status().conditions().end(), [](const auto& each) {
          return (each.type() == "Complete" || each.type() == "Failed") && each.status() == "True";
        });
  }
  [[nodiscard]] bool run_to_end(Duration limit = hours(1)) {
    const bool ended = api.world.run_until([this] { return finished(); }, limit);
    api.world.run_for(milliseconds(1));
    return ended;
  }
  size_t tracked() {
    const auto pods = api.pods();
    return static_cast<size_t>(std::count_if(pods.begin(), pods.end(), [](const auto& pod) {
      return pod->metadata().finalizers_size() > 0;
    }));
  }
  // phase counted action
  std::vector<std::string> records() {
    std::vector<std::string> lines;
    for (const auto& attempt : ledger.all()) {
      lines.push_back(fmt::format(
          "{} {}{}", attempt->phase(), attempt->verdict().counted(),
          attempt->verdict().has_action() ? " " + attempt->verdict().action() : std::string()));
    }
    return lines;
  }

  SimulatedApi api;
  node::testing::SimulatedNode node{api};
  ledger::MemoryLedger ledger{api.world.executor()};
  std::optional<AttemptRecorder> recorder;
  std::optional<controllers::job::JobController> controller;
  std::optional<scheduler::Scheduler> scheduler;
};

TEST_F(AttemptsKept, EveryPodOfAJobLeavesOneRecord) {
  create("completions: 3, parallelism: 2,", "run, '5', '0'");
  ASSERT_TRUE(run_to_end());
  EXPECT_THAT(records(),
              ElementsAre("Succeeded Succeeded", "Succeeded Succeeded", "Succeeded Succeeded"));
  for (const auto& attempt : ledger.all()) {
    EXPECT_EQ(attempt->job().name(), "j");
    EXPECT_EQ(attempt->job().uid(), api.job("j")->metadata().uid());
    EXPECT_TRUE(attempt->has_ended_at());
    EXPECT_TRUE(attempt->has_started_at());
    EXPECT_TRUE(attempt->has_scheduled_at());
    EXPECT_FALSE(attempt->node_name().empty());
  }
  EXPECT_EQ(recorder->pods(), 0u);
}

TEST_F(AttemptsKept, F7_NoFinalizerGoesBeforeItsRecordIsDurable) {
  ledger.hold();
  create("completions: 1, backoffLimit: 0,", "run, '5', '3'");
  api.world.run_for(minutes(5));
  // The verdict is stored, and the witness is still there.
  EXPECT_EQ(tracked(), 1u);
  EXPECT_EQ(api.job("j")->status().uncounted_terminated_pods().failed_size(), 1);
  EXPECT_FALSE(finished());
  ledger.release();
  ASSERT_TRUE(run_to_end());
  EXPECT_EQ(tracked(), 0u);
  EXPECT_THAT(records(), ElementsAre("Failed Failed"));
  EXPECT_EQ(ledger.all().front()->deciding_container(), "c");
}

TEST_F(AttemptsKept, TheRecordIsBegunBeforeTheStatusIsWritten) {
  ledger.hold();
  create("completions: 1,", "run, '5', '0'");
  ASSERT_TRUE(api.world.run_until([this] { return recorder->pods() == 1; }, minutes(1)));
  EXPECT_EQ(api.job("j")->status().uncounted_terminated_pods().succeeded_size(), 0);
}

TEST_F(AttemptsKept, TellsTheRuleThatMatched) {
  create(
      "completions: 1, backoffLimit: 5, podFailurePolicy: {rules: ["
      "  {action: Ignore, onExitCodes: {operator: In, values: [7]}},"
      "  {action: FailJob, onExitCodes: {operator: In, values: [3]}}]},",
      "run, '5', '3'");
  ASSERT_TRUE(run_to_end());
  EXPECT_THAT(records(), ElementsAre("Failed Failed FailJob"));
  EXPECT_EQ(ledger.all().front()->verdict().rule(), 1);
}

TEST_F(AttemptsKept, IgnoredFailuresAreRecordedAsSuch) {
  create(
      "completions: 1, backoffLimit: 0, activeDeadlineSeconds: 60, podFailurePolicy: {rules: ["
      "  {action: Ignore, onExitCodes: {operator: In, values: [3]}}]},",
      "run, '5', '3'");
  ASSERT_TRUE(run_to_end());
  const auto lines = records();
  EXPECT_GE(std::count(lines.begin(), lines.end(), "Failed Ignored Ignore"), 2);
}

TEST_F(AttemptsKept, PodsOfASuspendedJobCountAsNothing) {
  create("completions: 2, parallelism: 2,", "run, '500', '0'");
  api.world.run_for(seconds(3));
  api.change<Job>(api::kinds::job(), "default", "j", "",
                  [](Job& job) { job.mutable_spec()->set_suspend(true); });
  api.world.run_for(minutes(2));
  EXPECT_EQ(api.pods().size(), 0u);
  const auto all = ledger.all();
  ASSERT_EQ(all.size(), 2u);
  for (const auto& attempt : all) {
    EXPECT_EQ(attempt->verdict().counted(), "None");
  }
  EXPECT_EQ(recorder->pods(), 0u);
}

TEST_F(AttemptsKept, APodThatIsForceDeletedIsRecordedAsItWasSeen) {
  create("completions: 1,", "run, '500', '0'");
  api.world.run_for(seconds(3));
  const std::string name = api.pods().front()->metadata().name();
  api.change<Pod>(api::kinds::pod(), "default", name, "",
                  [](Pod& pod) { pod.mutable_metadata()->clear_finalizers(); });
  api.remove_pod(name, 0);
  api.world.run_for(milliseconds(100));
  ASSERT_EQ(ledger.all().size(), 1u);
  EXPECT_EQ(ledger.all().front()->phase(), "Unknown");
  EXPECT_EQ(ledger.all().front()->pod_name(), name);
}

TEST_F(AttemptsKept, PodsOfAJobThatIsDeletedAreRecorded) {
  create("completions: 2, parallelism: 2,", "run, '500', '0'");
  api.world.run_for(seconds(3));
  ledger.hold();
  apiserver::DeleteOptions options;
  options.propagation_policy = "Background";
  ASSERT_TRUE(api.remove(api::kinds::job(), "default", "j", options).answer.has_value());
  api.world.run_for(minutes(1));
  EXPECT_EQ(tracked(), 2u);
  ledger.release();
  api.world.run_for(minutes(1));
  EXPECT_EQ(tracked(), 0u);
  EXPECT_EQ(ledger.all().size(), 2u);
}

TEST_F(AttemptsKept, AnotherControllerGoesOnWhereOneWasKilled) {
  ledger.hold();
  create("completions: 3, parallelism: 3, backoffLimit: 0,", "run, '5', '1'");
  api.world.run_for(seconds(30));
  stop();
  ledger.release();
  start();
  ASSERT_TRUE(run_to_end());
  EXPECT_THAT(records(), ElementsAre("Failed Failed", "Failed Failed", "Failed Failed"));
  EXPECT_EQ(tracked(), 0u);
}

}  // namespace
}  // namespace windlass::evidence
