#include "base/index_set.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <map>
#include <set>

namespace windlass {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using Interval = IndexSet::Interval;

constexpr int32_t kMaxIndex = std::numeric_limits<int32_t>::max();

std::string error_of(std::string_view text, int32_t completions) {
  const Result<IndexSet> set = IndexSet::parse(text, completions);
  return set ? "parsed as " + set->to_string() : set.error().message;
}

IndexSet from(const std::set<int32_t>& indexes) {
  IndexSet set;
  for (const int32_t index : indexes) {
    set.insert(index);
  }
  return set;
}

TEST(IndexSet, R3_32_TextForm) {
  EXPECT_EQ(IndexSet().to_string(), "");
  EXPECT_EQ((IndexSet{7}).to_string(), "7");
  EXPECT_EQ((IndexSet{3, 4}).to_string(), "3,4") << "runs of two stay apart";
  EXPECT_EQ((IndexSet{3, 4, 5}).to_string(), "3-5");
  EXPECT_EQ((IndexSet{7, 2, 0, 3, 5, 4}).to_string(), "0,2-5,7");
}

TEST(IndexSet, R3_33_StoredTextIsCutAtTheBound) {
  EXPECT_EQ(IndexSet::parse_stored("0,2-5,7", 10).set.to_string(), "0,2-5,7");
  EXPECT_EQ(IndexSet::parse_stored("0,2-5,7", 4).set.to_string(), "0,2,3");
  EXPECT_EQ(IndexSet::parse_stored("0,2-5,7", 2).set.to_string(), "0");
  EXPECT_EQ(IndexSet::parse_stored("0-9", 0).set.size(), 0);
  EXPECT_EQ(IndexSet::parse_stored("", 10).set.size(), 0);
  EXPECT_EQ(IndexSet::parse_stored("5-99999999999", 10).set.to_string(), "5-9");
  // The first interval beyond the bound ends the parse, even when a later one would fit.
  EXPECT_EQ(IndexSet::parse_stored("1,12,3", 10).set.to_string(), "1");
}

TEST(IndexSet, R3_33_StoredTextMergesNeighbours) {
  const IndexSet set = IndexSet::parse_stored("0-2,3,4,6", 10).set;
  EXPECT_THAT(set.intervals(), ElementsAre(Interval{0, 4}, Interval{6, 6}));
}

TEST(IndexSet, R3_33_BadStoredIntervalsAreSkippedAndNamed) {
  const IndexSet::Stored stored = IndexSet::parse_stored("1,x,3-,5", 10);
  EXPECT_EQ(stored.set.to_string(), "1,5");
  EXPECT_THAT(stored.skipped, ElementsAre("cannot convert string to integer for index: \"x\"",
                                          "cannot convert string to integer for index: \"\""));
}

TEST(IndexSet, R10_69_ReversedAndTripleIntervalsAreRejected) {
  for (const char* text : {"5-3", "1-x-2", "1-2-3", "3-3"}) {
    EXPECT_FALSE(IndexSet::parse(text, 10).has_value()) << text;
    const IndexSet::Stored stored = IndexSet::parse_stored(text, 10);
    EXPECT_EQ(stored.set.size(), 0) << text;
    EXPECT_THAT(stored.skipped, SizeIs(1)) << text;
  }
}

TEST(IndexSet, R12_1_AnExactListIsTheShortestFormOfASetThatIsNotEmpty) {
  for (const char* text : {"0", "0,1", "0-2,5,7-9", "9"}) {
    const auto set = IndexSet::parse_exact(text, 10);
    ASSERT_TRUE(set) << text;
    EXPECT_EQ(set->to_string(), text);
  }
  const auto error = [](std::string_view text) {
    return IndexSet::parse_exact(text, 10).error().message;
  };
  EXPECT_EQ(error(""), "must list at least one index");
  for (const char* text : {"0-1", "0,1,2", "00", "+1", "0-2,3"}) {
    EXPECT_EQ(error(text), "must be in its shortest form, as in a Job's status") << text;
  }
  EXPECT_EQ(error("10"), "too large index: \"10\"");
  EXPECT_EQ(error("2,1"), "non-increasing order, previous: 2, current: 1");
  EXPECT_EQ(error(std::string(IndexSet::kMaxExactBytes + 1, '1')),
            "must have at most 131072 bytes");
}

TEST(IndexSet, StoredTextOfAnyLengthReportsFewIntervals) {
  std::string text = "x";
  for (int i = 0; i < 100'000; ++i) {
    text += ",-";
  }
  const IndexSet::Stored stored = IndexSet::parse_stored(text, kMaxIndex);
  EXPECT_THAT(stored.skipped, SizeIs(IndexSet::Stored::kMaxSkipped));
}

TEST(IndexSet, J79_AcceptsAscendingLists) {
  EXPECT_EQ(IndexSet::parse("", 0)->size(), 0);
  EXPECT_EQ(IndexSet::parse("0,2-5,7", 8)->size(), 6);
  EXPECT_EQ(IndexSet::parse("+1,3", 8)->to_string(), "1,3") << "Go's Atoi takes a plus";
  EXPECT_EQ(IndexSet::parse("007", 8)->to_string(), "7");
  EXPECT_EQ(IndexSet::parse("0-2147483646", kMaxIndex)->size(), kMaxIndex);
  EXPECT_EQ(IndexSet::parse("1-2,3", 8)->to_string(), "1-3");
}

TEST(IndexSet, J79_ErrorTexts) {
  const auto integer = [](const std::string& index) {
    return "cannot convert string to integer for index: \"" + index + "\"";
  };
  const std::map<std::string, std::string> cases = {
      {"1-2-3",
       "the fragment \"1-2-3\" violates the requirement that an index interval can have at most "
       "two parts separated by '-'"},
      {"--",
       "the fragment \"--\" violates the requirement that an index interval can have at most "
       "two parts separated by '-'"},
      {"a", integer("a")},
      {"1,", integer("")},
      {"-1", integer("")},
      {"1-", integer("")},
      {"-", integer("")},
      {",", integer("")},
      {" 1", integer(" 1")},
      {"1.5", integer("1.5")},
      {"0x1", integer("0x1")},
      {"++1", integer("++1")},
      {"+", integer("+")},
      {"99999999999999999999", integer("99999999999999999999")},
      {"1\n", integer("1\\n")},
      {"10", "too large index: \"10\""},
      {"5-10", "too large index: \"10\""},
      {"10-5", "too large index: \"10\""},
      {"9223372036854775807", "too large index: \"9223372036854775807\""},
      {"5-3", "non-increasing order, previous: 5, current: 3"},
      {"3-3", "non-increasing order, previous: 3, current: 3"},
      {"1-2,2-3", "non-increasing order, previous: 2, current: 2"},
      {"3,1", "non-increasing order, previous: 3, current: 1"},
  };
  for (const auto& [text, expected] : cases) {
    EXPECT_EQ(error_of(text, 10), expected) << text;
  }
}

TEST(IndexSet, InsertsAndMerges) {
  IndexSet set;
  EXPECT_TRUE(set.insert(5));
  EXPECT_FALSE(set.insert(5));
  EXPECT_TRUE(set.insert(7));
  EXPECT_THAT(set.intervals(), ElementsAre(Interval{5, 5}, Interval{7, 7}));
  EXPECT_TRUE(set.insert(6));
  EXPECT_THAT(set.intervals(), ElementsAre(Interval{5, 7}));
  set.insert(Interval{0, 100});
  EXPECT_THAT(set.intervals(), ElementsAre(Interval{0, 100}));
  set.insert(Interval{3, 4});
  EXPECT_EQ(set.size(), 101);
  EXPECT_EQ(set.last(), 100);
  EXPECT_EQ(IndexSet().last(), -1);
}

TEST(IndexSet, Truncates) {
  IndexSet set = *IndexSet::parse("0-2,5-8,20", 100);
  set.truncate(21);
  EXPECT_EQ(set.to_string(), "0-2,5-8,20");
  set.truncate(7);
  EXPECT_EQ(set.to_string(), "0-2,5,6");
  EXPECT_EQ(set.size(), 5);
  set.truncate(0);
  EXPECT_TRUE(set.empty());
}

TEST(IndexSet, FirstMissing) {
  const IndexSet set = *IndexSet::parse("0-2,5,7", 100);
  EXPECT_EQ(IndexSet().first_missing(), 0);
  EXPECT_EQ(set.first_missing(), 3);
  EXPECT_EQ(set.first_missing(4), 4);
  EXPECT_EQ(set.first_missing(5), 6);
  EXPECT_EQ(set.first_missing(7), 8);
  EXPECT_EQ(set.first_missing(50), 50);
}

TEST(IndexSet, OverlapCountsWhatIsInBoth) {
  const IndexSet a = *IndexSet::parse("0-4,10-20", 100);
  const IndexSet b = *IndexSet::parse("3-11,19,50", 100);
  EXPECT_EQ(a.overlap(b), 5);
  EXPECT_EQ(b.overlap(a), 5);
  EXPECT_EQ(a.overlap(IndexSet()), 0);
}

TEST(IndexSet, ManyIndexesInTheWorstOrder) {
  IndexSet set;
  for (int32_t index = 0; index < 200'000; index += 2) {
    set.insert(index);
  }
  EXPECT_EQ(set.size(), 100'000);
  const std::string text = set.to_string();
  EXPECT_EQ(*IndexSet::parse(text, 200'000), set);
  EXPECT_EQ(IndexSet::parse_stored(text, 200'000).set, set);
  for (int32_t index = 199'999; index > 0; index -= 2) {
    set.insert(index);
  }
  EXPECT_EQ(set.to_string(), "0-199999");
}

RC_GTEST_PROP(IndexSetProperty, AgreesWithAPlainSet, ()) {
  const auto indexes = *rc::gen::container<std::set<int32_t>>(rc::gen::inRange(0, 60));
  const auto others = *rc::gen::container<std::set<int32_t>>(rc::gen::inRange(0, 60));
  const int32_t bound = *rc::gen::inRange(0, 61);
  IndexSet set = from(indexes);
  RC_ASSERT(set.size() == static_cast<int64_t>(indexes.size()));
  for (int32_t index = 0; index < 61; ++index) {
    RC_ASSERT(set.contains(index) == indexes.contains(index));
  }
  std::set<int32_t> visited;
  set.for_each([&](int32_t index) { visited.insert(index); });
  RC_ASSERT(visited == indexes);

  std::set<int32_t> both;
  std::set_intersection(indexes.begin(), indexes.end(), others.begin(), others.end(),
                        std::inserter(both, both.end()));
  RC_ASSERT(set.overlap(from(others)) == static_cast<int64_t>(both.size()));

  std::set<int32_t> united = indexes;
  united.insert(others.begin(), others.end());
  set.insert(from(others));
  RC_ASSERT(set == from(united));
  united.erase(united.lower_bound(bound), united.end());
  set.truncate(bound);
  RC_ASSERT(set == from(united));
}

RC_GTEST_PROP(IndexSetProperty, TextSurvivesARoundTrip, ()) {
  const auto indexes = *rc::gen::container<std::set<int32_t>>(rc::gen::inRange(0, 200));
  const IndexSet set = from(indexes);
  const Result<IndexSet> strict = IndexSet::parse(set.to_string(), 200);
  RC_ASSERT(strict.has_value());
  RC_ASSERT(*strict == set);
  const IndexSet::Stored stored = IndexSet::parse_stored(set.to_string(), 200);
  RC_ASSERT(stored.set == set);
  RC_ASSERT(stored.skipped.empty());
}

RC_GTEST_PROP(IndexSetProperty, InsertedIntervalsAgreeWithAPlainSet, ()) {
  IndexSet set;
  std::set<int32_t> plain;
  const auto intervals = *rc::gen::container<std::vector<std::pair<int32_t, int32_t>>>(
      rc::gen::pair(rc::gen::inRange(0, 60), rc::gen::inRange(0, 12)));
  for (const auto& [first, more] : intervals) {
    set.insert(Interval{first, first + more});
    for (int32_t index = first; index <= first + more; ++index) {
      plain.insert(index);
    }
    RC_ASSERT(set == from(plain));
  }
}

// Whatever the strict parser takes, the lenient one reads the same; and text of few characters hits
// the grammar often.
RC_GTEST_PROP(IndexSetProperty, ParsersAgree, ()) {
  const auto text =
      *rc::gen::container<std::string>(rc::gen::elementOf(std::string("0123456789,,--+x")));
  const Result<IndexSet> strict = IndexSet::parse(text, 50);
  const IndexSet::Stored stored = IndexSet::parse_stored(text, 50);
  if (strict) {
    RC_ASSERT(stored.set == *strict);
    RC_ASSERT(stored.skipped.empty());
  }
  RC_ASSERT(stored.set.last() < 50);
}

}  // namespace
}  // namespace windlass
