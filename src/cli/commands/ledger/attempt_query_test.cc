#include "cli/commands/ledger/attempt_query.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/flags/parsed_options_testing.h"
#include "cli/output/captured_output_testing.h"
#include "ledger/sqlite/ledger_file.h"
#include "posix/files/data_directory.h"
#include "posix/testing.h"
#include "schema/ledger/v1/attempt.pb.h"
#include "verify/ledgers/memory_ledger.h"
#include "virtual_world/world.h"

namespace windlass::cli {
namespace {

using api::ledger::v1::Attempt;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;
using testing::TextOutput;

std::shared_ptr<Attempt> oom_attempt(int index) {
  auto attempt = std::make_shared<Attempt>();
  attempt->mutable_metadata()->set_namespace_("batch");
  attempt->mutable_metadata()->set_name("uid-" + std::to_string(index));
  attempt->mutable_job()->set_name("train");
  attempt->mutable_job()->set_uid("j-1");
  attempt->set_index(index);
  attempt->set_number(2);
  attempt->set_pod_name("train-" + std::to_string(index) + "-abcde");
  attempt->set_node_name("n1");
  attempt->set_phase("Failed");
  attempt->mutable_ended_at()->set_seconds(1'700'000'000 + index);
  auto* container = attempt->add_containers();
  container->set_name("main");
  container->set_exit_code(137);
  container->set_reason("OOMKilled");
  attempt->mutable_verdict()->set_counted("Failed");
  attempt->mutable_verdict()->set_rule(0);
  attempt->mutable_verdict()->set_rule_name("too, \"large\"");
  return attempt;
}

class AttemptQueryTest : public ::testing::Test {
 protected:
  AttemptQueryTest() {
    for (int index = 0; index < 12; ++index) {
      ledger_.record(oom_attempt(index), [](const Result<void>&) {});
    }
  }
  ExitCode run(const AttemptQueryOptions& options) {
    std::optional<ExitCode> code;
    AttemptQuery query(ledger_, options, output_, [&](ExitCode finished) { code = finished; });
    query.start();
    EXPECT_TRUE(world_.run_until_idle());
    return code.value_or(ExitCode::interrupted);
  }

  virtual_world::VirtualWorld world_{1};
  ledger::MemoryLedger ledger_{world_.executor()};
  TextOutput output_;
};

TEST_F(AttemptQueryTest, ATableShowsWhatMatters) {
  EXPECT_EQ(run({.filter = {.ns = "batch", .indexes = IndexSet{3, 10}}}), ExitCode::ok);
  EXPECT_EQ(output_.out_text,
            "JOB     INDEX   ATTEMPT   COUNTED   EXIT   REASON      RULE           NODE   "
            "ENDED                  POD\n"
            "train   3       2         Failed    137    OOMKilled   too, \"large\"   n1     "
            "2023-11-14T22:13:23Z   train-3-abcde\n"
            "train   10      2         Failed    137    OOMKilled   too, \"large\"   n1     "
            "2023-11-14T22:13:30Z   train-10-abcde\n");
  EXPECT_EQ(output_.err_text, "");
}

TEST_F(AttemptQueryTest, WithoutANamespaceTheTableNamesIt) {
  EXPECT_EQ(run({.limit = 1}), ExitCode::ok);
  EXPECT_THAT(output_.out_text, StartsWith("NAMESPACE   JOB"));
  EXPECT_EQ(output_.err_text, "There are more than these 1. Show them with --limit 0\n");
}

TEST_F(AttemptQueryTest, WhatIsNotThereIsSaid) {
  EXPECT_EQ(run({.filter = {.job = "zork"}}), ExitCode::ok);
  EXPECT_EQ(output_.out_text, "");
  EXPECT_EQ(output_.err_text, "No attempts found\n");
}

TEST_F(AttemptQueryTest, ATerminalIsSafeFromWhatAPodSays) {
  auto attempt = oom_attempt(99);
  attempt->mutable_containers(0)->set_reason("\x1b[2J\nzork");
  ledger_.record(attempt, [](const Result<void>&) {});
  EXPECT_EQ(run({.filter = {.indexes = IndexSet{99}}}), ExitCode::ok);
  EXPECT_THAT(output_.out_text, Not(HasSubstr("\x1b")));
  EXPECT_EQ(std::count(output_.out_text.begin(), output_.out_text.end(), '\n'), 2);
}

TEST_F(AttemptQueryTest, CsvQuotesWhatNeedsIt) {
  EXPECT_EQ(run({.filter = {.indexes = IndexSet{3}}, .format = AttemptFormat::csv}), ExitCode::ok);
  EXPECT_EQ(output_.out_text,
            "namespace,job,job_uid,index,attempt,pod,pod_uid,node,phase,counted,exit_code,reason,"
            "rule,created,scheduled,started,ended\n"
            "batch,train,j-1,3,2,train-3-abcde,uid-3,n1,Failed,Failed,137,OOMKilled,"
            "\"too, \"\"large\"\"\",,,,2023-11-14T22:13:23Z\n");
}

TEST_F(AttemptQueryTest, JsonIsAListAndAnExportALineForEach) {
  EXPECT_EQ(run({.format = AttemptFormat::json, .limit = 2}), ExitCode::ok);
  EXPECT_THAT(output_.out_text, StartsWith(R"({"kind":"AttemptList")"));
  EXPECT_THAT(output_.out_text, ::testing::EndsWith("\n]}\n"));
  output_.out_text.clear();
  EXPECT_EQ(run({.format = AttemptFormat::json_lines, .limit = 0}), ExitCode::ok);
  EXPECT_EQ(std::count(output_.out_text.begin(), output_.out_text.end(), '\n'), 12);
  EXPECT_THAT(output_.out_text,
              StartsWith(R"({"kind":"Attempt","apiVersion":"ledger.windlass.dev/v1","metadata":)"));
  output_.out_text.clear();
  EXPECT_EQ(run({.filter = {.job = "zork"}, .format = AttemptFormat::json}), ExitCode::ok);
  EXPECT_THAT(output_.out_text, HasSubstr(R"("items":[]})"));
}

TEST(AttemptQueryOptions, FlagsBecomeAFilter) {
  const auto options =
      testing::parsed<AttemptQueryOptions>({"query",     "-n",        "batch",
                                            "--job",     "job/train", "--job-uid",
                                            "j-1",       "--index",   "3,7-9",
                                            "--rule",    "bad-input", "--exit-code",
                                            "42",        "--node",    "n1",
                                            "--counted", "Failed",    "--since",
                                            "2h",        "--until",   "2026-11-18T10:00:00Z",
                                            "-o",        "csv",       "--limit",
                                            "7"});
  EXPECT_EQ(options.filter.ns, "batch");
  EXPECT_EQ(options.filter.job, "train");
  EXPECT_EQ(options.filter.job_uid, "j-1");
  EXPECT_EQ(options.filter.indexes, (IndexSet{3, 7, 8, 9}));
  EXPECT_EQ(options.filter.rule_name, "bad-input");
  EXPECT_EQ(options.filter.exit_code, 42);
  EXPECT_EQ(options.filter.node, "n1");
  EXPECT_EQ(options.filter.counted, "Failed");
  EXPECT_EQ(options.since_ago, hours(2));
  EXPECT_EQ(format_rfc3339(*options.filter.until), "2026-11-18T10:00:00Z");
  EXPECT_EQ(options.format, AttemptFormat::csv);
  EXPECT_EQ(options.limit, 7u);
  EXPECT_EQ(testing::parsed<AttemptQueryOptions>({"query", "--rule", "2"}).filter.rule, 2);
  EXPECT_EQ(testing::parsed<AttemptExportOptions>({"export"}).query.limit, 0u);
}

TEST(AttemptQueryOptions, BadOnesAreNamed) {
  for (const auto& [arguments, message] :
       {std::pair(std::vector<std::string>{"--index", "9-3"}, "invalid --index \"9-3\""),
        std::pair(std::vector<std::string>{"--exit-code", "x"}, "--exit-code \"x\""),
        std::pair(std::vector<std::string>{"--since", "yesterday"}, "a duration like 2h"),
        std::pair(std::vector<std::string>{"--counted", "failed"}, "must be Succeeded, Failed"),
        std::pair(std::vector<std::string>{"--file", "a", "--data-dir", "b"}, "give one"),
        std::pair(std::vector<std::string>{"-o", "xml"}, "table, json or csv")}) {
    std::vector<std::string> all = {"query"};
    all.insert(all.end(), arguments.begin(), arguments.end());
    TextOutput output;
    const auto command = make_command<AttemptQueryOptions>(
        "query", "", [](const AttemptQueryOptions&, Output&) { return ExitCode::ok; });
    EXPECT_EQ(run_command_line({command}, all, output), ExitCode::usage);
    EXPECT_THAT(output.err_text, HasSubstr(message));
  }
}

TEST(AttemptQueryFile, ReadsALedgerThatAServerHasOpen) {
  const posix::TemporaryDirectory folder;
  auto file = ledger::LedgerFile::open(posix::enter_directory(folder.path()).value(), {}).value();
  const ledger::AttemptPtr attempt = oom_attempt(3);
  ASSERT_EQ(file->append(std::span(&attempt, 1), time_from_unix(0)), sqlite::SqliteResult::done);
  TextOutput output;
  EXPECT_EQ(query_opened_ledger({.data_dir = folder.path()}, output), ExitCode::ok);
  EXPECT_THAT(output.out_text, HasSubstr("train-3-abcde"));
  EXPECT_EQ(query_opened_ledger({.file = folder / "none.db"}, output), ExitCode::failed);
  EXPECT_THAT(output.err_text, HasSubstr("none.db"));
  EXPECT_EQ(query_opened_ledger({.data_dir = folder / "none"}, output), ExitCode::failed);
}

}  // namespace
}  // namespace windlass::cli
