#include "policy/case_file.h"

#include <gmock/gmock.h>

#include "policy/policy_testing.h"

namespace windlass::policy {
namespace {

using Cause = Failure::Cause;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

CaseFile parse(const std::string& text) {
  return parse_case_file(text, "c.yaml");
}

Failure one_failure(const std::string& failure) {
  const CaseFile file = parse("- {failure: " + failure + ", expect: {rule: none}}");
  EXPECT_THAT(file.errors, IsEmpty());
  return file.cases.empty() ? Failure() : file.cases.front().failure;
}

std::vector<std::string> errors_of(const std::string& text) {
  return parse(text).errors;
}

TEST(CaseFile, ReadsACaseWithAllItsFields) {
  const CaseFile file = parse(R"(
- name: a case
  job: demo
  times: 3
  failure: {exitCode: 42, container: main, conditions: [{type: acme.io/X}]}
  expect: {rule: 1, action: FailJob, outcome: JobFails, reason: R, message: part, counted: true,
           retryAfter: 1m20s, endsAfter: 7}
)");
  ASSERT_THAT(file.errors, IsEmpty());
  ASSERT_THAT(file.cases, SizeIs(1));
  const PolicyCase& read = file.cases.front();
  EXPECT_EQ(read.place, "c.yaml:2:3");
  EXPECT_EQ(read.title(), "a case");
  EXPECT_EQ(read.job, "demo");
  EXPECT_EQ(read.times, 3);
  EXPECT_EQ(read.failure.exit_code, 42);
  EXPECT_EQ(read.failure.conditions.front().type, "acme.io/X");
  EXPECT_EQ(read.expect.rule, "1");
  EXPECT_EQ(read.expect.action, "FailJob");
  EXPECT_EQ(read.expect.outcome, "JobFails");
  EXPECT_EQ(read.expect.reason, "R");
  EXPECT_EQ(read.expect.message, "part");
  EXPECT_EQ(read.expect.counted, true);
  EXPECT_EQ(read.expect.retry_after, seconds(80));
  EXPECT_EQ(read.expect.ends_after, 7);
}

TEST(CaseFile, ACaseWithoutANameIsCalledAfterItsFailure) {
  const CaseFile file = parse("- {times: 2, failure: {exitCode: 1}, expect: {rule: none}}");
  ASSERT_THAT(file.cases, SizeIs(1));
  EXPECT_EQ(file.cases.front().title(), "exit 1, 2 times");
}

TEST(CaseFile, FailuresBySignalCauseAndCondition) {
  EXPECT_EQ(one_failure("{signal: SIGSEGV}").exit_code, 139);
  EXPECT_EQ(one_failure("{cause: OOMKilled}").exit_code, 137);
  EXPECT_EQ(one_failure("{cause: PreemptionByScheduler, exitCode: 143}").exit_code, 143);
  EXPECT_EQ(one_failure("{cause: DeletionByPodGC}").exit_code, std::nullopt);
  EXPECT_EQ(one_failure("{cause: TerminationByKubelet}").cause, Cause::node_pressure);
  EXPECT_EQ(one_failure("{conditions: [{type: X, status: 'False'}]}").cause, Cause::condition);
  EXPECT_EQ(one_failure("{exitCode: -1073741510}").exit_code, -1073741510);
}

TEST(CaseFile, RuleByNameByIndexAndNone) {
  const auto rule = [](const std::string& text) {
    return parse("- {failure: {exitCode: 1}, expect: {rule: " + text + "}}")
        .cases.front()
        .expect.rule;
  };
  EXPECT_EQ(rule("BadInput"), "BadInput");
  EXPECT_EQ(rule("0"), "0");
  EXPECT_EQ(rule("none"), "none");
  EXPECT_EQ(rule("null"), "none");
}

TEST(CaseFile, NeverIsAnEnd) {
  const CaseFile file = parse("- {failure: {exitCode: 1}, expect: {endsAfter: never}}");
  EXPECT_EQ(file.cases.front().expect.ends_after, 0);
}

TEST(CaseFile, AnUnknownKeyNamesTheNearest) {
  EXPECT_THAT(
      errors_of("- failure: {exitCode: 1}\n  expct: {rule: none}\n"),
      ElementsAre("c.yaml:2:3: error: unknown key \"expct\", did you mean \"expect\"?",
                  "c.yaml:1:3: error: a case needs expect: the expected reaction to the failure"));
  EXPECT_THAT(
      errors_of("- {failure: {exitcode: 1}, expect: {rule: none}}"),
      ElementsAre("c.yaml:1:14: error: unknown key \"exitcode\", did you mean \"exitCode\"?",
                  "c.yaml:1:4: error: a failure needs an exitCode, a signal, a cause or "
                  "conditions"));
  EXPECT_THAT(
      errors_of("- {failure: {exitCode: 1}, expect: {zorkmid: 1}}"),
      ElementsAre("c.yaml:1:37: error: unknown key \"zorkmid\": must be one of rule, action, "
                  "outcome, reason, message, counted, retryAfter, endsAfter"));
}

TEST(CaseFile, AnUnknownWordNamesTheNearest) {
  EXPECT_THAT(
      errors_of("- {failure: {exitCode: 1}, expect: {action: failjob}}"),
      ElementsAre("c.yaml:1:37: error: unknown action \"failjob\", did you mean \"FailJob\"?"));
  EXPECT_THAT(
      errors_of("- {failure: {exitCode: 1}, expect: {outcome: Retrie}}"),
      ElementsAre("c.yaml:1:37: error: unknown outcome \"Retrie\", did you mean \"Retry\"?"));
  EXPECT_THAT(errors_of("- {failure: {cause: OomKilled}, expect: {rule: none}}"),
              ElementsAre("c.yaml:1:14: error: unknown cause \"OomKilled\", did you mean "
                          "\"OOMKilled\"?"));
  EXPECT_THAT(errors_of("- {failure: {signal: SIGTREM}, expect: {rule: none}}"),
              ElementsAre("c.yaml:1:14: error: unknown signal \"SIGTREM\", did you mean "
                          "\"SIGTERM\"?"));
}

TEST(CaseFile, WrongTypesAreNamed) {
  EXPECT_THAT(errors_of("cases: []"),
              ElementsAre("c.yaml:1:1: error: must be a list of cases, not a mapping"));
  EXPECT_THAT(errors_of("- exit 1"),
              ElementsAre("c.yaml:1:3: error: must be a mapping, not a text"));
  EXPECT_THAT(errors_of("- {failure: {exitCode: one}, expect: {counted: 1}}"),
              ElementsAre("c.yaml:1:14: error: exitCode must be a whole number from -2147483648 to "
                          "2147483647",
                          "c.yaml:1:39: error: counted must be true or false"));
  EXPECT_THAT(errors_of("- {failure: {exitCode: 1}, times: 0, expect: {retryAfter: soon}}"),
              ElementsAre("c.yaml:1:28: error: times must be a whole number from 1 to 1000",
                          "c.yaml:1:47: error: retryAfter must be a duration such as 10s or 1m20s, "
                          "not \"soon\""));
  EXPECT_THAT(errors_of("- {failure: {exitCode: 1}, expect: {endsAfter: soon}}"),
              ElementsAre("c.yaml:1:37: error: endsAfter must be a number of failures, or never"));
}

TEST(CaseFile, WhatExcludesEachOther) {
  EXPECT_THAT(errors_of("- {failure: {signal: SIGTERM, cause: Deleted}, expect: {rule: none}}"),
              ElementsAre("c.yaml:1:14: error: signal and cause cannot be combined: give the "
                          "exitCode"));
  EXPECT_THAT(errors_of("- {failure: {signal: SIGTERM, exitCode: 3}, expect: {rule: none}}"),
              ElementsAre("c.yaml:1:14: error: signal and exitCode cannot be combined"));
}

TEST(CaseFile, EmptyAndBrokenFiles) {
  EXPECT_THAT(errors_of(""), ElementsAre("c.yaml: error: no case in this file"));
  EXPECT_THAT(errors_of("[]"), ElementsAre("c.yaml: error: no case in this file"));
  EXPECT_THAT(errors_of("- {failure: {exitCode: 1}, expect: {}}"),
              ElementsAre("c.yaml:1:28: error: expect needs at least one of rule, action, outcome, "
                          "reason, message, counted, retryAfter, endsAfter"));
  EXPECT_THAT(errors_of("- ["), SizeIs(1));
  EXPECT_THAT(errors_of("- {name: a, name: b, failure: {exitCode: 1}, expect: {rule: none}}"),
              ElementsAre("c.yaml:1:13: error: duplicate key \"[0].name\""));
}

std::vector<std::string> differing(const Expectation& expect, const Outlook& outlook) {
  std::vector<std::string> fields;
  for (const Mismatch& mismatch : compare(expect, outlook)) {
    fields.push_back(mismatch.field + " " + mismatch.expected + " / " + mismatch.got);
  }
  return fields;
}

TEST(Compare, EachFieldBothWays) {
  const Subject subject = testing::subject_of(testing::with_rules(
      "{name: BadInput, action: FailJob, onExitCodes: {operator: In, values: [42]}}"));
  const Outlook outlook = look_ahead(subject, testing::exit_with(42));
  Expectation right;
  right.rule = "BadInput";
  right.action = "FailJob";
  right.outcome = "JobFails";
  right.reason = "PodFailurePolicy_BadInput";
  right.message = "exit code 42";
  right.counted = true;
  right.ends_after = 1;
  EXPECT_THAT(differing(right, outlook), IsEmpty());
  right.rule = "0";
  EXPECT_THAT(differing(right, outlook), IsEmpty());
  Expectation wrong;
  wrong.rule = "none";
  wrong.action = "none";
  wrong.outcome = "Retry";
  wrong.reason = "PodFailurePolicy_0";
  wrong.message = "exit code 7";
  wrong.counted = false;
  wrong.retry_after = seconds(10);
  wrong.ends_after = 0;
  EXPECT_THAT(
      differing(wrong, outlook),
      ElementsAre("rule none / 0 (BadInput)", "action none / FailJob", "outcome Retry / JobFails",
                  "reason PodFailurePolicy_0 / PodFailurePolicy_BadInput",
                  "message exit code 7 / " + outlook.message, "counted false / true",
                  "retryAfter 10s / none", "endsAfter never / 1"));
}

TEST(Compare, NeverAndUnmatched) {
  const Subject subject = testing::subject_of(testing::with_rules(testing::kIgnoreDisruptions));
  Expectation expect;
  expect.ends_after = 0;
  EXPECT_THAT(differing(expect, look_ahead(subject, testing::caused(Cause::preemption))),
              IsEmpty());
  expect.rule = "none";
  expect.ends_after = 3;
  EXPECT_THAT(differing(expect, look_ahead(subject, testing::exit_with(1))),
              ElementsAre("endsAfter 3 / 7"));
}

}  // namespace
}  // namespace windlass::policy
