#include "cli/runs/resume.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/output/captured_output_testing.h"
#include "cli/runs/run_storage.h"
#include "ledger/sqlite/ledger_file.h"
#include "posix/files/data_directory.h"
#include "posix/files/posix_files.h"
#include "posix/testing.h"
#include "schema/batch/v1/job.pb.h"
#include "schema/ledger/v1/attempt.pb.h"

namespace windlass::cli {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr const char* kCompletedAnnotation = "windlass.dev/completed-indexes";

std::string resumed_yaml(const std::string& name, const std::string& spec) {
  return "apiVersion: batch/v1\nkind: Job\nmetadata: {name: " + name + "}\nspec:\n" + spec +
         "  template:\n    spec:\n      restartPolicy: Never\n      containers:\n"
         "      - {name: main, image: busybox, command: [work]}\n---\n";
}

ledger::AttemptPtr attempt_of(const std::string& job, std::optional<int32_t> index,
                              const std::string& counted) {
  static int number = 0;
  auto attempt = std::make_shared<api::ledger::v1::Attempt>();
  attempt->mutable_metadata()->set_namespace_("default");
  attempt->mutable_metadata()->set_name("pod-" + std::to_string(++number));
  attempt->mutable_job()->set_name(job);
  attempt->mutable_job()->set_uid(job + "-uid");
  if (index) {
    attempt->set_index(*index);
  }
  attempt->mutable_verdict()->set_counted(counted);
  return attempt;
}

class ResumeTest : public ::testing::Test {
 protected:
  ResumeTest() {
    write(resumed_yaml("train", "  completionMode: Indexed\n  completions: 10\n") +
          resumed_yaml("plain", "  completions: 5\n") +
          resumed_yaml("queue", "  parallelism: 2\n") + resumed_yaml("ready", ""));
  }

  void write(const std::string& manifest) {
    options_.manifests.paths = {scratch_.write("job.yaml", manifest)};
  }

  // A run of that manifest, which was killed after these attempts.
  void run_and_kill(const std::vector<ledger::AttemptPtr>& attempts, RunAccount report = {}) {
    const auto plan = plan_run(options_, files_, output_);
    ASSERT_TRUE(plan) << output_.err_text;
    RunRecord record;
    record.started = *parse_rfc3339("2026-01-02T03:04:05Z");
    record.directory = scratch_.path();
    record.files = {"job.yaml"};
    record.ns = "default";
    auto folder = store_.create(record, kept_manifest(*plan), {});
    ASSERT_TRUE(folder) << folder.error().message;
    report.started = report.ended = record.started;
    ASSERT_TRUE((*folder)->save_report(report));
    if (!attempts.empty()) {
      auto file = ledger::LedgerFile::open(*posix::enter_directory((*folder)->path()), {});
      ASSERT_TRUE(file) << file.error().message;
      ASSERT_EQ((*file)->append(attempts, record.started), sqlite::SqliteResult::done);
    }
    options_ = {};
  }

  Result<RestOfPlan> rest(bool force = false) {
    TRY(Resume resume, Resume::find(store_, "", files_, options_));
    const auto plan = plan_run(options_, files_, output_);
    EXPECT_TRUE(plan) << output_.err_text;
    return resume.rest_of(*plan, force, output_);
  }

  static const api::batch::v1::Job* job_in(const RestOfPlan& rest, const std::string& name) {
    for (const ObjectToCreate& object : rest.plan.objects) {
      if (object.ref.name == name) {
        return api::object_as<api::batch::v1::Job>(object.object).get();
      }
    }
    return nullptr;
  }

  posix::TemporaryDirectory scratch_;
  posix::PosixFiles files_;
  testing::TextOutput output_;
  JobOptions options_;
  RunStore store_{scratch_ / "runs"};
};

TEST_F(ResumeTest, WhatSucceededIsNotRunAgain) {
  RunAccount report;
  auto complete = std::make_shared<api::batch::v1::Job>();
  complete->mutable_metadata()->set_namespace_("default");
  complete->mutable_metadata()->set_name("ready");
  auto& condition = *complete->mutable_status()->add_conditions();
  condition.set_type("Complete");
  condition.set_status("True");
  report.jobs = {{complete}};
  run_and_kill({attempt_of("train", 0, "Succeeded"), attempt_of("train", 1, "Failed"),
                attempt_of("train", 2, "Succeeded"), attempt_of("train", 3, "Ignored"),
                attempt_of("plain", {}, "Succeeded"), attempt_of("plain", {}, "Succeeded"),
                attempt_of("queue", {}, "Succeeded"), attempt_of("other", 7, "Succeeded")},
               report);
  const auto left = rest();
  ASSERT_TRUE(left) << left.error().message;
  EXPECT_EQ(left->plan.jobs, 3u);
  EXPECT_EQ(job_in(*left, "train")->metadata().annotations().at(kCompletedAnnotation), "0,2");
  EXPECT_EQ(job_in(*left, "plain")->spec().completions(), 3);
  EXPECT_FALSE(job_in(*left, "queue")->spec().has_completions());
  EXPECT_EQ(job_in(*left, "ready"), nullptr);
  EXPECT_THAT(left->notes,
              ElementsAre("job.batch/train: 2 of 10 indexes are done; runs 8",
                          "job.batch/plain: 2 of 5 completions are done; runs 3 more",
                          "job.batch/queue is a work queue: its pods know what is left, so all "
                          "run again",
                          "job.batch/ready is Complete: not run again"));
}

// A run without a ledger, or whose ledger is behind its report.
TEST_F(ResumeTest, TheReportSaysWhatSucceededToo) {
  RunAccount report;
  auto train = std::make_shared<api::batch::v1::Job>();
  train->mutable_metadata()->set_namespace_("default");
  train->mutable_metadata()->set_name("train");
  train->mutable_spec()->set_completion_mode("Indexed");
  train->mutable_status()->set_completed_indexes("0-3,5");
  auto plain = std::make_shared<api::batch::v1::Job>();
  plain->mutable_metadata()->set_namespace_("default");
  plain->mutable_metadata()->set_name("plain");
  plain->mutable_status()->set_succeeded(2);
  report.jobs = {{train}, {plain}};
  run_and_kill({attempt_of("train", 7, "Succeeded"), attempt_of("plain", {}, "Succeeded")}, report);
  const auto left = rest();
  ASSERT_TRUE(left) << left.error().message;
  EXPECT_EQ(job_in(*left, "train")->metadata().annotations().at(kCompletedAnnotation), "0-3,5,7");
  EXPECT_EQ(job_in(*left, "plain")->spec().completions(), 3) << "two, not three";
}

TEST_F(ResumeTest, ARunThatWasKilledAtOnceRunsWhole) {
  run_and_kill({});
  const auto left = rest();
  ASSERT_TRUE(left) << left.error().message;
  EXPECT_EQ(left->plan.jobs, 4u);
  EXPECT_THAT(left->notes, IsEmpty());
}

TEST_F(ResumeTest, WhenAllIsDoneNothingIsLeft) {
  write(resumed_yaml("train", "  completionMode: Indexed\n  completions: 2\n") +
        resumed_yaml("plain", "  completions: 1\n"));
  run_and_kill({attempt_of("train", 0, "Succeeded"), attempt_of("train", 1, "Succeeded"),
                attempt_of("plain", {}, "Succeeded")});
  const auto left = rest();
  ASSERT_TRUE(left) << left.error().message;
  EXPECT_EQ(left->plan.jobs, 0u);
}

TEST_F(ResumeTest, AMetSuccessPolicyIsDone) {
  write(resumed_yaml("train",
                     "  completionMode: Indexed\n  completions: 5\n"
                     "  successPolicy: {rules: [{succeededIndexes: '0'}]}\n"));
  run_and_kill({attempt_of("train", 0, "Succeeded")});
  EXPECT_EQ(rest()->plan.jobs, 0u);
}

TEST_F(ResumeTest, AChangedManifestIsShownAndNeedsForce) {
  run_and_kill({attempt_of("train", 0, "Succeeded")});
  scratch_.write("job.yaml",
                 resumed_yaml("train", "  completionMode: Indexed\n  completions: 12\n"));
  const auto refused = rest();
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().message, HasSubstr("Add --force"));
  EXPECT_THAT(output_.err_text, HasSubstr("-   completions: 10\n"));
  EXPECT_THAT(output_.err_text, HasSubstr("+   completions: 12\n"));
  options_ = {};
  const auto forced = rest(true);
  ASSERT_TRUE(forced) << forced.error().message;
  EXPECT_EQ(forced->plan.jobs, 1u);
  EXPECT_EQ(job_in(*forced, "train")->metadata().annotations().at(kCompletedAnnotation), "0");
  EXPECT_EQ(job_in(*forced, "train")->spec().completions(), 12);
}

TEST_F(ResumeTest, WithoutItsFilesTheRunsOwnManifestIsUsed) {
  run_and_kill({attempt_of("train", 4, "Succeeded")});
  std::filesystem::remove(scratch_ / "job.yaml");
  const auto left = rest();
  ASSERT_TRUE(left) << left.error().message;
  EXPECT_EQ(left->plan.jobs, 4u);
  EXPECT_EQ(job_in(*left, "train")->metadata().annotations().at(kCompletedAnnotation), "4");
}

TEST_F(ResumeTest, ValuesOfSecretsAreNotKept) {
  write(resumed_yaml("train", "") +
        "apiVersion: v1\nkind: Secret\nmetadata: {name: key}\nstringData: {token: hunter2}\n");
  run_and_kill({});
  const auto run = store_.find("last");
  ASSERT_TRUE(run);
  const std::string kept = store_.manifest(*run).value();
  EXPECT_THAT(kept, HasSubstr("token: \"\""));
  EXPECT_THAT(kept, ::testing::Not(HasSubstr("hunter2")));
  EXPECT_THAT(kept, ::testing::Not(HasSubstr("aHVudGVyMg")));
  EXPECT_TRUE(rest()) << "the files have them";
  options_ = {};
  std::filesystem::remove(scratch_ / "job.yaml");
  const auto refused = rest();
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().message, HasSubstr("values of Secrets are not kept"));
}

TEST_F(ResumeTest, ARunThatGoesOnIsLeftAlone) {
  const auto held = store_.create({.started = *parse_rfc3339("2026-01-02T03:04:05Z")}, "", {});
  ASSERT_TRUE(held);
  const auto refused = Resume::find(store_, "last", files_, options_);
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().message, HasSubstr("run/1 is still running: stop it first"));
}

TEST_F(ResumeTest, ADamagedLedgerIsAnError) {
  run_and_kill({attempt_of("train", 0, "Succeeded")});
  std::ofstream(store_.find("last")->path + "/ledger.db") << "no ledger at all";
  EXPECT_FALSE(rest());
}

}  // namespace
}  // namespace windlass::cli
