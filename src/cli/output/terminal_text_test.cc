#include "cli/output/terminal_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace windlass::cli {
namespace {

using ::testing::EndsWith;
using ::testing::SizeIs;

TEST(TerminalLine, PlainTextStays) {
  EXPECT_EQ(terminal_line(""), "");
  EXPECT_EQ(terminal_line("a\tb  c"), "a\tb  c");
  EXPECT_EQ(terminal_line("größer 数 ✓"), "größer 数 ✓");
}

TEST(TerminalLine, ColoursAndOtherSequencesGo) {
  EXPECT_EQ(terminal_line("\x1b[1;31merror\x1b[0m: no"), "error: no");
  EXPECT_EQ(terminal_line("a\x1b[2J\x1b[H\x1b[?1049hb"), "ab") << "it would clear the screen";
  EXPECT_EQ(terminal_line("a\x1b]0;title\ab\x1b]8;;http://x\x1b\\c"), "abc");
  EXPECT_EQ(terminal_line("a\x1bPq#0\x1b\\b"), "ab");
  EXPECT_EQ(terminal_line("a\x1b(Bb\x1b"
                          "7c"),
            "abc");
  EXPECT_EQ(terminal_line("a\xc2\x9b"
                          "2Jb"),
            "ab")
      << "the same as one character";
}

TEST(TerminalLine, ASequenceThatIsCutOffGoes) {
  for (const char* text :
       {"a\x1b", "a\x1b[", "a\x1b[1;3", "a\x1b]0;t", "a\x1b]0;t\x1b", "a\x1b("}) {
    EXPECT_EQ(terminal_line(text), "a") << text;
  }
}

TEST(TerminalLine, OfAProgressBarTheLastStateIsLeft) {
  EXPECT_EQ(terminal_line("10%\r50%\r100%"), "100%");
  EXPECT_EQ(terminal_line("10%\r100%\r"), "100%");
  EXPECT_EQ(terminal_line("from Windows\r"), "from Windows");
  EXPECT_EQ(terminal_line("\r\r"), "");
}

TEST(TerminalLine, BinaryAndReorderingCharactersGo) {
  EXPECT_EQ(terminal_line(std::string_view("a\0b\b\x07\x7f\xff\xfe", 8)), "ab\uFFFD\uFFFD");
  EXPECT_EQ(terminal_line("a\u202Eb\u2066c"), "abc");
}

TEST(TerminalLine, ALineOfAMegabyteIsCut) {
  const std::string shown = terminal_line(std::string(1'048'576, 'x'));
  EXPECT_THAT(shown, EndsWith("x ... (1,048,576 bytes)"));
  EXPECT_THAT(shown, SizeIs(::testing::Lt(kMaxShownBytes + 40)));
  EXPECT_EQ(terminal_line(std::string(kMaxShownBytes, 'x')), std::string(kMaxShownBytes, 'x'));
}

}  // namespace
}  // namespace windlass::cli
