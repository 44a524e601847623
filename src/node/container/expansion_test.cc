#include "node/container/expansion.h"

#include <gtest/gtest.h>

namespace windlass::node {
namespace {

TEST(Expand, FollowsTheRulesOfTheApi) {
  const Variables values = {{"A", "1"}, {"B", "$(A)"}};
  struct Case {
    std::string_view text;
    std::string_view want;
  };
  const Case cases[] = {
      {"", ""},
      {"plain", "plain"},
      {"$(A)", "1"},
      {"x$(A)y$(A)z", "x1y1z"},
      {"$(B)", "$(A)"},  // a value is not expanded again
      {"$$(A)", "$(A)"},
      {"$$$(A)", "$1"},
      {"$$$$(A)", "$$(A)"},
      {"$(NOT_THERE)", "$(NOT_THERE)"},
      {"$A ${A}", "$A ${A}"},
      {"$(A", "$(A"},
      {"$", "$"},
      {"cost: 5$", "cost: 5$"},
      {"$()", "$()"},
      {"$($(A))", "$($(A))"},
  };
  for (const Case& c : cases) {
    EXPECT_EQ(expand(c.text, values, kMaxArgumentBytes), c.want) << c.text;
  }
}

TEST(Expand, StopsAtTheLimit) {
  const Variables values = {{"A", "1234"}};
  EXPECT_EQ(expand("$(A)$(A)", values, 8), "12341234");
  EXPECT_EQ(expand("$(A)$(A)", values, 7), std::nullopt);
  EXPECT_EQ(expand("$(A)xxxx", values, 7), std::nullopt);
  EXPECT_EQ(expand("12345678", values, 7), std::nullopt);
  EXPECT_EQ(expand("$$$$", values, 1), std::nullopt);
  EXPECT_EQ(expand("$(UNKNOWN)", values, 9), std::nullopt);
  EXPECT_EQ(expand("", values, 0), "");
}

// A search for the end of each would take minutes.
TEST(Expand, ATextThatOpensManyAndClosesNoneIsReadOnce) {
  std::string text;
  for (int i = 0; i < 500'000; ++i) {
    text += "$(";
  }
  EXPECT_EQ(expand(text, {}, text.size()), text);
}

TEST(ArgumentRoom, CountsWhatTheKernelCounts) {
  ArgumentRoom room;
  EXPECT_FALSE(room.take("a", kMaxArgumentBytes));
  EXPECT_TRUE(room.take("a", kMaxArgumentBytes - 1));
  size_t more = 0;
  while (room.take("b", kMaxArgumentBytes - 1)) {
    ++more;
  }
  EXPECT_EQ(more, kMaxArgumentsBytes / kMaxArgumentBytes - 2);  // the pointers take some
  EXPECT_TRUE(room.take("c", 1000));
}

}  // namespace
}  // namespace windlass::node
