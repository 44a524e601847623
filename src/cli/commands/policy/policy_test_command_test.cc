#include "cli/commands/policy/policy_test_command.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/output/captured_output_testing.h"
#include "virtual_world/virtual_files.h"

namespace windlass::cli {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::StartsWith;

std::string job_named(const std::string& name, const std::string& fields = "") {
  return "apiVersion: batch/v1\nkind: Job\nmetadata:\n  name: " + name + "\nspec:\n" + fields +
         "  template:\n    spec:\n      restartPolicy: Never\n      containers:\n"
         "      - name: main\n        image: busybox:1.36\n";
}

constexpr const char* kPolicy =
    "  podFailurePolicy:\n    rules:\n    - name: BadInput\n      action: FailJob\n"
    "      onExitCodes: {operator: In, values: [42]}\n";
constexpr const char* kConfigMap =
    "---\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: c}\ndata: {a: b}\n---\n"
    "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: d}\n---\n";

class PolicyTestTest : public ::testing::Test {
 protected:
  ExitCode run(std::vector<std::string> paths, const std::string& cases = "") {
    options_.manifests.paths = std::move(paths);
    options_.cases = cases;
    output_ = {};
    return policy_test(options_, files_, output_);
  }

  virtual_world::VirtualFiles files_;
  PolicyTestOptions options_;
  testing::TextOutput output_;
};

TEST_F(PolicyTestTest, ShowsEveryFailureOfAJob) {
  files_.put("job.yaml", job_named("demo", kPolicy));
  EXPECT_EQ(run({"job.yaml"}), ExitCode::ok);
  EXPECT_THAT(output_.out_text, StartsWith("job.batch/demo (job.yaml)\n\nFAILURE "));
  EXPECT_THAT(output_.out_text, HasSubstr("\nexit 42 in main "));
  EXPECT_THAT(output_.out_text, HasSubstr("Job fails: PodFailurePolicy_BadInput"));
  EXPECT_THAT(output_.err_text, IsEmpty());
}

TEST_F(PolicyTestTest, AJobWithoutAPolicyIsShownToo) {
  files_.put("job.yaml", job_named("demo"));
  EXPECT_EQ(run({"job.yaml"}), ExitCode::ok);
  EXPECT_THAT(output_.out_text, HasSubstr("exit 1 in main "));
}

TEST_F(PolicyTestTest, OtherKindsBetweenJobsArePassedOver) {
  files_.put("-", job_named("one") + kConfigMap + job_named("two"));
  EXPECT_EQ(run({"-"}), ExitCode::ok);
  EXPECT_THAT(output_.out_text, StartsWith("job.batch/one (<stdin>)\n"));
  EXPECT_THAT(output_.out_text, HasSubstr("\n\njob.batch/two (<stdin>)\n"));
  EXPECT_THAT(output_.err_text, IsEmpty());
}

TEST_F(PolicyTestTest, WithoutAnyJobThereIsNothingToTest) {
  files_.put("c.yaml", "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: c}\n");
  EXPECT_EQ(run({"c.yaml"}), ExitCode::usage);
  EXPECT_EQ(output_.err_text, "error: no Job in c.yaml\n");
}

TEST_F(PolicyTestTest, MissingEmptyAndBrokenFiles) {
  EXPECT_EQ(run({"nowhere.yaml"}), ExitCode::usage);
  EXPECT_THAT(output_.err_text, HasSubstr("nowhere.yaml"));
  files_.put("empty.yaml", "");
  EXPECT_EQ(run({"empty.yaml"}), ExitCode::failed);
  EXPECT_EQ(output_.err_text, "empty.yaml: error: no object in this file\n");
  files_.put("text.yaml", "hello\n");
  EXPECT_EQ(run({"text.yaml"}), ExitCode::failed);
  EXPECT_THAT(output_.err_text, HasSubstr("text.yaml:1:1: error: "));
}

TEST_F(PolicyTestTest, AnInvalidJobIsNotTested) {
  files_.put("bad.yaml", job_named("bad", "  parallelism: -1\n"));
  files_.put("good.yaml", job_named("good"));
  EXPECT_EQ(run({"bad.yaml", "good.yaml"}), ExitCode::failed);
  EXPECT_THAT(output_.err_text, HasSubstr("bad.yaml:6:3: error: spec.parallelism: Invalid value"));
  EXPECT_THAT(output_.out_text, StartsWith("job.batch/good"));
}

TEST_F(PolicyTestTest, CasesThatHoldAndCasesThatDoNot) {
  files_.put("job.yaml", job_named("demo", kPolicy));
  files_.put("good.yaml", "- {failure: {exitCode: 42}, expect: {rule: BadInput}}\n");
  EXPECT_EQ(run({"job.yaml"}, "good.yaml"), ExitCode::ok);
  EXPECT_EQ(output_.out_text, "job.batch/demo (job.yaml)\n  ok    exit 42\n1 cases, 0 failed\n");
  files_.put("bad.yaml", "- {failure: {exitCode: 43}, expect: {rule: BadInput}}\n");
  EXPECT_EQ(run({"job.yaml"}, "bad.yaml"), ExitCode::failed);
  EXPECT_EQ(output_.out_text, R"(job.batch/demo (job.yaml)
  FAIL  exit 43 (bad.yaml:1:3)
                EXPECTED  GOT
          rule  BadInput  none
1 cases, 1 failed
)");
}

TEST_F(PolicyTestTest, ACaseMayBeAboutOneJob) {
  files_.put("jobs.yaml", job_named("one", kPolicy) + "---\n" + job_named("two"));
  files_.put("cases.yaml", "- {job: one, failure: {exitCode: 42}, expect: {action: FailJob}}\n");
  EXPECT_EQ(run({"jobs.yaml"}, "cases.yaml"), ExitCode::ok);
  EXPECT_THAT(output_.out_text, HasSubstr("1 cases, 0 failed"));
  files_.put("cases.yaml", "- {job: three, failure: {exitCode: 42}, expect: {action: FailJob}}\n");
  EXPECT_EQ(run({"jobs.yaml"}, "cases.yaml"), ExitCode::usage);
  EXPECT_EQ(output_.err_text, "cases.yaml:1:3: error: no Job is named \"three\"\n");
}

TEST_F(PolicyTestTest, ACaseAboutAnUnknownContainerFails) {
  files_.put("job.yaml", job_named("demo"));
  files_.put("cases.yaml", "- {failure: {exitCode: 1, container: x}, expect: {rule: none}}\n");
  EXPECT_EQ(run({"job.yaml"}, "cases.yaml"), ExitCode::failed);
  EXPECT_THAT(output_.out_text, HasSubstr("container  x         only main\n"));
}

TEST_F(PolicyTestTest, ABrokenCasesFileIsWrongUsage) {
  files_.put("job.yaml", job_named("demo"));
  files_.put("cases.yaml", "- {failure: {exitCode: 1}, expect: {ruel: none}}\n");
  EXPECT_EQ(run({"job.yaml"}, "cases.yaml"), ExitCode::usage);
  EXPECT_EQ(output_.err_text,
            "cases.yaml:1:37: error: unknown key \"ruel\", did you mean \"rule\"?\n");
  EXPECT_THAT(output_.out_text, IsEmpty());
  EXPECT_EQ(run({"job.yaml"}, "nowhere.yaml"), ExitCode::usage);
}

TEST_F(PolicyTestTest, JsonAndJunit) {
  files_.put("job.yaml", job_named("demo", kPolicy));
  files_.put("cases.yaml", "- {failure: {exitCode: 42}, expect: {rule: BadInput}}\n");
  options_.format = PolicyFormat::json;
  EXPECT_EQ(run({"job.yaml"}), ExitCode::ok);
  EXPECT_THAT(output_.out_text, HasSubstr("\"failure\": \"exit 42 in main\""));
  options_.format = PolicyFormat::junit;
  EXPECT_EQ(run({"job.yaml"}, "cases.yaml"), ExitCode::ok);
  EXPECT_THAT(output_.out_text, HasSubstr("tests=\"1\" failures=\"0\""));
}

TEST_F(PolicyTestTest, ACasesFileBesideTheJobIsFoundByItsName) {
  files_.put("jobs/job.yaml", job_named("demo", kPolicy));
  files_.put("jobs/other.yaml", job_named("other"));
  files_.put("jobs/job.cases.yaml", "- {failure: {exitCode: 42}, expect: {rule: BadInput}}\n");
  EXPECT_EQ(run({"jobs"}), ExitCode::ok);
  EXPECT_THAT(output_.out_text,
              StartsWith("job.batch/demo (jobs/job.yaml)\n  ok    exit 42\n1 cases, 0 failed\n"
                         "\njob.batch/other (jobs/other.yaml)\n\nFAILURE "));
  options_.format = PolicyFormat::junit;
  EXPECT_EQ(run({"jobs"}), ExitCode::ok);
  EXPECT_THAT(output_.out_text, HasSubstr("tests=\"1\" failures=\"0\""));
  options_.format = PolicyFormat::table;

  files_.put("jobs/job.cases.yaml", "- {failure: {exitCode: 1}, expect: {rule: BadInput}}\n");
  EXPECT_EQ(run({"jobs/job.yaml"}), ExitCode::failed);
  EXPECT_THAT(output_.out_text, HasSubstr("  FAIL  exit 1 (jobs/job.cases.yaml:1:3)\n"));
  files_.put("mine.yaml", "- {failure: {exitCode: 42}, expect: {rule: BadInput}}\n");
  EXPECT_EQ(run({"jobs/job.yaml"}, "mine.yaml"), ExitCode::ok) << "--cases comes first";
  files_.put("jobs/job.cases.yaml", "- {failure: {exitCode: 1}, expct: {}}\n");
  EXPECT_EQ(run({"jobs"}), ExitCode::usage);
  EXPECT_THAT(output_.err_text, HasSubstr("jobs/job.cases.yaml:1:28: error: unknown key"));
}

TEST_F(PolicyTestTest, JunitWithoutAnyCasesIsWrongUsage) {
  files_.put("job.yaml", job_named("demo"));
  options_.format = PolicyFormat::junit;
  EXPECT_EQ(run({"job.yaml"}), ExitCode::usage);
  EXPECT_THAT(output_.err_text, HasSubstr("job.cases.yaml beside job.yaml"));
  EXPECT_THAT(output_.out_text, IsEmpty());
}

TEST_F(PolicyTestTest, FeatureGatesAreHeeded) {
  files_.put("job.yaml", job_named("demo", kPolicy));
  options_.gates = api::FeatureGates().with(api::Feature::job_pod_failure_policy, false);
  EXPECT_EQ(run({"job.yaml"}), ExitCode::ok);
  EXPECT_THAT(output_.out_text, Not(HasSubstr("FailJob")));
}

}  // namespace
}  // namespace windlass::cli
