#include "cli/output/line_diff.h"

#include <gtest/gtest.h>

namespace windlass::cli {
namespace {

TEST(LineDiff, EqualTextsHaveNone) {
  EXPECT_EQ(line_diff("", ""), "");
  EXPECT_EQ(line_diff("a\nb\n", "a\nb\n"), "");
}

TEST(LineDiff, AChangeHasTheLinesAroundIt) {
  EXPECT_EQ(line_diff("1\n2\n3\n4\n5\n6\n7\n8\n9\n", "1\n2\n3\n4\nfive\n6\n7\n8\n9\n"),
            "  2\n  3\n  4\n- 5\n+ five\n  6\n  7\n  8\n  ...\n");
}

TEST(LineDiff, LinesThatCameOrWent) {
  EXPECT_EQ(line_diff("a\nb\n", "a\nx\nb\n"), "  a\n+ x\n  b\n");
  EXPECT_EQ(line_diff("a\nx\nb\n", "a\nb\n"), "  a\n- x\n  b\n");
  EXPECT_EQ(line_diff("", "a\n"), "+ a\n");
  EXPECT_EQ(line_diff("a\n", ""), "- a\n");
}

TEST(LineDiff, LargeTextsAreBounded) {
  std::string before;
  std::string after;
  for (int i = 0; i < 5'000; ++i) {
    before += "a" + std::to_string(i) + "\n";
    after += "b" + std::to_string(i) + "\n";
  }
  EXPECT_EQ(line_diff(before, after, 2), "- a0\n- a1\n... and 9998 more lines\n");
}

}  // namespace
}  // namespace windlass::cli
