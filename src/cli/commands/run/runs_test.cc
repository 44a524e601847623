#include "cli/commands/run/runs.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/output/captured_output_testing.h"
#include "posix/testing.h"
#include "schema/batch/v1/job.pb.h"

namespace windlass::cli {
namespace {

using ::testing::HasSubstr;

class RunsTest : public ::testing::Test {
 protected:
  std::unique_ptr<RunFolder> begin(Duration ago) {
    RunRecord record;
    record.started = now_ - ago;
    record.files = {"job.yaml"};
    auto folder = store_.create(record, "", {});
    EXPECT_TRUE(folder) << folder.error().message;
    return folder ? *std::move(folder) : nullptr;
  }

  void end(Duration ago, RunVerdict verdict, const std::string& condition) {
    auto job = std::make_shared<api::batch::v1::Job>();
    job->mutable_metadata()->set_name("train");
    auto& added = *job->mutable_status()->add_conditions();
    added.set_type(condition);
    added.set_status("True");
    added.set_reason("Reason");
    RunAccount report;
    report.verdict = verdict;
    report.started = now_ - ago;
    report.ended = report.started + milliseconds(12'340);
    report.jobs = {{job}};
    EXPECT_TRUE(begin(ago)->save_report(report));
  }

  std::string manage(const RunsOptions& options, ExitCode code = ExitCode::ok) {
    output_.out_text.clear();
    EXPECT_EQ(manage_runs(options, store_, now_, output_), code) << output_.err_text;
    return output_.out_text;
  }

  const Time now_ = *parse_rfc3339("2026-01-02T03:04:05Z");
  posix::TemporaryDirectory scratch_;
  RunStore store_{scratch_ / "runs"};
  testing::TextOutput output_;
};

TEST_F(RunsTest, ListsTheNewestFirst) {
  end(minutes(3), RunVerdict::complete, "Complete");
  end(seconds(14), RunVerdict::failed, "Failed");
  begin(seconds(9));
  const auto held = begin(seconds(5));
  EXPECT_EQ(manage({}),
            "RUN     STARTED   TOOK     VERDICT    JOBS\n"
            "run/4   5s ago    5.00s    Running\n"
            "run/3   9s ago    -        Killed\n"
            "run/2   14s ago   12.34s   Failed     train (Reason)\n"
            "run/1   3m ago    12.34s   Complete   train\n");
}

TEST_F(RunsTest, WithoutRunsItSaysWhereTheyWouldBe) {
  EXPECT_THAT(manage({}), HasSubstr(store_.directory()));
}

TEST_F(RunsTest, JsonIsVersioned) {
  end(minutes(3), RunVerdict::failed, "Failed");
  const std::string json = manage({.json = true});
  EXPECT_THAT(json, HasSubstr("\"apiVersion\": \"windlass.dev/v1\",\n  \"kind\": \"RunList\""));
  EXPECT_THAT(json, HasSubstr("\"verdict\": \"Failed\""));
  EXPECT_THAT(json, HasSubstr("\"seconds\": 12.34"));
}

TEST_F(RunsTest, RemovesAllThatAreNamedOrNone) {
  end(minutes(3), RunVerdict::complete, "Complete");
  end(minutes(2), RunVerdict::complete, "Complete");
  manage({.action = RunsOptions::Action::remove, .names = {"1", "9"}}, ExitCode::failed);
  EXPECT_THAT(output_.err_text, HasSubstr("error: no run \"9\" is kept. The newest are 2, 1;"));
  EXPECT_EQ(manage({.action = RunsOptions::Action::remove, .names = {"run/1"}}), "run/1 removed\n");
  EXPECT_EQ(manage({.action = RunsOptions::Action::prune, .keep = 5}), "0 runs removed\n");
  EXPECT_EQ(manage({.action = RunsOptions::Action::prune, .keep = 0}), "1 run removed\n");
}

}  // namespace
}  // namespace windlass::cli
