#include "node/container/cri_log.h"

#include <gtest/gtest.h>

namespace windlass::node {
namespace {

TEST(CriLog, GivesBackWhatWasWritten) {
  EXPECT_EQ(cri_text("2026-01-02T03:04:05.000000006Z stdout F hello world\n"
                     "2026-01-02T03:04:05.000000006Z stderr F \n"
                     "2026-01-02T03:04:05.000000006Z stdout P long \n"
                     "2026-01-02T03:04:05.000000006Z stdout F line\n"),
            "hello world\n\nlong line\n");
}

TEST(CriLog, ALineThatIsNotInTheFormatStaysAsItIs) {
  EXPECT_EQ(cri_text("no time\n"), "no time\n");
  EXPECT_FALSE(parse_cri_line("t stdout X text").has_value());
  EXPECT_FALSE(parse_cri_line("").has_value());
}

TEST(CriLog, ALineThatIsStillBeingWrittenWaits) {
  std::string_view text = "one\ntw";
  EXPECT_EQ(take_line(text), "one");
  EXPECT_FALSE(take_line(text).has_value());
  EXPECT_EQ(text, "tw");
}

TEST(CriLog, TheLastOfATextIsSoManyLinesAndBytes) {
  EXPECT_EQ(last_text("", 2, 9), "");
  EXPECT_EQ(last_text("a\nb\nc\n", 2, 9), "b\nc\n");
  EXPECT_EQ(last_text("a\nb\nc", 2, 9), "b\nc");
  EXPECT_EQ(last_text("a\nb", 2, 9), "a\nb");
  EXPECT_EQ(last_text("a\nb\n", 80, 9), "a\nb\n");
  EXPECT_EQ(last_text("abcdef", 2, 3), "def");
}

TEST(CriLog, RotatedFilesAreNumbered) {
  EXPECT_EQ(rotated_name("/l/0.log", 0), "/l/0.log");
  EXPECT_EQ(rotated_name("/l/0.log", 2), "/l/0.log.2");
}

}  // namespace
}  // namespace windlass::node
