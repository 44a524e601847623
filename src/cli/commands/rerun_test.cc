#include "cli/commands/rerun.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "api/codec/wire_time.h"
#include "apiserver/testing.h"
#include "cli/flags/parsed_options_testing.h"
#include "plane/plane_periods.h"
#include "schema/ledger/v1/attempt.pb.h"
#include "verify/ledgers/attempt_maker.h"
#include "verify/ledgers/memory_ledger.h"

namespace windlass::cli {
namespace {

using apiserver::testing::SimulatedApi;
using Job = api::batch::v1::Job;
using ::testing::HasSubstr;
using ::testing::StartsWith;

class RerunCommandTest : public ::testing::Test {
 protected:
  RerunCommandTest() {
    options_.ns = "default";
    options_.job = "sweep";
    options_.name = "again";
    options_.failed = true;
  }

  void create_sweep(const std::string& more = "backoffLimitPerIndex: 1, ") {
    api_.create_job("{metadata: {name: sweep}, spec: {completionMode: Indexed, completions: 4, " +
                    more +
                    "template: {spec: {restartPolicy: Never, containers: [{name: main, image: "
                    "i}]}}}}");
  }
  void end_sweep(const std::string& failed = "1,3") {
    api_.change<Job>(api::kinds::job(), "default", "sweep", "status", [&](Job& job) {
      auto& status = *job.mutable_status();
      api::set_time(*status.mutable_start_time(), api_.world.clock().now());
      status.set_completed_indexes("0");
      status.set_succeeded(1);
      if (!failed.empty()) {
        status.set_failed_indexes(failed);
      }
      for (const char* type : {"FailureTarget", "Failed"}) {
        auto& condition = *status.add_conditions();
        condition.set_type(type);
        condition.set_status("True");
      }
    });
  }

  ExitCode run() {
    output_.out_text.clear();
    output_.err_text.clear();
    std::optional<ExitCode> code;
    RerunSession session(
        api_.client, ledger_,
        [this](const std::string& path, const client::Done<std::string>& done) {
          EXPECT_EQ(path, "/configz");
          done(settings_);
        },
        options_, output_, [&code](ExitCode ended) { code = ended; });
    session.start();
    EXPECT_TRUE(api_.world.run_until([&code] { return code.has_value(); }, minutes(1)));
    return code.value_or(ExitCode::usage);
  }
  std::string completed(const std::string& name) {
    const auto job = api_.job(name);
    return job ? job->metadata().annotations().at("windlass.dev/completed-indexes") : "no Job";
  }

  SimulatedApi api_;
  ledger::MemoryLedger ledger_{api_.world.executor()};
  RerunOptions options_;
  testing::TextOutput output_;
  Result<std::string> settings_ = plane::periods_json({});
};

TEST_F(RerunCommandTest, CreatesAJobForTheFailedIndexes) {
  create_sweep();
  end_sweep();
  EXPECT_EQ(run(), ExitCode::ok);
  EXPECT_EQ(output_.out_text, "job/again created\nRuns 2 of 4 indexes: 1,3\n");
  EXPECT_EQ(completed("again"), "0,2");
}

TEST_F(RerunCommandTest, TheServerMakesANameWhereNoneIsGiven) {
  create_sweep();
  end_sweep();
  options_.name = "";
  EXPECT_EQ(run(), ExitCode::ok);
  EXPECT_THAT(output_.out_text, StartsWith("job/sweep-rerun-"));
}

TEST_F(RerunCommandTest, RunsUnfinishedOrListedIndexes) {
  create_sweep();
  end_sweep();
  options_.failed = false;
  options_.unfinished = true;
  EXPECT_EQ(run(), ExitCode::ok);
  EXPECT_EQ(completed("again"), "0");
  options_.unfinished = false;
  options_.indexes = IndexSet{0, 2};
  options_.name = "listed";
  EXPECT_EQ(run(), ExitCode::ok);
  EXPECT_EQ(completed("listed"), "1,3");
}

// Its pods are gone. Index 0 failed the same way, and is completed now.
TEST_F(RerunCommandTest, RunsTheIndexesOfOneCause) {
  create_sweep();
  end_sweep();
  const std::string uid = api_.job("sweep")->metadata().uid();
  for (const int index : {0, 1, 3}) {
    auto attempt =
        std::make_shared<api::ledger::v1::Attempt>(*ledger::AttemptMaker()
                                                        .pod("sweep-" + std::to_string(index))
                                                        .index(index)
                                                        .exit(index == 3 ? 9 : 42)
                                                        .make());
    attempt->mutable_job()->set_uid(uid);
    ledger_.record(attempt, [](const Result<void>&) {});
  }
  options_.failed = false;
  options_.cause = "1";
  EXPECT_EQ(run(), ExitCode::ok);
  EXPECT_EQ(output_.out_text, "job/again created\nRuns 1 of 4 indexes: 1\n");
  EXPECT_EQ(completed("again"), "0,2,3");
  options_.cause = "3";
  EXPECT_EQ(run(), ExitCode::failed);
  EXPECT_EQ(output_.err_text, "error: no cause \"3\": the causes are 1 to 2\n");
}

TEST_F(RerunCommandTest, ACauseWithoutIndexesToRun) {
  create_sweep();
  options_.failed = false;
  options_.cause = "1";
  EXPECT_EQ(run(), ExitCode::failed);
  EXPECT_THAT(output_.err_text, StartsWith("error: job/sweep is not finished"));
  end_sweep();
  EXPECT_EQ(run(), ExitCode::failed);
  EXPECT_EQ(output_.err_text, "error: no attempt of job/sweep is known\n");
}

TEST_F(RerunCommandTest, ADryRunPrintsTheJobAndCreatesNothing) {
  create_sweep();
  end_sweep();
  options_.dry_run = true;
  EXPECT_EQ(run(), ExitCode::ok);
  EXPECT_THAT(output_.out_text, HasSubstr("windlass.dev/completed-indexes: 0,2\n"));
  EXPECT_EQ(api_.job("again"), nullptr);
  options_.format = OutputFormat::json;
  EXPECT_EQ(run(), ExitCode::ok);
  EXPECT_THAT(output_.out_text, StartsWith("{\n"));
}

TEST_F(RerunCommandTest, SaysWhyAJobCannotBeRerun) {
  EXPECT_EQ(run(), ExitCode::failed);
  EXPECT_EQ(output_.err_text, "error: jobs.batch \"sweep\" not found\n");
  create_sweep("");
  EXPECT_EQ(run(), ExitCode::failed);
  EXPECT_THAT(output_.err_text, StartsWith("error: job/sweep is not finished"));
  end_sweep("");
  EXPECT_EQ(run(), ExitCode::failed);
  EXPECT_THAT(output_.err_text, HasSubstr("with --unfinished"));
  options_.keep_counts = true;
  EXPECT_EQ(run(), ExitCode::failed);
  EXPECT_THAT(output_.err_text, HasSubstr("--keep-counts needs spec.backoffLimitPerIndex"));
}

TEST_F(RerunCommandTest, AControllerThatWouldRunAllIndexesIsRefused) {
  create_sweep();
  end_sweep();
  settings_ = fail(plain_error("the server could not find the page"));
  EXPECT_EQ(run(), ExitCode::failed);
  EXPECT_THAT(output_.err_text,
              StartsWith("error: the Job controller of this cluster would run all 4 indexes"));
  EXPECT_EQ(api_.job("again"), nullptr);
  options_.managed_by = "windlass.dev/job-controller";
  EXPECT_EQ(run(), ExitCode::ok);
  EXPECT_EQ(api_.job("again")->spec().managed_by(), "windlass.dev/job-controller");
}

TEST_F(RerunCommandTest, OfOtherControllersOnlyThoseOfWindlassAreTrusted) {
  create_sweep("backoffLimitPerIndex: 1, managedBy: example.com/queue, ");
  end_sweep();
  EXPECT_EQ(run(), ExitCode::failed);
  EXPECT_THAT(output_.err_text, StartsWith("error: the Job controller example.com/queue would"));
}

TEST_F(RerunCommandTest, AJobOfWindlassControllerStaysWithIt) {
  create_sweep("backoffLimitPerIndex: 1, managedBy: windlass.dev/job-controller, ");
  end_sweep();
  settings_ = fail(plain_error("the server could not find the page"));
  EXPECT_EQ(run(), ExitCode::ok);
  EXPECT_EQ(api_.job("again")->spec().managed_by(), "windlass.dev/job-controller");
}

TEST_F(RerunCommandTest, KeepCountsReadsThePods) {
  create_sweep();
  end_sweep();
  const std::string uid = api_.job("sweep")->metadata().uid();
  api_.create_pod(
      "{metadata: {name: p, labels: {batch.kubernetes.io/controller-uid: " + uid +
      ", batch.kubernetes.io/job-name: sweep, controller-uid: " + uid +
      ", job-name: sweep}, annotations: {batch.kubernetes.io/job-completion-index: '3', "
      "batch.kubernetes.io/job-index-failure-count: '1'}, ownerReferences: [{apiVersion: batch/v1, "
      "kind: Job, name: sweep, uid: " +
      uid +
      ", controller: true}]}, spec: {restartPolicy: Never, containers: [{name: main, image: i}]}}");
  options_.keep_counts = true;
  EXPECT_EQ(run(), ExitCode::ok);
  EXPECT_EQ(api_.job("again")->metadata().annotations().at("windlass.dev/job-record"),
            "v1;counts=1:3");
}

TEST_F(RerunCommandTest, ALongListOfIndexesIsCut) {
  create_sweep();
  end_sweep();
  api_.change<Job>(api::kinds::job(), "default", "sweep", "", [](Job& job) {
    job.mutable_spec()->set_completions(200);
    job.mutable_spec()->set_parallelism(200);
  });
  options_.failed = false;
  options_.indexes = IndexSet();
  for (int32_t i = 0; i < 200; i += 2) {
    options_.indexes->insert(i);
  }
  EXPECT_EQ(run(), ExitCode::ok);
  EXPECT_THAT(output_.out_text, HasSubstr("Runs 100 of 200 indexes: 0,2,4,"));
  EXPECT_THAT(output_.out_text, ::testing::EndsWith("...\n"));
}

TEST(RerunFlags, OneChoiceOfIndexesIsNeeded) {
  const auto options = testing::parsed<RerunOptions>(
      {"rerun", "job/j", "--indexes", "3,7-9", "--keep-counts", "-n", "batch", "--dry-run"});
  EXPECT_EQ(options.job, "j");
  EXPECT_EQ(options.ns, "batch");
  EXPECT_EQ(options.indexes->to_string(), "3,7-9");
  EXPECT_TRUE(options.keep_counts && options.dry_run);
  const auto refused = [](const std::vector<std::string>& arguments) {
    testing::TextOutput output;
    const auto execute = [](const RerunOptions&, Output&) { return ExitCode::ok; };
    EXPECT_EQ(
        run_command_line({make_command<RerunOptions>("rerun", "", execute)}, arguments, output),
        ExitCode::usage);
    return output.err_text;
  };
  EXPECT_THAT(refused({"rerun", "job/j"}), HasSubstr("must specify one of --failed"));
  EXPECT_THAT(refused({"rerun", "job/j", "--failed", "--unfinished"}),
              HasSubstr("must specify one of --failed"));
  EXPECT_THAT(refused({"rerun", "job/j", "--indexes", "9,3"}),
              HasSubstr("invalid --indexes \"9,3\""));
  EXPECT_THAT(refused({"rerun", "--failed"}), HasSubstr("must specify a Job"));
}

}  // namespace
}  // namespace windlass::cli
