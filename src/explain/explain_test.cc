#include "explain/explain.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "api/pod/pod_testing.h"
#include "engine/policy/failure_policy.h"
#include "explain/print.h"
#include "explain/verdict_text.h"
#include "schema/batch/v1/job.pb.h"
#include "schema/core/v1/pod.pb.h"

namespace windlass::explain {
namespace {

using api::core::v1::Pod;
using Job = api::batch::v1::Job;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;
using State = Explanation::State;

constexpr const char* kPolicy =
    "podFailurePolicy: {rules: ["
    "{action: FailJob, name: broken, onExitCodes: {operator: In, values: [42]}}, "
    "{action: Ignore, onPodConditions: [{type: DisruptionTarget, status: 'True'}]}]}";

class ExplainTest : public ::testing::Test {
 protected:
  ExplainTest() { evidence_.now = *parse_rfc3339("2026-01-01T00:10:00Z"); }

  void job(const std::string& spec, const std::string& status = "",
           const std::string& metadata = "") {
    evidence_.job = std::make_shared<Job>(api::testing::from_yaml<Job>(
        fmt::format("{{metadata: {{name: j, namespace: ns, uid: u, {}}}, spec: {{{}}}, "
                    "status: {{{}}}}}",
                    metadata, spec, status)));
  }
  void failed_condition(const std::string& spec, const std::string& reason,
                        const std::string& message, const std::string& more = "") {
    job(spec, fmt::format("failed: 2, conditions: [{{type: Failed, status: 'True', "
                          "lastTransitionTime: '2026-01-01T00:09:00Z', reason: {}, "
                          "message: '{}'}}], {}",
                          reason, message, more));
  }
  void pod(const std::string& name, const std::string& status, const std::string& metadata = "") {
    ++pods_;
    evidence_.pods.push_back(std::make_shared<Pod>(api::testing::from_yaml<Pod>(
        fmt::format("{{metadata: {{name: {}, namespace: ns, uid: {}, "
                    "creationTimestamp: '2026-01-01T00:0{}:00Z', {}}}, "
                    "spec: {{nodeName: n1}}, status: {{{}}}}}",
                    name, name, pods_, metadata, status))));
  }
  // Ended `minute` minutes past midnight.
  static std::string exited(int code, int minute) {
    return fmt::format(
        "phase: {}, containerStatuses: [{{name: main, state: {{terminated: {{exitCode: {}, "
        "reason: Error, finishedAt: '2026-01-01T00:0{}:00Z'}}}}}}]",
        code == 0 ? "Succeeded" : "Failed", code, minute);
  }
  static std::string index_of(int index, int failures = 0) {
    return fmt::format(
        "annotations: {{batch.kubernetes.io/job-completion-index: '{}', "
        "batch.kubernetes.io/job-index-failure-count: '{}'}}",
        index, failures);
  }
  Explanation told(std::optional<int64_t> index = std::nullopt) {
    return explain(evidence_, index);
  }
  std::string text(std::optional<int64_t> index = std::nullopt) {
    return as_text(told(index), evidence_.now);
  }

  Evidence evidence_;
  int pods_ = 0;
};

TEST(VerdictText, ReadsWhatTheEngineWrites) {
  engine::ContainerView container;
  container.name = "main";
  container.exit_code = 42;
  engine::PodCondition condition;
  condition.type = "DisruptionTarget";
  EXPECT_EQ(parse_verdict(engine::failure_message(
                {engine::Action::fail_job, 3, &container, nullptr}, "a", "b")),
            (VerdictText{"b", "main", 42, "", "FailJob", 3}));
  EXPECT_EQ(parse_verdict(engine::failure_message(
                {engine::Action::fail_index, 0, nullptr, &condition}, "a", "b")),
            (VerdictText{"b", "", std::nullopt, "DisruptionTarget", "FailIndex", 0}));
  for (const char* other :
       {"", "Job has reached the specified backoff limit", "Container a for pod b/c",
        "Container a for pod b/c failed with exit code x matching FailJob rule at index 1",
        "Pod a/b has condition C matching FailJob rule at index 1 or so"}) {
    EXPECT_EQ(parse_verdict(other), std::nullopt) << other;
  }
}

TEST_F(ExplainTest, ARuleDecided) {
  failed_condition(kPolicy, "PodFailurePolicy_broken",
                   "Container main for pod ns/p2 failed with exit code 42 matching FailJob rule at "
                   "index 0");
  pod("p1", exited(1, 5));
  pod("p2", exited(42, 8));
  const Explanation why = told();
  EXPECT_EQ(why.state, State::failed);
  ASSERT_TRUE(why.decider);
  EXPECT_EQ(why.decider->name, "p2");
  EXPECT_EQ(why.decider->attempt, 2);
  EXPECT_EQ(why.decider->container, "main");
  EXPECT_EQ(why.decider->exit_code, 42);
  EXPECT_EQ(why.decider->rule, (RuleRef{0, "broken", "FailJob"}));
  EXPECT_THAT(why.waits, IsEmpty());
  ASSERT_THAT(why.rules, SizeIs(2));
  EXPECT_EQ(why.rules[0].rule.rule, 0);
  EXPECT_EQ(why.rules[1].rule, (RuleRef{-1, "", "Count"}));
  EXPECT_EQ(log_source(why)->pod, "p2");
  EXPECT_THAT(text(), HasSubstr("job.batch/j in namespace ns: Failed 60s ago"));
  EXPECT_THAT(text(), HasSubstr("rule       rule 0 (broken): FailJob"));
  EXPECT_THAT(text(), HasSubstr("container  main, exit code 42"));
}

TEST_F(ExplainTest, ThePodThatDecidedIsGone) {
  failed_condition(kPolicy, "PodFailurePolicy",
                   "Container main for pod ns/p9 failed with exit code 42 matching FailJob rule at "
                   "index 0");
  const Explanation why = told();
  ASSERT_TRUE(why.decider);
  EXPECT_FALSE(why.decider->present);
  EXPECT_EQ(why.decider->rule.name, "broken");
  EXPECT_EQ(log_source(why), std::nullopt);
  EXPECT_THAT(text(), HasSubstr("p9, deleted"));
}

// job-controller.md 13.4: the last failure of the rule whose budget is spent.
TEST_F(ExplainTest, R13_4_RuleBudget) {
  failed_condition(
      "backoffLimit: 9, podFailurePolicy: {rules: [{action: Ignore, name: Spot, onExitCodes: "
      "{operator: In, values: [3]}}]}",
      "RuleBudgetExceeded_Spot", "Rule Spot has more failures than its budget of 1");
  pod("p1", exited(3, 2));
  pod("p2", exited(3, 4));
  pod("p3", exited(1, 5));
  ASSERT_TRUE(told().decider);
  EXPECT_EQ(told().decider->name, "p2");
  EXPECT_EQ(told().decider->rule, (RuleRef{0, "Spot", "Ignore"}));
}

TEST_F(ExplainTest, TheLastCountedFailureExceededTheLimit) {
  failed_condition(kPolicy, "BackoffLimitExceeded", "Job has reached the specified backoff limit");
  pod("p1", exited(1, 5));
  pod("p2", exited(2, 8));
  pod("p3", exited(3, 7));
  pod("disrupted", exited(143, 9) + ", conditions: [{type: DisruptionTarget, status: 'True'}]");
  ASSERT_TRUE(told().decider);
  EXPECT_EQ(told().decider->name, "p2") << "the ignored one is not to blame";
}

TEST_F(ExplainTest, ADeadlineIsNoPodsDoing) {
  failed_condition("activeDeadlineSeconds: 5", "DeadlineExceeded",
                   "Job was active longer than specified deadline");
  pod("p1", exited(1, 5));
  EXPECT_FALSE(told().decider);
  EXPECT_THAT(text(), HasSubstr("DeadlineExceeded: Job was active longer"));
}

TEST_F(ExplainTest, FailedIndexes) {
  failed_condition("completions: 3, completionMode: Indexed, backoffLimitPerIndex: 1",
                   "FailedIndexes", "Job has failed indexes",
                   "failedIndexes: '1', completedIndexes: '0,2', succeeded: 2");
  pod("p1", exited(1, 4), index_of(1));
  pod("p2", exited(3, 5), index_of(1, 1));
  pod("p3", exited(1, 6), index_of(2));
  EXPECT_EQ(told().decider->name, "p2");
  EXPECT_EQ(told().decider->attempt, 2);
  const Explanation one = told(1);
  ASSERT_TRUE(one.index);
  EXPECT_EQ(one.index->state, "failed");
  EXPECT_EQ(one.index->failures, 2);
  EXPECT_THAT(one.index->pods, SizeIs(2));
  EXPECT_EQ(log_source(one)->pod, "p2");
  EXPECT_THAT(text(1), HasSubstr("Index 1: failed; at most 2 attempts"));
  EXPECT_THAT(text(1), Not(HasSubstr("p3")));
  EXPECT_EQ(told(0).index->state, "succeeded");
  EXPECT_THAT(index_error(evidence_, 7), HasSubstr("has no index 7"));
  EXPECT_EQ(index_error(evidence_, 1), "");
}

TEST_F(ExplainTest, WaitsForAUserToResumeIt) {
  job("suspend: true");
  ASSERT_THAT(told().waits, SizeIs(1));
  EXPECT_EQ(told().waits[0].kind, Wait::Kind::suspended);
}

TEST_F(ExplainTest, WaitsForAnotherController) {
  job("managedBy: example.com/x");
  ASSERT_THAT(told().waits, SizeIs(1));
  EXPECT_EQ(told().waits[0].kind, Wait::Kind::other_manager);
  EXPECT_THAT(told().waits[0].text, HasSubstr("example.com/x"));
}

TEST_F(ExplainTest, ASuspendedJobWaitsToBeResumedWhateverManagesIt) {
  job("suspend: true, managedBy: windlass.dev/job-controller");
  pod("p1", "phase: Running", "deletionTimestamp: '2026-01-01T00:11:00Z', finalizers: [x]");
  ASSERT_THAT(told().waits, SizeIs(2));
  EXPECT_EQ(told().waits[0].kind, Wait::Kind::suspended);
  EXPECT_THAT(text(), HasSubstr("spec.suspend is true"));
  EXPECT_THAT(text(), HasSubstr("pod p1 is terminating"));
}

TEST_F(ExplainTest, APodThatShouldHaveEndedByNowNamesItsNode) {
  job("podReplacementPolicy: Failed");
  pod("p1", "phase: Running", "deletionTimestamp: '2026-01-01T00:09:00Z', finalizers: [x]");
  EXPECT_THAT(text(), HasSubstr("it should have ended by now: node n1 may be unreachable"));
  EXPECT_THAT(text(), HasSubstr("If the node is gone for good, delete Node n1 or taint it with "
                                "node.kubernetes.io/out-of-service"));
  EXPECT_THAT(text(), ::testing::Not(HasSubstr("until 2026-01-01T00:09:00Z")));
}

TEST_F(ExplainTest, WhatIsKnownOfAJobOfAnotherControllerIsTold) {
  job("parallelism: 2, managedBy: windlass.dev/job-controller");
  evidence_.create_error = "exceeded quota: q";
  ASSERT_THAT(told().waits, SizeIs(1));
  EXPECT_EQ(told().waits[0].kind, Wait::Kind::create_failed);
  EXPECT_THAT(told().waits[0].text, HasSubstr("exceeded quota: q"));
  pod("p1", "phase: Running");
  ASSERT_THAT(told().waits, SizeIs(2));
  EXPECT_EQ(told().waits[0].kind, Wait::Kind::create_failed);
  EXPECT_EQ(told().waits[1].kind, Wait::Kind::running);
}

TEST_F(ExplainTest, NoNodeFits) {
  job("parallelism: 1", "active: 1");
  pod("p1",
      "phase: Pending, conditions: [{type: PodScheduled, status: 'False', reason: Unschedulable, "
      "message: '0/3 nodes are available: 3 Insufficient cpu.'}]");
  ASSERT_THAT(told().waits, SizeIs(1));
  EXPECT_EQ(told().waits[0].kind, Wait::Kind::pod_pending);
  EXPECT_THAT(text(), HasSubstr("pod p1 is not running: 0/3 nodes are available: 3 Insufficient"));
}

TEST_F(ExplainTest, AScheduledPodHasNotStartedYet) {
  job("parallelism: 1", "active: 1");
  pod("p1", "phase: Pending");
  EXPECT_THAT(text(), HasSubstr("pod p1 is not running: node n1 has not started it yet"));
}

TEST_F(ExplainTest, NoSchedulerLooksAtThePod) {
  job("parallelism: 1", "active: 1");
  evidence_.pods.push_back(std::make_shared<Pod>(api::testing::from_yaml<Pod>(
      "{metadata: {name: p1, namespace: ns, uid: p1}, spec: {schedulerName: mine}, "
      "status: {phase: Pending}}")));
  EXPECT_EQ(told().waits.at(0).kind, Wait::Kind::pod_pending);
  EXPECT_THAT(text(), HasSubstr("pod p1 is not running: waiting for scheduler mine"));
}

TEST_F(ExplainTest, AnInitContainerIsWaitedFor) {
  job("parallelism: 1", "active: 1");
  pod("p1",
      "phase: Pending, initContainerStatuses: [{name: proxy, state: {running: {}}}, "
      "{name: fetch, state: {running: {}}}, {name: unpack, state: {waiting: {reason: "
      "PodInitializing}}}], containerStatuses: [{name: main, state: {waiting: {reason: "
      "PodInitializing}}}]");
  ASSERT_THAT(told().waits, SizeIs(1));
  EXPECT_THAT(text(), HasSubstr("pod p1 is not running: init container fetch is running"));
}

TEST_F(ExplainTest, BetweenInitContainersTheNodeHasNotStartedAll) {
  job("parallelism: 1", "active: 1");
  pod("p1",
      "phase: Pending, initContainerStatuses: [{name: fetch, state: {terminated: {exitCode: 0}}}], "
      "containerStatuses: [{name: main, state: {waiting: {reason: PodInitializing}}}]");
  EXPECT_THAT(text(), HasSubstr("pod p1 is not running: node n1 has not started all of it yet"));
}

TEST_F(ExplainTest, ASchedulerThatHasLookedIsNotSaidNotToHave) {
  job("parallelism: 1", "active: 1");
  evidence_.pods.push_back(std::make_shared<Pod>(api::testing::from_yaml<Pod>(
      "{metadata: {name: p1, namespace: ns, uid: p1}, spec: {schedulerName: mine}, status: {phase: "
      "Pending, conditions: [{type: PodScheduled, status: 'False', reason: SchedulingGated}]}}")));
  EXPECT_THAT(text(), HasSubstr("pod p1 is not running: not scheduled: SchedulingGated"));
}

TEST_F(ExplainTest, WhatAContainerWroteIsOneLineWithoutControlCharacters) {
  failed_condition("backoffLimit: 0", "BackoffLimitExceeded", "limit");
  pod("p1",
      "phase: Failed, containerStatuses: [{name: main, state: {terminated: {exitCode: 1, "
      "message: \"no such file:\\n\\e[31m/data\\n\"}}}]");
  EXPECT_THAT(text(), HasSubstr("container main exited with 1: no such file: [31m/data\n"));
}

// U+009B begins an escape sequence, too.
TEST_F(ExplainTest, WhatAContainerWroteHasNoControlCharactersOfEightBits) {
  failed_condition("backoffLimit: 0", "BackoffLimitExceeded", "limit");
  pod("p1",
      "phase: Failed, containerStatuses: [{name: main, state: {terminated: {exitCode: 1, "
      "message: \"Gr\u00f6\u00dfe\\u009b31m\"}}}]");
  EXPECT_THAT(text(), HasSubstr("container main exited with 1: Gr\u00f6\u00dfe 31m\n"));
}

TEST_F(ExplainTest, BackOffOfTheJobFromItsRecord) {
  const Time failed = *parse_rfc3339("2026-01-01T00:09:55Z");
  job("", "failed: 1",
      fmt::format("annotations: {{windlass.dev/job-record: 'v1;failures={}'}}",
                  std::chrono::duration_cast<std::chrono::milliseconds>(failed.time_since_epoch())
                      .count()));
  ASSERT_THAT(told().waits, SizeIs(1));
  EXPECT_EQ(told().waits[0].kind, Wait::Kind::backoff);
  EXPECT_EQ(told().waits[0].until, failed + seconds(10));
  EXPECT_THAT(text(), HasSubstr("backoff after 1 failure in a row, until 2026-01-01T00:10:05Z "
                                "(in 5s)"));
}

TEST_F(ExplainTest, BackOffOfTheJobFromItsPods) {
  job("", "failed: 2");
  pod("p1", exited(1, 8));
  pod("p2", exited(1, 9));
  evidence_.now = *parse_rfc3339("2026-01-01T00:09:15Z");
  ASSERT_THAT(told().waits, SizeIs(1));
  // From the end of the second in which the last one ended.
  EXPECT_EQ(told().waits[0].until, *parse_rfc3339("2026-01-01T00:09:21Z") - nanoseconds(1));
}

TEST_F(ExplainTest, BackOffOfAnIndex) {
  job("completions: 2, parallelism: 2, completionMode: Indexed, backoffLimitPerIndex: 3",
      "failed: 1, active: 1");
  pod("p1", exited(1, 9), index_of(1) + ", finalizers: [batch.kubernetes.io/job-tracking]");
  pod("p2", "phase: Running", index_of(0));
  evidence_.now = *parse_rfc3339("2026-01-01T00:09:05Z");
  const Explanation why = told();
  ASSERT_THAT(why.waits, SizeIs(2));
  EXPECT_EQ(why.waits[0].kind, Wait::Kind::backoff);
  EXPECT_EQ(why.waits[0].until, *parse_rfc3339("2026-01-01T00:09:11Z") - nanoseconds(1));
  EXPECT_EQ(why.waits[1].kind, Wait::Kind::running);
  EXPECT_EQ(told(1).index->retry_at, why.waits[0].until);
  EXPECT_EQ(told(1).index->state, "waits for its next attempt");
  EXPECT_THAT(told(0).waits, SizeIs(1)) << "of the other index nothing is told";
}

TEST_F(ExplainTest, ATerminatingPodBlocksItsReplacement) {
  job("podReplacementPolicy: Failed", "terminating: 1");
  pod("p1", "phase: Running",
      "deletionTimestamp: '2026-01-01T00:11:00Z', deletionGracePeriodSeconds: 60, finalizers: [x]");
  ASSERT_THAT(told().waits, SizeIs(1));
  EXPECT_EQ(told().waits[0].kind, Wait::Kind::replacement);
  EXPECT_EQ(told().waits[0].pod, "p1");
  EXPECT_THAT(text(), HasSubstr("until 2026-01-01T00:11:00Z (in 60s)"));
}

TEST_F(ExplainTest, TheOutcomeIsKnownAndPodsStillEnd) {
  job("", "conditions: [{type: FailureTarget, status: 'True', reason: DeadlineExceeded}]");
  pod("p1", "phase: Running", "deletionTimestamp: '2026-01-01T00:11:00Z', finalizers: [x]");
  EXPECT_EQ(told().state, State::failing);
  ASSERT_THAT(told().waits, SizeIs(2));
  EXPECT_EQ(told().waits[0].kind, Wait::Kind::ending);
}

TEST_F(ExplainTest, PodsThatCannotBeCreated) {
  job("parallelism: 2");
  evidence_.create_error = "exceeded quota: q";
  ASSERT_THAT(told().waits, SizeIs(1));
  EXPECT_THAT(told().waits[0].text, HasSubstr("exceeded quota: q"));
  evidence_.create_error = "";
  EXPECT_EQ(told().waits[0].kind, Wait::Kind::controller);
}

TEST_F(ExplainTest, ManyPodsAreNotAllNamed) {
  job("parallelism: 50", "active: 50");
  for (int i = 0; i < 50; ++i) {
    pods_ = 0;
    pod(fmt::format("p{}", i),
        "phase: Pending, conditions: [{type: PodScheduled, status: 'False', message: full}]");
  }
  EXPECT_THAT(told().waits, SizeIs(11));
  EXPECT_THAT(text(), HasSubstr("40 more pods for the same reason"));
}

TEST_F(ExplainTest, AsJson) {
  failed_condition(kPolicy, "PodFailurePolicy_broken",
                   "Container main for pod ns/p1 failed with exit code 42 matching FailJob rule at "
                   "index 0");
  pod("p1", exited(42, 8));
  Explanation why = told();
  why.log = {"a \"quoted\" line"};
  EXPECT_EQ(
      as_json(why),
      R"({"job":"j","namespace":"ns","state":"Failed","reason":"PodFailurePolicy_broken",)"
      R"("message":"Container main for pod ns/p1 failed with exit code 42 matching FailJob rule at )"
      R"(index 0","since":"2026-01-01T00:09:00Z",)"
      R"("counts":{"succeeded":0,"failed":2,"active":0,"terminating":0},)"
      R"("decidedBy":{"pod":"p1","present":true,"node":"n1","phase":"Failed","attempt":1,)"
      R"("container":"main","exitCode":42,"rule":0,"ruleName":"broken","action":"FailJob",)"
      R"("text":"container main exited with 42","ended":"2026-01-01T00:08:00Z"},)"
      R"("rules":[{"rule":0,"ruleName":"broken","action":"FailJob","pods":1}],"waits":[],)"
      R"("log":["a \"quoted\" line"]})"
      "\n");
}

}  // namespace
}  // namespace windlass::explain
