#include "cli/commands/explain.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "apiserver/testing.h"
#include "cli/output/captured_output_testing.h"
#include "plane/plane_periods.h"
#include "schema/core/v1/event.pb.h"

namespace windlass::cli {
namespace {

using api::core::v1::Pod;
using apiserver::testing::SimulatedApi;
using Job = api::batch::v1::Job;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

class ExplainCommandTest : public ::testing::Test {
 protected:
  ExplainCommandTest() {
    options_.ns = "default";
    options_.job = "j";
    const auto job = api_.create_job(
        "{metadata: {name: j}, spec: {podFailurePolicy: {rules: [{action: FailJob, "
        "onExitCodes: {operator: In, values: [42]}}]}, template: {spec: {restartPolicy: Never, "
        "containers: [{name: main, image: i}]}}}}");
    uid_ = job->metadata().uid();
  }

  void add_pod(const std::string& name, const std::string& owner) {
    api_.create_pod(
        "{metadata: {name: " + name + ", labels: {batch.kubernetes.io/controller-uid: " + uid_ +
        "}, ownerReferences: [{apiVersion: batch/v1, kind: Job, name: j, uid: " + owner +
        ", controller: true}]}, spec: {restartPolicy: Never, "
        "containers: [{name: main, image: i}]}}");
    api_.change<Pod>(api::kinds::pod(), "default", name, "status", [](Pod& pod) {
      pod.mutable_status()->set_phase("Failed");
      auto& status = *pod.mutable_status()->add_container_statuses();
      status.set_name("main");
      status.mutable_state()->mutable_terminated()->set_exit_code(42);
    });
  }
  void fail_job() {
    api_.change<Job>(api::kinds::job(), "default", "j", "status", [](Job& job) {
      auto& condition = *job.mutable_status()->add_conditions();
      condition.set_type("FailureTarget");
      condition.set_status("True");
      condition.set_reason("PodFailurePolicy");
      condition.set_message(
          "Container main for pod default/p failed with exit code 42 matching FailJob rule at "
          "index 0");
    });
  }

  void add_event(const std::string& name, const std::string& kind, const std::string& uid,
                 const std::string& fields, Duration ago) {
    api_.create<api::core::v1::Event>(
        api::kinds::event(),
        fmt::format("{{metadata: {{name: {}}}, involvedObject: {{kind: {}, namespace: default, "
                    "name: x, uid: {}}}, {}, lastTimestamp: '{}'}}",
                    name, kind, uid, fields, format_rfc3339(api_.world.clock().now() - ago)));
  }

  ExitCode run() {
    std::optional<ExitCode> code;
    ExplainSession session(
        api_.client,
        [this](const std::string& path, const client::Done<std::string>& done) {
          if (path == "/configz") {
            return done(settings_);
          }
          paths_.push_back(path);
          done(log_);
        },
        api_.world.clock(), options_, output_, [&code](ExitCode ended) { code = ended; });
    session.start();
    EXPECT_TRUE(api_.world.run_until([&code] { return code.has_value(); }, minutes(1)));
    return code.value_or(ExitCode::usage);
  }

  SimulatedApi api_;
  std::string uid_;
  ExplainOptions options_;
  testing::TextOutput output_;
  Result<std::string> log_ = "first\nlast\n";
  Result<std::string> settings_ = fail(plain_error("the server could not find the page"));
  std::vector<std::string> paths_;
};

TEST_F(ExplainCommandTest, TellsThePodTheRuleAndTheEndOfItsLog) {
  add_pod("p", uid_);
  add_pod("strange", "00000000-0000-4000-8000-000000000000");
  fail_job();
  EXPECT_EQ(run(), ExitCode::ok);
  EXPECT_THAT(output_.out_text, HasSubstr("will be Failed"));
  EXPECT_THAT(output_.out_text, HasSubstr("pod        p, attempt 1"));
  EXPECT_THAT(output_.out_text, HasSubstr("Last lines of its log\n  first\n  last\n"));
  EXPECT_THAT(output_.out_text, Not(HasSubstr("strange")));
  EXPECT_THAT(output_.out_text, HasSubstr("rule 0  FailJob  1"));
  EXPECT_THAT(paths_,
              ElementsAre("/api/v1/namespaces/default/pods/p/log?tailLines=10&container=main"));
}

TEST_F(ExplainCommandTest, ALogThatCannotBeReadIsNoReasonToSayNothing) {
  add_pod("p", uid_);
  fail_job();
  log_ = fail(plain_error("forbidden"));
  EXPECT_EQ(run(), ExitCode::ok);
  EXPECT_THAT(output_.out_text, HasSubstr("Cannot read its log: forbidden"));
}

TEST_F(ExplainCommandTest, AJobThatIsNotThere) {
  options_.job = "other";
  EXPECT_EQ(run(), ExitCode::failed);
  EXPECT_THAT(output_.err_text, HasSubstr("jobs.batch \"other\" not found"));
  EXPECT_THAT(output_.out_text, IsEmpty());
}

TEST_F(ExplainCommandTest, AsksTheServerForItsBackoff) {
  const auto job = api_.create_job(
      "{metadata: {name: retries}, spec: {template: {spec: {restartPolicy: Never, "
      "containers: [{name: main, image: i}]}}}}");
  options_.job = "retries";
  uid_ = job->metadata().uid();
  add_pod("p", uid_);
  EXPECT_EQ(run(), ExitCode::ok);
  EXPECT_THAT(output_.out_text, HasSubstr("backoff after 1 failure in a row"));
  EXPECT_THAT(output_.out_text, HasSubstr("(in 10s)"));

  settings_ = plane::periods_json({.backoff_base = seconds(3)});
  output_.out_text.clear();
  EXPECT_EQ(run(), ExitCode::ok);
  EXPECT_THAT(output_.out_text, HasSubstr("(in 3s)"));

  options_.backoff_base = seconds(7);  // the user knows better
  output_.out_text.clear();
  EXPECT_EQ(run(), ExitCode::ok);
  EXPECT_THAT(output_.out_text, HasSubstr("(in 7s)"));
}

TEST_F(ExplainCommandTest, AnIndexThatDoesNotExistIsAnError) {
  options_.index = 3;
  EXPECT_EQ(run(), ExitCode::failed);
  EXPECT_EQ(output_.err_text,
            "error: job.batch/j has no indexes: its completionMode is NonIndexed\n");
  api_.create_job(
      "{metadata: {name: indexed}, spec: {completions: 3, completionMode: Indexed, template: "
      "{spec: "
      "{restartPolicy: Never, containers: [{name: main, image: i}]}}}}");
  options_.job = "indexed";
  output_.err_text.clear();
  EXPECT_EQ(run(), ExitCode::failed);
  EXPECT_EQ(output_.err_text, "error: job.batch/indexed has no index 3: it has indexes 0 to 2\n");
  EXPECT_THAT(output_.out_text, IsEmpty());
}

// Its pod is gone, and the Job's event is the last witness.
TEST_F(ExplainCommandTest, AnIndexWhosePodWasEvictedHasStarted) {
  const auto job = api_.create_job(
      "{metadata: {name: indexed}, spec: {completions: 3, completionMode: Indexed, template: "
      "{spec: "
      "{restartPolicy: Never, containers: [{name: main, image: i}]}}}}");
  add_event("e", "Job", job->metadata().uid(),
            "type: Normal, reason: SuccessfulCreate, message: 'Created pod: indexed-1-x7k2p'", {});
  options_.job = "indexed";
  options_.index = 1;
  EXPECT_EQ(run(), ExitCode::ok);
  EXPECT_THAT(output_.out_text, HasSubstr("Index 1: waits for its next attempt"));
  options_.index = 2;
  output_.out_text.clear();
  EXPECT_EQ(run(), ExitCode::ok);
  EXPECT_THAT(output_.out_text, HasSubstr("Index 2: not started"));
}

TEST_F(ExplainCommandTest, SaysWhyNoPodCanBeCreated) {
  add_event("e", "Job", uid_, "type: Warning, reason: FailedCreate, message: exceeded quota", {});
  options_.json = true;
  EXPECT_EQ(run(), ExitCode::ok);
  EXPECT_THAT(output_.out_text, HasSubstr(R"("kind":"CreateFailed")"));
  EXPECT_THAT(output_.out_text, HasSubstr("exceeded quota"));
  EXPECT_THAT(paths_, IsEmpty());
}

TEST_F(ExplainCommandTest, SaysWhatANodeWarnsOfAPodThatItHasNotStarted) {
  const auto pod = api_.create_pod(
      "{metadata: {name: p, labels: {batch.kubernetes.io/controller-uid: " + uid_ +
      "}, ownerReferences: [{apiVersion: batch/v1, kind: Job, name: j, uid: " + uid_ +
      ", controller: true}]}, spec: {restartPolicy: Never, nodeName: node-1, "
      "containers: [{name: main, image: i}]}}");
  const std::string uid = pod->metadata().uid();
  EXPECT_EQ(run(), ExitCode::ok);
  EXPECT_THAT(output_.out_text, HasSubstr("node node-1 has not started it yet\n"));
  add_event("a", "Pod", uid, "type: Warning, reason: FailedMount, message: old", seconds(60));
  add_event("b", "Pod", uid, "type: Warning, reason: FailedMount, message: no such", seconds(5));
  add_event("c", "Pod", uid, "type: Normal, reason: Scheduled, message: it is", {});
  add_event("d", "Pod", uid,
            "type: Warning, reason: FailedScheduling, message: no room, source: {component: "
            "default-scheduler}",
            seconds(1));
  EXPECT_EQ(run(), ExitCode::ok);
  EXPECT_THAT(output_.out_text,
              HasSubstr("node node-1 has not started it yet: FailedMount: no such\n"));
}

}  // namespace
}  // namespace windlass::cli
