#include "cli/commands/policy/policy_lint.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/output/captured_output_testing.h"
#include "posix/files/posix_files.h"
#include "virtual_world/virtual_files.h"

namespace windlass::cli {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

std::string job_with(const std::string& fields) {
  return "apiVersion: batch/v1\nkind: Job\nmetadata:\n  name: demo\nspec:\n" + fields +
         "  template:\n    spec:\n      restartPolicy: Never\n      containers:\n"
         "      - name: main\n        image: busybox:1.36\n";
}

class PolicyLintTest : public ::testing::Test {
 protected:
  ExitCode run(std::vector<std::string> paths) {
    options_.manifests.paths = std::move(paths);
    output_ = {};
    return policy_lint(options_, files_, output_);
  }

  virtual_world::VirtualFiles files_;
  PolicyLintOptions options_;
  testing::TextOutput output_;
};

TEST_F(PolicyLintTest, ACleanFilePrintsNothing) {
  files_.put("job.yaml", job_with(""));
  EXPECT_EQ(run({"job.yaml"}), ExitCode::ok);
  EXPECT_THAT(output_.out_text, IsEmpty());
  EXPECT_THAT(output_.err_text, IsEmpty());
}

TEST_F(PolicyLintTest, PipelinesGetFindingsInTheirFormats) {
  files_.put("bad.yaml", job_with("  ttlSecondsAfterFinished: 0\n"));
  files_.put("good.yaml", job_with(""));
  options_.format = PolicyFormat::sarif;
  EXPECT_EQ(run({"bad.yaml", "good.yaml"}), ExitCode::failed);
  EXPECT_THAT(output_.out_text, HasSubstr("\"ruleId\": \"ttl-zero\""));
  EXPECT_THAT(output_.out_text, HasSubstr("\"startLine\": 6"));
  options_.format = PolicyFormat::github;
  EXPECT_EQ(run({"bad.yaml"}), ExitCode::failed);
  EXPECT_THAT(output_.out_text, HasSubstr("::warning file=bad.yaml,line=6,col=3,title=ttl-zero::"));
  options_.format = PolicyFormat::junit;
  EXPECT_EQ(run({"bad.yaml", "good.yaml"}), ExitCode::failed);
  EXPECT_THAT(output_.out_text, HasSubstr("tests=\"2\" failures=\"1\""));
  options_.fail_on = policy::Severity::error;
  EXPECT_EQ(run({"bad.yaml", "good.yaml"}), ExitCode::ok);
  EXPECT_THAT(output_.out_text, HasSubstr("tests=\"2\" failures=\"0\""));
}

TEST_F(PolicyLintTest, ACronJobIsPassedOverAndItIsSaid) {
  const std::string cron = "apiVersion: batch/v1\nkind: CronJob\nmetadata:\n  name: nightly\n";
  files_.put("all.yaml", cron + "---\n" + job_with(""));
  EXPECT_EQ(run({"all.yaml"}), ExitCode::ok);
  EXPECT_THAT(output_.err_text, HasSubstr("all.yaml:2:1: warning: skipped a CronJob"));
  files_.put("cron.yaml", cron);
  EXPECT_EQ(run({"cron.yaml"}), ExitCode::usage);
  EXPECT_THAT(output_.err_text, HasSubstr("error: no Job in cron.yaml"));
}

TEST_F(PolicyLintTest, AJobOfAnotherGroupIsPassedOver) {
  files_.put("all.yaml",
             "apiVersion: batch.volcano.sh/v1alpha1\nkind: Job\nmetadata: {name: v}\n---\n" +
                 job_with(""));
  EXPECT_EQ(run({"all.yaml"}), ExitCode::ok);
  EXPECT_THAT(output_.out_text, IsEmpty());
  files_.put("typo.yaml", "apiVersion: bacth/v1\nkind: Job\nmetadata: {name: j}\n");
  EXPECT_EQ(run({"typo.yaml"}), ExitCode::failed);
  EXPECT_THAT(output_.out_text, HasSubstr("no matches for kind"));
}

TEST_F(PolicyLintTest, AListOfCasesIsNotAJob) {
  files_.put("cases.yaml", "- exitCode: 1\n");
  EXPECT_EQ(run({"cases.yaml"}), ExitCode::failed);
  EXPECT_EQ(output_.err_text,
            "cases.yaml:1:1: error: a list is not a Job. For a list of cases, use --cases\n");
}

TEST_F(PolicyLintTest, AFindingHasPlacePathWhyAndFix) {
  files_.put("job.yaml", job_with("  ttlSecondsAfterFinished: 0\n"));
  EXPECT_EQ(run({"job.yaml"}), ExitCode::failed);
  EXPECT_EQ(output_.out_text,
            "job.yaml:6:3: warning: spec.ttlSecondsAfterFinished: the reason for a failure is lost "
            "[ttl-zero]\n"
            "    why: the Job, its pods and their logs are deleted the moment it ends\n"
            "    fix: set a longer time, such as 86400 for a day\n");
}

TEST_F(PolicyLintTest, WhatIsRefusedIsSaidOnce) {
  files_.put("job.yaml", job_with("  parallelism: -1\n"));
  EXPECT_EQ(run({"job.yaml"}), ExitCode::failed);
  EXPECT_EQ(output_.out_text,
            "job.yaml:6:3: error: spec.parallelism: Invalid value: -1: must be greater than or "
            "equal to 0 [refused]\n"
            "    why: the API server does not accept the Job\n");
}

TEST_F(PolicyLintTest, AnUnknownFieldIsAFindingAsWell) {
  files_.put("job.yaml", job_with("  zork: 1\n"));
  EXPECT_EQ(run({"job.yaml"}), ExitCode::failed);
  EXPECT_THAT(output_.out_text, HasSubstr("error: unknown field \"spec.zork\" [refused]"));
}

TEST_F(PolicyLintTest, FindingsComeInTheOrderOfTheFile) {
  files_.put("job.yaml",
             job_with("  ttlSecondsAfterFinished: 0\n  podFailurePolicy: {rules: []}\n"));
  run({"job.yaml"});
  EXPECT_LT(output_.out_text.find("ttl-zero"), output_.out_text.find("empty-policy"));
}

TEST_F(PolicyLintTest, FailOnDecidesTheExitCode) {
  files_.put("info.yaml", job_with("  podFailurePolicy: {rules: []}\n"));
  files_.put("warning.yaml", job_with("  ttlSecondsAfterFinished: 0\n"));
  files_.put("error.yaml", job_with("  parallelism: -1\n"));
  const auto codes = [&](policy::Severity fail_on) {
    options_.fail_on = fail_on;
    std::string text;
    for (const char* path : {"info.yaml", "warning.yaml", "error.yaml"}) {
      text += std::to_string(static_cast<int>(run({path})));
    }
    return text;
  };
  EXPECT_EQ(codes(policy::Severity::info), "111");
  EXPECT_EQ(codes(policy::Severity::warning), "011");
  EXPECT_EQ(codes(policy::Severity::error), "001");
}

TEST_F(PolicyLintTest, Json) {
  files_.put("job.yaml", job_with("  ttlSecondsAfterFinished: 0\n"));
  options_.format = PolicyFormat::json;
  EXPECT_EQ(run({"job.yaml"}), ExitCode::failed);
  EXPECT_EQ(output_.out_text, R"({
  "findings": [
    {
      "source": "job.yaml",
      "line": 6,
      "column": 3,
      "job": "job.batch/demo",
      "severity": "warning",
      "id": "ttl-zero",
      "path": "spec.ttlSecondsAfterFinished",
      "what": "the reason for a failure is lost",
      "why": "the Job, its pods and their logs are deleted the moment it ends",
      "fix": "set a longer time, such as 86400 for a day"
    }
  ]
}
)");
}

TEST_F(PolicyLintTest, UnreadableAndMalformedFiles) {
  EXPECT_EQ(run({"nowhere.yaml"}), ExitCode::usage);
  files_.put("bad.yaml", "a: [\n");
  EXPECT_EQ(run({"bad.yaml"}), ExitCode::failed);
  EXPECT_THAT(output_.err_text, HasSubstr("bad.yaml: error: "));
  files_.put("c.yaml", "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: c}\n");
  EXPECT_EQ(run({"c.yaml"}), ExitCode::usage);
  EXPECT_EQ(output_.err_text, "error: no Job in c.yaml\n");
}

TEST(PolicyLintExamples, AllExamplesAreClean) {
  posix::PosixFiles files;
  testing::TextOutput output;
  PolicyLintOptions options;
  options.manifests.paths = {std::string(WINDLASS_SOURCE_DIR) + "/examples"};
  options.manifests.recursive = true;
  options.fail_on = policy::Severity::info;
  EXPECT_EQ(policy_lint(options, files, output), ExitCode::ok);
  EXPECT_EQ(output.out_text, "");
  EXPECT_EQ(output.err_text, "");
}

}  // namespace
}  // namespace windlass::cli
