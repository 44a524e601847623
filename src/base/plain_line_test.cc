#include "base/plain_line.h"

#include <gtest/gtest.h>

namespace windlass {
namespace {

constexpr size_t kEnough = 1000;

TEST(PlainLine, TextStaysAsItIs) {
  EXPECT_EQ(plain_line("", kEnough), "");
  EXPECT_EQ(plain_line("record 7 is no JSON", kEnough), "record 7 is no JSON");
  EXPECT_EQ(plain_line("  indented, caf\xc3\xa9 \xe2\x82\xac", kEnough),
            "  indented, caf\xc3\xa9 \xe2\x82\xac");
}

TEST(PlainLine, EscapeSequencesAreLeftOut) {
  EXPECT_EQ(plain_line("\x1b[1;31mred\x1b[0m", kEnough), "red");
  EXPECT_EQ(plain_line("\x1b[2J\x1b[?25lcleared", kEnough), "cleared");
  EXPECT_EQ(plain_line("\x1b]0;a title\x07text", kEnough), "text");
  EXPECT_EQ(plain_line("\x1b]8;;http://x\x1b\\link\x1b]8;;\x1b\\", kEnough), "link");
  EXPECT_EQ(plain_line("\x1b(Bset", kEnough), "set");
  EXPECT_EQ(plain_line("\xc2\x9b"
                       "31mone character",
                       kEnough),
            "one character");
  EXPECT_EQ(plain_line("end\x1b", kEnough), "end");
  EXPECT_EQ(plain_line("end\x1b[3", kEnough), "end");
}

// An unfinished string must not hide what follows.
TEST(PlainLine, AStringWithoutEndHidesNothing) {
  EXPECT_EQ(plain_line("\x1b]0;rm -rf", kEnough), "0;rm -rf");
  EXPECT_EQ(plain_line("\x1bPdata \x1b[31mred", kEnough), "data red");
}

TEST(PlainLine, ControlsBytesAndDirections) {
  EXPECT_EQ(plain_line("a\tb\x01"
                       "c\x7f"
                       "d",
                       kEnough),
            "a b c d");
  EXPECT_EQ(plain_line("a\xff\xfe\x80z", kEnough), "a?z");
  EXPECT_EQ(plain_line("safe\xe2\x80\xae"
                       "exe.txt\xe2\x80\x8b",
                       kEnough),
            "safeexe.txt");
}

TEST(PlainLine, AProgressBarIsWhatItShowedLast) {
  EXPECT_EQ(plain_line("10 %\r50 %\r100 %", kEnough), "100 %");
  EXPECT_EQ(plain_line("10 %\r50 %\r\r", kEnough), "50 %");
  EXPECT_EQ(plain_line("text\r\n", kEnough), "text");
  EXPECT_EQ(plain_line("\r", kEnough), "");
}

TEST(PlainLine, ItIsBounded) {
  EXPECT_EQ(plain_line(std::string(1'000'000, 'x'), 10), "xxxxxxxxxx");
  EXPECT_EQ(plain_line("aaaaaaaaa\xe2\x82\xac", 10), "aaaaaaaaa");
  std::string sequences;
  for (int i = 0; i < 100'000; ++i) {
    sequences += "\x1b[31m";
  }
  EXPECT_EQ(plain_line(sequences + "x", 10), "x");
  // A string without an end is looked for once each time; it must not be quadratic in the line.
  std::string strings;
  for (int i = 0; i < 100'000; ++i) {
    strings += "\x1b]";
  }
  EXPECT_EQ(plain_line(strings + "x", 10), "x");
}

}  // namespace
}  // namespace windlass
