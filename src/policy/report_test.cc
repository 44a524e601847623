#include "policy/report.h"

#include <gmock/gmock.h>

#include "policy/policy_testing.h"

namespace windlass::policy {
namespace {

using testing::exit_with;
using ::testing::HasSubstr;

JobReport report_on(const Subject& subject, const std::vector<Failure>& failures) {
  JobReport report;
  report.title = "job.batch/demo";
  report.source = "job.yaml";
  for (const Failure& failure : failures) {
    report.outlooks.push_back(look_ahead(subject, failure));
  }
  return report;
}

Subject demo() {
  return testing::subject_of(testing::with_rules(
      "{name: BadInput, action: FailJob, onExitCodes: {operator: In, values: [42]}}",
      "backoffLimit: 1"));
}

PolicyCase expecting(Failure failure, const std::string& name, const std::string& action) {
  PolicyCase wanted;
  wanted.place = "cases.yaml:1:3";
  wanted.name = name;
  wanted.failure = std::move(failure);
  wanted.expect.action = action;
  return wanted;
}

JobReport with_cases() {
  JobReport report = report_on(demo(), {exit_with(42), exit_with(1)});
  report.cases = {expecting(exit_with(42), "bad input <42>", "FailJob"),
                  expecting(exit_with(1), "", "Ignore")};
  for (size_t i = 0; i < report.cases.size(); ++i) {
    report.mismatches.push_back(compare(report.cases[i].expect, report.outlooks[i]));
  }
  return report;
}

TEST(Columns, AreAsWideAsTheirWidestCellAndEndWithoutBlanks) {
  EXPECT_EQ(columns({{"A", "B"}, {"long", ""}, {"ü", "x"}}, "  "),
            "  A     B\n  long\n  ü     x\n");
}

TEST(OutlookTable, FailuresOfOneEffectShareARow) {
  EXPECT_EQ(
      outlook_table(report_on(demo(), {exit_with(1), exit_with(2), exit_with(3), exit_with(42)})),
      "job.batch/demo (job.yaml)\n"
      "\n"
      "FAILURE           RULE        ACTION   NEXT                                  IF IT REPEATS\n"
      "exit 1-3 in main  -           -        counts 1/1, retry after 10s           Job fails "
      "after 2 (10s): BackoffLimitExceeded\n"
      "exit 42 in main   0 BadInput  FailJob  Job fails: PodFailurePolicy_BadInput\n"
      "\n"
      "Messages:\n"
      "  PodFailurePolicy_BadInput:  Container main for pod default/demo-bbbbc failed with exit "
      "code 42 matching FailJob rule at index 0\n");
}

TEST(CaseList, ShowsMismatchesSideBySide) {
  EXPECT_EQ(case_list({with_cases()}), R"(job.batch/demo (job.yaml)
  ok    bad input <42>
  FAIL  exit 1 in main (cases.yaml:1:3)
                  EXPECTED  GOT
          action  Ignore    none
2 cases, 1 failed
)");
}

TEST(ReportJson, HasEverythingTheTableHas) {
  const std::string json = reports_json({report_on(demo(), {exit_with(42), exit_with(1)})});
  EXPECT_EQ(json, R"({
  "jobs": [
    {
      "job": "job.batch/demo",
      "source": "job.yaml",
      "cases": [
        {
          "failure": "exit 42 in main",
          "rule": {
            "index": 0,
            "name": "BadInput"
          },
          "action": "FailJob",
          "outcome": "JobFails",
          "counted": true,
          "reason": "PodFailurePolicy_BadInput",
          "message": "Container main for pod default/demo-bbbbc failed with exit code 42 matching FailJob rule at index 0"
        },
        {
          "failure": "exit 1 in main",
          "rule": null,
          "action": null,
          "outcome": "Retry",
          "counted": true,
          "retryAfterSeconds": 10,
          "ifItRepeats": {
            "failures": 2,
            "jobFails": true,
            "afterSeconds": 10,
            "reason": "BackoffLimitExceeded"
          }
        }
      ]
    }
  ]
}
)");
}

TEST(ReportJson, CasesSayWhetherTheyPassed) {
  const std::string json = reports_json({with_cases()});
  EXPECT_THAT(json, HasSubstr("\"passed\": true"));
  EXPECT_THAT(json, HasSubstr("\"passed\": false"));
  EXPECT_THAT(json, HasSubstr("\"expected\": \"Ignore\""));
}

TEST(Junit, EscapesAndCounts) {
  EXPECT_EQ(junit_xml({with_cases()}), R"(<?xml version="1.0" encoding="UTF-8"?>
<testsuites>
  <testsuite name="job.batch/demo" file="job.yaml" tests="2" failures="1">
    <testcase classname="job.batch/demo" name="bad input &lt;42&gt;"/>
    <testcase classname="job.batch/demo" name="exit 1 in main">
      <failure message="action: expected Ignore, got none">cases.yaml:1:3
action: expected Ignore, got none
</failure>
    </testcase>
  </testsuite>
</testsuites>
)");
}

}  // namespace
}  // namespace windlass::policy
