#include "cli/commands/report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "apiserver/testing.h"
#include "cli/output/captured_output_testing.h"

namespace windlass::cli {
namespace {

using apiserver::testing::SimulatedApi;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

class ReportCommandTest : public ::testing::Test {
 protected:
  ReportCommandTest() {
    options_.ns = "default";
    options_.job = "sweep";
    api_.create_job(
        "{metadata: {name: sweep}, spec: {completions: 3, completionMode: Indexed, template: "
        "{spec: "
        "{restartPolicy: Never, containers: [{name: main, image: i}]}}}}");
  }

  ExitCode run() {
    std::optional<ExitCode> code;
    ReportSession session(api_.client, api_.world.clock(), options_, output_,
                          [&code](ExitCode exit) { code = exit; });
    session.start();
    EXPECT_TRUE(api_.world.run_until([&code] { return code.has_value(); }, minutes(1)));
    return code.value_or(ExitCode::interrupted);
  }

  SimulatedApi api_;
  ReportOptions options_;
  testing::TextOutput output_;
};

TEST_F(ReportCommandTest, WritesOneFileWithTheJobInIt) {
  EXPECT_EQ(run(), ExitCode::ok);
  EXPECT_THAT(output_.out_text, HasSubstr("<!doctype html>"));
  EXPECT_THAT(output_.out_text, HasSubstr("\"cells\":\"nnn\""));
  EXPECT_THAT(output_.err_text, IsEmpty());
}

TEST_F(ReportCommandTest, WritesTheDocumentAlone) {
  options_.json = true;
  EXPECT_EQ(run(), ExitCode::ok);
  EXPECT_THAT(output_.out_text, Not(HasSubstr("<!doctype")));
  const auto report = report_of_document(output_.out_text);
  ASSERT_TRUE(report);
  EXPECT_THAT(*report, HasSubstr("\"cells\":\"nnn\""));
}

TEST_F(ReportCommandTest, SaysThatThereIsNoSuchJob) {
  options_.job = "other";
  EXPECT_EQ(run(), ExitCode::failed);
  EXPECT_THAT(output_.err_text, HasSubstr("\"other\" not found"));
  EXPECT_THAT(output_.out_text, IsEmpty());
}

TEST(ReportOfDocument, RefusesWhatIsNone) {
  for (const char* text : {"", "{", "[]", "{\"version\":1}", "{\"job\":{\"name\":\"x\"}}"}) {
    const auto report = report_of_document(text);
    ASSERT_FALSE(report) << text;
    EXPECT_THAT(report.error().message, HasSubstr("not a document of")) << text;
  }
  const auto newer = report_of_document("{\"version\":9,\"job\":{\"name\":\"x\"}}");
  ASSERT_FALSE(newer);
  EXPECT_THAT(newer.error().message, HasSubstr("version 9 is not known"));
}

TEST(ReportOfDocument, KeepsMarkupInTextHarmless) {
  const auto report = report_of_document("{\"version\":1,\"job\":{\"name\":\"</script><b>\"}}");
  ASSERT_TRUE(report);
  EXPECT_THAT(*report, HasSubstr("<title>&lt;/script&gt;&lt;b&gt;</title>"));
  EXPECT_THAT(*report, HasSubstr("\\u003c/script\\u003e"));
}

}  // namespace
}  // namespace windlass::cli
