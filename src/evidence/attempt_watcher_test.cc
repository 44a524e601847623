// Attempts of Jobs that another controller runs, in one simulated world.
#include "evidence/attempt_watcher.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "controllers/job/controller.h"
#include "evidence/attempt_recorder.h"
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

struct AttemptWatcherTest : public ::testing::Test {
  void SetUp() override {
    scheduler.start();
    node.agent->start();
    controller.start();
    settle();
  }
  void settle() { api.world.run_for(milliseconds(1)); }

  void watch() {
    recorder.emplace(api.client_env(), ledger, AttemptRecorder::Options{});
    watcher.emplace(api.client_env(), *recorder, AttemptWatcher::Options{.known = &ledger});
    watcher->start();
    settle();
  }
  void stop_watching() {
    watcher.reset();
    recorder.reset();
  }

  void create(const std::string& name, const std::string& spec, const std::string& command) {
    api.create_job(fmt::format(
        "{{metadata: {{name: {}}}, spec: {{{} template: {{spec: {{restartPolicy: Never, "
        "containers: [{{name: c, image: i, command: [{}]}}]}}}}}}}}",
        name, spec, command));
    settle();
  }
  [[nodiscard]] bool run_to_end(const std::string& name = "j") {
    const bool ended = api.world.run_until(
        [this, &name] {
          const auto job = api.job(name);
          return std::any_of(job->status().conditions().begin(), job->status().conditions().end(),
                             [](const auto& each) {
                               return (each.type() == "Complete" || each.type() == "Failed") &&
                                      each.status() == "True";
                             });
        },
        hours(1));
    api.world.run_for(seconds(1));
    return ended;
  }
  // index/number phase counted action
  std::vector<std::string> records() {
    std::vector<std::string> lines;
    for (const auto& attempt : ledger.all()) {
      lines.push_back(fmt::format(
          "{}/{} {} {}{}", attempt->has_index() ? std::to_string(attempt->index()) : "-",
          attempt->number(), attempt->phase(), attempt->verdict().counted(),
          attempt->verdict().has_action() ? " " + attempt->verdict().action() : std::string()));
    }
    return lines;
  }

  SimulatedApi api;
  node::testing::SimulatedNode node{api};
  scheduler::Scheduler scheduler{api.client_env(), scheduler::Scheduler::Options{}};
  // The built-in one: it keeps no records.
  controllers::job::JobController controller{api.client_env(),
                                             controllers::job::JobController::Options{}};
  ledger::MemoryLedger ledger{api.world.executor()};
  std::optional<AttemptRecorder> recorder;
  std::optional<AttemptWatcher> watcher;
};

TEST_F(AttemptWatcherTest, RecordsWhatAnotherControllerRuns) {
  watch();
  create("j", "completions: 2, parallelism: 2, completionMode: Indexed,", "run, '5', '0'");
  ASSERT_TRUE(run_to_end());
  EXPECT_THAT(records(),
              UnorderedElementsAre("0/1 Succeeded Succeeded", "1/1 Succeeded Succeeded"));
  EXPECT_EQ(ledger.all().front()->job().uid(), api.job("j")->metadata().uid());
  EXPECT_EQ(recorder->pods(), 0u);
}

TEST_F(AttemptWatcherTest, TellsTheRuleAsTheControllerDoes) {
  watch();
  create("j",
         "completions: 1, backoffLimit: 5, podFailurePolicy: {rules: ["
         "  {action: Ignore, onExitCodes: {operator: In, values: [7]}},"
         "  {action: FailJob, onExitCodes: {operator: In, values: [3]}}]},",
         "run, '5', '3'");
  ASSERT_TRUE(run_to_end());
  EXPECT_THAT(records(), ElementsAre("-/1 Failed Failed FailJob"));
  EXPECT_EQ(ledger.all().front()->verdict().rule(), 1);
  EXPECT_EQ(ledger.all().front()->deciding_container(), "c");
}

TEST_F(AttemptWatcherTest, NumbersTheAttemptsOfAnIndex) {
  watch();
  create("j", "completions: 1, completionMode: Indexed, backoffLimitPerIndex: 2,", "run, '5', '1'");
  ASSERT_TRUE(run_to_end());
  EXPECT_THAT(records(),
              ElementsAre("0/1 Failed Failed", "0/2 Failed Failed", "0/3 Failed Failed"));
}

TEST_F(AttemptWatcherTest, APodThatTheJobTakesAwayCountsAsNothing) {
  watch();
  create("j", "completions: 2, parallelism: 2,", "run, '500', '0'");
  api.world.run_for(seconds(3));
  api.change<Job>(api::kinds::job(), "default", "j", "",
                  [](Job& job) { job.mutable_spec()->set_suspend(true); });
  api.world.run_for(minutes(2));
  ASSERT_EQ(ledger.all().size(), 2u);
  for (const auto& attempt : ledger.all()) {
    EXPECT_EQ(attempt->verdict().counted(), "None") << attempt->phase();
  }
}

TEST_F(AttemptWatcherTest, APodThatVanishesIsRecordedAsItWasSeen) {
  watch();
  create("j", "completions: 1,", "run, '500', '0'");
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

TEST_F(AttemptWatcherTest, PodsThatEndedBeforeTheStartAreRecorded) {
  create("j", "completions: 1, backoffLimit: 0,", "run, '5', '3'");
  ASSERT_TRUE(run_to_end());
  watch();
  api.world.run_for(seconds(1));
  EXPECT_THAT(records(), ElementsAre("-/1 Failed Failed"));
}

TEST_F(AttemptWatcherTest, ARestartKeepsWhatIsRecorded) {
  watch();
  create("j", "completions: 1, backoffLimit: 1, parallelism: 1,", "run, '5', '3'");
  ASSERT_TRUE(run_to_end());
  const auto before = ledger.all();
  ASSERT_EQ(before.size(), 2u);
  stop_watching();
  create("k", "completions: 1, backoffLimit: 0,", "run, '5', '3'");
  ASSERT_TRUE(run_to_end("k"));
  watch();
  api.world.run_for(seconds(1));
  const auto after = ledger.all();
  ASSERT_EQ(after.size(), 3u);
  // The same records, not others that say the same.
  EXPECT_EQ(after[0], before[0]);
  EXPECT_EQ(after[1], before[1]);
  EXPECT_EQ(after[2]->job().name(), "k");
}

TEST_F(AttemptWatcherTest, WritesNothing) {
  watch();
  const auto writes = [this] { return api.store.revision(); };
  create("j", "completions: 1, suspend: true,", "run, '5', '0'");
  api.world.run_for(minutes(1));
  const auto before = writes();
  stop_watching();
  watch();
  api.world.run_for(seconds(1));
  EXPECT_EQ(writes(), before);
}

}  // namespace
}  // namespace windlass::evidence
