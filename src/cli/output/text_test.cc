#include "cli/output/text.h"

#include <gtest/gtest.h>

namespace windlass::cli {
namespace {

TEST(Text, CountsInSingularAndPlural) {
  EXPECT_EQ(counted(0, "pod"), "0 pods");
  EXPECT_EQ(counted(1, "pod"), "1 pod");
  EXPECT_EQ(counted(2, "lost node"), "2 lost nodes");
}

TEST(Text, QuotesOnlyPathsThatNeedIt) {
  EXPECT_EQ(shell_word("/var/lib/a-b_c.d"), "/var/lib/a-b_c.d");
  EXPECT_EQ(shell_word("/a b"), "'/a b'");
  EXPECT_EQ(shell_word("it's"), "'it'\\''s'");
}

TEST(Text, WrapsBetweenWordsAndIndents) {
  const std::string words(60, 'a');
  EXPECT_EQ(wrapped(words + " " + std::string(19, 'b')), words + " " + std::string(19, 'b'));
  EXPECT_EQ(wrapped(words + " " + std::string(20, 'b')), words + "\n" + std::string(20, 'b'));
  EXPECT_EQ(wrapped(words + " b c", 20), words + "\n" + std::string(20, ' ') + "b c");
  EXPECT_EQ(wrapped(std::string(90, 'x') + " y"), std::string(90, 'x') + "\ny");
  EXPECT_EQ(wrapped("see " + words + "," + words), "see " + words + ",\n" + words);
  EXPECT_EQ(wrapped(""), "");
}

TEST(Text, NumbersAreGroupedByThousands) {
  EXPECT_EQ(grouped(0), "0");
  EXPECT_EQ(grouped(999), "999");
  EXPECT_EQ(grouped(1'000), "1,000");
  EXPECT_EQ(grouped(1'234'567), "1,234,567");
  EXPECT_EQ(grouped(-1'000), "-1,000");
  EXPECT_EQ(grouped(-100), "-100");
}

TEST(Text, ColoursTakeNoColumnsAndEndWithTheCut) {
  const std::string text = "ab" + coloured(Colour::red, "cdef") + "gh";
  EXPECT_EQ(shown_columns(text), 8U);
  EXPECT_EQ(cut_to_columns(text, 8), text);
  EXPECT_EQ(cut_to_columns(text, 4), "ab\x1b[31mcd\x1b[0m");
  EXPECT_EQ(cut_to_columns("plain", 3), "pla");
}

TEST(Text, ACutLeavesCharactersWhole) {
  EXPECT_EQ(cut_to_columns("a\u00e9\u4e2d\u6587", 4), "a\u00e9\u4e2d") << "wide ones count twice";
  EXPECT_EQ(cut_to_columns("a\xff\xfe", 2), "a\xff") << "bytes that are not UTF-8 count once";
}

}  // namespace
}  // namespace windlass::cli
