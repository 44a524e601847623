// Every finding both ways: a Job that has it, and one close to it that has not.
#include "policy/lint.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <set>

#include "policy/policy_testing.h"

namespace windlass::policy {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::kIgnoreDisruptions;
using testing::kOneContainer;
using testing::on_codes;
using testing::with_rules;

std::vector<LintFinding> lint_of(const std::string& spec, const std::string& pod = kOneContainer,
                                 const std::string& metadata = "{name: demo}",
                                 const api::FeatureGates& gates = {}) {
  const testing::TestJob job = testing::read_test_job(spec, pod, metadata, gates);
  return lint(job.subject, job.refusals);
}

// `warning never-matches spec.podFailurePolicy.rules[1]`
std::vector<std::string> found(const std::string& spec, const std::string& pod = kOneContainer,
                               const std::string& metadata = "{name: demo}",
                               const api::FeatureGates& gates = {}) {
  std::vector<std::string> texts;
  for (const LintFinding& finding : lint_of(spec, pod, metadata, gates)) {
    EXPECT_FALSE(finding.what.empty() || finding.why.empty()) << finding.id;
    EXPECT_TRUE(finding.severity == Severity::error || !finding.fix.empty()) << finding.id;
    const auto& ids = finding_ids();
    EXPECT_TRUE(std::find(ids.begin(), ids.end(), finding.id) != ids.end()) << finding.id;
    texts.push_back(std::string(severity_name(finding.severity)) + " " + std::string(finding.id) +
                    " " + finding.path);
  }
  return texts;
}

std::string rules(const std::vector<std::string>& list) {
  std::string text;
  for (const std::string& rule : list) {
    text += (text.empty() ? "" : ",") + rule;
  }
  return text;
}

const std::string kRule = "spec.podFailurePolicy.rules";
const char* const kTwoContainers =
    "{restartPolicy: Never, containers: [{name: main, image: i}, {name: other, image: i}]}";

TEST(Lint, AFieldThatNoNodeHereHonours) {
  EXPECT_THAT(
      found("{}", "{restartPolicy: Never, containers: [{name: main, image: i, tty: true}]}"),
      ElementsAre("info unsupported-field spec.template.spec.containers[0].tty"));
}

TEST(Lint, APlainJobAndARecommendedPolicyAreClean) {
  EXPECT_THAT(found("{}"), IsEmpty());
  EXPECT_THAT(found(with_rules(kIgnoreDisruptions)), IsEmpty());
  EXPECT_THAT(found(with_rules(rules({kIgnoreDisruptions, on_codes("FailJob", "NotIn", "0")}))),
              IsEmpty());
}

TEST(Lint, FailIndexWithoutLimit) {
  EXPECT_THAT(found(with_rules(on_codes("FailIndex", "In", "1"))),
              ElementsAre("error fail-index-without-limit " + kRule + "[0].action"));
  EXPECT_THAT(found(with_rules(on_codes("FailIndex", "In", "1"),
                               "completionMode: Indexed, completions: 2, backoffLimitPerIndex: 1, "
                               "backoffLimit: 4")),
              IsEmpty());
}

TEST(Lint, RestartPolicy) {
  const char* const on_failure = "{restartPolicy: OnFailure, containers: [{name: main, image: i}]}";
  EXPECT_THAT(found(with_rules(kIgnoreDisruptions), on_failure),
              ElementsAre("error restart-policy spec.template.spec.restartPolicy"));
  EXPECT_THAT(found("{}", on_failure), IsEmpty());
  EXPECT_THAT(found("{completionMode: Indexed, completions: 2, backoffLimitPerIndex: 1, "
                    "backoffLimit: 4}",
                    on_failure),
              ElementsAre("warning restart-policy spec.template.spec.restartPolicy"));
}

TEST(Lint, KEP5307_RulesAboutExitsThatTheNodeRestartsInPlace) {
  const std::string pod = R"({restartPolicy: Never, containers: [{name: main, image: i,
      restartPolicy: Never, restartPolicyRules: [
          {action: Restart, exitCodes: {operator: In, values: [42, 137]}}]}]})";
  const std::string where = kRule + "[0].onExitCodes";
  EXPECT_THAT(found(with_rules(on_codes("FailJob", "In", "42")), pod),
              ElementsAre("warning restarted-in-place " + where));
  EXPECT_THAT(found(with_rules(on_codes("FailJob", "In", "42, 43")), pod),
              ElementsAre("warning restarted-in-place " + where));
  EXPECT_THAT(found(with_rules(on_codes("FailJob", "In", "43")), pod), IsEmpty());
  EXPECT_THAT(
      found(with_rules(on_codes("Ignore", "In", "137"), "activeDeadlineSeconds: 9999"), pod),
      ElementsAre("warning restarted-in-place " + where))
      << "no ignored-oom: the container is restarted with the same limit anyway";
  const std::string always =
      "{restartPolicy: Never, containers: [{name: main, image: i, restartPolicy: OnFailure}]}";
  EXPECT_THAT(found(with_rules(on_codes("Ignore", "NotIn", "0")), always),
              ElementsAre("warning restarted-in-place " + where));
  const std::string one_of_two =
      "{restartPolicy: Never, containers: [{name: main, image: i, restartPolicy: OnFailure}, "
      "{name: second, image: i}]}";
  EXPECT_THAT(found(with_rules(on_codes("FailJob", "In", "42")), one_of_two), IsEmpty());
}

TEST(Lint, UnknownContainer) {
  EXPECT_THAT(found(with_rules(on_codes("FailJob", "In", "1", "containerName: mian"))),
              ElementsAre("error unknown-container " + kRule + "[0].onExitCodes.containerName"));
  EXPECT_THAT(found(with_rules(on_codes("FailJob", "In", "1", "containerName: main"))), IsEmpty());
}

TEST(Lint, ReplacementPolicy) {
  EXPECT_THAT(found(with_rules(kIgnoreDisruptions, "podReplacementPolicy: TerminatingOrFailed")),
              ElementsAre("error replacement-policy spec.podReplacementPolicy"));
  EXPECT_THAT(found(with_rules(kIgnoreDisruptions, "podReplacementPolicy: Failed")), IsEmpty());
}

TEST(Lint, RuleNames) {
  const auto named = [](const std::string& name, const std::string& code) {
    return "{name: " + name + ", action: FailJob, onExitCodes: {operator: In, values: [" + code +
           "]}}";
  };
  EXPECT_THAT(found(with_rules(rules({named("A", "1"), named("A", "2")}))),
              ElementsAre("error rule-name " + kRule + "[1].name"));
  EXPECT_THAT(found(with_rules(rules({named("A", "1"), named("B", "2")}))), IsEmpty());
}

TEST(Lint, WhateverElseIsRefused) {
  EXPECT_THAT(found("{parallelism: -1}"), ElementsAre("error refused spec.parallelism"));
  const auto zero = lint_of(with_rules(on_codes("FailJob", "In", "0")));
  ASSERT_EQ(zero.size(), 1U);
  EXPECT_EQ(zero.front().fix, "remove 0 from the list");
}

TEST(Lint, NeverMatchesBehindAWiderRule) {
  EXPECT_THAT(
      found(with_rules(rules({on_codes("Count", "NotIn", "0"), on_codes("FailJob", "In", "42")}))),
      ElementsAre("warning never-matches " + kRule + "[1]"));
  EXPECT_THAT(found(with_rules(rules({on_codes("FailJob", "In", "42"), kIgnoreDisruptions,
                                      on_codes("Ignore", "NotIn", "0")}),
                               "activeDeadlineSeconds: 9999")),
              ElementsAre("warning ignored-oom " + kRule + "[2]"));
}

TEST(Lint, NeverMatchesBehindTwoRulesTogether) {
  const auto findings =
      lint_of(with_rules(rules({on_codes("Count", "In", "1"), on_codes("Count", "In", "2"),
                                on_codes("FailJob", "In", "1, 2")})));
  ASSERT_EQ(findings.size(), 1U);
  EXPECT_EQ(findings.front().id, "never-matches");
  EXPECT_THAT(findings.front().why,
              HasSubstr("exit code of this rule matches rules[0] and rules[1] first"));
}

TEST(Lint, NeverMatchesWithTheSameContainerOnly) {
  const std::string narrow = on_codes("Count", "NotIn", "0", "containerName: main");
  const std::string wide = on_codes("FailJob", "In", "7");
  EXPECT_THAT(found(with_rules(rules({narrow, wide}))),
              ElementsAre("warning never-matches " + kRule + "[1]"));
  // Another container can still end with 7.
  EXPECT_THAT(found(with_rules(rules({narrow, wide})), kTwoContainers), IsEmpty());
}

TEST(Lint, NeverMatchesWhenNotInLeavesNothing) {
  std::string all;
  for (int code = 1; code <= 255; ++code) {
    all += (all.empty() ? "" : ", ") + std::to_string(code);
  }
  EXPECT_THAT(found(with_rules(on_codes("FailJob", "NotIn", all))),
              ElementsAre("warning never-matches " + kRule + "[0]"));
}

TEST(Lint, NeverMatchesTheSameConditionTwice) {
  const char* const count = "{action: Count, onPodConditions: [{type: DisruptionTarget}]}";
  EXPECT_THAT(
      found(with_rules(rules({kIgnoreDisruptions, count, on_codes("FailJob", "NotIn", "0")}))),
      ElementsAre("warning never-matches " + kRule + "[1]"));
  // Behind a rule on exit codes it still sees pods without any.
  EXPECT_THAT(found(with_rules(rules({on_codes("Count", "In", "1"), kIgnoreDisruptions}))),
              IsEmpty());
}

TEST(Lint, ShadowedValues) {
  EXPECT_THAT(
      found(with_rules(rules({on_codes("Count", "In", "3"), on_codes("FailJob", "In", "3, 4")}))),
      ElementsAre("warning shadowed-values " + kRule + "[1].onExitCodes.values"));
  EXPECT_THAT(
      found(with_rules(rules({on_codes("Count", "In", "3"), on_codes("FailJob", "In", "4, 5")}))),
      IsEmpty());
}

TEST(Lint, ImpossibleExitCode) {
  EXPECT_THAT(found(with_rules(on_codes("FailJob", "In", "1, 256"))),
              ElementsAre("warning impossible-exit-code " + kRule + "[0].onExitCodes.values"));
  EXPECT_THAT(found(with_rules(on_codes("FailJob", "In", "-1"))),
              ElementsAre("warning impossible-exit-code " + kRule + "[0].onExitCodes.values"));
  EXPECT_THAT(found(with_rules(on_codes("FailJob", "In", "1, 255"))), IsEmpty());
  EXPECT_THAT(found(with_rules(on_codes("FailJob", "In", "-1")),
                    "{restartPolicy: Never, nodeSelector: {kubernetes.io/os: windows}, containers: "
                    "[{name: main, image: i}]}"),
              IsEmpty());
}

TEST(Lint, DrainFailsJob_AsInStory1OfKEP3329) {
  EXPECT_THAT(found(with_rules(on_codes("FailJob", "NotIn", "40, 41, 42"))),
              ElementsAre("warning drain-fails-job " + kRule + "[0]"));
  EXPECT_THAT(
      found(with_rules(rules({kIgnoreDisruptions, on_codes("FailJob", "NotIn", "40, 41, 42")}))),
      IsEmpty());
  EXPECT_THAT(found(with_rules(on_codes("FailJob", "NotIn", "137, 143"))), IsEmpty());
  EXPECT_THAT(found(with_rules(on_codes("FailJob", "In", "143"))),
              ElementsAre("warning drain-fails-job " + kRule + "[0]"));
}

TEST(Lint, DrainFailsJob_TheFixIsToMoveTheRuleThatIsThere) {
  const auto findings =
      lint_of(with_rules(rules({on_codes("FailJob", "NotIn", "40"), kIgnoreDisruptions})));
  ASSERT_EQ(findings.size(), 1U);
  EXPECT_EQ(findings.front().fix, "move rules[1] before rules[0]");
}

TEST(Lint, DisruptionCounts) {
  const auto spec = [](const std::string& limit) {
    return with_rules(rules({"{action: Count, onPodConditions: [{type: DisruptionTarget}]}",
                             on_codes("FailJob", "NotIn", "0")}),
                      limit);
  };
  EXPECT_THAT(found(spec("backoffLimit: 2")),
              ElementsAre("warning disruption-counts " + kRule + "[0]"));
  EXPECT_THAT(found(spec("backoffLimit: 3")), IsEmpty());
}

TEST(Lint, DisruptionCounts_WhenNoRuleIsAboutItAndNothingIsRetried) {
  const std::string fail_job = on_codes("FailJob", "In", "42");
  EXPECT_THAT(found(with_rules(fail_job, "backoffLimit: 0")),
              ElementsAre("warning disruption-counts spec.podFailurePolicy"));
  EXPECT_THAT(found(with_rules(rules({fail_job, kIgnoreDisruptions}), "backoffLimit: 0")),
              IsEmpty());
  EXPECT_THAT(found(with_rules(fail_job, "backoffLimit: 1")), IsEmpty());
  EXPECT_THAT(found("{backoffLimit: 0}"), IsEmpty());
}

TEST(Lint, DisruptionStatus) {
  const auto rule = [](const std::string& status) {
    return with_rules("{action: Ignore, onPodConditions: [{type: DisruptionTarget, status: '" +
                      status + "'}]}");
  };
  EXPECT_THAT(found(rule("False")),
              ElementsAre("warning disruption-status " + kRule + "[0].onPodConditions[0]"));
  EXPECT_THAT(found(rule("True")), IsEmpty());
}

TEST(Lint, NeverMatchesWithTheGateOff) {
  const auto gates = api::FeatureGates().with(api::Feature::pod_disruption_conditions, false);
  EXPECT_THAT(found(with_rules(kIgnoreDisruptions), kOneContainer, "{name: demo}", gates),
              ElementsAre("warning never-matches " + kRule + "[0].onPodConditions[0]"));
}

std::string fails_on(const std::string& type, const std::string& status = "True") {
  return with_rules("{action: FailJob, onPodConditions: [{type: " + type + ", status: '" + status +
                    "'}]}");
}

TEST(Lint, UnknownCondition) {
  const std::string type = kRule + "[0].onPodConditions[0].type";
  EXPECT_THAT(found(fails_on("DisruptedTarget")), ElementsAre("warning unknown-condition " + type));
  EXPECT_THAT(found(fails_on("ResourceExhausted")),
              ElementsAre("warning unknown-condition " + type));
  EXPECT_THAT(found(fails_on("acme.io/DisruptionTarget")), IsEmpty());
  EXPECT_THAT(found(fails_on("ConfigIssue")), IsEmpty());
}

TEST(Lint, MatchesEverything) {
  const std::string at = kRule + "[0].onPodConditions[0]";
  EXPECT_THAT(found(fails_on("Ready", "False")), ElementsAre("warning matches-everything " + at));
  EXPECT_THAT(found(fails_on("PodScheduled")), ElementsAre("warning matches-everything " + at));
  EXPECT_THAT(found(fails_on("Ready")), ElementsAre("warning never-matches " + at));
  EXPECT_THAT(found(fails_on("Initialized", "False")), IsEmpty());
}

TEST(Lint, EndlessRetry) {
  const std::string ignore = on_codes("Ignore", "In", "75");
  EXPECT_THAT(found(with_rules(ignore)), ElementsAre("warning endless-retry " + kRule + "[0]"));
  EXPECT_THAT(found(with_rules(ignore, "activeDeadlineSeconds: 3600")), IsEmpty());
  EXPECT_THAT(found(with_rules("{action: Ignore, onPodConditions: [{type: acme.io/Busy}]}")),
              ElementsAre("warning endless-retry " + kRule + "[0]"));
  EXPECT_THAT(found(with_rules(kIgnoreDisruptions)), IsEmpty());
}

// job-controller.md 13.4: findings of a Job with this policy annotation.
std::vector<std::string> found_limits(const std::string& limits, const std::string& rule,
                                      const std::string& fields = "") {
  return found(
      with_rules(rule, fields), kOneContainer,
      "{name: demo, annotations: {windlass.dev/policy: '{rules: {0: {" + limits + "}}}'}}");
}

TEST(Lint, R13_4_ABudgetEndsWhatIsIgnored) {
  const std::string ignore = on_codes("Ignore", "In", "75");
  EXPECT_THAT(found_limits("budget: 5", ignore), IsEmpty());
  EXPECT_THAT(found_limits("backoff: {base: 1s}", ignore),
              ElementsAre("warning endless-retry " + kRule + "[0]"));
}

TEST(Lint, R13_4_UnreachableBudget) {
  const std::string count = on_codes("Count", "In", "75");
  const std::string ignore = on_codes("Ignore", "In", "75");
  const std::string at = "metadata.annotations[windlass.dev/policy].rules.0";
  EXPECT_THAT(found_limits("budget: 6", count),
              ElementsAre("warning unreachable-budget " + at + ".budget"));
  EXPECT_THAT(found_limits("budget: 5", count), IsEmpty());
  EXPECT_THAT(found_limits("budget: 6", ignore), IsEmpty());
  EXPECT_THAT(found_limits("budget: 3, window: 70s", ignore),
              ElementsAre("warning unreachable-budget " + at + ".window"))
      << "10s, 20s and 40s";
  EXPECT_THAT(found_limits("budget: 3, window: 71s", ignore), IsEmpty());
  EXPECT_THAT(found_limits("budget: 3, window: 70s", ignore, "parallelism: 2, completions: 2"),
              IsEmpty());
  EXPECT_THAT(found_limits("budget: 3, window: 70s, backoff: {base: 1s}", ignore), IsEmpty());
}

TEST(Lint, R13_4_WindowBeyondDeadline) {
  EXPECT_THAT(found_limits("budget: 3, window: 1h", on_codes("Ignore", "In", "75"),
                           "activeDeadlineSeconds: 3600"),
              ElementsAre("info window-beyond-deadline metadata.annotations[windlass.dev/policy]."
                          "rules.0.window"));
}

TEST(Lint, R13_1_ACountWithLimitsChangesSomething) {
  EXPECT_THAT(found_limits("budget: 1", on_codes("Count", "In", "75")), IsEmpty());
}

TEST(Lint, IgnoredOom) {
  const std::string deadline = "activeDeadlineSeconds: 3600";
  EXPECT_THAT(found(with_rules(on_codes("Ignore", "In", "137, 143"), deadline)),
              ElementsAre("warning ignored-oom " + kRule + "[0]"));
  EXPECT_THAT(found(with_rules(on_codes("Ignore", "In", "143"), deadline)), IsEmpty());
}

TEST(Lint, SidecarDecides) {
  const char* const pod =
      "{restartPolicy: Never, containers: [{name: main, image: i}], initContainers: [{name: proxy, "
      "image: i, restartPolicy: Always}]}";
  const std::string any = on_codes("FailJob", "NotIn", "40");
  const std::string main_only = on_codes("FailJob", "NotIn", "40", "containerName: main");
  EXPECT_THAT(found(with_rules(rules({kIgnoreDisruptions, any})), pod),
              ElementsAre("warning sidecar-decides " + kRule + "[1]"));
  EXPECT_THAT(found(with_rules(rules({kIgnoreDisruptions, main_only})), pod), IsEmpty());
}

TEST(Lint, UnnamedRule) {
  const std::string named = "{name: A, action: FailJob, onExitCodes: {operator: In, values: [1]}}";
  const std::string unnamed = on_codes("FailJob", "In", "2");
  EXPECT_THAT(found(with_rules(rules({named, unnamed}))),
              ElementsAre("warning unnamed-rule " + kRule + "[1]"));
  EXPECT_THAT(found(with_rules(unnamed)), IsEmpty());
  const auto gates = api::FeatureGates().with(api::Feature::pod_failure_policy_name, false);
  EXPECT_THAT(found(with_rules(rules({named, unnamed})), kOneContainer, "{name: demo}", gates),
              IsEmpty());
}

TEST(Lint, CountChangesNothing) {
  const std::string count = on_codes("Count", "In", "1");
  EXPECT_THAT(found(with_rules(rules({kIgnoreDisruptions, count}))),
              ElementsAre("info count-changes-nothing " + kRule + "[1]"));
  EXPECT_THAT(
      found(with_rules(rules({kIgnoreDisruptions, count, on_codes("FailJob", "NotIn", "0")}))),
      IsEmpty());
}

std::string indexed(const std::string& fields) {
  return "completionMode: Indexed, completions: 10, parallelism: 2, " + fields;
}

TEST(Lint, FailIndexChangesNothing) {
  const std::string rule = on_codes("FailIndex", "In", "42");
  EXPECT_THAT(found(with_rules(rules({rule, kIgnoreDisruptions}),
                               indexed("backoffLimitPerIndex: 0, backoffLimit: 10"))),
              ElementsAre("info fail-index-changes-nothing " + kRule + "[0]"));
  EXPECT_THAT(found(with_rules(rules({rule, kIgnoreDisruptions}),
                               indexed("backoffLimitPerIndex: 1, backoffLimit: 20"))),
              IsEmpty());
}

TEST(Lint, EmptyPolicy) {
  EXPECT_THAT(found("{podFailurePolicy: {rules: []}}"),
              ElementsAre("info empty-policy spec.podFailurePolicy"));
}

TEST(Lint, LimitOnRollback) {
  const auto findings = lint_of("{" + indexed("backoffLimitPerIndex: 1") + "}");
  ASSERT_EQ(findings.size(), 1U);
  EXPECT_EQ(findings.front().id, "limit-on-rollback");
  EXPECT_EQ(findings.front().severity, Severity::info);
  EXPECT_THAT(findings.front().fix, HasSubstr("backoffLimit: 20"));
  EXPECT_THAT(found("{" + indexed("backoffLimitPerIndex: 1, backoffLimit: 20") + "}"), IsEmpty());
}

TEST(Lint, LimitBelowIndexes) {
  EXPECT_THAT(found("{" + indexed("backoffLimitPerIndex: 1, backoffLimit: 9") + "}"),
              ElementsAre("warning limit-below-indexes spec.backoffLimit"));
  EXPECT_THAT(found("{" + indexed("backoffLimitPerIndex: 1, backoffLimit: 10") + "}"), IsEmpty());
}

TEST(Lint, MaxFailedIndexes) {
  const std::string limits = "backoffLimitPerIndex: 1, backoffLimit: 20, maxFailedIndexes: ";
  EXPECT_THAT(found("{" + indexed(limits + "10") + "}"),
              ElementsAre("warning max-failed-indexes spec.maxFailedIndexes"));
  EXPECT_THAT(found("{" + indexed(limits + "9") + "}"), IsEmpty());
  EXPECT_THAT(found("{" + indexed(limits + "0") + "}"), IsEmpty());
  EXPECT_THAT(found(with_rules(on_codes("FailIndex", "In", "42"), indexed(limits + "0"))),
              ElementsAre("info max-failed-indexes spec.maxFailedIndexes"));
}

TEST(Lint, DeadlineBeforeLimit) {
  EXPECT_THAT(found("{backoffLimit: 4, activeDeadlineSeconds: 150}"),
              ElementsAre("warning deadline-before-limit spec.activeDeadlineSeconds"));
  EXPECT_THAT(found("{backoffLimit: 4, activeDeadlineSeconds: 151}"), IsEmpty());
  // A limit that the author did not write is no promise.
  EXPECT_THAT(found("{activeDeadlineSeconds: 3}"), IsEmpty());
  EXPECT_THAT(found("{backoffLimit: 2147483647, activeDeadlineSeconds: 9223372036854775807}"),
              IsEmpty());
}

TEST(Lint, TtlZero) {
  EXPECT_THAT(found("{ttlSecondsAfterFinished: 0}"),
              ElementsAre("warning ttl-zero spec.ttlSecondsAfterFinished"));
  EXPECT_THAT(found("{ttlSecondsAfterFinished: 10}"), IsEmpty());
}

std::string accepting(const std::string& ids) {
  return "{name: demo, annotations: {windlass.dev/lint-ignore: '" + ids + "'}}";
}

TEST(Lint, TheAnnotationAcceptsFindingsButNoErrors) {
  EXPECT_THAT(found("{ttlSecondsAfterFinished: 0}", kOneContainer, accepting("ttl-zero")),
              IsEmpty());
  EXPECT_THAT(
      found("{ttlSecondsAfterFinished: 0}", kOneContainer, accepting("empty-policy, ttl-zero")),
      IsEmpty());
  EXPECT_THAT(found("{parallelism: -1}", kOneContainer, accepting("refused")),
              ElementsAre("error refused spec.parallelism"));
}

TEST(Lint, TheAnnotationNamesNoUnknownFinding) {
  const auto findings =
      lint_of("{ttlSecondsAfterFinished: 0}", kOneContainer, accepting("ttl-zro"));
  ASSERT_EQ(findings.size(), 2U);
  EXPECT_EQ(findings.back().id, "unknown-finding");
  EXPECT_EQ(findings.back().fix, "write \"ttl-zero\"");
}

TEST(Lint, WithoutThePolicyGateThereIsNoPolicy) {
  const auto gates = api::FeatureGates().with(api::Feature::job_pod_failure_policy, false);
  EXPECT_THAT(
      found(with_rules(on_codes("FailJob", "NotIn", "1")), kOneContainer, "{name: demo}", gates),
      IsEmpty());
}

TEST(Lint, HostilePoliciesAreBoundedWork) {
  std::string codes;
  for (int code = 1; code <= 255; ++code) {
    codes += (codes.empty() ? "" : ", ") + std::to_string(code);
  }
  std::vector<std::string> list;
  for (int i = 0; i < 20; ++i) {
    list.push_back(on_codes("Count", "In", codes));
  }
  EXPECT_GE(found(with_rules(rules(list))).size(), 19U);
}

}  // namespace
}  // namespace windlass::policy
