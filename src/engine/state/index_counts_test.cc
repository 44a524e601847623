#include "engine/state/index_counts.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "engine/state/record.h"

namespace windlass::engine {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

const Time kEnd = Time(milliseconds(1'800'000'000'123));

TEST(IndexCounts, TextGroupsIndexesWithTheSameNumbers) {
  IndexCounts counts;
  for (const int32_t index : {9, 0, 1, 2, 3, 4}) {
    counts.raise(index, {1, 0}, Time());
  }
  counts.raise(7, {2, 1}, kEnd);
  EXPECT_EQ(counts.text(), "1:0-4,9|2/1@1800000000123:7");
  IndexCounts read;
  EXPECT_TRUE(read.read(counts.text()));
  EXPECT_EQ(read, counts);
  EXPECT_EQ(read.find(7), (IndexFailures{2, 1}));
  EXPECT_EQ(read.last(7), kEnd);
  EXPECT_EQ(read.find(5), IndexFailures());
}

TEST(IndexCounts, NumbersOnlyRise) {
  IndexCounts counts;
  counts.raise(3, {2, 0}, kEnd);
  counts.raise(3, {1, 4}, Time());
  EXPECT_EQ(counts.find(3), (IndexFailures{2, 4}));
  EXPECT_EQ(counts.last(3), kEnd);
  counts.raise(4, {0, 0}, kEnd);
  EXPECT_EQ(counts.entries().size(), 1u) << "nothing is kept for an index that never failed";
}

TEST(IndexCounts, RecordCarriesThem) {
  JobRecord record;
  record.counts.raise(5, {1, 2}, Time());
  EXPECT_EQ(format_record(record), "v1;counts=1/2:5");
  bool readable = false;
  EXPECT_EQ(parse_record("v1;counts=1/2:5", &readable), record);
  EXPECT_TRUE(readable);
}

TEST(IndexCounts, WhatCannotBeReadIsSkippedAndTold) {
  for (const char* text :
       {"x", "1", "1:", ":3", "0:3", "1:5-3", "1:-1", "1:2147483647", "2147483648:1", "1/x:3",
        "1@x:3", "1@7258118400001:3", "1:3x", "1/1/1:2", "-1:3", "|"}) {
    IndexCounts counts;
    EXPECT_FALSE(counts.read(text)) << text;
    EXPECT_TRUE(counts.empty()) << text;
    bool readable = true;
    EXPECT_EQ(parse_record("v1;counts=" + std::string(text), &readable), JobRecord()) << text;
    EXPECT_FALSE(readable) << text;
  }
  IndexCounts counts;
  EXPECT_FALSE(counts.read("1:0,x,2|y:1|2:4"));
  EXPECT_EQ(counts.text(), "1:0,2|2:4") << "the rest is taken";
}

TEST(IndexCounts, HostileTextTakesNoMoreThanItsRoom) {
  IndexCounts counts;
  EXPECT_FALSE(counts.read("1:0-2147483646"));
  EXPECT_EQ(counts.entries().size(), IndexCounts::kMaxEntries);
  std::string again = "1:";
  for (int i = 0; i < 20'000; ++i) {
    again += "0-90000,";
  }
  IndexCounts repeated;
  EXPECT_FALSE(repeated.read(again));
  EXPECT_LE(repeated.entries().size(), IndexCounts::kMaxEntries);
}

TEST(IndexCounts, TheLowestNumbersOfTheHighestIndexesAreDroppedFirst) {
  IndexCounts counts;
  counts.raise(0, {1, 0}, Time());
  counts.raise(2, {3, 0}, Time());
  counts.raise(4, {1, 0}, Time());
  counts.raise(6, {1, 1}, Time());
  EXPECT_THAT(counts.fit(100), IsEmpty());
  EXPECT_THAT(counts.fit(14), ElementsAre(4)) << counts.text();
  EXPECT_EQ(counts.text(), "1:0|1/1:6|3:2");
  EXPECT_THAT(counts.fit(3), ElementsAre(6, 0));
  EXPECT_EQ(counts.text(), "3:2");
  EXPECT_THAT(counts.fit(0), ElementsAre(2));
}

TEST(IndexCounts, TheirTextHasABound) {
  IndexCounts counts;
  for (int32_t index = 0; index < 60'000; index += 2) {
    counts.raise(index, {1, 0}, Time());
  }
  counts.raise(99'999, {2, 0}, Time());
  EXPECT_FALSE(counts.fit().empty());
  EXPECT_LE(counts.text().size(), IndexCounts::kMaxBytes);
  EXPECT_GT(counts.text().size(), IndexCounts::kMaxBytes - 16) << "no room is wasted";
  EXPECT_EQ(counts.find(99'999), (IndexFailures{2, 0}));
}

}  // namespace
}  // namespace windlass::engine
