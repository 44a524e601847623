#include "cli/output/deduplicator.h"

#include <gtest/gtest.h>

namespace windlass::cli {
namespace {

TEST(Deduplicator, NothingIsNewTwice) {
  Deduplicator deduplicator;
  EXPECT_TRUE(deduplicator.is_new("container main waits: ErrImagePull: not here"));
  EXPECT_FALSE(deduplicator.is_new("container main waits: ErrImagePull: not here"));
  EXPECT_FALSE(deduplicator.is_new("ErrImagePull"));
  EXPECT_TRUE(deduplicator.is_new("ErrImageNeverPull"));
}

TEST(Deduplicator, IsBounded) {
  Deduplicator deduplicator;
  for (size_t i = 0; i < Deduplicator::kMaxTexts; ++i) {
    EXPECT_TRUE(deduplicator.is_new("<" + std::to_string(i) + ">"));
  }
  EXPECT_FALSE(deduplicator.is_new("one more"));
}

TEST(AsOneLine, NoControlCharactersReachTheTerminal) {
  EXPECT_EQ(as_one_line("two\nlines\x1b[2J \n"), "two lines [2J");
  EXPECT_EQ(as_one_line("Größe"), "Größe");
  EXPECT_EQ(as_one_line("a\u009b"
                        "2Jb\x9b"
                        "c\xc3"),
            "a 2Jb c");
}

TEST(AsOneLine, LongTextsAreCutBetweenCharacters) {
  std::string text(kMaxWarningLength - 1, 'x');
  EXPECT_EQ(as_one_line(text + "ö"), text + "...");
  EXPECT_EQ(as_one_line(text + "y"), text + "y");
}

}  // namespace
}  // namespace windlass::cli
