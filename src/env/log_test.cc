#include "env/log.h"

#include <gtest/gtest.h>

namespace windlass::env {
namespace {

TEST(LogFormat, QuotesWhatIsNotAPlainWord) {
  EXPECT_EQ(format_log_line("pod ended", {}), "pod ended");
  EXPECT_EQ(
      format_log_line("pod ended", {{"pod", "default/a"}, {"why", "not found"}, {"note", ""}}),
      "pod ended pod=default/a why=\"not found\" note=\"\"");
  EXPECT_EQ(format_log_line("m", {{"k", "a=b"}, {"q", "\""}}), "m k=\"a=b\" q=\"\\\"\"");
}

TEST(LogFormat, NothingBreaksTheLine) {
  EXPECT_EQ(format_log_line("a\nb\x1b[31m", {{"k", "x\ny"}}), "a\\nb\\x1b[31m k=\"x\\ny\"");
}

TEST(LogFormat, LevelNames) {
  EXPECT_EQ(name_of(LogLevel::debug), "debug");
  EXPECT_EQ(name_of(LogLevel::warning), "warning");
}

}  // namespace
}  // namespace windlass::env
