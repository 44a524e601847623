#include "cli/output/progress.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/output/captured_output_testing.h"
#include "cli/output/live_output.h"
#include "cli/output/text.h"

namespace windlass::cli {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::SizeIs;

JobProgress training() {
  JobProgress job;
  job.name = "train";
  job.completions = 10'000;
  job.succeeded = 5'000;
  job.failed_indexes = 3;
  job.failed = 9;
  job.running = 64;
  job.pending = 2;
  job.pending_for = "0/1 nodes are available: 1 Insufficient cpu.";
  job.retry_in = milliseconds(7'400);
  job.rate = 100.4;
  return job;
}

TEST(Progress, OneJobTellsWhatRunsWhatWaitsAndHowLong) {
  EXPECT_THAT(progress_block({training()}, {}),
              ElementsAre("train  [!##########=--------]  5,000/10,000 succeeded, 3 indexes failed",
                          "  64 running, 2 pending, retry in 8s, 100/s, about 50s left",
                          "  pending: 0/1 nodes are available: 1 Insufficient cpu."));
}

// A Job's status may count a success while its pod still shows as running.
TEST(Progress, PartsOfAFullBarGetWhatRoomIsLeft) {
  JobProgress job;
  job.name = "train";
  job.completions = 4;
  job.succeeded = 4;
  job.running = 2;
  EXPECT_THAT(progress_block({job}, {}).front(), HasSubstr("[####################]"));
  job.failed_indexes = 3;
  EXPECT_THAT(progress_block({job}, {}).front(), HasSubstr("[!!!!!!!!!!!!!!!#####]"));
}

// Ten thousand indexes: the lists of indexes stay out of it.
TEST(Progress, FitsItsTerminal) {
  for (const size_t columns : {1U, 20U, 60U, 80U}) {
    for (const bool colours : {false, true}) {
      for (const std::string& line : progress_block({training()}, {columns, 24, colours})) {
        EXPECT_LE(shown_columns(line), columns) << line;
      }
    }
  }
}

TEST(Progress, RateAndTimeLeftAgree) {
  Pace pace;
  MonotonicTime now{seconds(100)};
  pace.add(now, 0);
  EXPECT_EQ(pace.rate(), std::nullopt) << "nothing has grown";
  // A slow minute, then 50 a second: the last window counts, not the whole run.
  pace.add(now += seconds(60), 1);
  for (int i = 1; i <= 60; ++i) {
    pace.add(now += seconds(1), 1 + 50 * i);
  }
  ASSERT_TRUE(pace.rate());
  EXPECT_NEAR(*pace.rate(), 50, 0.5);
  JobProgress job;
  job.name = "j";
  job.completions = 4'001;
  job.succeeded = 3'001;
  job.rate = pace.rate();
  EXPECT_THAT(progress_block({job}, {}), ::testing::Contains(HasSubstr("50/s, about 20s left")));
}

TEST(Progress, NoMorePaceWhenNothingEnds) {
  Pace pace;
  MonotonicTime now{seconds(100)};
  pace.add(now, 0);
  pace.add(now += seconds(1), 40);
  EXPECT_TRUE(pace.rate());
  for (int i = 0; i < 2 * Pace::kWindow / seconds(1); ++i) {
    pace.add(now += seconds(1), 40);
  }
  EXPECT_EQ(pace.rate(), std::nullopt);
}

TEST(Progress, UnfinishedJobsComeFirstAndTheRestIsCounted) {
  std::vector<JobProgress> jobs(30);
  for (size_t i = 0; i < jobs.size(); ++i) {
    jobs[i].name = "job-" + std::to_string(i);
    jobs[i].completions = 1;
    jobs[i].succeeded = 1;
    jobs[i].verdict = "Complete";
  }
  jobs[20].verdict = "";
  jobs[20].running = 1;
  const std::vector<std::string> lines = progress_block(jobs, {80, 12, false});
  EXPECT_THAT(lines, SizeIs(6));
  EXPECT_EQ(lines.front(), "job-20  [####################]  1/1 succeeded");
  EXPECT_EQ(lines[2], "job-0   [####################]  1/1 succeeded  Complete");
  EXPECT_EQ(lines.back(), "and 26 more Jobs");
}

TEST(Progress, AWorkQueueHasNoEndToMeasure) {
  JobProgress queue;
  queue.name = "queue";
  queue.succeeded = 7;
  queue.rate = 0.05;
  EXPECT_THAT(progress_block({queue}, {}), ElementsAre("queue  7 succeeded", "  3.0/min"));
}

TEST(Progress, IndexesThatRetryAreCounted) {
  JobProgress job = training();
  job.retrying = 12;
  EXPECT_THAT(progress_block({job}, {}),
              ::testing::Contains(HasSubstr("2 pending, 12 indexes retry, the next in 8s, ")));
}

TEST(Progress, TheLastFailureComesWithTheEndOfItsLog) {
  EXPECT_THAT(failure_block({}, {}), ::testing::IsEmpty());
  const LastFailure failure{"pod train-7-x failed: container main exited with 42",
                            {"one", "two", "three", "four\tfive"}};
  EXPECT_THAT(failure_block(failure, {}),
              ElementsAre("  last: pod train-7-x failed: container main exited with 42", "  | two",
                          "  | three", "  | four five"));
  EXPECT_THAT(failure_block(failure, {20, 24, false}),
              ElementsAre("  last: pod train-7-", "  | two", "  | three", "  | four five"));
  EXPECT_THAT(failure_block(failure, {80, 5, false}), SizeIs(1)) << "a low terminal";
}

TEST(Progress, CausesAreCountedAndTheRestNamed) {
  EXPECT_THAT(cause_lines({}, {}), ::testing::IsEmpty());
  const std::vector<CauseCount> causes = {
      {1'360, "exit 42 `record N is no JSON`"}, {40, "OOMKilled"}, {3, "a"}, {2, "b"}, {1, "c"}};
  EXPECT_THAT(cause_lines(causes, {}),
              ElementsAre("   1,360x exit 42 `record N is no JSON`", "      40x OOMKilled",
                          "       3x a and 2 more causes"));
  for (const std::string& line : cause_lines(causes, {20, 24, false})) {
    EXPECT_LE(shown_columns(line), 20u) << line;
  }
  EXPECT_THAT(cause_lines(causes, {80, 5, false}), ::testing::IsEmpty()) << "a low terminal";
}

TEST(LiveOutput, TheBlockStaysBelowEverythingElse) {
  testing::TextOutput terminal;
  LiveOutput live(terminal);
  live.err("first\n");
  EXPECT_EQ(terminal.err_text, "first\n");
  live.show({"1/2", "running"});
  live.show({"1/2", "running"});  // nothing new
  EXPECT_EQ(terminal.err_text, "first\n1/2\nrunning");
  terminal.err_text.clear();
  live.out("result\n");
  EXPECT_EQ(terminal.out_text, "result\n");
  EXPECT_EQ(terminal.err_text, "\r\x1b[1A\x1b[J1/2\nrunning");
  terminal.err_text.clear();
  live.err("second\n");
  EXPECT_EQ(terminal.err_text, "\r\x1b[1A\x1b[Jsecond\n1/2\nrunning");
  terminal.err_text.clear();
  live.show({});
  EXPECT_EQ(terminal.err_text, "\r\x1b[1A\x1b[J");
}

// The shell has written below it: moving up would erase that.
TEST(LiveOutput, AnAbandonedBlockIsNotErased) {
  testing::TextOutput terminal;
  LiveOutput live(terminal);
  live.show({"1/2", "running"});
  live.abandon();
  terminal.err_text.clear();
  live.show({"1/2", "running"});
  EXPECT_EQ(terminal.err_text, "1/2\nrunning");
}

TEST(LiveOutput, ATerminalThatBecameNarrowerIsClearedWhole) {
  testing::TextOutput terminal;
  LiveOutput live(terminal);
  live.show({"0123456789", "01234"});
  terminal.width = 5;
  terminal.err_text.clear();
  live.show({"new"});
  EXPECT_EQ(terminal.err_text, "\r\x1b[2A\x1b[Jnew") << "the first line takes two rows now";
}

TEST(LiveOutput, TextWithoutALineEndIsNotOverwritten) {
  testing::TextOutput terminal;
  LiveOutput live(terminal);
  live.show({"block"});
  live.err("half");
  EXPECT_TRUE(terminal.err_text.ends_with("half\nblock"));
}

}  // namespace
}  // namespace windlass::cli
