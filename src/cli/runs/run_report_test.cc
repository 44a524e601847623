#include "cli/runs/run_report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "schema/batch/v1/job.pb.h"

namespace windlass::cli {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

std::shared_ptr<api::batch::v1::Job> indexed_job() {
  auto job = std::make_shared<api::batch::v1::Job>();
  job->mutable_metadata()->set_namespace_("default");
  job->mutable_metadata()->set_name("train");
  job->mutable_metadata()->set_uid("u-1");
  job->mutable_spec()->set_completion_mode("Indexed");
  job->mutable_spec()->set_completions(10);
  job->mutable_spec()->set_parallelism(2);
  job->mutable_status()->set_succeeded(7);
  job->mutable_status()->set_failed(3);
  job->mutable_status()->set_completed_indexes("0-5,7");
  job->mutable_status()->set_failed_indexes("6");
  auto& failed = *job->mutable_status()->add_conditions();
  failed.set_type("Failed");
  failed.set_status("True");
  failed.set_reason("FailedIndexes");
  failed.set_message("Job has failed indexes");
  return job;
}

RunAccount failed_run() {
  RunAccount report;
  report.run = "12";
  report.resumes = "11";
  report.verdict = RunVerdict::failed;
  report.exit_code = 1;
  report.started = *parse_rfc3339("2026-01-02T03:04:05Z");
  report.ended = report.started + milliseconds(12'340);
  report.jobs = {{indexed_job(), milliseconds(12'300), 2, R"([{"title":"exit 42"}])"}};
  return report;
}

// docs/reference/run-json.md: fields are added, never renamed.
TEST(RunAccount, HasTheDocumentedFields) {
  const std::string json = report_json(failed_run());
  EXPECT_THAT(
      json,
      HasSubstr(R"({"apiVersion":"windlass.dev/v1","kind":"RunReport","run":"12","resumes":"11",)"
                R"("verdict":"Failed","exitCode":1,"startedAt":"2026-01-02T03:04:05Z",)"
                R"("endedAt":"2026-01-02T03:04:17Z","seconds":12.34,"jobs":[{)"
                R"("namespace":"default","name":"train","uid":"u-1","verdict":"Failed",)"
                R"("reason":"FailedIndexes","message":"Job has failed indexes","seconds":12.3,)"
                R"("completionMode":"Indexed","completions":10,"parallelism":2,)"
                R"("pods":{"succeeded":7,"failed":3,"ignored":2},)"
                R"("indexes":{"succeeded":"0-5,7","failed":"6","remaining":"8,9"},)"
                R"("causes":[{"title":"exit 42"}],"job":{"kind":"Job","apiVersion":"batch/v1",)"));
}

TEST(RunAccount, LeavesOutWhatIsNotKnownYet) {
  RunAccount report;
  auto queue = std::make_shared<api::batch::v1::Job>();
  queue->mutable_metadata()->set_name("queue");
  queue->mutable_spec()->set_completion_mode("NonIndexed");
  report.jobs = {{queue}};
  const std::string json = report_json(report);
  EXPECT_THAT(json, HasSubstr(R"("verdict":"Running","startedAt")"));
  EXPECT_THAT(json,
              HasSubstr(R"("name":"queue","uid":"","verdict":"Unfinished","completionMode")"));
  EXPECT_THAT(json, HasSubstr(R"("causes":[])"));
  for (const char* absent : {"\"run\"", "exitCode", "completions\"", "\"indexes\"", "\"reason\""}) {
    EXPECT_THAT(json, Not(HasSubstr(absent)));
  }
}

TEST(RunAccount, IsReadAgain) {
  for (const OutputFormat format : {OutputFormat::text, OutputFormat::json}) {
    const RunAccount report = failed_run();
    const auto summary =
        read_report(format == OutputFormat::text ? report_json(report)
                                                 : printed_report(report, OutputFormat::json));
    ASSERT_TRUE(summary) << summary.error().message;
    EXPECT_EQ(summary->verdict, "Failed");
    EXPECT_EQ(summary->started, report.started);
    EXPECT_EQ(summary->took, milliseconds(12'340));
    ASSERT_EQ(summary->jobs.size(), 1u);
    EXPECT_EQ(summary->jobs[0].name, "train");
    EXPECT_EQ(summary->jobs[0].uid, "u-1");
    EXPECT_EQ(summary->jobs[0].verdict, "Failed");
    EXPECT_EQ(summary->jobs[0].succeeded, 7);
    EXPECT_EQ(summary->jobs[0].indexes, "0-5,7");
  }
}

TEST(RunAccount, YamlIsTheSame) {
  EXPECT_THAT(printed_report(failed_run(), OutputFormat::yaml),
              HasSubstr("apiVersion: windlass.dev/v1\nkind: RunReport\nrun: \"12\"\n"));
}

TEST(RunAccount, DamagedTextAndLaterVersionsAreErrors) {
  std::string json = report_json(failed_run());
  EXPECT_FALSE(read_report(json.substr(0, json.size() / 2)));
  EXPECT_FALSE(read_report(""));
  EXPECT_FALSE(read_report("[]"));
  EXPECT_FALSE(read_report(R"({"kind":"RunReport"})"));
  json.replace(json.find("dev/v1"), 6, "dev/v9");
  const auto later = read_report(json);
  ASSERT_FALSE(later);
  EXPECT_THAT(later.error().message, HasSubstr("windlass.dev/v9"));
}

}  // namespace
}  // namespace windlass::cli
