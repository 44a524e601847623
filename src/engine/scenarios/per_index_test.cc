// job-controller.md sections 11I, 11J: backoffLimitPerIndex and success policy.
#include "verify/engine/scenario_testing.h"

namespace windlass::engine::testing {
namespace {

// p2 c2 L1 b=max, unless said otherwise.
JobView per_index(int32_t parallelism = 2, int32_t completions = 2, int32_t limit = 1) {
  JobView view = indexed_job(parallelism, completions);
  view.spec.backoff_limit_per_index = limit;
  view.spec.backoff_limit = 2147483647;
  return view;
}

JobView with_rule(Action action) {
  JobView view = per_index();
  set_policy(view, {on_codes(action, {3})});
  return view;
}

std::string given_exit(EngineScenario& job, int64_t index, int32_t code, int failures = 0) {
  PodView pod = job.pod(Phase::failed);
  pod.completion_index = std::to_string(index);
  pod.failure_count = std::to_string(failures);
  pod.containers = {job.exited("main-container", code)};
  return job.add_pod(pod);
}

TEST(PerIndex, I129_SuccessAfterAFailure) {
  EngineScenario job(per_index());
  job.given_index(0, Phase::failed, 0, hours(1));
  job.given_index(0, Phase::succeeded, 1);
  job.given_index(1, Phase::succeeded, 0);
  job.run();
  EXPECT_EQ(job.status().failed, 1);
  EXPECT_EQ(job.status().succeeded, 2);
  EXPECT_EQ(job.status().completed_indexes, "0,1");
  EXPECT_EQ(job.status().failed_indexes, "");
  EXPECT_TRUE(job.has(kTypeComplete));
}

TEST(PerIndex, I130_FailedPodIsKeptUntilItsReplacementIsThere) {
  EngineScenario job(per_index());
  const std::string failed = job.given_index(0, Phase::failed, 0, hours(1));
  job.step();  // the first of the slow start
  EXPECT_TRUE(job.stored_pod(failed).has_finalizer);
  EXPECT_EQ(job.status().failed, 0);
  job.run();
  EXPECT_THAT(job.created_indexes(), ElementsAre(0, 1));
  EXPECT_EQ(annotation(job.plans[0], kIndexFailureCountKey), "1");
  EXPECT_EQ(annotation(job.plans[1], kIndexFailureCountKey), "0");
  EXPECT_EQ(annotation(job.plans[0], kIndexIgnoredFailureCountKey), "absent");
}

TEST(PerIndex, I131_FailedPodReplaced) {
  EngineScenario job(per_index());
  job.given_index(0, Phase::failed, 0);
  job.given_index(0, Phase::pending, 1);
  job.run();
  EXPECT_EQ(job.status().failed, 1);
  EXPECT_EQ(job.writes.releases, 1);
  EXPECT_THAT(job.created_indexes(), ElementsAre(1));
}

TEST(PerIndex, I132_IndexOverItsLimit) {
  EngineScenario job(per_index());
  job.given_index(0, Phase::failed, 1);
  job.run();
  EXPECT_EQ(job.status().failed_indexes, "0");
  EXPECT_EQ(job.status().failed, 1);
  EXPECT_THAT(job.created_indexes(), ElementsAre(1));
  EXPECT_EQ(job.condition_types(), "");
}

TEST(PerIndex, I133_FailIndex) {
  EngineScenario job(with_rule(Action::fail_index));
  given_exit(job, 0, 3);
  job.run();
  EXPECT_EQ(job.status().failed_indexes, "0");
  EXPECT_EQ(job.metric(Metric::failures_handled, "FailIndex"), 1);
}

TEST(PerIndex, I134_FailJobInAPerIndexJob) {
  EngineScenario job(with_rule(Action::fail_job));
  given_exit(job, 0, 3);
  job.run();
  EXPECT_EQ(job.reason(kTypeFailed), "PodFailurePolicy_0");
  EXPECT_EQ(job.status().failed_indexes, "");
}

TEST(PerIndex, I135_IgnoreInAPerIndexJob) {
  EngineScenario job(with_rule(Action::ignore));
  given_exit(job, 0, 3);
  job.run();
  EXPECT_EQ(job.status().failed, 0);
  EXPECT_EQ(job.status().active, 2);
  EXPECT_EQ(annotation(job.plans[0], kIndexFailureCountKey), "0");
  EXPECT_EQ(annotation(job.plans[0], kIndexIgnoredFailureCountKey), "1");
  EXPECT_EQ(job.writes.releases, 1);
  EXPECT_EQ(job.metric(Metric::failures_handled, "Ignore"), 1);
}

TEST(PerIndex, I135_R6_15_AnIgnoredFailureIsInTheMetricOnce) {
  EngineScenario job(with_rule(Action::ignore));
  given_exit(job, 0, 3);
  job.on_pod_write = [](const PodWrite&) { return FakeCluster::WriteFault{WriteError::rejected}; };
  job.run();
  job.advance(seconds(1));
  EXPECT_EQ(job.writes.releases, 0);
  job.on_pod_write = nullptr;
  job.advance(minutes(1));
  EXPECT_EQ(job.writes.releases, 1);
  EXPECT_EQ(job.metric(Metric::failures_handled, "Ignore"), 1);
}

TEST(PerIndex, I136_GlobalLimitFirst) {
  JobView view = per_index();
  view.spec.backoff_limit = 1;
  EngineScenario job(view);
  job.given_index(0, Phase::failed, 0);
  job.given_index(1, Phase::failed, 0);
  job.run();
  EXPECT_EQ(job.reason(kTypeFailed), "BackoffLimitExceeded");
  EXPECT_EQ(job.status().failed, 2);
  EXPECT_EQ(job.status().failed_indexes, "");
}

TEST(PerIndex, I137_AllIndexesDoneOneFailed) {
  EngineScenario job(per_index());
  job.given_index(0, Phase::failed, 1);
  job.given_index(1, Phase::succeeded, 0);
  job.run();
  EXPECT_EQ(job.condition_types(), "FailureTarget,Failed");
  EXPECT_EQ(job.reason(kTypeFailed), "FailedIndexes");
  EXPECT_EQ(job.message(kTypeFailed), "Job has failed indexes");
  EXPECT_EQ(job.status().failed_indexes, "0");
  EXPECT_EQ(job.status().completed_indexes, "1");
}

TEST(PerIndex, I138_MaxFailedIndexes) {
  JobView view = per_index(4, 4);
  view.spec.max_failed_indexes = 1;
  EngineScenario job(view);
  job.given_index(0, Phase::failed, 1);
  job.given_index(2, Phase::failed, 1);
  job.given_index(1, Phase::succeeded, 0);
  job.given_index(3, Phase::running, 0);
  job.run();
  EXPECT_EQ(job.condition_types(), "FailureTarget");
  EXPECT_EQ(job.reason(kTypeFailureTarget), "MaxFailedIndexesExceeded");
  EXPECT_EQ(job.status().failed, 3);
  EXPECT_EQ(job.status().terminating, 1);
}

TEST(PerIndex, I139_LimitZero) {
  EngineScenario job(per_index(2, 2, 0));
  job.given_index(0, Phase::failed, 0);
  job.run();
  EXPECT_EQ(job.status().failed_indexes, "0");
}

TEST(PerIndex, I140_BackoffWhileAnotherIndexRuns) {
  EngineScenario job(per_index());
  job.given_index(0, Phase::running, 0);
  job.given_index(1, Phase::failed, 0);
  job.run();
  EXPECT_EQ(job.status().active, 1);
  EXPECT_EQ(job.writes.creates, 0);
  EXPECT_EQ(job.wakes_in(), seconds(10));
  EXPECT_EQ(job.status().failed, 0);
}

TEST(PerIndex, I141_IndependentDelays) {
  EngineScenario job(per_index(2, 2, 5));
  job.run();
  job.fail(job.active_pods(0).front());
  job.fail(job.active_pods(1).front());
  job.run();
  EXPECT_EQ(job.wakes_in(), seconds(10));
  job.advance(seconds(10));
  EXPECT_EQ(job.status().active, 2);
  job.fail(job.active_pods(0).front());
  job.run();
  EXPECT_EQ(job.wakes_in(), seconds(20));
  EXPECT_EQ(job.status().active, 1);
}

TEST(PerIndex, I142_DelayIncludesIgnored) {
  EngineScenario job(per_index(1, 1, 5));
  PodView pod = job.pod(Phase::failed);
  pod.completion_index = "0";
  pod.failure_count = "1";
  pod.ignored_failure_count = "1";
  pod.containers = {job.exited("main-container", 1)};
  pod.containers[0].finished_at = job.now;
  job.add_pod(pod);
  job.run();
  EXPECT_EQ(job.wakes_in(), seconds(40));
}

TEST(PerIndex, I143_NoneCreatable) {
  EngineScenario job(per_index(3, 4, 5));
  job.given_index(0, Phase::succeeded, 0);
  job.given_index(1, Phase::failed, 1);
  job.given_index(2, Phase::failed, 0);
  job.given_index(3, Phase::failed, 2);
  job.run();
  EXPECT_EQ(job.writes.creates, 0);
  EXPECT_EQ(job.wakes_in(), seconds(10));
  job.advance(seconds(1));
  EXPECT_EQ(job.wakes_in(), seconds(9));
}

TEST(PerIndex, I144_SomeCreatable) {
  EngineScenario job(per_index(4, 4, 5));
  job.given_index(0, Phase::running, 0);
  job.given_index(2, Phase::running, 0);
  job.given_index(1, Phase::failed, 0);
  job.given_index(3, Phase::failed, 0, seconds(11));
  job.run();
  EXPECT_THAT(job.created_indexes(), ElementsAre(3));
  EXPECT_EQ(job.wakes_in(), seconds(10));
}

TEST(PerIndex, I145_10_67_BackoffDoesNotBlockOtherIndexes) {
  EngineScenario job(per_index(2, 3, 5));
  job.given_index(0, Phase::failed, 0);
  job.given_index(1, Phase::running, 0);
  job.run();
  EXPECT_THAT(job.created_indexes(), ElementsAre(2));
  // The index whose back-off is over waits for a free slot, then comes first.
  job.advance(seconds(10));
  EXPECT_EQ(job.status().active, 2);
  job.succeed(job.active_pods(2).front());
  job.run();
  EXPECT_THAT(job.created_indexes(), ElementsAre(2, 0));
}

TEST(PerIndex, I145_R0_36_IndexesThatWaitAreBounded) {
  Options options;
  options.max_cooling_indexes = 2;
  EngineScenario job(per_index(1, 10, 5), options);
  job.run();
  for (int i = 0; i < 2; ++i) {
    job.fail(job.active_pods().front());
    job.run();
  }
  EXPECT_THAT(job.created_indexes(), ElementsAre(0, 1));
  EXPECT_EQ(job.wakes_in(), seconds(10));
  job.restart_controller();
  job.run();
  job.advance(seconds(10));
  job.succeed(job.active_pods().front());
  job.run();
  EXPECT_THAT(job.created_indexes(), ElementsAre(0, 1, 0, 1));
  job.fail(job.active_pods().front());
  job.run();
  EXPECT_THAT(job.created_indexes(), ElementsAre(0, 1, 0, 1, 2));
}

TEST(PerIndex, I146_FailedPodDeletedByTheUserWhileDelayed) {
  EngineScenario job(per_index());
  const std::string failed = job.given_index(0, Phase::failed, 0);
  job.run();
  job.delete_pod(failed);
  job.run();
  EXPECT_TRUE(job.has_pod(failed));
  job.advance(seconds(10));
  EXPECT_FALSE(job.has_pod(failed));
  EXPECT_EQ(annotation(job.plans.back(), kIndexFailureCountKey), "1");
}

TEST(PerIndex, I147_TheHigherCountIsKept) {
  EngineScenario job(per_index(2, 2, 5));
  const std::string low = job.given_index(0, Phase::failed, 0);
  const std::string high = job.given_index(0, Phase::failed, 1);
  job.run();
  EXPECT_FALSE(job.stored_pod(low).has_finalizer);
  EXPECT_TRUE(job.stored_pod(high).has_finalizer);
  EXPECT_EQ(job.status().failed, 1);
}

TEST(PerIndex, I148_EqualCountsTheLaterIsKept) {
  EngineScenario job(per_index(2, 2, 5));
  const std::string later = job.given_index(0, Phase::failed, 0, seconds(1));
  const std::string earlier = job.given_index(0, Phase::failed, 0, seconds(5));
  job.run();
  EXPECT_TRUE(job.stored_pod(later).has_finalizer);
  EXPECT_FALSE(job.stored_pod(earlier).has_finalizer);
}

TEST(PerIndex, I149_NotDelayed) {
  EngineScenario untracked(per_index(1, 1, 5));
  PodView pod = untracked.pod(Phase::failed);
  pod.has_finalizer = false;
  pod.completion_index = "0";
  pod.failure_count = "3";
  untracked.add_pod(pod);
  untracked.run();
  EXPECT_EQ(annotation(untracked.plans.at(0), kIndexFailureCountKey), "0");
  EXPECT_EQ(untracked.status().failed, 0);

  EngineScenario out_of_range(per_index(1, 1, 5));
  out_of_range.given_index(4, Phase::failed, 0);
  out_of_range.run();
  EXPECT_EQ(out_of_range.writes.releases, 1);
  EXPECT_EQ(out_of_range.status().failed, 0);

  EngineScenario succeeded(per_index(2, 2, 5));
  succeeded.given_index(0, Phase::failed, 0);
  succeeded.given_index(0, Phase::succeeded, 1);
  succeeded.run();
  EXPECT_EQ(succeeded.writes.releases, 2);
}

TEST(PerIndex, I150_StoredFailedIndexesAreExtendedAndCut) {
  JobView view = per_index(3, 3);
  view.status.failed_indexes = "0";
  EngineScenario job(view);
  job.given_index(2, Phase::failed, 1);
  job.run();
  EXPECT_EQ(job.status().failed_indexes, "0,2");

  view.status.failed_indexes = "4";
  EngineScenario cut(view);
  cut.run();
  EXPECT_EQ(cut.status().failed_indexes, "");
}

TEST(PerIndex, I151_10_68_HostileCounts) {
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"-1", "1"}, {"2147483648", "1"},          {"abc", "1"},
      {"", "1"},   {"2147483646", "2147483647"}, {"2147483647", "2147483647"}};
  for (const auto& [text, next] : cases) {
    EngineScenario job(per_index(1, 1, 2147483647));
    PodView pod = job.pod(Phase::failed);
    pod.completion_index = "0";
    pod.failure_count = text;
    pod.ignored_failure_count = text;
    pod.containers = {job.exited("main-container", 1)};
    pod.containers[0].finished_at = job.now;
    job.add_pod(pod);
    job.run();
    const bool huge = text.size() == 10 && text != "2147483648";
    if (text == "2147483647") {
      EXPECT_EQ(job.status().failed_indexes, "0");
      continue;
    }
    EXPECT_EQ(job.wakes_in(), huge ? minutes(10) : seconds(10)) << text;
    job.advance_to_wake();
    EXPECT_EQ(annotation(job.plans.at(0), kIndexFailureCountKey), next) << text;
  }
}

TEST(PerIndex, I152_FinishedIndexesMetric) {
  EngineScenario job(per_index());
  job.given_index(0, Phase::failed, 1);
  job.given_index(1, Phase::succeeded, 0);
  job.run();
  EXPECT_EQ(job.metric(Metric::finished_indexes, "succeeded", "perIndex"), 1);
  EXPECT_EQ(job.metric(Metric::finished_indexes, "failed", "perIndex"), 1);
  EngineScenario global(indexed_job(1, 1));
  global.given_index(0, Phase::succeeded);
  global.run();
  EXPECT_EQ(global.metric(Metric::finished_indexes, "succeeded", "global"), 1);
}

TEST(PerIndex, I153_DelayedPodIsCountedWhenTheJobFails) {
  JobView view = per_index(2, 2, 5);
  view.spec.active_deadline_seconds = 5;
  EngineScenario job(view);
  job.given_index(0, Phase::failed, 0);
  job.run();
  EXPECT_EQ(job.status().failed, 0);
  job.advance(seconds(6));
  EXPECT_EQ(job.reason(kTypeFailureTarget), "DeadlineExceeded");
  EXPECT_GE(job.status().failed, 1);
  EXPECT_TRUE(job.has(kTypeFailed));
}

TEST(PerIndex, N250_DelayedPodSurvivesSuspension) {
  EngineScenario job(per_index(1, 1, 5));
  const std::string failed = job.given_index(0, Phase::failed, 0);
  job.update_job([](JobView& view) { view.spec.suspend = true; });
  job.run();
  job.advance(seconds(12));
  EXPECT_TRUE(job.stored_pod(failed).has_finalizer);
  EXPECT_EQ(job.status().failed, 0);
  job.update_job([](JobView& view) { view.spec.suspend = false; });
  job.run();
  EXPECT_EQ(annotation(job.plans.at(0), kIndexFailureCountKey), "1");
}

TEST(PerIndex, B1_DelayPerIndexSurvivesARestart) {
  EngineScenario job(per_index(1, 1, 5));
  job.given_index(0, Phase::failed, 2);
  job.run();
  job.now += seconds(1);
  job.restart_controller();
  job.run();
  EXPECT_EQ(job.wakes_in(), seconds(40) - nanoseconds(1));  // from the end of the pod's last second
}

JobView with_success(std::vector<SuccessRule> rules, int32_t size) {
  JobView view = indexed_job(size, size);
  view.spec.success_policy = std::move(rules);
  return view;
}

SuccessRule rule(std::optional<std::string> indexes, std::optional<int32_t> count) {
  return {std::move(indexes), count};
}

std::string met_by(std::vector<SuccessRule> rules, const std::vector<int>& succeeded) {
  EngineScenario job(with_success(std::move(rules), 10));
  for (const int index : succeeded) {
    job.given_index(index, Phase::succeeded);
  }
  job.run();
  return job.message(kTypeSuccessCriteriaMet);
}

constexpr const char* kRule0 = "Matched rules at index 0";
constexpr const char* kRule1 = "Matched rules at index 1";

TEST(SuccessPolicyScenarios, J154_J155_NothingToMatch) {
  EXPECT_EQ(met_by({}, {0}), "");
  EXPECT_EQ(met_by({rule("invalid", std::nullopt)}, {0}), "");
  EXPECT_EQ(met_by({rule("invalid", 0)}, {0}), "");
}

TEST(SuccessPolicyScenarios, J156_J157_AllIndexesRequired) {
  EXPECT_EQ(met_by({rule("0-2", std::nullopt)}, {0, 1, 2}), kRule0);
  EXPECT_EQ(met_by({rule("0-2", std::nullopt)}, {0, 2}), "");
}

TEST(SuccessPolicyScenarios, J158_J159_Counts) {
  EXPECT_EQ(met_by({rule("0-2", 2)}, {0, 2}), kRule0);
  EXPECT_EQ(met_by({rule("0-2", 2)}, {0, 5}), "");
  EXPECT_EQ(met_by({rule(std::nullopt, 2)}, {4, 5}), kRule0);
  EXPECT_EQ(met_by({rule(std::nullopt, 3)}, {4, 5}), "");
}

TEST(SuccessPolicyScenarios, J160_FirstMatchWins) {
  EXPECT_EQ(met_by({rule("0", std::nullopt), rule(std::nullopt, 1)}, {4}), kRule1);
  EXPECT_EQ(met_by({rule("0", std::nullopt), rule(std::nullopt, 1)}, {0}), kRule0);
}

TEST(SuccessPolicyScenarios, J161_NoSuccessNeverMatches) {
  EXPECT_EQ(met_by({rule(std::nullopt, 0)}, {}), "");
  EXPECT_EQ(met_by({rule(std::nullopt, 0)}, {7}), kRule0);
}

TEST(SuccessPolicyScenarios, J162_OverlapOfIntervals) {
  EXPECT_EQ(met_by({rule("0-3,6-8", 3)}, {3, 6, 9}), "");
  EXPECT_EQ(met_by({rule("0-3,6-8", 3)}, {3, 6, 8}), kRule0);
  EXPECT_EQ(met_by({rule("2-5", 2)}, {1, 2, 5, 6}), kRule0);
}

// P of the scenarios: {indexes "0,1", count 1}
JobView with_p(int32_t size) {
  return with_success({rule("0,1", 1)}, size);
}

TEST(SuccessPolicyScenarios, J163_MetWithRunningPods) {
  EngineScenario job(with_p(3));
  job.given_index(0, Phase::failed, -1, hours(1));
  job.given_index(0, Phase::running);
  job.given_index(1, Phase::succeeded);
  job.given_index(2, Phase::running);
  job.run();
  EXPECT_EQ(job.condition_types(), "SuccessCriteriaMet");
  EXPECT_EQ(job.status().succeeded, 1);
  EXPECT_EQ(job.status().failed, 1);
  EXPECT_EQ(job.status().terminating, 2);
  job.stop_terminating();
  EXPECT_TRUE(job.has(kTypeComplete));
  EXPECT_EQ(job.status().failed, 1);
}

// An index whose pod was stopped because the Job failed is not a failed index, however the pod
// ends.
TEST(PerIndexScenarios, StoppedByFailureDoesNotFailTheIndex) {
  for (const int32_t exit_code : {1, 143}) {
    JobView view = with_success({}, 3);
    view.spec.success_policy.reset();
    view.spec.parallelism = 3;
    view.spec.backoff_limit_per_index = 0;
    view.spec.max_failed_indexes = 0;
    EngineScenario job(view);
    job.given_index(0, Phase::failed, 0);
    const std::string other = job.given_index(1, Phase::running, 0);
    while (!job.stored_pod(other).deletion_time) {
      ASSERT_TRUE(job.step());
    }
    job.fail(other, exit_code);
    job.run();
    EXPECT_EQ(job.reason(kTypeFailed), "MaxFailedIndexesExceeded");
    EXPECT_EQ(job.status().failed_indexes, "0");
    EXPECT_EQ(job.status().failed, 2);
  }
}

// 5.7: stopped by success, a pod counts as nothing, however quickly it ends.
TEST(SuccessPolicyScenarios, Rule5_7_StoppedBySuccessCountsAsNothingHoweverItEnds) {
  EngineScenario job(with_p(3));
  job.given_index(1, Phase::succeeded);
  const std::string other = job.given_index(2, Phase::running);
  while (!job.stored_pod(other).deletion_time) {
    ASSERT_TRUE(job.step());
  }
  ASSERT_TRUE(job.stored_pod(other).has_finalizer);
  job.fail(other, 143);
  job.run();
  EXPECT_TRUE(job.has(kTypeComplete));
  EXPECT_EQ(job.status().failed, 0);
}

TEST(SuccessPolicyScenarios, J164_MetAndAllTerminal) {
  EngineScenario job(with_p(2));
  job.given_index(1, Phase::succeeded);
  job.run();
  EXPECT_EQ(job.condition_types(), "SuccessCriteriaMet,Complete");
  EXPECT_EQ(job.reason(kTypeComplete), "SuccessPolicy");
  EXPECT_EQ(job.metric(Metric::jobs_finished, "succeeded", "SuccessPolicy"), 1);
}

TEST(SuccessPolicyScenarios, J165_TogetherWithFailJob) {
  JobView view = with_p(3);
  set_policy(view, {on_codes(Action::fail_job, {1})});
  EngineScenario job(view);
  job.given_index(0, Phase::failed);
  job.given_index(1, Phase::succeeded);
  job.given_index(2, Phase::running);
  job.run();
  EXPECT_EQ(job.condition_types(), "FailureTarget");
  EXPECT_EQ(job.status().failed, 2);
  EXPECT_EQ(job.status().succeeded, 1);
}

TEST(SuccessPolicyScenarios, J166_J167_TogetherWithOtherFailures) {
  JobView view = with_p(2);
  view.spec.backoff_limit_per_index = 0;
  EngineScenario indexes(view);
  indexes.given_index(0, Phase::failed, 0);
  indexes.given_index(1, Phase::succeeded, 0);
  indexes.run();
  EXPECT_EQ(indexes.reason(kTypeFailed), "FailedIndexes");

  view = with_p(2);
  view.spec.backoff_limit = 1;
  EngineScenario limit(view);
  limit.given_index(0, Phase::failed);
  limit.given_index(0, Phase::failed);
  limit.given_index(1, Phase::succeeded);
  limit.run();
  EXPECT_EQ(limit.reason(kTypeFailed), "BackoffLimitExceeded");
}

TEST(SuccessPolicyScenarios, J168_StoredSuccessStays) {
  JobView view = with_p(3);
  set_policy(view, {on_codes(Action::fail_job, {1})});
  view.spec.backoff_limit = 0;
  EngineScenario job(view);
  const std::string other = job.given_index(0, Phase::running);
  job.given_index(1, Phase::succeeded);
  job.run();
  ASSERT_TRUE(job.has(kTypeSuccessCriteriaMet));
  job.fail(other);
  job.run();
  EXPECT_EQ(job.condition_types(), "SuccessCriteriaMet,Complete");
}

TEST(SuccessPolicyScenarios, J169_StoredFailureStays) {
  JobView view = with_p(3);
  view.spec.backoff_limit = 0;
  EngineScenario job(view);
  job.given_index(2, Phase::failed);
  const std::string other = job.given_index(1, Phase::running);
  job.run();
  ASSERT_TRUE(job.has(kTypeFailureTarget));
  job.succeed(other);
  job.run();
  EXPECT_EQ(job.condition_types(), "FailureTarget,Failed");
}

TEST(SuccessPolicyScenarios, J170_NoPolicyAllIndexesDone) {
  EngineScenario job(indexed_job(1, 1));
  job.given_index(0, Phase::succeeded);
  job.run();
  EXPECT_EQ(job.reason(kTypeComplete), "CompletionsReached");
}

}  // namespace
}  // namespace windlass::engine::testing
