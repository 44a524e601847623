#include "cli/commands/validate.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/output/captured_output_testing.h"
#include "virtual_world/virtual_files.h"

namespace windlass::cli {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

constexpr const char* kValidJob = R"(apiVersion: batch/v1
kind: Job
metadata:
  name: demo
spec:
  template:
    spec:
      restartPolicy: Never
      containers:
      - name: main
        image: busybox:1.36
)";

class ValidateTest : public ::testing::Test {
 protected:
  ExitCode run(std::vector<std::string> paths) {
    options_.manifests.paths = std::move(paths);
    output_ = {};
    return validate(options_, files_, output_);
  }

  virtual_world::VirtualFiles files_;
  ValidateOptions options_;
  testing::TextOutput output_;
};

TEST_F(ValidateTest, AValidJob) {
  files_.put("job.yaml", kValidJob);
  EXPECT_EQ(run({"job.yaml"}), ExitCode::ok);
  EXPECT_EQ(output_.out_text, "job.batch/demo valid (job.yaml)\n");
  EXPECT_THAT(output_.err_text, IsEmpty());
}

TEST_F(ValidateTest, PipelinesGetWhatIsWrongOnStandardOutput) {
  files_.put("good.yaml", kValidJob);
  files_.put("bad.yaml", std::string(kValidJob) + "        zork: 1\n");
  files_.put("text.yaml", "hello\n");
  const std::vector<std::string> all = {"good.yaml", "bad.yaml", "text.yaml"};
  options_.findings = FindingFormat::junit;
  EXPECT_EQ(run(all), ExitCode::failed);
  EXPECT_THAT(output_.out_text, HasSubstr("tests=\"3\" failures=\"2\""));
  EXPECT_THAT(output_.out_text, HasSubstr("name=\"job.batch/demo\"/>"));
  EXPECT_THAT(output_.err_text, HasSubstr("bad.yaml:12:9: error: unknown field"));
  options_.findings = FindingFormat::github;
  EXPECT_EQ(run(all), ExitCode::failed);
  EXPECT_THAT(output_.out_text,
              HasSubstr("::error file=bad.yaml,line=12,col=9,title=invalid::unknown field"));
  options_.findings = FindingFormat::sarif;
  EXPECT_EQ(run({"good.yaml"}), ExitCode::ok);
  EXPECT_THAT(output_.out_text, HasSubstr("\"results\": []"));
}

TEST_F(ValidateTest, AFieldThatNoNodeHereHonoursIsAWarning) {
  files_.put("job.yaml", std::string(kValidJob) + "        tty: true\n");
  EXPECT_EQ(run({"job.yaml"}), ExitCode::ok);
  EXPECT_EQ(output_.err_text,
            "job.yaml:12:9: warning: spec.template.spec.containers[0].tty is ignored: a container "
            "has no terminal (on a Windlass node)\n");
}

TEST_F(ValidateTest, AnErrorHasPlacePathTypeAndText) {
  files_.put("job.yaml", std::string(kValidJob) + "  parallelism: -1\n");
  EXPECT_EQ(run({"job.yaml"}), ExitCode::failed);
  EXPECT_EQ(output_.err_text,
            "job.yaml:12:3: error: spec.parallelism: Invalid value: -1: must be greater than or "
            "equal to 0\n");
  EXPECT_THAT(output_.out_text, IsEmpty());
}

TEST_F(ValidateTest, AnUnknownFieldNamesTheNearestKnownOne) {
  files_.put("job.yaml", std::string(kValidJob) + "  backoffLimitPerindex: 1\n");
  EXPECT_EQ(run({"job.yaml"}), ExitCode::failed);
  EXPECT_EQ(output_.err_text,
            "job.yaml:12:3: error: unknown field \"spec.backoffLimitPerindex\", did you mean "
            "\"backoffLimitPerIndex\"?\n");
}

TEST_F(ValidateTest, FieldValidationWarnAndIgnore) {
  files_.put("job.yaml", std::string(kValidJob) + "  zork: 1\n");
  options_.fields = FieldValidation::warn;
  EXPECT_EQ(run({"job.yaml"}), ExitCode::ok);
  EXPECT_EQ(output_.err_text, "job.yaml:12:3: warning: unknown field \"spec.zork\"\n");
  options_.fields = FieldValidation::ignore;
  EXPECT_EQ(run({"job.yaml"}), ExitCode::ok);
  EXPECT_THAT(output_.err_text, IsEmpty());
}

TEST_F(ValidateTest, ADuplicateKeyIsAnError) {
  files_.put("job.yaml", std::string(kValidJob) + "  completions: 1\n  completions: 2\n");
  EXPECT_EQ(run({"job.yaml"}), ExitCode::failed);
  EXPECT_THAT(output_.err_text, HasSubstr("error: duplicate field \"spec.completions\""));
}

TEST_F(ValidateTest, AWrongTypeIsPlaced) {
  files_.put("job.yaml", std::string(kValidJob) + "  completions: many\n");
  EXPECT_EQ(run({"job.yaml"}), ExitCode::failed);
  EXPECT_THAT(output_.err_text, HasSubstr("job.yaml:12:"));
  EXPECT_THAT(output_.err_text, HasSubstr("cannot unmarshal string into Go struct field "
                                          "JobSpec.spec.completions of type int32"));
}

TEST_F(ValidateTest, SeveralDocumentsAndFilesAreAllReported) {
  files_.put("a.yaml", std::string(kValidJob) + "---\n" + kValidJob + "  backoffLimit: -2\n");
  files_.put("b.yaml", std::string(kValidJob) + "  suspend: yes\n");
  EXPECT_EQ(run({"a.yaml", "b.yaml"}), ExitCode::failed);
  EXPECT_EQ(output_.out_text, "job.batch/demo valid (a.yaml)\njob.batch/demo valid (b.yaml)\n");
  EXPECT_THAT(output_.err_text, HasSubstr("a.yaml:24:3: error: spec.backoffLimit: Invalid"));
}

TEST_F(ValidateTest, AFolderIsSearchedForManifests) {
  files_.put("dir/a.yaml", kValidJob);
  files_.put("dir/b.json", R"({"apiVersion":"batch/v1","kind":"Job"})");
  files_.put("dir/notes.txt", "not a manifest");
  files_.put("dir/sub/c.yml", kValidJob);
  EXPECT_EQ(run({"dir"}), ExitCode::failed);
  EXPECT_EQ(output_.out_text, "job.batch/demo valid (dir/a.yaml)\n");
  EXPECT_THAT(output_.err_text, HasSubstr("dir/b.json:1:"));
  options_.manifests.recursive = true;
  run({"dir"});
  EXPECT_THAT(output_.out_text, HasSubstr("(dir/sub/c.yml)"));
}

TEST_F(ValidateTest, AFolderWithoutManifestsIsUnusable) {
  files_.put("dir/notes.txt", "not a manifest");
  EXPECT_EQ(run({"dir"}), ExitCode::usage);
  EXPECT_THAT(output_.err_text, HasSubstr("dir: no manifest in this folder"));
}

TEST_F(ValidateTest, AMissingFileIsUnusableAndTheOthersAreStillChecked) {
  files_.put("job.yaml", kValidJob);
  EXPECT_EQ(run({"gone.yaml", "job.yaml"}), ExitCode::usage);
  EXPECT_THAT(output_.err_text, HasSubstr("gone.yaml"));
  EXPECT_THAT(output_.out_text, HasSubstr("job.yaml"));
}

TEST_F(ValidateTest, BrokenYamlNamesLineAndColumn) {
  files_.put("job.yaml", "kind: Job\n  spec: [\n");
  EXPECT_EQ(run({"job.yaml"}), ExitCode::failed);
  EXPECT_THAT(output_.err_text, HasSubstr("job.yaml: error: yaml: line "));
}

TEST_F(ValidateTest, AnEmptyFileAndAMissingKindAreErrors) {
  files_.put("empty.yaml", "# nothing\n");
  EXPECT_EQ(run({"empty.yaml"}), ExitCode::failed);
  EXPECT_THAT(output_.err_text, HasSubstr("no object in this file"));
  files_.put("kindless.yaml", "spec: {}\n");
  EXPECT_EQ(run({"kindless.yaml"}), ExitCode::failed);
  EXPECT_THAT(output_.err_text, HasSubstr("kindless.yaml:1:1: error: Object 'Kind' is missing"));
  files_.put("unknown.yaml", "apiVersion: batch/v2\nkind: Job\n");
  EXPECT_EQ(run({"unknown.yaml"}), ExitCode::failed);
  EXPECT_THAT(output_.err_text, HasSubstr("unknown.yaml:2:1: error: no matches for kind \"Job\" in "
                                          "version \"batch/v2\""));
}

TEST_F(ValidateTest, AnAliasBombIsRefused) {
  std::string bomb = "a0: &a0 [x,x,x,x,x,x,x,x,x,x]\n";
  for (int i = 1; i < 12; ++i) {
    const std::string previous = "*a" + std::to_string(i - 1);
    bomb += "a" + std::to_string(i) + ": &a" + std::to_string(i) + " [";
    for (int j = 0; j < 10; ++j) {
      bomb += (j == 0 ? "" : ",") + previous;
    }
    bomb += "]\n";
  }
  files_.put("bomb.yaml", bomb);
  EXPECT_EQ(run({"bomb.yaml"}), ExitCode::failed);
  EXPECT_THAT(output_.err_text, HasSubstr("bomb.yaml: error: "));
}

TEST_F(ValidateTest, PrintsTheDefaultedObject) {
  files_.put("job.yaml", kValidJob);
  options_.format = OutputFormat::yaml;
  EXPECT_EQ(run({"job.yaml"}), ExitCode::ok);
  EXPECT_THAT(output_.out_text, HasSubstr("  backoffLimit: 6\n"));
  EXPECT_THAT(output_.out_text, HasSubstr("  completionMode: NonIndexed\n"));
  EXPECT_THAT(output_.out_text, HasSubstr("terminationGracePeriodSeconds: 30\n"));
  EXPECT_THAT(output_.out_text, Not(HasSubstr("uid")));
  options_.format = OutputFormat::json;
  EXPECT_EQ(run({"job.yaml", "job.yaml"}), ExitCode::ok);
  EXPECT_THAT(output_.out_text, HasSubstr(R"("kind":"List")"));
}

TEST_F(ValidateTest, WhatIsPrintedIsValidAgain) {
  files_.put("job.yaml", kValidJob);
  options_.format = OutputFormat::yaml;
  ASSERT_EQ(run({"job.yaml"}), ExitCode::ok);
  const std::string first = output_.out_text;
  files_.put("again.yaml", first);
  ASSERT_EQ(run({"again.yaml"}), ExitCode::ok);
  EXPECT_EQ(output_.out_text, first);
}

TEST_F(ValidateTest, PodsAreDefaultedAndValidatedInFull) {
  files_.put("pod.yaml",
             "apiVersion: v1\nkind: Pod\nmetadata: {name: p}\nspec:\n  containers:\n"
             "  - {name: c, image: i}\n");
  options_.format = OutputFormat::yaml;
  EXPECT_EQ(run({"pod.yaml"}), ExitCode::ok);
  EXPECT_THAT(output_.out_text, HasSubstr("restartPolicy: Always\n"));
  EXPECT_THAT(output_.out_text, HasSubstr("imagePullPolicy: Always\n"));
  EXPECT_THAT(output_.out_text, Not(HasSubstr("namespace:")));
  files_.put("bad.yaml",
             "apiVersion: v1\nkind: Pod\nmetadata: {generateName: p-}\nspec:\n"
             "  restartPolicy: Sometimes\n  containers:\n  - {name: C, image: i}\n");
  EXPECT_EQ(run({"bad.yaml"}), ExitCode::failed);
  EXPECT_THAT(output_.err_text, HasSubstr("bad.yaml:5:3: error: spec.restartPolicy: Unsupported"));
  EXPECT_THAT(output_.err_text, HasSubstr("bad.yaml:7:6: error: spec.containers[0].name: Invalid"));
  EXPECT_THAT(output_.err_text, Not(HasSubstr("metadata.name")));
}

TEST_F(ValidateTest, OtherKindsHaveTheirMetadataValidated) {
  files_.put("map.yaml", "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: c}\n");
  EXPECT_EQ(run({"map.yaml"}), ExitCode::ok);
  files_.put("bad.yaml",
             "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: No_Name\n"
             "  labels: {a: 'b c'}\n");
  EXPECT_EQ(run({"bad.yaml"}), ExitCode::failed);
  EXPECT_THAT(output_.err_text, HasSubstr("bad.yaml:4:3: error: metadata.name: Invalid value"));
  EXPECT_THAT(output_.err_text, HasSubstr("error: metadata.labels: Invalid value"));
  files_.put("nameless.yaml", "apiVersion: v1\nkind: ConfigMap\n");
  EXPECT_EQ(run({"nameless.yaml"}), ExitCode::failed);
  EXPECT_THAT(output_.err_text, HasSubstr("metadata.name: Required value"));
}

TEST_F(ValidateTest, AnAttemptIsNothingToCreate) {
  files_.put("attempt.yaml",
             "apiVersion: ledger.windlass.dev/v1\nkind: Attempt\nmetadata: {name: a}\n");
  EXPECT_EQ(run({"attempt.yaml"}), ExitCode::failed);
  EXPECT_THAT(output_.err_text, HasSubstr("an Attempt is recorded when a pod ends"));
}

// Charts are full of them, and there is nothing wrong with that.
TEST_F(ValidateTest, KindsThatAreNotKnownHereAreNoErrors) {
  files_.put("chart.yaml", std::string("apiVersion: apps/v1\nkind: Deployment\nspec: {zork: 1}\n") +
                               "---\napiVersion: v1\nkind: PersistentVolumeClaim\n" +
                               "---\napiVersion: rbac.authorization.k8s.io/v1\nkind: Role\n" +
                               "---\napiVersion: batch.volcano.sh/v1alpha1\nkind: Job\n" +
                               "---\napiVersion: batch/v1\nkind: CronJob\n---\n" + kValidJob);
  EXPECT_EQ(run({"chart.yaml"}), ExitCode::ok);
  EXPECT_EQ(output_.out_text, "job.batch/demo valid (chart.yaml)\n");
  EXPECT_THAT(output_.err_text,
              HasSubstr("chart.yaml:2:1: warning: kind \"Deployment\" in version \"apps/v1\" is "
                        "unknown and was not checked\n"));
  EXPECT_THAT(output_.err_text, HasSubstr("kind \"Role\""));
  EXPECT_THAT(output_.err_text, Not(HasSubstr("error")));
  options_.format = OutputFormat::yaml;
  EXPECT_EQ(run({"chart.yaml"}), ExitCode::ok);
  EXPECT_THAT(output_.out_text, Not(HasSubstr("Deployment")));
  for (const char* wrong :
       {"apiVersion: batch/v1\nkind: Jop\n", "apiVersion: batch/v1beta1\nkind: CronJob\n",
        "apiVersion: bacth/v1\nkind: Job\n", "apiVersion: apps/v1\nkind: Job\n",
        "apiVersion: v1\nkind: Job\n", "apiVersion: scheduling.k8s.io/v2\nkind: PriorityClass\n"}) {
    files_.put("wrong.yaml", wrong);
    EXPECT_EQ(run({"wrong.yaml"}), ExitCode::failed) << wrong;
    EXPECT_THAT(output_.err_text, HasSubstr("error: no matches for kind")) << wrong;
  }
}

TEST_F(ValidateTest, NamesOfNamespacesAreLabelsAndTheyHaveNoNamespace) {
  files_.put("ns.yaml", "apiVersion: v1\nkind: Namespace\nmetadata: {name: a.b}\n");
  EXPECT_EQ(run({"ns.yaml"}), ExitCode::failed);
  files_.put("ns.yaml", "apiVersion: v1\nkind: Namespace\nmetadata: {name: ab}\n");
  EXPECT_EQ(run({"ns.yaml"}), ExitCode::ok);
}

// They lie beside the manifests that they are about.
TEST_F(ValidateTest, CasesOfPolicyTestsInAFolderAreSkipped) {
  files_.put("jobs/cases.yaml",
             "- name: a bug ends the Job\n  failure: {exitCode: 1}\n  expect: {action: FailJob}\n");
  EXPECT_EQ(run({"jobs"}), ExitCode::usage);
  EXPECT_THAT(output_.err_text, HasSubstr("jobs: no manifest in this folder"));
  files_.put("jobs/ns.yaml", "apiVersion: v1\nkind: Namespace\nmetadata: {name: ab}\n");
  output_.err_text.clear();
  EXPECT_EQ(run({"jobs"}), ExitCode::ok);
  EXPECT_EQ(output_.err_text, "");
  // Named by itself, or a list of something else, it is a mistake.
  EXPECT_EQ(run({"jobs/cases.yaml"}), ExitCode::failed);
  files_.put("jobs/other.yaml", "- {name: a}\n");
  EXPECT_EQ(run({"jobs"}), ExitCode::failed);
}

TEST_F(ValidateTest, AListIsTakenApart) {
  files_.put("list.yaml",
             "apiVersion: v1\nkind: List\nitems:\n- apiVersion: batch/v1\n  kind: Job\n"
             "  metadata: {name: a}\n  spec: {zork: 1}\n");
  EXPECT_EQ(run({"list.yaml"}), ExitCode::failed);
  EXPECT_THAT(output_.err_text, HasSubstr("list.yaml:7:10: error: unknown field \"spec.zork\""));
}

}  // namespace
}  // namespace windlass::cli
