// job-controller.md section 11H: pod failure policy and names of rules.
#include "verify/engine/scenario_testing.h"

namespace windlass::engine::testing {
namespace {

// R of the scenarios: [0: Ignore In 1,2,3][1: FailJob In 5,6,7]
std::vector<FailureRule> rules_r() {
  return {on_codes(Action::ignore, {1, 2, 3}), on_codes(Action::fail_job, {5, 6, 7})};
}

JobView with_rules(std::vector<FailureRule> rules, JobView view = defaulted_job(1, 1)) {
  set_policy(view, std::move(rules));
  return view;
}

JobView limited(JobView view, int32_t limit) {
  view.spec.backoff_limit = limit;
  return view;
}

Options names_off() {
  Options options;
  options.gates.pod_failure_policy_name = false;
  return options;
}

constexpr const char* kExit5 =
    "Container main-container for pod default/mypod-0 failed with exit code 5 matching FailJob "
    "rule at index 1";

TEST(Policy, H95_ContainerNameMismatch) {
  auto rules = rules_r();
  rules[0].on_exit_codes->container_name = rules[1].on_exit_codes->container_name =
      "main-container";
  EngineScenario job(with_rules(rules));
  PodView pod = job.pod(Phase::failed);
  pod.containers = {job.exited("monitoring", 5), job.exited("main-container", 42)};
  job.add_pod(pod);
  job.run();
  EXPECT_EQ(job.condition_types(), "");
  EXPECT_EQ(job.status().failed, 1);
  EXPECT_EQ(job.status().active, 1);
}

TEST(Policy, H96_RunningPodIsNotJudged) {
  EngineScenario job(with_rules(rules_r()));
  PodView pod = job.pod(Phase::running);
  pod.containers = {job.exited("main-container", 5)};
  job.add_pod(pod);
  job.run();
  EXPECT_EQ(job.status().active, 1);
  EXPECT_EQ(job.status().failed, 0);
  EXPECT_EQ(job.condition_types(), "");
}

TEST(Policy, H97_H125_FailJobByExitCode) {
  EngineScenario job(with_rules(rules_r()), names_off());
  job.given_failed(5);
  job.run();
  EXPECT_EQ(job.condition_types(), "FailureTarget,Failed");
  EXPECT_EQ(job.reason(kTypeFailureTarget), "PodFailurePolicy");
  EXPECT_EQ(job.reason(kTypeFailed), "PodFailurePolicy");
  EXPECT_EQ(job.message(kTypeFailed), kExit5);
}

TEST(Policy, H98_H99_StoredVerdictIsCopiedEvenWithoutItsPod) {
  for (const bool present : {true, false}) {
    EngineScenario job(with_rules(rules_r()));
    job.update_status([&](JobStatus& status) {
      status.start_time = job.now;
      status.conditions.push_back({std::string(kTypeFailureTarget), ConditionStatus::is_true,
                                   job.now, job.now, "PodFailurePolicy", "M"});
    });
    if (present) {
      job.given_failed(5);
    }
    job.run();
    EXPECT_EQ(job.condition_types(), "FailureTarget,Failed");
    EXPECT_EQ(job.message(kTypeFailed), "M");
    EXPECT_EQ(job.reason(kTypeFailed), "PodFailurePolicy");
  }
}

TEST(Policy, H100_FailJobWithOthersRunning) {
  EngineScenario job(with_rules(rules_r(), defaulted_job(2, 2)));
  job.given_failed(5);
  job.given(1, Phase::running);
  job.run();
  EXPECT_EQ(job.writes.deletes, 1);
  EXPECT_EQ(job.status().failed, 2);
  EXPECT_EQ(job.status().terminating, 1);
  EXPECT_EQ(job.condition_types(), "FailureTarget");
  job.stop_terminating();
  EXPECT_EQ(job.condition_types(), "FailureTarget,Failed");
}

TEST(Policy, H101_FailJobOnIndexedJob) {
  EngineScenario job(with_rules(rules_r(), indexed_job(1, 1)), names_off());
  PodView pod = job.pod(Phase::failed);
  pod.completion_index = "0";
  pod.containers = {job.exited("main-container", 5)};
  job.add_pod(pod);
  job.run();
  EXPECT_EQ(job.message(kTypeFailed), kExit5);
  EXPECT_EQ(job.status().completed_indexes, "");
}

TEST(Policy, H102_H103_NotIn) {
  for (const int32_t code : {42, 5}) {
    EngineScenario job(with_rules({on_codes(Action::fail_job, {5, 6, 7}, Operator::not_in)}));
    job.given_failed(code);
    job.run();
    EXPECT_EQ(job.has(kTypeFailed), code == 42);
    EXPECT_EQ(job.status().failed, 1);
    EXPECT_EQ(job.status().active, code == 42 ? 0 : 1);
  }
}

TEST(Policy, R6_7_NotInWithSeveralContainers) {
  const auto message = [](int32_t first, int32_t second) {
    EngineScenario job(with_rules({on_codes(Action::fail_job, {5, 6}, Operator::not_in)}));
    PodView pod = job.pod(Phase::failed);
    pod.containers = {job.exited("one", first), job.exited("two", second)};
    job.add_pod(pod);
    job.run();
    return job.message(kTypeFailed);
  };
  EXPECT_THAT(message(5, 9), ::testing::HasSubstr("Container two for pod"));
  EXPECT_THAT(message(9, 8), ::testing::HasSubstr("Container one for pod"));
  EXPECT_EQ(message(5, 6), "");
  EXPECT_EQ(message(0, 6), "");
}

TEST(Policy, H104_ExitCodeZeroNeverMatches) {
  EngineScenario job(with_rules({on_codes(Action::fail_job, {0}, Operator::not_in)}));
  job.given_failed(0);
  job.run();
  EXPECT_EQ(job.condition_types(), "");
  EXPECT_EQ(job.status().failed, 1);
}

TEST(Policy, H105_InitContainer) {
  EngineScenario job(with_rules(rules_r()));
  PodView pod = job.pod(Phase::failed);
  pod.containers = {job.exited("prepare", 5)};
  pod.containers[0].init = true;
  job.add_pod(pod);
  job.run();
  EXPECT_THAT(job.message(kTypeFailed), ::testing::HasSubstr("Container prepare for pod"));
}

// 6.5: neither an end that is none nor exit code 0 matches, also not by NotIn.
TEST(Policy, H105_H102_ExitCodeZeroNeverMatches) {
  EngineScenario job(with_rules({on_codes(Action::fail_job, {42}, Operator::not_in)}));
  PodView pod = job.pod(Phase::failed);
  pod.containers = {job.exited("sidecar", 0), job.exited("main-container", 42)};
  job.add_pod(pod);
  job.run();
  EXPECT_EQ(job.condition_types(), "");
  EXPECT_EQ(job.status().failed, 1);
}

// Scaling down in the very moment of the verdict: nothing goes before it is stored.
TEST(Policy, W1_TheVerdictIsStoredBeforeScalingRemovesPods) {
  EngineScenario job(with_rules(rules_r(), defaulted_job(1, 5)));
  job.given(3, Phase::running);
  job.given_failed(5);
  EXPECT_TRUE(job.step());
  EXPECT_TRUE(job.has(kTypeFailureTarget));
  EXPECT_THAT(job.last().pod_writes, IsEmpty());
  job.run();
  EXPECT_EQ(job.writes.deletes, 3);
}

TEST(Policy, H106_FirstRuleDecides) {
  EngineScenario job(limited(
      with_rules({on_codes(Action::ignore, {1, 2, 3}), on_codes(Action::fail_job, {2, 3, 4})}), 0));
  job.given_failed(2);
  job.run();
  EXPECT_EQ(job.condition_types(), "");
  EXPECT_EQ(job.status().failed, 0);
}

TEST(Policy, H107_IgnoreByExitCode) {
  EngineScenario job(limited(with_rules(rules_r()), 0));
  job.given_failed(1);
  job.run();
  EXPECT_EQ(job.status().failed, 0);
  EXPECT_EQ(job.condition_types(), "");
  EXPECT_EQ(job.status().active, 1);
  EXPECT_EQ(job.metric(Metric::pods_created, "new", "succeeded"), 1);
}

TEST(Policy, H108_IgnoredFailureStillDelays) {
  EngineScenario job(limited(with_rules({on_condition(Action::ignore, "DisruptionTarget")}), 0));
  PodView pod = job.pod(Phase::failed);
  pod.conditions.push_back({"DisruptionTarget", ConditionStatus::is_true, job.now});
  pod.deletion_time = job.now;
  job.add_pod(pod);
  job.run();
  EXPECT_EQ(job.status().failed, 0);
  EXPECT_EQ(job.status().active, 0);
  EXPECT_EQ(job.wakes_in(), seconds(10));
  EXPECT_TRUE(job.advance_to_wake());
  EXPECT_EQ(job.status().active, 1);
}

TEST(Policy, H109_CountByExitCode) {
  EngineScenario job(
      with_rules({on_codes(Action::count, {1, 2}), on_codes(Action::ignore, {2, 3})}));
  job.given_failed(2);
  job.run();
  EXPECT_EQ(job.status().failed, 1);
}

TEST(Policy, H110_CountByConditionFirst) {
  EngineScenario job(with_rules({on_condition(Action::count, "ResourceLimitExceeded"),
                                 on_condition(Action::ignore, "DisruptionTarget")}));
  PodView pod = job.pod(Phase::failed);
  pod.conditions = {{"DisruptionTarget", ConditionStatus::is_true, job.now},
                    {"ResourceLimitExceeded", ConditionStatus::is_true, job.now}};
  job.add_pod(pod);
  job.run();
  EXPECT_EQ(job.status().failed, 1);
}

TEST(Policy, H111_NoRuleMatches) {
  EngineScenario job(with_rules(rules_r()));
  job.given_failed(32);
  job.run();
  EXPECT_EQ(job.status().failed, 1);
  for (const char* action : {"FailJob", "Ignore", "Count", "FailIndex"}) {
    EXPECT_EQ(job.metric(Metric::failures_handled, action), 0);
  }
}

TEST(Policy, H112_H113_PatternStatus) {
  using enum ConditionStatus;
  for (const ConditionStatus pattern : {is_true, is_false, unknown, other}) {
    for (const ConditionStatus status : {is_true, is_false, unknown, other}) {
      EngineScenario job(with_rules({on_condition(Action::fail_job, "Custom", pattern)}));
      PodView pod = job.pod(Phase::failed);
      pod.conditions = {{"Custom", status, job.now}};
      job.add_pod(pod);
      job.run();
      EXPECT_EQ(job.has(kTypeFailed), pattern == status && status != other);
    }
  }
}

TEST(Policy, H114_UnknownActionIsSkipped) {
  EngineScenario job(with_rules({on_codes(Action::unknown, {5}), on_codes(Action::fail_job, {5})}));
  job.given_failed(5);
  job.run();
  EXPECT_EQ(job.message(kTypeFailed), kExit5);
}

TEST(Policy, H115_UnknownOperatorDoesNotMatch) {
  EngineScenario job(with_rules({on_codes(Action::fail_job, {5}, Operator::unknown)}));
  job.given_failed(5);
  job.run();
  EXPECT_EQ(job.condition_types(), "");
}

TEST(Policy, H116_NegativeExitCode) {
  EngineScenario job(with_rules({on_codes(Action::fail_job, {-1073741510, 137})}));
  job.given_failed(-1073741510);
  job.run();
  EXPECT_TRUE(job.has(kTypeFailed));
}

TEST(Policy, H117_SuccessfulSiblingsAreSkipped) {
  EngineScenario job(with_rules({on_codes(Action::fail_job, {111})}));
  PodView pod = job.pod(Phase::failed);
  pod.containers = {job.exited("first", 0), job.exited("second", 111)};
  job.add_pod(pod);
  job.run();
  EXPECT_THAT(job.message(kTypeFailed), ::testing::StartsWith("Container second "));
}

TEST(Policy, H118_TerminatingPodIsNotYetJudged) {
  EngineScenario job(limited(with_rules(rules_r()), 0));
  const auto names = job.given(1, Phase::running);
  job.delete_pod(names[0]);
  job.run();
  EXPECT_EQ(job.status().failed, 0);
  EXPECT_EQ(job.status().terminating, 1);
  EXPECT_EQ(job.writes.creates, 0);
  EXPECT_EQ(job.condition_types(), "");
}

TEST(Policy, H119_PodGoneWhileTheControllerWasDown) {
  EngineScenario job(with_rules(rules_r(), defaulted_job(2, 2)));
  const std::string failed = job.given_failed(5);
  const auto running = job.given(1, Phase::running);
  job.step();
  ASSERT_EQ(job.condition_types(), "FailureTarget");
  job.delete_pod(failed);
  job.remove_finalizer(failed);
  job.restart_controller();
  job.run();
  job.stop_terminating();
  EXPECT_THAT(job.message(kTypeFailed), ::testing::HasSubstr("exit code 5"));
  EXPECT_EQ(job.status().failed, 2);
}

TEST(Policy, H120_RestartBeforeTheFirstLook) {
  EngineScenario job(with_rules(rules_r()));
  job.given_failed(5);
  job.restart_controller();
  job.run();
  EXPECT_TRUE(job.has(kTypeFailed));
  EXPECT_EQ(job.metric(Metric::jobs_finished, "failed", "PodFailurePolicy"), 1);
}

TEST(Policy, H121_ActionMetrics) {
  EngineScenario job(with_rules({on_codes(Action::fail_job, {5}), on_codes(Action::ignore, {1}),
                                 on_codes(Action::count, {2})},
                                defaulted_job(4, 4)));
  for (const int32_t code : {1, 2, 9}) {
    job.given_failed(code);
  }
  job.run();
  job.given_failed(5);
  job.run();
  for (const char* action : {"FailJob", "Ignore", "Count"}) {
    EXPECT_EQ(job.metric(Metric::failures_handled, action), 1) << action;
  }
}

TEST(Policy, H122_FailJobByCondition) {
  EngineScenario job(with_rules({on_condition(Action::fail_job, "DisruptionTarget")}));
  PodView pod = job.pod(Phase::failed);
  pod.conditions = {{"DisruptionTarget", ConditionStatus::is_true, job.now}};
  job.add_pod(pod);
  job.run();
  EXPECT_EQ(job.message(kTypeFailed),
            "Pod default/mypod-0 has condition DisruptionTarget matching FailJob rule at index 0");
  EXPECT_EQ(job.reason(kTypeFailed), "PodFailurePolicy_0");
}

TEST(Policy, H123_NamedRule) {
  auto rules = rules_r();
  rules[1].name = "ExitCode2";
  EngineScenario job(with_rules(rules));
  job.given_failed(5);
  job.run();
  EXPECT_EQ(job.reason(kTypeFailureTarget), "PodFailurePolicy_ExitCode2");
  EXPECT_EQ(job.reason(kTypeFailed), "PodFailurePolicy_ExitCode2");
  EXPECT_EQ(job.count_events("PodFailurePolicy_ExitCode2"), 1);
  EXPECT_EQ(job.metric(Metric::jobs_finished, "failed", "PodFailurePolicy"), 1);
}

TEST(Policy, R6_28_NamesOfRulesThatFailNoJobAreIgnored) {
  std::vector<FailureRule> rules = {on_codes(Action::ignore, {1}), on_codes(Action::count, {2}),
                                    on_codes(Action::fail_index, {3})};
  for (FailureRule& rule : rules) {
    rule.name = "Named";
  }
  EngineScenario ignored(limited(with_rules(rules), 0));
  ignored.given_failed(1);
  ignored.run();
  EXPECT_EQ(ignored.condition_types(), "");
  EngineScenario counted(limited(with_rules(rules), 0));
  counted.given_failed(2);
  counted.run();
  EXPECT_EQ(counted.reason(kTypeFailed), "BackoffLimitExceeded");
  JobView per_index = with_rules(rules, indexed_job(1, 1));
  per_index.spec.backoff_limit_per_index = 3;
  EngineScenario failed(per_index);
  PodView pod = failed.pod(Phase::failed);
  pod.completion_index = "0";
  pod.containers = {failed.exited("main-container", 3)};
  failed.add_pod(pod);
  failed.run();
  EXPECT_EQ(failed.reason(kTypeFailed), "FailedIndexes");
}

TEST(Policy, H124_UnnamedRuleGetsItsIndex) {
  EngineScenario job(with_rules(rules_r()));
  job.given_failed(6);
  job.run();
  EXPECT_EQ(job.reason(kTypeFailed), "PodFailurePolicy_1");
}

TEST(Policy, H125_NamedRuleGateOff) {
  auto rules = rules_r();
  rules[1].name = "ExitCode2";
  EngineScenario job(with_rules(rules), names_off());
  job.given_failed(5);
  job.run();
  EXPECT_EQ(job.reason(kTypeFailed), "PodFailurePolicy");
}

TEST(Policy, H126_GateSwitchedBetweenVerdictAndEnd) {
  auto rules = rules_r();
  rules[1].name = "ExitCode2";
  EngineScenario job(with_rules(rules, defaulted_job(2, 2)));
  job.given_failed(5);
  job.given(1, Phase::running);
  job.run();
  ASSERT_EQ(job.condition_types(), "FailureTarget");
  job.restart_controller(names_off());
  job.stop_terminating();
  EXPECT_EQ(job.reason(kTypeFailed), "PodFailurePolicy_ExitCode2");
  const int before = job.writes.statuses;
  job.restart_controller(Options());
  job.run();
  EXPECT_EQ(job.writes.statuses, before);
}

TEST(Policy, H128_RunningPodMatchingIgnoreIsNotCountedWhenTheJobFails) {
  EngineScenario job(with_rules(
      {on_condition(Action::ignore, "DisruptionTarget"), on_codes(Action::fail_job, {5})},
      defaulted_job(2, 2)));
  PodView pod = job.pod(Phase::running);
  pod.conditions = {{"DisruptionTarget", ConditionStatus::is_true, job.now}};
  job.add_pod(pod);
  job.given_failed(5);
  job.run();
  EXPECT_EQ(job.writes.deletes, 1);
  EXPECT_EQ(job.writes.releases, 1);  // C10: the other one may yet succeed
  job.stop_terminating();
  EXPECT_EQ(job.writes.releases, 2);
  EXPECT_EQ(job.status().failed, 1);
  EXPECT_EQ(job.metric(Metric::failures_handled, "Ignore"), 1);
}

TEST(Policy, N242_10_75_VictimOfScaleDownDoesNotFailTheJob) {
  EngineScenario job(with_rules({on_codes(Action::fail_job, {143})}));
  const auto names = job.given(1, Phase::running);
  job.update_job([](JobView& view) { view.spec.parallelism = 0; });
  job.run();
  job.stop_terminating(143);
  EXPECT_EQ(job.condition_types(), "");
  EXPECT_EQ(job.status().failed, 0);
  // Nor after a restart in its grace period.
  job.restart_controller();
  job.run();
  EXPECT_EQ(job.condition_types(), "");
}

TEST(Policy, N242_RestartWhileTheVictimTerminates) {
  EngineScenario job(with_rules({on_codes(Action::fail_job, {143})}));
  job.given(1, Phase::running);
  job.update_job([](JobView& view) { view.spec.parallelism = 0; });
  job.run();
  job.restart_controller();
  job.run();
  job.stop_terminating(143);
  EXPECT_EQ(job.condition_types(), "");
}

TEST(Policy, N247_UntrackedPodDoesNotFailTheJob) {
  EngineScenario job(with_rules(rules_r()));
  PodView pod = job.pod(Phase::failed);
  pod.has_finalizer = false;
  pod.containers = {job.exited("main-container", 5)};
  job.add_pod(pod);
  job.run();
  EXPECT_EQ(job.condition_types(), "");
}

TEST(Policy, W1_VerdictSurvivesDeletionByOthersBeforeItIsStored) {
  EngineScenario job(with_rules(rules_r(), defaulted_job(2, 2)));
  job.given(1, Phase::running);
  const std::string failed = job.given_failed(5);
  job.delete_pod(failed);
  job.remove_finalizer(failed);  // force-deleted by hand before the engine could act
  ASSERT_FALSE(job.has_pod(failed));
  job.run();
  EXPECT_THAT(job.message(kTypeFailureTarget), ::testing::HasSubstr("exit code 5"));
}

TEST(Policy, W1_VerdictIsStoredBeforeItsWitnessMayGo) {
  EngineScenario job(with_rules(rules_r(), defaulted_job(2, 2)));
  job.given(1, Phase::running);
  const std::string failed = job.given_failed(5);
  job.delete_pod(failed);
  job.on_status = [](const StatusWrite&) { return FakeCluster::WriteFault{WriteError::rejected}; };
  for (int i = 0; i < 5; ++i) {
    job.advance(minutes(2));
  }
  EXPECT_TRUE(job.has_pod(failed));
  EXPECT_EQ(job.writes.deletes + job.writes.releases, 0);
  job.on_status = nullptr;
  job.advance(minutes(2));
  EXPECT_TRUE(job.has(kTypeFailureTarget));
}

TEST(Policy, W9_R6_13_D10_66_MessageNamesTheFirstFailure) {
  for (const bool swap : {false, true}) {
    EngineScenario job(with_rules(rules_r(), defaulted_job(2, 2)));
    PodView late = job.pod(Phase::failed);
    late.name = "late";
    late.containers = {job.exited("main-container", 6)};
    PodView early = late;
    early.name = "early";
    early.containers[0].finished_at = job.now - hours(1);
    job.add_pod(swap ? early : late);
    job.add_pod(swap ? late : early);
    job.run();
    EXPECT_THAT(job.message(kTypeFailed), ::testing::HasSubstr("default/early"));
  }
}

TEST(Policy, W4_10_71_IgnoredPodIsRememberedOnceAcrossFailedReleasesAndRestarts) {
  EngineScenario job(with_rules(rules_r()));
  const std::string name = job.given_failed(1);
  job.update_pod(name, [&](PodView& pod) { pod.containers[0].finished_at = job.now; });
  job.on_pod_write = [](const PodWrite&) { return FakeCluster::WriteFault{WriteError::rejected}; };
  job.run();
  job.restart_controller();
  job.run();
  job.advance(seconds(1));
  job.restart_controller();
  job.run();
  EXPECT_EQ(job.engine().state().record().backoff.failures(), 1);
  EXPECT_EQ(job.metric(Metric::failures_handled, "Ignore"), 1);
  EXPECT_EQ(job.wakes_in(), seconds(1));
  job.on_pod_write = nullptr;
  job.advance(seconds(9));
  EXPECT_EQ(job.status().active, 1);
  EXPECT_EQ(job.writes.releases, 1);
}

}  // namespace
}  // namespace windlass::engine::testing
