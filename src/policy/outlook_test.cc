// What failures mean for Jobs: the engine's answers, as `windlass policy test` tells them.
#include "policy/outlook.h"

#include <gmock/gmock.h>

#include "policy/policy_testing.h"
#include "policy/report.h"

namespace windlass::policy {
namespace {

using Cause = Failure::Cause;
using testing::caused;
using testing::exit_with;
using testing::kIgnoreDisruptions;
using testing::on_codes;
using testing::subject_of;
using testing::with_rules;

struct Told {
  std::string rule;  // index, or "-"
  std::string next;
  std::string repeat;

  bool operator==(const Told&) const = default;
};

void PrintTo(const Told& told, std::ostream* out) {
  *out << told.rule << " | " << told.next << " | " << told.repeat;
}

Told tell(const Subject& subject, const Failure& failure, int times = 1) {
  const Outlook outlook = look_ahead(subject, failure, times);
  return {outlook.judgement.rule < 0 ? "-" : std::to_string(outlook.judgement.rule),
          next_text(outlook), repeat_text(outlook)};
}

TEST(Outlook, AFailureCountsAndIsRetriedUntilTheLimit) {
  const Subject subject = subject_of("{backoffLimit: 2}");
  EXPECT_EQ(tell(subject, exit_with(1)), (Told{"-", "counts 1/2, retry after 10s",
                                               "Job fails after 3 (30s): BackoffLimitExceeded"}));
  EXPECT_EQ(tell(subject, exit_with(1), 2).next, "counts 2/2, retry after 20s");
  EXPECT_EQ(tell(subject, exit_with(1), 3).next, "Job fails: BackoffLimitExceeded");
}

TEST(Outlook, WithoutRetriesTheFirstFailureIsTheEnd) {
  EXPECT_EQ(tell(subject_of("{backoffLimit: 0}"), exit_with(1)),
            (Told{"-", "Job fails: BackoffLimitExceeded", ""}));
}

TEST(Outlook, FailJobHasReasonAndMessage) {
  const Subject subject = subject_of(with_rules(on_codes("FailJob", "In", "42")));
  const Outlook outlook = look_ahead(subject, exit_with(42));
  EXPECT_EQ(outlook.outcome, FailureOutcome::job_fails);
  EXPECT_EQ(outlook.judgement.rule, 0);
  EXPECT_TRUE(outlook.counted);
  EXPECT_EQ(outlook.reason, "PodFailurePolicy_0");
  EXPECT_EQ(outlook.message,
            "Container main for pod default/demo-bbbbc failed with exit code 42 matching FailJob "
            "rule at index 0");
}

TEST(Outlook, KEP4443_TheRulesNameIsInTheReasonUnlessTheGateIsOff) {
  const std::string spec =
      with_rules("{name: BadInput, action: FailJob, onExitCodes: {operator: In, values: [42]}}");
  const Outlook named = look_ahead(subject_of(spec), exit_with(42));
  EXPECT_EQ(named.rule_name, "BadInput");
  EXPECT_EQ(named.reason, "PodFailurePolicy_BadInput");
  const auto gates = api::FeatureGates().with(api::Feature::pod_failure_policy_name, false);
  EXPECT_EQ(look_ahead(subject_of(spec, testing::kOneContainer, gates), exit_with(42)).reason,
            "PodFailurePolicy");
}

TEST(Outlook, TheFirstRuleThatMatchesDecides) {
  const Subject subject = subject_of(
      with_rules(std::string(kIgnoreDisruptions) + "," + on_codes("FailJob", "NotIn", "40")));
  EXPECT_EQ(tell(subject, caused(Cause::api_eviction)).rule, "0");
  EXPECT_EQ(tell(subject, exit_with(137)).rule, "1");
  EXPECT_EQ(tell(subject, exit_with(40)).rule, "-");
}

TEST(Outlook, IgnoredFailuresCountForNothingAndNeverEnd) {
  const Subject subject = subject_of(with_rules(kIgnoreDisruptions, "backoffLimit: 0"));
  for (const Cause cause : {Cause::preemption, Cause::api_eviction, Cause::taint, Cause::node_lost,
                            Cause::node_shutdown, Cause::node_pressure}) {
    EXPECT_EQ(
        tell(subject, caused(cause, cause == Cause::node_lost ? std::nullopt : std::optional(137))),
        (Told{"0", "not counted, retry after 10s", "retried forever"}));
  }
}

TEST(Outlook, IgnoredFailuresEndAtTheDeadline) {
  const Subject subject = subject_of(with_rules(kIgnoreDisruptions, "activeDeadlineSeconds: 60"));
  EXPECT_EQ(tell(subject, caused(Cause::preemption)).repeat,
            "Job fails after 3 (1m0s): DeadlineExceeded");
}

TEST(Outlook, TheDeadlineMayComeBeforeTheFirstRetry) {
  EXPECT_EQ(tell(subject_of("{activeDeadlineSeconds: 5}"), exit_with(1)).next,
            "Job fails: DeadlineExceeded");
}

TEST(Outlook, ExitingWithZeroAfterAnEvictionIsSuccessWithAPolicy) {
  const Subject subject = subject_of(with_rules(kIgnoreDisruptions));
  EXPECT_EQ(tell(subject, caused(Cause::api_eviction, 0)), (Told{"-", "counts as success", ""}));
}

TEST(Outlook, WithoutAPolicyAPodThatIsBeingDeletedHasFailedAlready) {
  const Subject subject = subject_of("{backoffLimit: 1}");
  EXPECT_EQ(tell(subject, caused(Cause::api_eviction, 0)).next, "counts 1/1, retry after 10s");
  EXPECT_EQ(tell(subject, caused(Cause::node_shutdown, 0)).next, "counts as success");
}

TEST(Outlook, NothingMatchesARefusedPodOrOneDeletedWhilePending) {
  const Subject subject = subject_of(
      with_rules(on_codes("FailJob", "NotIn", "0") + "," + kIgnoreDisruptions, "backoffLimit: 1"));
  for (const Cause cause : {Cause::admission, Cause::deleted_while_pending}) {
    EXPECT_EQ(tell(subject, caused(cause, std::nullopt)).rule, "-");
    EXPECT_EQ(tell(subject, caused(cause, std::nullopt)).next, "counts 1/1, retry after 10s");
  }
}

constexpr const char* kIndexed = "completionMode: Indexed, completions: 4, parallelism: 2";

TEST(Outlook, KEP3850_LimitsPerIndex) {
  const Subject subject = subject_of(std::string("{") + kIndexed + ", backoffLimitPerIndex: 1}");
  EXPECT_EQ(tell(subject, exit_with(1)),
            (Told{"-", "counts 1/1, retry after 10s",
                  "index fails after 2, Job fails after 8 (10s): FailedIndexes"}));
}

TEST(Outlook, OfARerunOnlyTheIndexesThatAreLeftFail) {
  const testing::TestJob job = testing::read_test_job(
      std::string("{") + kIndexed + ", backoffLimitPerIndex: 1}", testing::kOneContainer,
      "{name: demo, annotations: {windlass.dev/completed-indexes: '0,2'}}", {});
  EXPECT_TRUE(job.refusals.empty());
  EXPECT_EQ(tell(job.subject, exit_with(1)),
            (Told{"-", "counts 1/1, retry after 10s",
                  "index fails after 2, Job fails after 4 (10s): FailedIndexes"}));
}

// `windlass rerun --keep-counts`.
TEST(Outlook, FailuresThatARerunKeepsCount) {
  const testing::TestJob job = testing::read_test_job(
      std::string("{") + kIndexed + ", backoffLimitPerIndex: 1}", testing::kOneContainer,
      "{name: demo, annotations: {windlass.dev/completed-indexes: '0,2,3', "
      "windlass.dev/job-record: 'v1;counts=1:1'}}",
      {});
  EXPECT_TRUE(job.refusals.empty());
  EXPECT_EQ(tell(job.subject, exit_with(1)), (Told{"-", "Job fails: FailedIndexes", ""}));
}

TEST(Outlook, KEP3850_FailIndexAndMaxFailedIndexes) {
  const Subject subject = subject_of(
      with_rules(on_codes("FailIndex", "In", "42"),
                 std::string(kIndexed) + ", backoffLimitPerIndex: 3, maxFailedIndexes: 1"));
  EXPECT_EQ(tell(subject, exit_with(42)), (Told{"0", "index fails, Job continues",
                                                "Job fails after 2: MaxFailedIndexesExceeded"}));
}

TEST(Outlook, KEP3850_WithTheGateOffFailuresCountForTheWholeJob) {
  const auto gates = api::FeatureGates().with(api::Feature::job_backoff_limit_per_index, false);
  const Subject subject =
      subject_of(std::string("{") + kIndexed + ", backoffLimitPerIndex: 1, backoffLimit: 2}",
                 testing::kOneContainer, gates);
  EXPECT_EQ(tell(subject, exit_with(1)).repeat, "Job fails after 3 (30s): BackoffLimitExceeded");
}

TEST(Outlook, KEP5307_AContainerThatRestartsByItsOwnRulesEndsNoPod) {
  const Subject subject = subject_of(
      with_rules(on_codes("FailJob", "In", "42"), "backoffLimit: 3"),
      "{restartPolicy: Never, containers: [{name: main, image: i, restartPolicy: Never, "
      "restartPolicyRules: [{action: Restart, exitCodes: {operator: In, values: [42]}}]}]}");
  const Outlook restarted = look_ahead(subject, exit_with(42));
  EXPECT_EQ(restarted.outcome, FailureOutcome::restart);
  EXPECT_EQ(restarted.judgement.rule, -1);
  EXPECT_FALSE(restarted.counted) << "backoffLimit counts restarts only with OnFailure";
  EXPECT_FALSE(restarted.repeat.ended);
  EXPECT_EQ(tell(subject, exit_with(42)).next, "not counted, restarted in its pod");
  EXPECT_EQ(tell(subject, exit_with(1)).next, "counts 1/3, retry after 10s");
}

TEST(Outlook, OnFailureRestartsInThePod) {
  const Subject subject = subject_of(
      "{backoffLimit: 3}", "{restartPolicy: OnFailure, containers: [{name: main, image: i}]}");
  EXPECT_EQ(tell(subject, exit_with(1)), (Told{"-", "counts 1/3, restarted in its pod",
                                               "Job fails after 3: BackoffLimitExceeded"}));
}

TEST(Outlook, SuspendedParallelAndForeignJobsAreShownAsIfTheyRan) {
  const Subject subject =
      subject_of("{suspend: true, parallelism: 0, managedBy: acme.io/other, backoffLimit: 1}");
  EXPECT_EQ(tell(subject, exit_with(1)).next, "counts 1/1, retry after 10s");
}

TEST(Outlook, AJobOfNothingRunsNoPod) {
  EXPECT_EQ(tell(subject_of("{completions: 0}"), exit_with(1)),
            (Told{"-", "no pod ever runs", ""}));
}

TEST(Outlook, HugeLimitsAreNotRunToTheirEnd) {
  EXPECT_EQ(tell(subject_of("{backoffLimit: 1000000}"), exit_with(1)).repeat,
            "Job continues after 100 failures");
  const Subject wide = subject_of(
      "{completionMode: Indexed, completions: 100000, parallelism: 5000, backoffLimitPerIndex: 0}");
  EXPECT_EQ(tell(wide, exit_with(1)).next, "index fails, Job continues");
}

// The tool may not have an opinion of its own: what the table says for every built-in failure is
// what the engine's policy says of the pod.
TEST(Outlook, EveryBuiltInFailureOfALongPolicyIsJudgedByTheEngine) {
  const Subject subject = subject_of(with_rules(
      on_codes("Ignore", "In", "3, 4") + "," + on_codes("Count", "In", "1", "containerName: main") +
      "," + kIgnoreDisruptions + ",{action: FailJob, onPodConditions: [{type: acme.io/Bad}]}," +
      on_codes("FailJob", "NotIn", "0")));
  for (const Failure& failure : built_in_failures(subject)) {
    const Outlook outlook = look_ahead(subject, failure);
    engine::PodView pod;
    end_pod(pod, failure, subject, Time());
    const int32_t expected = pod.phase == engine::Phase::succeeded
                                 ? -1
                                 : engine::match_failure_policy(subject.rules(), pod, false).rule;
    EXPECT_EQ(outlook.judgement.rule, expected) << failure_text(failure);
  }
}

}  // namespace
}  // namespace windlass::policy
