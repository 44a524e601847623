#include "cli/told.h"

#include <gtest/gtest.h>

namespace windlass::cli {
namespace {

TEST(Told, NothingIsNewsTwice) {
  Told told;
  EXPECT_TRUE(told.is_news("container main waits: ErrImagePull: not here"));
  EXPECT_FALSE(told.is_news("container main waits: ErrImagePull: not here"));
  EXPECT_FALSE(told.is_news("ErrImagePull"));
  EXPECT_TRUE(told.is_news("ErrImageNeverPull"));
}

TEST(Told, IsBounded) {
  Told told;
  for (size_t i = 0; i < Told::kMaxTexts; ++i) {
    EXPECT_TRUE(told.is_news("<" + std::to_string(i) + ">"));
  }
  EXPECT_FALSE(told.is_news("one more"));
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
