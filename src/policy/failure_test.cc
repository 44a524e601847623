// KEP-3329's table of failures (R-1 to R-15), as the pods that come of them.
#include "policy/failure.h"

#include <gmock/gmock.h>

#include <algorithm>

#include "policy/policy_testing.h"

namespace windlass::policy {
namespace {

using Cause = Failure::Cause;
using testing::caused;
using ::testing::Contains;
using ::testing::ElementsAre;
using testing::exit_with;
using ::testing::IsEmpty;
using ::testing::Not;
using testing::subject_of;

constexpr const char* kPodWithAll =
    "{restartPolicy: Never, containers: [{name: main, image: i}, {name: second, image: i}], "
    "initContainers: [{name: setup, image: i}, {name: proxy, image: i, restartPolicy: Always}]}";

engine::PodView ended(const Subject& subject, const Failure& failure) {
  engine::PodView pod;
  if (is_deleted_first(failure.cause)) {
    begin_deletion(pod, failure, subject, Time());
  }
  end_pod(pod, failure, subject, Time());
  return pod;
}

bool is_disrupted(const engine::PodView& pod) {
  return std::any_of(pod.conditions.begin(), pod.conditions.end(), [](const auto& condition) {
    return condition.type == kDisruptionTarget &&
           condition.status == engine::ConditionStatus::is_true;
  });
}

// `main=1 second=0 setup=0 proxy=0`; a container that did not end is left out.
std::string codes_of(const engine::PodView& pod) {
  std::string text;
  for (const engine::ContainerView& container : pod.containers) {
    if (container.terminated) {
      text +=
          (text.empty() ? "" : " ") + container.name + "=" + std::to_string(container.exit_code);
    }
  }
  return text;
}

std::vector<std::string> texts_of(const Subject& subject) {
  std::vector<std::string> texts;
  for (const Failure& failure : built_in_failures(subject)) {
    texts.push_back(failure_text(failure));
  }
  return texts;
}

TEST(PodEnd, R1ToR5_R8_DisruptedPodsHaveTheConditionAndExitCodes) {
  const Subject subject = subject_of("{}");
  for (const Cause cause : {Cause::preemption, Cause::taint, Cause::api_eviction,
                            Cause::node_pressure, Cause::node_shutdown}) {
    const engine::PodView pod = ended(subject, caused(cause));
    EXPECT_TRUE(is_disrupted(pod)) << cause_info(cause).text;
    EXPECT_EQ(pod.phase, engine::Phase::failed);
    EXPECT_EQ(codes_of(pod), "main=137");
  }
}

TEST(PodEnd, R6_R7_R13_LimitsAndKillsAreNoDisruption) {
  const Subject subject = subject_of("{}");
  for (const Cause cause : {Cause::oom_killed, Cause::storage_limit, Cause::signal}) {
    const engine::PodView pod = ended(subject, caused(cause));
    EXPECT_FALSE(is_disrupted(pod)) << cause_info(cause).text;
    EXPECT_FALSE(pod.deletion_time);
    EXPECT_EQ(codes_of(pod), "main=137");
  }
}

TEST(PodEnd, R9_ExitingWithZeroIsSuccessHoweverThePodWasStopped) {
  const Subject subject = subject_of("{}");
  for (const Cause cause : {Cause::node_shutdown, Cause::api_eviction, Cause::storage_limit}) {
    EXPECT_EQ(ended(subject, caused(cause, 0)).phase, engine::Phase::succeeded);
  }
  EXPECT_EQ(ended(subject, caused(Cause::condition, 0)).phase, engine::Phase::failed);
}

TEST(PodEnd, R10_ARefusedPodHasNoStatuses) {
  const engine::PodView pod = ended(subject_of("{}"), caused(Cause::admission, std::nullopt));
  EXPECT_EQ(pod.phase, engine::Phase::failed);
  EXPECT_THAT(pod.containers, IsEmpty());
  EXPECT_THAT(pod.conditions, IsEmpty());
}

TEST(PodEnd, R11_OnALostNodeContainersAreNotSeenToEnd) {
  const engine::PodView pod = ended(subject_of("{}"), caused(Cause::node_lost, std::nullopt));
  EXPECT_EQ(pod.phase, engine::Phase::failed);
  EXPECT_TRUE(is_disrupted(pod));
  EXPECT_TRUE(pod.deletion_time);
  EXPECT_EQ(codes_of(pod), "");
}

TEST(PodEnd, R15_DeletedWhilePendingItNeverHadANode) {
  const engine::PodView pod =
      ended(subject_of("{}"), caused(Cause::deleted_while_pending, std::nullopt));
  EXPECT_EQ(pod.phase, engine::Phase::failed);
  EXPECT_FALSE(pod.has_node);
  EXPECT_FALSE(is_disrupted(pod));
  EXPECT_THAT(pod.containers, IsEmpty());
}

TEST(PodEnd, WithTheGateOffNothingIsMarked) {
  const auto gates = api::FeatureGates().with(api::Feature::pod_disruption_conditions, false);
  const Subject subject = subject_of("{}", testing::kOneContainer, gates);
  EXPECT_FALSE(is_disrupted(ended(subject, caused(Cause::api_eviction))));
}

TEST(PodEnd, OneContainerFailsAndTheOthersEndWell) {
  const Subject subject = subject_of("{}", kPodWithAll);
  EXPECT_EQ(codes_of(ended(subject, exit_with(7, "second"))), "main=0 second=7 setup=0 proxy=0");
  EXPECT_EQ(codes_of(ended(subject, caused(Cause::preemption))),
            "main=137 second=137 setup=0 proxy=0");
}

TEST(PodEnd, BehindAFailedInitContainerNothingStarts) {
  const Subject subject = subject_of("{}", kPodWithAll);
  const engine::PodView pod = ended(subject, exit_with(3, "setup"));
  EXPECT_EQ(codes_of(pod), "setup=3");
  EXPECT_EQ(pod.phase, engine::Phase::failed);
}

TEST(PodEnd, ASidecarThatSigtermEndsLeavesItsCode) {
  const Subject subject = subject_of("{}", kPodWithAll);
  Failure failure = exit_with(1);
  failure.sidecar = "proxy";
  EXPECT_EQ(codes_of(ended(subject, failure)), "main=1 second=0 setup=0 proxy=143");
}

TEST(PodEnd, ContainersRestartInPlaceWithOnFailureAndSidecarsAlways) {
  const Subject never = subject_of("{}", kPodWithAll);
  EXPECT_FALSE(restarts_in_place(exit_with(1), never));
  EXPECT_TRUE(restarts_in_place(exit_with(1, "proxy"), never));
  const Subject on_failure =
      subject_of("{}", "{restartPolicy: OnFailure, containers: [{name: main, image: i}]}");
  EXPECT_TRUE(restarts_in_place(exit_with(1), on_failure));
  EXPECT_FALSE(restarts_in_place(exit_with(0), on_failure));
  EXPECT_FALSE(restarts_in_place(caused(Cause::preemption), on_failure));
}

// api.md P44, E58: what the node does with a container's own policy and rules.
TEST(PodEnd, KEP5307_OwnPoliciesAndRulesDecideWhatRestartsInPlace) {
  const Subject subject = subject_of("{}", R"({restartPolicy: Never, containers: [
      {name: main, image: i, restartPolicy: Never, restartPolicyRules: [
          {action: Restart, exitCodes: {operator: In, values: [42, 137]}}]},
      {name: second, image: i, restartPolicy: OnFailure},
      {name: third, image: i}],
      initContainers: [{name: setup, image: i, restartPolicy: OnFailure}]})");
  EXPECT_TRUE(restarts_in_place(exit_with(42), subject));
  EXPECT_FALSE(restarts_in_place(exit_with(43), subject));
  EXPECT_TRUE(restarts_in_place(exit_with(1, "second"), subject));
  EXPECT_FALSE(restarts_in_place(exit_with(0, "second"), subject));
  EXPECT_FALSE(restarts_in_place(exit_with(42, "third"), subject));
  EXPECT_TRUE(restarts_in_place(exit_with(1, "setup"), subject));
  Failure oom = exit_with(kSigkillCode);
  oom.cause = Cause::oom_killed;
  EXPECT_TRUE(restarts_in_place(oom, subject));
  EXPECT_FALSE(restarts_in_place(caused(Cause::preemption), subject)) << "the pod is over";
  const Subject once = subject_of("{}", R"({restartPolicy: OnFailure, containers: [
      {name: main, image: i, restartPolicy: Never}]})");
  EXPECT_FALSE(restarts_in_place(exit_with(1), once));
}

TEST(BuiltInFailures, EveryCodeOfThePolicyAndOneOutsideIt) {
  const auto texts =
      texts_of(subject_of(testing::with_rules(testing::on_codes("FailJob", "In", "1, 42") + "," +
                                              testing::on_codes("Count", "NotIn", "0"))));
  EXPECT_THAT(texts, Contains("exit 1 in main"));
  EXPECT_THAT(texts, Contains("exit 42 in main"));
  EXPECT_THAT(texts, Contains("any other exit code (2) in main"));
  EXPECT_THAT(texts, Not(Contains("exit 0 in main")));
}

TEST(BuiltInFailures, WithoutAPolicyOneCodeStandsForAll) {
  EXPECT_THAT(texts_of(subject_of("{}")), Contains("exit 1 in main"));
}

TEST(BuiltInFailures, PerContainerOnlyWhatItsRulesName) {
  const auto texts = texts_of(subject_of(
      testing::with_rules(testing::on_codes("FailJob", "In", "5", "containerName: setup")),
      kPodWithAll));
  EXPECT_THAT(texts, Contains("exit 5 in setup"));
  EXPECT_THAT(texts, Not(Contains("exit 5 in main")));
  EXPECT_THAT(texts, Contains("exit 1 in second"));
  // A sidecar's own exit fails no pod; what it leaves behind may be matched.
  EXPECT_THAT(texts, Not(Contains("exit 1 in proxy")));
  EXPECT_THAT(texts, Contains("exit 1 in main, proxy ends with 143"));
}

TEST(BuiltInFailures, ConditionsOfThePolicyAreTriedToo) {
  const auto texts = texts_of(subject_of(testing::with_rules(
      "{action: FailJob, onPodConditions: [{type: acme.io/Bad}, {type: DisruptionTarget}]}")));
  EXPECT_THAT(texts, Contains("condition acme.io/Bad=True, exit 1"));
  EXPECT_THAT(texts, Not(Contains("condition DisruptionTarget=True, exit 1")));
}

TEST(BuiltInFailures, TheWholeSetInOrder) {
  EXPECT_THAT(
      texts_of(subject_of("{}")),
      ElementsAre("exit 1 in main", "SIGTERM (143) in main", "SIGKILL (137) in main",
                  "OOMKilled (137) in main", "preempted by the scheduler, exit 137",
                  "preempted by the scheduler, exit 143", "drained (eviction API), exit 137",
                  "drained (eviction API), exit 143", "node tainted NoExecute, exit 137",
                  "node tainted NoExecute, exit 143", "node shut down, exit 137",
                  "node shut down, exit 143", "node under pressure, exit 137",
                  "node under pressure, exit 143", "node lost", "drained (eviction API), exit 0",
                  "deleted by a user, exit 137", "deleted by a user, exit 143",
                  "deleted while pending", "refused by the node",
                  "over its ephemeral-storage limit, exit 137"));
}

TEST(FailureText, RunsOfCodesAreRanges) {
  const auto text = [](const std::vector<int32_t>& codes) {
    std::vector<Failure> failures;
    for (const int32_t code : codes) {
      failures.push_back(exit_with(code));
    }
    return failures_text(failures);
  };
  EXPECT_EQ(text({7}), "exit 7 in main");
  EXPECT_EQ(text({7, 8}), "exit 7 or 8 in main");
  EXPECT_EQ(text({40, 42, 41}), "exit 40-42 in main");
  EXPECT_EQ(text({1, 3, 40, 41, 42}), "exit 1, 3 or 40-42 in main");
}

TEST(Causes, AreFoundByTheirNamesAndByTheReasonOfTheCondition) {
  for (const std::string_view name : cause_names()) {
    ASSERT_NE(find_cause(name), nullptr) << name;
    EXPECT_THAT(name, ::testing::AnyOf(find_cause(name)->name, find_cause(name)->reason));
  }
  ASSERT_NE(find_cause("TerminationByKubelet"), nullptr);
  EXPECT_EQ(find_cause("TerminationByKubelet")->cause, Cause::node_pressure);
  EXPECT_EQ(find_cause(""), nullptr);
  EXPECT_EQ(find_cause("Preemption"), nullptr);
}

}  // namespace
}  // namespace windlass::policy
