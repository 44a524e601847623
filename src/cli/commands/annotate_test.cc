#include "cli/commands/annotate.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/output/captured_output_testing.h"
#include "virtual_world/virtual_files.h"

namespace windlass::cli {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

constexpr const char* kNamedJob = R"(
apiVersion: batch/v1
kind: Job
metadata: {name: j}
spec:
  podFailurePolicy:
    rules:
    - {name: OutOfMemory, action: FailJob, onExitCodes: {operator: In, values: [137]}}
    - {action: Ignore, onPodConditions: [{type: DisruptionTarget, status: "True"}]}
  template: {spec: {restartPolicy: Never, containers: [{name: c, image: i}]}}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: c}
)";

TEST(Annotate, MovesNamesAndLeavesTheRest) {
  virtual_world::VirtualFiles files;
  files.put("job.yaml", kNamedJob);
  testing::TextOutput output;
  EXPECT_EQ(annotate({{{"job.yaml"}}, OutputFormat::yaml}, files, output), ExitCode::ok)
      << output.err_text;
  EXPECT_THAT(output.out_text,
              HasSubstr("windlass.dev/failure-rule-names: '[\"OutOfMemory\",null]'"));
  EXPECT_THAT(output.out_text, Not(HasSubstr("name: OutOfMemory")));
  EXPECT_THAT(output.out_text, HasSubstr("kind: ConfigMap"));
  EXPECT_THAT(output.out_text, Not(HasSubstr("backoffLimit")));  // nothing is defaulted

  files.put("again.yaml", output.out_text);
  testing::TextOutput again;
  EXPECT_EQ(annotate({{{"again.yaml"}}, OutputFormat::yaml}, files, again), ExitCode::ok);
  EXPECT_EQ(again.out_text, output.out_text);
}

TEST(Annotate, AJobOfAnotherGroupPassesUnchanged) {
  constexpr const char* kOther =
      "apiVersion: batch.volcano.sh/v1alpha1\nkind: Job\nmetadata:\n  name: v\nspec:\n"
      "  minAvailable: 3\n";
  virtual_world::VirtualFiles files;
  files.put("other.yaml", kOther);
  testing::TextOutput output;
  EXPECT_EQ(annotate({{{"other.yaml"}}, OutputFormat::yaml}, files, output), ExitCode::ok)
      << output.err_text;
  EXPECT_EQ(output.out_text, kOther);
  EXPECT_EQ(output.err_text, "");
  files.put("typo.yaml", "{apiVersion: bacth/v1, kind: Job, metadata: {name: j}}");
  EXPECT_EQ(annotate({{{"typo.yaml"}}, OutputFormat::yaml}, files, output), ExitCode::failed);
}

TEST(Annotate, SaysWhatIsWrong) {
  virtual_world::VirtualFiles files;
  files.put("job.yaml", "{apiVersion: batch/v1, kind: Job, metadata: {name: j}, spec: {zork: 1}}");
  testing::TextOutput output;
  EXPECT_EQ(annotate({{{"job.yaml"}}, OutputFormat::yaml}, files, output), ExitCode::failed);
  EXPECT_THAT(output.err_text, HasSubstr("zork"));
  EXPECT_EQ(output.out_text, "");
  EXPECT_EQ(annotate({{{"none.yaml"}}, OutputFormat::yaml}, files, output), ExitCode::usage);
}

}  // namespace
}  // namespace windlass::cli
