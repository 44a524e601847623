// `windlass ledger record` over TLS on a cluster whose Jobs the cluster's own controller runs.
#include "cli/commands/ledger/ledger_record.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <mutex>

#include "cli/commands/controller/controller_testing.h"
#include "cli/commands/ledger/attempt_query.h"
#include "cli/flags/command_line.h"
#include "cli/output/captured_output_testing.h"
#include "posix/testing.h"
#include "tracing/span.h"

namespace windlass::cli {
namespace {

using ::testing::HasSubstr;
using testing::TextOutput;

class RecordedCluster : public testing::ControllerOnCluster {
 protected:
  // A `windlass ledger record` on the test's own loop, until the session ends.
  struct Recording {
    Recording(RecordedCluster& test, LedgerRecordOptions options)
        : loop(test.user_.loop),
          session(env::Env{test.user_.clock, test.user_.random, loop, log, files}, loop,
                  test.cluster_.access(), std::move(options), output,
                  [this](ExitCode finished) { code = finished; }) {
      session.start();
    }
    posix::EventLoop& loop;
    posix::PosixFiles files;
    net::testing::TextLog log;
    TextOutput output;
    std::optional<ExitCode> code;
    LedgerRecording session;
  };

  LedgerRecordOptions recording() const {
    LedgerRecordOptions options;
    options.listen = "";
    options.ledger.address = "sqlite:" + directory_ / "ledger.db";
    return options;
  }
  ExitCode stop(Recording& recording) {
    recording.session.interrupt();
    wait_until([&] { return recording.code.has_value(); });
    return recording.code.value_or(ExitCode::failed);
  }
  // The records of a Job, as CSV without the line of names.
  std::string query(const std::string& job) const {
    TextOutput output;
    AttemptQueryOptions options;
    options.format = AttemptFormat::csv;
    options.ledger = "sqlite:" + directory_ / "ledger.db";
    options.filter.job = job;
    if (query_opened_ledger(options, output) != ExitCode::ok) {
      return "";
    }
    return output.out_text.substr(output.out_text.find('\n') + 1);
  }
  bool has_lines(const std::string& job, int64_t lines) const {
    const std::string found = query(job);
    return std::count(found.begin(), found.end(), '\n') == lines;
  }

  posix::TemporaryDirectory directory_;
};

TEST_F(RecordedCluster, EveryAttemptIsThereWhenJobAndPodsAreGone) {
  Recording recording(*this, this->recording());
  wait_until([&] { return recording.session.is_watching(); });
  create_job("default/broken", R"({"completions":3,"parallelism":3,"completionMode":"Indexed",
    "ttlSecondsAfterFinished":0,"backoffLimitPerIndex":0,
    "podFailurePolicy":{"rules":[{"action":"FailIndex","onExitCodes":{"operator":"In","values":[42]}}]},
    "template":{"metadata":{"annotations":{"windlass.dev/hollow-duration":"10ms",
      "windlass.dev/hollow-exit-code":"42"}},
      "spec":{"restartPolicy":"Never","containers":[{"name":"c","image":"i"}]}}})");
  wait_until([&] { return has_lines("broken", 3); });
  wait_until([&] { return list(api::kinds::job(), "default").empty(); });
  EXPECT_THAT(query("broken"), HasSubstr(",Failed,Failed,42,"));
  EXPECT_EQ(stop(recording), ExitCode::ok);
  EXPECT_THAT(recording.output.err_text, HasSubstr("recording attempts of Jobs on https://"));
}

TEST_F(RecordedCluster, GoesOnWhereItWasStopped) {
  const std::string spec =
      std::string(R"({"completions":2,"parallelism":2,"template":)") + testing::kQuickPods + "}";
  {
    Recording first(*this, recording());
    create_job("default/one", spec);
    wait_until([&] { return has_lines("one", 2); });
    EXPECT_EQ(stop(first), ExitCode::ok);
  }
  const std::string one = query("one");
  create_job("default/two", spec);
  ASSERT_NE(wait_for("default/two", "Complete"), nullptr);
  Recording second(*this, recording());
  wait_until([&] { return has_lines("two", 2); });
  EXPECT_EQ(query("one"), one);
  EXPECT_EQ(stop(second), ExitCode::ok);
}

// Answers 503 once, then 200.
TEST_F(RecordedCluster, JobsAndAttemptsReachAReceiverOfOpenTelemetry) {
  std::mutex mutex;
  std::vector<http::Request> requests;
  net::testing::LambdaHandler receiver;
  receiver.on_core = [&](const http::Request& request, const net::testing::ExchangePtr& exchange) {
    const std::lock_guard lock(mutex);
    requests.push_back(request);
    exchange->respond({requests.size() == 1 ? 503 : 200, {}, "{}"});
  };
  const net::testing::TestServer server({}, receiver);
  LedgerRecordOptions options = recording();
  options.ledger.traces.endpoint = "http://" + server.server->endpoint().text();
  Recording recording(*this, options);
  wait_until([&] { return recording.session.is_watching(); });
  create_job("default/traced", std::string(R"({"completions":2,"parallelism":2,"template":)") +
                                   testing::kQuickPods + "}");
  const auto job = wait_for("default/traced", "Complete");
  ASSERT_NE(job, nullptr);
  const std::string trace = R"("traceId":")" + tracing::trace_id_of(job->metadata().uid()) + '"';
  const std::string root = R"("spanId":")" + tracing::job_span_id(job->metadata().uid()) + '"';
  const auto count = [&](const std::string& text) {
    const std::lock_guard lock(mutex);
    size_t found = 0;
    for (size_t i = 1; i < requests.size(); ++i) {
      const std::string& body = requests[i].body;
      for (size_t at = body.find(text); at != std::string::npos; at = body.find(text, at + 1)) {
        ++found;
      }
    }
    return found;
  };
  wait_until([&] { return count(root) == 1 && count(trace) == 3; });
  EXPECT_EQ(stop(recording), ExitCode::ok);
  EXPECT_EQ(requests.front().method, "POST");
  EXPECT_EQ(requests.front().target, "/v1/traces");
  EXPECT_EQ(http::find_header(requests.front().headers, "Content-Type"), "application/json");
}

TEST_F(RecordedCluster, SaysWhyItCannotStart) {
  LedgerRecordOptions options = recording();
  options.ledger.address = "sqlite:" + directory_ / "nowhere/ledger.db";
  Recording nowhere(*this, options);
  wait_until([&] { return nowhere.code.has_value(); });
  EXPECT_EQ(nowhere.code, ExitCode::failed);
  EXPECT_THAT(nowhere.output.err_text, HasSubstr("error: "));
  cluster_.pause();
  Recording alone(*this, recording());
  wait_until([&] { return alone.code.has_value(); });
  EXPECT_EQ(alone.code, ExitCode::failed);
  EXPECT_THAT(alone.output.err_text, HasSubstr("error: cannot use the cluster at https://"));
}

TEST(LedgerRecord, NeedsALedger) {
  TextOutput output;
  EXPECT_EQ(run_command_line({make_command<LedgerRecordOptions>(
                                 "record", "",
                                 [](const LedgerRecordOptions&, Output&) { return ExitCode::ok; })},
                             {"record"}, output),
            ExitCode::usage);
  EXPECT_THAT(output.err_text, HasSubstr("must specify --ledger"));
}

}  // namespace
}  // namespace windlass::cli
