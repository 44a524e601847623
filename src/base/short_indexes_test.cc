#include "base/short_indexes.h"

#include <gtest/gtest.h>

namespace windlass {
namespace {

TEST(ShortIndexesTest, AShortListIsWhole) {
  EXPECT_EQ(short_indexes(""), "");
  EXPECT_EQ(short_indexes("0-4,7,9-11"), "0-4,7,9-11");
}

TEST(ShortIndexesTest, ALongListIsCutWithACount) {
  IndexSet odd;
  for (int32_t index = 1; index < 1000; index += 2) {
    odd.insert(index);
  }
  EXPECT_EQ(short_indexes(odd), "1,3,5,7,9,11,13,15,17,19 and 490 more");
  EXPECT_EQ(short_indexes(odd.to_string()), "1,3,5,7,9,11,13,15,17,19 and 490 more");
}

TEST(ShortIndexesTest, TheCountIsOfIndexesNotOfIntervals) {
  IndexSet set;
  for (int32_t i = 0; i < 11; ++i) {
    set.insert(IndexSet::Interval{i * 10, i * 10 + 4});
  }
  EXPECT_EQ(short_indexes(set),
            "0-4,10-14,20-24,30-34,40-44,50-54,60-64,70-74,80-84,90-94 and 5 more");
}

TEST(ShortIndexesTest, TheCallerSaysHowMany) {
  EXPECT_EQ(short_indexes(IndexSet{3, 20, 37, 40}, 3), "3,20,37 and 1 more");
}

}  // namespace
}  // namespace windlass
