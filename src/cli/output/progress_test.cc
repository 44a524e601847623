#include "cli/output/progress.h"

#include <gtest/gtest.h>

#include "cli/output/captured_output_testing.h"
#include "cli/output/live_output.h"

namespace windlass::cli {
namespace {

TEST(Progress, OneJob) {
  JobProgress job;
  job.completions = 4;
  job.active = 3;
  EXPECT_EQ(progress_text({job}, seconds(1), 200),
            "[--------------------] 0/4 succeeded, 0 failed, 3 active, 0 terminating");
  job.succeeded = 1;
  job.failed = 2;
  job.terminating = 1;
  job.completed_indexes = "3";
  job.failed_indexes = "0";
  job.retry_in = milliseconds(9'940);
  EXPECT_EQ(progress_text({job}, seconds(20), 200),
            "[#####---------------] 1/4 succeeded, 2 failed, 3 active, 1 terminating, retry in "
            "9.9s, about 1m0s left, indexes done 3, indexes failed 0");
  EXPECT_EQ(progress_text({job}, seconds(20), 26), "[#####---------------] 1/4");
}

TEST(Progress, ManyJobsAreAddedUp) {
  JobProgress first;
  first.completions = 1;
  first.succeeded = 1;
  first.over = true;
  JobProgress second;
  second.completions = 3;
  second.active = 2;
  second.retry_in = seconds(5);
  JobProgress third = second;
  third.retry_in = seconds(2);
  EXPECT_EQ(progress_text({first, second, third}, seconds(3), 200),
            "[##------------------] 1 of 3 Jobs finished, 1/7 succeeded, 0 failed, 4 active, 0 "
            "terminating, retry in 2.0s, about 18s left");
  EXPECT_EQ(progress_text({}, seconds(1), 80), "");
}

TEST(Progress, AWorkQueueHasNoEndToMeasure) {
  JobProgress queue;
  queue.succeeded = 7;
  EXPECT_EQ(progress_text({queue}, seconds(3), 200),
            "7 succeeded, 0 failed, 0 active, 0 terminating");
}

TEST(LiveOutput, TheStatusStaysBelowEverythingElse) {
  testing::TextOutput terminal;
  LiveOutput live(terminal);
  live.err("first\n");
  EXPECT_EQ(terminal.err_text, "first\n");
  live.show("1/2");
  live.show("1/2");  // nothing new
  EXPECT_EQ(terminal.err_text, "first\n\r\x1b[K1/2");
  live.out("result\n");
  live.err("second\n");
  EXPECT_EQ(terminal.out_text, "result\n");
  EXPECT_EQ(terminal.err_text, "first\n\r\x1b[K1/2\r\x1b[K1/2\r\x1b[Ksecond\n1/2");
  live.show("");
  EXPECT_TRUE(terminal.err_text.ends_with("\r\x1b[K"));
}

}  // namespace
}  // namespace windlass::cli
