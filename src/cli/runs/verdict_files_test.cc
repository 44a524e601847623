#include "cli/runs/verdict_files.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "schema/batch/v1/job.pb.h"
#include "schema/ledger/v1/attempt.pb.h"

namespace windlass::cli {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

std::shared_ptr<api::batch::v1::Job> job_that_ended(const std::string& condition) {
  auto job = std::make_shared<api::batch::v1::Job>();
  job->mutable_metadata()->set_namespace_("ns");
  job->mutable_metadata()->set_name("train");
  job->mutable_metadata()->set_uid("u-1");
  job->mutable_spec()->set_completion_mode("Indexed");
  job->mutable_spec()->set_completions(4);
  job->mutable_status()->set_completed_indexes("0,1");
  if (!condition.empty()) {
    auto& end = *job->mutable_status()->add_conditions();
    end.set_type(condition);
    end.set_status("True");
    end.set_reason(condition == "Complete" ? "CompletionsReached" : "FailedIndexes");
    end.set_message("Job has failed indexes");
  }
  return job;
}

RunAccount run_of(std::shared_ptr<api::batch::v1::Job> job, RunVerdict verdict) {
  RunAccount run;
  run.verdict = verdict;
  run.ended = run.started + milliseconds(2'500);
  run.jobs = {{std::move(job), milliseconds(1'250)}};
  return run;
}

const ledger::CauseGroups* no_causes(const std::string& /*uid*/) {
  return nullptr;
}

// Index 2 failed with exit code 42.
ledger::CauseGroups one_cause() {
  auto attempt = std::make_shared<api::ledger::v1::Attempt>();
  attempt->mutable_metadata()->set_name("pod-uid");
  attempt->mutable_job()->set_uid("u-1");
  attempt->set_index(2);
  attempt->set_phase("Failed");
  attempt->set_deciding_container("main");
  auto* container = attempt->add_containers();
  container->set_name("main");
  container->set_exit_code(42);
  attempt->mutable_log()->set_tail("no <input>\n");
  attempt->mutable_verdict()->set_counted("Failed");
  ledger::CauseGroups groups;
  groups.add(attempt);
  return groups;
}

TEST(RunJunit, HasACaseForTheVerdictAndEachIndex) {
  auto job = job_that_ended("Failed");
  job->mutable_status()->set_failed_indexes("2");
  const ledger::CauseGroups causes = one_cause();
  const std::string text = run_junit(run_of(job, RunVerdict::failed),
                                     [&causes](const std::string& /*uid*/) { return &causes; });
  EXPECT_THAT(text, HasSubstr("<testsuites name=\"windlass run\" tests=\"5\" failures=\"2\""));
  EXPECT_THAT(text,
              HasSubstr("<testsuite name=\"ns.train\" tests=\"5\" failures=\"2\" skipped=\"1\" "
                        "time=\"1.250\">"));
  EXPECT_THAT(text, HasSubstr("name=\"job.batch/train\">\n      <failure type=\"FailedIndexes\""));
  EXPECT_THAT(text, HasSubstr("<testcase classname=\"ns.train\" name=\"index 0\"/>"));
  EXPECT_THAT(text, HasSubstr("name=\"index 2\">\n      <failure type=\"exit 42 "));
  EXPECT_THAT(text, HasSubstr("no &lt;input&gt;"));
  EXPECT_THAT(text, HasSubstr("name=\"index 3\">\n      <skipped message=\"not finished\"/>"));
}

TEST(RunJunit, PassesAJobThatIsComplete) {
  auto job = job_that_ended("Complete");
  job->mutable_status()->set_completed_indexes("0-3");
  const std::string text = run_junit(run_of(job, RunVerdict::complete), no_causes);
  EXPECT_THAT(text, HasSubstr("tests=\"5\" failures=\"0\""));
  EXPECT_THAT(text, Not(HasSubstr("<failure")));
  EXPECT_EQ(run_annotations(run_of(job, RunVerdict::complete), no_causes), "");
}

TEST(RunJunit, FailsAJobThatDidNotFinish) {
  const RunAccount run = run_of(job_that_ended(""), RunVerdict::timed_out);
  EXPECT_THAT(run_junit(run, no_causes), HasSubstr("<failure type=\"TimedOut\""));
  EXPECT_EQ(run_annotations(run, no_causes),
            "::error title=job.batch/train TimedOut::the Job did not finish\n");
}

TEST(RunJunit, OfVeryManyIndexesHasTheVerdictAlone) {
  auto job = job_that_ended("Failed");
  job->mutable_spec()->set_completions(static_cast<int32_t>(kMaxJunitIndexes) + 1);
  EXPECT_THAT(run_junit(run_of(job, RunVerdict::failed), no_causes), HasSubstr("tests=\"1\""));
}

TEST(RunAnnotations, NameTheCauses) {
  const ledger::CauseGroups causes = one_cause();
  EXPECT_THAT(run_annotations(run_of(job_that_ended("Failed"), RunVerdict::failed),
                              [&causes](const std::string& /*uid*/) { return &causes; }),
              ::testing::AllOf(HasSubstr("::error title=job.batch/train FailedIndexes::Job has "
                                         "failed indexes%0A1 failure"),
                               HasSubstr("exit 42")));
}

}  // namespace
}  // namespace windlass::cli
