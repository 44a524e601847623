#include "cli/commands/explain/explain.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "apiserver/testing.h"
#include "cli/output/captured_output_testing.h"
#include "plane/plane_periods.h"
#include "schema/core/v1/event.pb.h"
#include "schema/ledger/v1/attempt.pb.h"
#include "verify/clients/intercepting_client.h"
#include "verify/ledgers/attempt_maker.h"
#include "verify/ledgers/memory_ledger.h"

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
    output_.out_text.clear();
    output_.err_text.clear();
    ExplainSession session(
        server_, ledger_,
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

  // Of Job j, unless the UID is another's.
  void record(const ledger::AttemptMaker& maker, const std::string& uid = "",
              const std::string& job = "j") {
    auto attempt = std::make_shared<api::ledger::v1::Attempt>(*maker.make());
    attempt->mutable_job()->set_name(job);
    attempt->mutable_job()->set_uid(uid.empty() ? uid_ : uid);
    ledger_.record(attempt, [](const Result<void>&) {});
  }
  // Of Job `gone`, which no longer exists: index 7 failed twice, then index 8 succeeded.
  void record_gone() {
    using ledger::AttemptMaker;
    record(AttemptMaker()
               .pod("gone-7-aaaaa")
               .index(7)
               .at(100)
               .node("node-1")
               .exit(42)
               .rule(0, "BadInput", "FailIndex")
               .log("start\nrecord 17 is no JSON\n"),
           "uid-gone", "gone");
    record(AttemptMaker()
               .pod("gone-7-bbbbb")
               .index(7)
               .number(2)
               .at(200)
               .node("node-2")
               .exit(137)
               .oom()
               .memory("1Gi", int64_t{1} << 30)
               .log("start\n\x1b[2Jlast words\n"),
           "uid-gone", "gone");
    record(AttemptMaker()
               .pod("gone-8-ccccc")
               .index(8)
               .at(300)
               .exit(0)
               .phase("Succeeded")
               .counted("Succeeded"),
           "uid-gone", "gone");
  }

  SimulatedApi api_;
  client::InterceptingClient server_{api_.client, api_.world.executor()};
  ledger::MemoryLedger ledger_{api_.world.executor()};
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
  EXPECT_EQ(output_.err_text,
            "error: jobs.batch \"other\" not found, and the attempt ledger has nothing of it\n");
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

TEST_F(ExplainCommandTest, GroupsFailuresByCauseFromTheLedger) {
  using ledger::AttemptMaker;
  for (int i = 0; i < 3; ++i) {
    record(AttemptMaker().pod("j-" + std::to_string(i)).exit(42).log("record 7 is no JSON\n"));
  }
  record(AttemptMaker().pod("j-9").exit(137).oom());
  record(AttemptMaker().pod("other").exit(1), "another-uid");
  EXPECT_EQ(run(), ExitCode::ok);
  EXPECT_THAT(output_.out_text, HasSubstr("Failures by cause: 4 failures, 2 causes\n"
                                          "   1       3  exit 42 `record N is no JSON`\n"));
  EXPECT_THAT(output_.out_text, HasSubstr("   2       1  OOMKilled\n"));
  options_.json = true;
  EXPECT_EQ(run(), ExitCode::ok);
  EXPECT_THAT(output_.out_text, HasSubstr(R"("attempts":{"total":4,"succeeded":0,"failed":4,)"));
  EXPECT_THAT(output_.out_text, HasSubstr(R"("title":"OOMKilled")"));
}

TEST_F(ExplainCommandTest, WithoutALedgerCausesComeFromPods) {
  add_pod("p", uid_);
  fail_job();
  EXPECT_EQ(run(), ExitCode::ok);
  EXPECT_THAT(output_.out_text,
              HasSubstr("Failures by cause, of pods that still exist: 1 failure, 1 cause\n"
                        "   1       1  exit 42\n"));
  EXPECT_THAT(output_.out_text, HasSubstr("rule 0: FailJob\n"));
  options_.cause = "1";
  EXPECT_EQ(run(), ExitCode::ok);
  EXPECT_THAT(output_.out_text, HasSubstr("Attempts\n  attempt 1  p"));
}

// The pod that decided is gone, and its log with it.
TEST_F(ExplainCommandTest, TheLogOfADeletedPodComesFromTheLedger) {
  fail_job();
  record(ledger::AttemptMaker().pod("p").exit(42).log("first\nlast words\n"));
  EXPECT_EQ(run(), ExitCode::ok);
  EXPECT_THAT(output_.out_text, HasSubstr("Last lines of its log\n  first\n  last words\n"));
}

TEST_F(ExplainCommandTest, AJobThatIsGoneIsExplainedByNameOrUid) {
  record_gone();
  record(ledger::AttemptMaker().pod("old").at(50).exit(1), "uid-before", "gone");
  for (const char* name : {"gone", "uid-gone"}) {
    options_.job = name;
    EXPECT_EQ(run(), ExitCode::ok);
    EXPECT_THAT(output_.out_text, HasSubstr("job.batch/gone in namespace default: gone; these are "
                                            "its attempts in the ledger\n  UID uid-gone\n"));
    EXPECT_THAT(output_.out_text, HasSubstr("3 attempts between 1970-01-01T00:01:28Z and "
                                            "1970-01-01T00:05:00Z: 1 succeeded, 2 failed, 0 "
                                            "ignored\n  completed indexes  8\n"));
    EXPECT_THAT(output_.out_text, HasSubstr("Failures by cause: 2 failures, 2 causes\n"));
    EXPECT_THAT(output_.out_text, HasSubstr("Last lines of the log of gone-7-aaaaa\n"));
  }
  options_.job = "gone";
  EXPECT_EQ(run(), ExitCode::ok);
  EXPECT_THAT(output_.out_text, HasSubstr("1 other Job before it had the same name\n"));
  options_.json = true;
  EXPECT_EQ(run(), ExitCode::ok);
  EXPECT_THAT(output_.out_text, HasSubstr(R"("uid":"uid-gone","state":"Gone",)"));
}

TEST_F(ExplainCommandTest, WithALedgerOfItsOwnItDoesWithoutAServer) {
  record_gone();
  options_.job = "gone";
  EXPECT_EQ(run(), ExitCode::ok);
  const std::string told = output_.out_text;
  EXPECT_THAT(told, HasSubstr("BadInput"));
  options_.ledger = "sqlite:ledger.db";
  options_.has_server = false;
  EXPECT_EQ(run(), ExitCode::ok);
  EXPECT_EQ(output_.out_text, told);
  EXPECT_EQ(output_.err_text, "");
  options_.job = "never";
  EXPECT_EQ(run(), ExitCode::failed);
  EXPECT_THAT(output_.err_text, HasSubstr("the attempt ledger has nothing of it"));
}

TEST_F(ExplainCommandTest, AServerThatDoesNotAnswerIsNoReasonToSayNothing) {
  record_gone();
  options_.job = "gone";
  options_.ledger = "sqlite:ledger.db";
  server_.refuse = [](const std::string&) { return internal_error("connection refused"); };
  EXPECT_EQ(run(), ExitCode::ok);
  EXPECT_THAT(output_.out_text, HasSubstr("BadInput"));
  EXPECT_THAT(output_.err_text, HasSubstr("the server cannot be asked"));
  options_.ledger.clear();
  EXPECT_EQ(run(), ExitCode::failed) << "without a ledger that is the answer";
}

TEST_F(ExplainCommandTest, AnIndexOfAJobThatIsGone) {
  record_gone();
  options_.job = "gone";
  options_.index = 7;
  EXPECT_EQ(run(), ExitCode::ok);
  EXPECT_THAT(output_.out_text, HasSubstr("\nIndex 7: 2 attempts\n"
                                          "  attempt 1  gone-7-aaaaa on node-1  Failed "));
  EXPECT_THAT(output_.out_text,
              HasSubstr(" after 10s\n    exit 42 `record N is no JSON`; rule 0 (BadInput): "
                        "FailIndex\n    last: record 17 is no JSON\n  attempt 2  gone-7-bbbbb"));
  EXPECT_THAT(output_.out_text,
              HasSubstr("Last lines of the log of gone-7-bbbbb\n  start\n  last words\n"));
  options_.index = 9;
  EXPECT_EQ(run(), ExitCode::failed);
  EXPECT_EQ(output_.err_text, "error: the ledger has no attempt of index 9 of job/gone\n");
}

// Also when all its pods are gone.
TEST_F(ExplainCommandTest, AnIndexOfAJobThatExistsHasItsWholeStory) {
  const auto job = api_.create_job(
      "{metadata: {name: indexed}, spec: {completions: 3, completionMode: Indexed, template: "
      "{spec: {restartPolicy: Never, containers: [{name: main, image: i}]}}}}");
  record(ledger::AttemptMaker().pod("indexed-1-aaaaa").index(1).exit(5).log("no\n"),
         job->metadata().uid(), "indexed");
  options_.job = "indexed";
  options_.index = 1;
  EXPECT_EQ(run(), ExitCode::ok);
  EXPECT_THAT(output_.out_text, HasSubstr("\nIndex 1: "));
  EXPECT_THAT(output_.out_text,
              HasSubstr("  attempt 1  indexed-1-aaaaa  Failed\n    exit 5 `no`\n"));
  options_.json = true;
  EXPECT_EQ(run(), ExitCode::ok);
  EXPECT_THAT(output_.out_text, HasSubstr(R"("indexAttempts":[{"pod":"indexed-1-aaaaa",)"));
}

TEST_F(ExplainCommandTest, OneCauseHasItsMembersAndALog) {
  record_gone();
  options_.job = "gone";
  options_.cause = "1";
  EXPECT_EQ(run(), ExitCode::ok);
  EXPECT_THAT(output_.out_text, HasSubstr("   1       1  exit 42 `record N is no JSON`\n"));
  EXPECT_THAT(
      output_.out_text,
      HasSubstr("Attempts\n  index 7, attempt 1  gone-7-aaaaa  node-1  1970-01-01T00:01:40Z\n"));
  EXPECT_THAT(output_.out_text,
              HasSubstr("Last lines of the log of gone-7-aaaaa\n  start\n  record 17"));
  options_.json = true;
  EXPECT_EQ(run(), ExitCode::ok);
  EXPECT_THAT(output_.out_text, HasSubstr(R"("members":[{"pod":"gone-7-aaaaa",)"));
  options_.cause = "9";
  EXPECT_EQ(run(), ExitCode::failed);
  EXPECT_EQ(output_.err_text, "error: no cause \"9\": the causes are 1 to 2\n");
}

TEST_F(ExplainCommandTest, ComparesTwoAttempts) {
  record_gone();
  options_.job = "gone";
  for (const char* attempts : {"7:1,7:2", "gone-7-aaaaa,gone-7-bbbbb"}) {
    options_.attempts = attempts;
    EXPECT_EQ(run(), ExitCode::ok);
    EXPECT_THAT(output_.out_text, HasSubstr("Two attempts; * marks what differs\n"));
    EXPECT_THAT(output_.out_text, ::testing::ContainsRegex("\n \\*  node +node-1 +node-2\n"));
    EXPECT_THAT(output_.out_text,
                ::testing::ContainsRegex("\n \\*  main peak memory +- +1024 MiB\n"));
    EXPECT_THAT(output_.out_text, ::testing::ContainsRegex("\n    index +7 +7\n"));
    EXPECT_THAT(output_.out_text, HasSubstr("Last lines of the log of gone-7-bbbbb\n"));
    EXPECT_THAT(output_.out_text, Not(HasSubstr("\x1b")));
  }
  options_.attempts = "1,2";
  options_.index = 7;
  options_.json = true;
  EXPECT_EQ(run(), ExitCode::ok);
  EXPECT_THAT(output_.out_text, HasSubstr(R"("compared":[{"facts":{"pod":"gone-7-aaaaa")"));
  options_.attempts = "1,5";
  EXPECT_EQ(run(), ExitCode::failed);
  EXPECT_THAT(output_.err_text, HasSubstr("error: no attempt \"5\" of job/gone"));
}

TEST_F(ExplainCommandTest, HostileTextCannotHarmATerminal) {
  record(ledger::AttemptMaker()
             .pod("\x1b[31mp")
             .node("n\x07\n")
             .index(0)
             .exit(1)
             .reason("\x1b]0;x\x07", "\x1b[2J")
             .log("\x1b[2J\xff\x1b]8;;x"),
         "uid-hostile", "hostile");
  options_.job = "hostile";
  const auto is_safe = [this] {
    EXPECT_EQ(run(), ExitCode::ok);
    EXPECT_THAT(output_.out_text, Not(HasSubstr("\x1b")));
    EXPECT_THAT(output_.out_text, Not(HasSubstr("\x07")));
  };
  is_safe();
  options_.index = 0;
  is_safe();
  options_.attempts = "1,1";
  is_safe();
  options_.index.reset();
  options_.attempts = "";
  options_.cause = "1";
  is_safe();
}

}  // namespace
}  // namespace windlass::cli
