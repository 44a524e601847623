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

}  // namespace
}  // namespace windlass::cli
