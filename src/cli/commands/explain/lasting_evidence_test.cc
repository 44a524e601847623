// 500 failures among 10,000 indexes: their causes at once, a rerun of one cause, and every answer
// from the file of the ledger when server, namespace, Jobs and pods are gone.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <set>

#include "apiserver/testing.h"
#include "cli/commands/explain/explain.h"
#include "cli/commands/rerun.h"
#include "cli/output/captured_output_testing.h"
#include "controllers/job/controller.h"
#include "evidence/attempt_recorder.h"
#include "ledger/sqlite/attempt_reader.h"
#include "ledger/sqlite/sqlite_ledger.h"
#include "plane/plane_periods.h"
#include "posix/files/data_directory.h"
#include "posix/testing.h"

namespace windlass::cli {
namespace {

using api::core::v1::Pod;
using apiserver::testing::SimulatedApi;
using Job = api::batch::v1::Job;
using ::testing::HasSubstr;

constexpr int kIndexes = 10'000;
constexpr int kBadRecords = 300;
constexpr int kTimeouts = 120;
constexpr int kHungry = 80;

enum class IndexEnd { fine, bad_record, timeout, hungry };

// Every twentieth index fails.
IndexEnd end_of_index(int index) {
  const int place = index / 20;
  if (index % 20 != 3) {
    return IndexEnd::fine;
  }
  return place < kBadRecords               ? IndexEnd::bad_record
         : place < kBadRecords + kTimeouts ? IndexEnd::timeout
                                           : IndexEnd::hungry;
}

int index_of(const api::Message& pod) {
  return std::stoi(
      api::metadata_of(pod).annotations().at("batch.kubernetes.io/job-completion-index"));
}

std::string log_of(int index) {
  switch (end_of_index(index)) {
    case IndexEnd::bad_record:
      return fmt::format("reading part {}\nrecord {} is no JSON\n", index, index * 17);
    case IndexEnd::timeout:
      return fmt::format("cannot reach 10.0.{}.{}:5432: timed out after 30s\n", index % 200,
                         index % 90);
    default:
      return "";
  }
}

// Of a server, a Job controller and a ledger: one life of `windlass up`.
struct Plane {
  explicit Plane(const std::string& directory) {
    ledger = std::make_unique<ledger::SqliteLedger>(
        api.world.executor(), api.world.executor(), api.world.clock(), api.world.log(), metrics,
        ledger::LedgerFile::open(posix::enter_directory(directory).value(), {}).value(), hours(24));
    evidence::AttemptRecorder::Options options;
    options.evidence.read_log = [](const api::ObjectPtr& pod, const std::string&, size_t,
                                   const auto& done) {
      done(evidence::LogTail{log_of(index_of(*pod)), false, ""});
    };
    recorder.emplace(api.client_env(), *ledger, std::move(options));
    controllers::job::JobController::Options jobs;
    jobs.attempts = &*recorder;
    controller.emplace(api.client_env(), std::move(jobs));
    controller->start();
  }

  // Its pods run and end, until the Job has finished.
  void run_pods(const std::string& job, bool all_fine) {
    for (int round = 0; round < 100 && !has_finished(job); ++round) {
      for (const auto& pod : api.pods()) {
        const bool is_its = pod->metadata().labels().at("job-name") == job;
        if (is_its && pod->status().phase() == "Pending") {
          end_pod(*pod, all_fine ? IndexEnd::fine : end_of_index(index_of(*pod)));
        }
      }
      api.world.run_for(seconds(5));
    }
    ASSERT_TRUE(has_finished(job));
  }
  bool has_finished(const std::string& name) {
    const auto job = api.job(name);
    return job && std::any_of(job->status().conditions().begin(), job->status().conditions().end(),
                              [](const auto& condition) {
                                return condition.type() == "Complete" ||
                                       condition.type() == "Failed";
                              });
  }

  void end_pod(const Pod& pod, IndexEnd end) {
    api.change<Pod>(api::kinds::pod(), "default", pod.metadata().name(), "status", [end](Pod& now) {
      now.mutable_status()->set_phase(end == IndexEnd::fine ? "Succeeded" : "Failed");
      auto& container = *now.mutable_status()->add_container_statuses();
      container.set_name("main");
      auto& terminated = *container.mutable_state()->mutable_terminated();
      terminated.set_exit_code(end == IndexEnd::fine         ? 0
                               : end == IndexEnd::bad_record ? 42
                               : end == IndexEnd::timeout    ? 1
                                                             : 137);
      terminated.set_reason(end == IndexEnd::hungry ? "OOMKilled" : "Error");
    });
  }

  SimulatedApi api;
  MetricRegistry metrics;
  std::unique_ptr<ledger::SqliteLedger> ledger;
  std::optional<evidence::AttemptRecorder> recorder;
  std::optional<controllers::job::JobController> controller;
};

class LastingEvidence : public ::testing::Test {
 protected:
  // What `windlass explain` prints, about what this server and the ledger's file have.
  std::string explained(SimulatedApi& server, ExplainOptions options) {
    options.ns = "default";
    return answer(server, [&](ledger::AttemptSource& attempts, auto on_finished) {
      return std::make_unique<ExplainSession>(server.client, attempts, settings(),
                                              server.world.clock(), options, output_, on_finished);
    });
  }
  std::string rerun(SimulatedApi& server, RerunOptions options) {
    options.ns = "default";
    return answer(server, [&](ledger::AttemptSource& attempts, auto on_finished) {
      return std::make_unique<RerunSession>(server.client, attempts, settings(), options, output_,
                                            on_finished);
    });
  }

  static ExplainSession::ReadText settings() {
    return [](const std::string&, const client::Done<std::string>& done) {
      done(plane::periods_json({}));
    };
  }
  template <class Make>
  std::string answer(SimulatedApi& server, Make make) {
    output_ = {};
    ledger::SqliteAttemptSource attempts(
        server.world.executor(), server.world.executor(),
        ledger::AttemptReader::open(posix::enter_directory(directory_.path()).value(), {}).value());
    std::optional<ExitCode> code;
    const auto session = make(attempts, [&](ExitCode ended) { code = ended; });
    session->start();
    EXPECT_TRUE(server.world.run_until([&code] { return code.has_value(); }, minutes(1)));
    EXPECT_EQ(output_.err_text, "");
    return output_.out_text;
  }

  posix::TemporaryDirectory directory_;
  testing::TextOutput output_;
};

TEST_F(LastingEvidence, CausesAtOnceARerunOfOneAndAnswersWhenAllIsGone) {
  std::optional<Plane> plane(std::in_place, directory_.path());
  plane->api.create_job(fmt::format(
      "{{metadata: {{name: sweep}}, spec: {{completionMode: Indexed, completions: {0}, "
      "parallelism: {0}, backoffLimitPerIndex: 0, template: {{spec: {{restartPolicy: Never, "
      "containers: [{{name: main, image: i}}]}}}}}}}}",
      kIndexes));
  plane->run_pods("sweep", false);
  ASSERT_EQ(plane->api.job("sweep")->status().failed(), kBadRecords + kTimeouts + kHungry);

  const std::string told = explained(plane->api, {.job = "sweep"});
  EXPECT_THAT(told, HasSubstr("500 failures, 3 causes"));
  EXPECT_THAT(told, HasSubstr("record N is no JSON"));
  EXPECT_THAT(told, HasSubstr("OOMKilled"));
  EXPECT_THAT(told, HasSubstr("timed out after"));

  // With the bad records corrected, only their indexes run again.
  EXPECT_THAT(rerun(plane->api, {.job = "sweep", .cause = "1", .name = "again"}),
              HasSubstr("Runs 300 of 10,000 indexes"));
  plane->run_pods("again", true);
  std::set<int> ran;
  for (const auto& pod : plane->api.pods()) {
    if (pod->metadata().labels().at("job-name") == "again") {
      ran.insert(index_of(*pod));
    }
  }
  EXPECT_EQ(ran.size(), static_cast<size_t>(kBadRecords));
  EXPECT_TRUE(std::all_of(ran.begin(), ran.end(),
                          [](int index) { return end_of_index(index) == IndexEnd::bad_record; }));
  EXPECT_EQ(plane->api.job("again")->status().completed_indexes(), "0-9999");

  // Nothing is left but the file.
  plane.reset();
  SimulatedApi other;
  EXPECT_THAT(explained(other, {.job = "sweep"}), HasSubstr("500 failures, 3 causes"));
  EXPECT_THAT(explained(other, {.job = "sweep", .index = 3}), HasSubstr("record 51 is no JSON"));
  EXPECT_THAT(explained(other, {.job = "sweep", .index = 4}), HasSubstr("ucceeded"));
  EXPECT_THAT(explained(other, {.job = "again"}), HasSubstr("300 succeeded"));
}

}  // namespace
}  // namespace windlass::cli
