// `windlass controller --ledger postgresql://...` on a cluster, and `windlass ledger query`.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/commands/controller/controller_testing.h"
#include "cli/commands/ledger/attempt_query.h"
#include "cli/output/captured_output_testing.h"
#include "postgres_server.h"

namespace windlass::cli {
namespace {

using testing::ControllerOnCluster;
using ::testing::HasSubstr;
using testing::RunningController;
using testing::TextOutput;

class ControllerWithDatabase : public ControllerOnCluster {
 protected:
  void SetUp() override {
    if (!postgres::PostgresServer::is_installed()) {
      GTEST_SKIP() << "no PostgreSQL in /usr/lib/postgresql";
    }
    ASSERT_TRUE(server_.create());
  }
  ControllerOptions recording() const {
    ControllerOptions recording = options();
    recording.ledger.address = server_.address();
    recording.ledger.spool = spool_ / "spool.db";
    return recording;
  }
  // "" where there is no ledger yet.
  std::string query(const std::string& ledger) const {
    TextOutput output;
    AttemptQueryOptions options;
    options.format = AttemptFormat::csv;
    options.ledger = ledger;
    options.filter.job = "broken";
    return query_opened_ledger(options, output) == ExitCode::ok ? output.out_text : "";
  }

  postgres::PostgresServer server_;
  posix::TemporaryDirectory spool_;
};

TEST_F(ControllerWithDatabase, EveryAttemptIsThereWhenJobAndPodsAreGone) {
  RunningController controller(cluster_.access(), recording(), "one");
  controller.wait_for("Leading");
  create_job("default/broken", R"({"managedBy":"windlass.dev/job-controller","completions":3,
    "parallelism":3,"completionMode":"Indexed","ttlSecondsAfterFinished":0,"backoffLimitPerIndex":0,
    "podFailurePolicy":{"rules":[{"action":"FailIndex","onExitCodes":{"operator":"In","values":[42]}}]},
    "template":{"metadata":{"annotations":{"windlass.dev/hollow-duration":"10ms",
      "windlass.dev/hollow-exit-code":"42"}},
      "spec":{"restartPolicy":"Never","containers":[{"name":"c","image":"i"}]}}})");
  wait_until([&] {
    return list(api::kinds::job(), "default").empty() && list(api::kinds::pod(), "default").empty();
  });
  // The database may be a moment behind.
  std::string found;
  wait_until([&] {
    found = query(server_.address());
    return std::count(found.begin(), found.end(), '\n') == 4;
  });
  for (const char* index : {",0,", ",1,", ",2,"}) {
    EXPECT_THAT(found, HasSubstr(index));
  }
  EXPECT_THAT(found, HasSubstr("42"));
  EXPECT_THAT(found, HasSubstr("Failed"));
  EXPECT_EQ(controller.stop(), ExitCode::ok);
}

TEST_F(ControllerWithDatabase, ADatabaseThatIsGoneDelaysNoJob) {
  ASSERT_TRUE(server_.stop());
  {
    RunningController controller(cluster_.access(), recording(), "one");
    create_job("default/broken", std::string(R"({"managedBy":"windlass.dev/job-controller",
      "completions":4,"parallelism":4,"template":)") +
                                     testing::kQuickPods + "}");
    ASSERT_NE(wait_for("default/broken", "Complete"), nullptr) << controller.said();
    EXPECT_EQ(controller.stop(), ExitCode::ok);
  }
  const std::string waiting = query("sqlite:" + spool_ / "spool.db");
  EXPECT_EQ(std::count(waiting.begin(), waiting.end(), '\n'), 5) << waiting;
  ASSERT_TRUE(server_.start());
  RunningController next(cluster_.access(), recording(), "two");
  wait_until([&] { return query(server_.address()) == waiting; });
}

}  // namespace
}  // namespace windlass::cli
