// job-controller.md 9 and the KEPs' sections on enablement: each gate off, and off and on again
// while a Job lives (scenario N239).
#include "verify/engine/scenario_testing.h"

namespace windlass::engine::testing {
namespace {

Options without(bool Gates::*gate) {
  Options options;
  options.gates.*gate = false;
  return options;
}

TEST(GatesOff, PodFailurePolicyIsIgnored) {
  JobView view = defaulted_job(1, 1);
  set_policy(view, {on_codes(Action::fail_job, {5}), on_codes(Action::ignore, {1})});
  const Options off = without(&Gates::pod_failure_policy);
  EngineScenario job(view, off);
  job.given_failed(5);
  job.given_failed(1);
  job.run();
  EXPECT_EQ(job.condition_types(), "");
  EXPECT_EQ(job.status().failed, 2);
  // Back on: failures from now on are judged again.
  job.restart_controller(Options());
  job.given_failed(1);
  job.run();
  EXPECT_EQ(job.status().failed, 2);
  job.given_failed(5);
  job.run();
  EXPECT_TRUE(job.has(kTypeFailed));
}

TEST(GatesOff, StoredVerdictIsHonouredWhatTheGateSays) {
  JobView view = defaulted_job(2, 2);
  set_policy(view, {on_codes(Action::fail_job, {5})});
  EngineScenario job(view);
  job.given_failed(5);
  job.given(1, Phase::running);
  job.run();
  ASSERT_TRUE(job.has(kTypeFailureTarget));
  job.restart_controller(without(&Gates::pod_failure_policy));
  job.stop_terminating();
  EXPECT_EQ(job.reason(kTypeFailed), "PodFailurePolicy_0");
}

TEST(GatesOff, BackoffLimitPerIndexFallsBackToTheGlobalLimit) {
  JobView view = indexed_job(2, 2);
  view.spec.backoff_limit_per_index = 1;
  view.spec.backoff_limit = 4;
  set_policy(view, {on_codes(Action::fail_index, {3}), on_codes(Action::ignore, {3})});
  EngineScenario job(view);
  job.given_index(0, Phase::failed, 1);
  job.run();
  ASSERT_EQ(job.status().failed_indexes, "0");
  job.restart_controller(without(&Gates::backoff_limit_per_index));
  job.run();
  EXPECT_EQ(job.status().failed_indexes, std::nullopt);
  ASSERT_FALSE(job.plans.empty());
  job.advance(minutes(20));
  // FailIndex is an unknown action now, so the next rule decides.
  const auto active = job.active_pods(0);
  ASSERT_EQ(active.size(), 1u);
  EXPECT_EQ(annotation(job.plans.back(), kIndexFailureCountKey), "absent");
  const int32_t failed = job.status().failed;
  job.fail(active[0], 3);
  job.run();
  EXPECT_EQ(job.status().failed, failed);
  job.advance(minutes(20));
  // And on again: failed indexes are tracked anew, from pods without counts.
  job.restart_controller(Options());
  job.run();
  EXPECT_EQ(job.status().failed_indexes, "");
  job.fail(job.active_pods(0).front(), 3);
  job.run();
  EXPECT_EQ(job.status().failed_indexes, "0");
}

TEST(GatesOff, PodReplacementPolicyOffMeansTerminatingOrFailed) {
  JobView view = defaulted_job(1, 5);
  view.spec.replace_only_failed = true;
  EngineScenario job(view, without(&Gates::pod_replacement_policy));
  job.run();
  const std::string name = job.active_pods().front();
  job.run_pod(name);
  job.delete_pod(name);
  job.run();
  EXPECT_EQ(job.status().failed, 1);
  EXPECT_EQ(job.status().terminating, std::nullopt);
  EXPECT_TRUE(job.advance_to_wake());
  EXPECT_EQ(job.status().active, 1);
  EXPECT_EQ(job.metric(Metric::pods_created, "new", "succeeded"), 2);
  // 9.2: on again; what was counted is not judged again.
  job.restart_controller(Options());
  job.run();
  EXPECT_EQ(job.status().terminating, 1);
  job.stop_terminating();
  EXPECT_EQ(job.status().failed, 1);
}

TEST(GatesOff, PodReplacementPolicyOffWithFailurePolicyStillWaits) {
  JobView view = defaulted_job(1, 5);
  set_policy(view, {on_codes(Action::ignore, {1})});
  EngineScenario job(view, without(&Gates::pod_replacement_policy));
  job.run();
  const std::string name = job.active_pods().front();
  job.run_pod(name);
  job.delete_pod(name);
  job.run();
  EXPECT_EQ(job.status().failed, 0);
  EXPECT_EQ(job.writes.creates, 1);
}

TEST(GatesOff, SuccessPolicyIsIgnored) {
  JobView view = indexed_job(2, 2);
  view.spec.success_policy = {{std::string("0"), std::nullopt}};
  EngineScenario job(view, without(&Gates::success_policy));
  job.given_index(0, Phase::succeeded);
  job.run();
  EXPECT_EQ(job.condition_types(), "");
  job.restart_controller(Options());
  job.run();
  EXPECT_EQ(job.reason(kTypeSuccessCriteriaMet), "SuccessPolicy");
}

}  // namespace
}  // namespace windlass::engine::testing
