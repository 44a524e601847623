#include "engine/state/index_bits.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <random>
#include <set>

#include "engine/status/index_text.h"

namespace windlass::engine {
namespace {

constexpr int64_t kBound = 20'000;

TEST(IndexBits, F76_TextForm) {
  const auto text = [](std::initializer_list<int64_t> indexes) {
    IndexBits bits;
    for (const int64_t index : indexes) {
      bits.insert(index);
    }
    return bits.text();
  };
  EXPECT_EQ(text({}), "");
  EXPECT_EQ(text({7, 1, 3, 5, 4}), "1,3-5,7");
  EXPECT_EQ(text({1, 0}), "0,1");
}

TEST(IndexBits, R3_33_D10_69_ParsingSkipsWhatIsMalformed) {
  const std::pair<const char*, const char*> cases[] = {
      {"", ""},           {"0", "0"},       {"1,3-5,7", "1,3-5,7"},
      {"5-3", ""},        {"1-x-2,4", "4"}, {"-1,2", "2"},
      {"1,,2", "1,2"},    {"8-30", "8,9"},  {"12", ""},
      {"3-4,4-6", "3-6"}, {"+1", "1"},      {"12,3", ""},
      {"1 ,2", "2"},      {"a", ""},        {"99999999999999999999", ""}};
  for (const auto& [text, canonical] : cases) {
    EXPECT_EQ(IndexBits::parse(text, 10).text(), canonical) << text;
  }
}

TEST(IndexBits, TwoToThe31CostsLittle) {
  IndexBits bits = IndexBits::parse("0-2147483646", 2147483647);
  EXPECT_EQ(bits.size(), 2147483647);
  EXPECT_EQ(bits.next_out(0, 2147483647), 2147483647);
  bits.erase(1'000'000'000);
  EXPECT_EQ(bits.text(), "0-999999999,1000000001-2147483646");
}

// A status of one line must not take megabytes, and one of the largest size (1.5 MB) not hundreds.
TEST(IndexBits, MemoryIsBoundedByTheLengthOfTheText) {
  constexpr int64_t kAll = 2147483647;
  EXPECT_LT(IndexBits::parse("2147483646", kAll).memory_bytes(), 64'000u);
  EXPECT_LT(IndexBits::parse("0-2147483646", kAll).memory_bytes(), 64'000u);
  std::string sparse;
  for (int64_t index = 1'000'000'000; index < kAll && sparse.size() < 1'500'000; index += 8'000) {
    sparse += std::to_string(index) + ",";
  }
  const IndexBits bits = IndexBits::parse(sparse, kAll);
  EXPECT_GT(bits.size(), 130'000);
  EXPECT_LT(bits.memory_bytes(), 40'000'000u);
  EXPECT_EQ(bits.text() + ",", sparse);
}

TEST(IndexBits, ChunksThatAreFullOrEmptyBehaveLikeTheRest) {
  constexpr int64_t kAll = 10'000'000;
  IndexBits bits = IndexBits::parse("5,1048576-4194303,5000000-9999999", kAll);
  EXPECT_EQ(bits.next_in(6, kAll), 1048576);
  EXPECT_EQ(bits.next_out(1048576, kAll), 4194304);
  EXPECT_EQ(IndexBits::next_in_none({&bits}, 1048576, kAll), 4194304);
  EXPECT_TRUE(bits.erase(2'000'000));
  EXPECT_EQ(bits.text(), "5,1048576-1999999,2000001-4194303,5000000-9999999");
  EXPECT_EQ(bits.overlap(IndexBits::parse("0-9999999", kAll)), bits.size());
  bits.truncate(3'000'000);
  EXPECT_EQ(bits.text(), "5,1048576-1999999,2000001-2999999");
  EXPECT_EQ(bits.size(), 1 + 2'999'999 - 1'048'576);
  EXPECT_TRUE(bits.subtract(IndexBits::parse("0-2097151", kAll)));
  EXPECT_EQ(bits.text(), "2097152-2999999");
  EXPECT_EQ(bits.size(), 2'999'999 - 2'097'152 + 1);
}

RC_GTEST_PROP(IndexBits, BehavesLikeASet, (const std::vector<std::pair<int, bool>>& changes)) {
  IndexBits bits;
  std::set<int64_t> model;
  for (const auto& [number, add] : changes) {
    const int64_t index = std::abs(number % kBound);
    RC_ASSERT((add ? bits.insert(index) : bits.erase(index)) ==
              (add ? model.insert(index).second : model.erase(index) == 1));
    RC_ASSERT(bits.size() == static_cast<int64_t>(model.size()));
    const auto above = model.lower_bound(index);
    RC_ASSERT(bits.next_in(index, kBound) == (above == model.end() ? kBound : *above));
  }
  RC_ASSERT(IndexBits::parse(bits.text(), kBound) == bits);
  IndexBits cut = bits;
  cut.truncate(kBound / 2);
  model.erase(model.lower_bound(kBound / 2), model.end());
  RC_ASSERT(cut.size() == static_cast<int64_t>(model.size()));
  RC_ASSERT(cut.overlap(bits) == cut.size());
}

TEST(IndexText, AddsWhatTouchesOnEitherSide) {
  const auto added = [](const char* text, const char* more) {
    return add_to_text(text, IndexBits::parse(more, kBound));
  };
  EXPECT_EQ(added("", "3"), "3");
  EXPECT_EQ(added("3", ""), "3");
  EXPECT_EQ(added("5,6", "7"), "5-7");
  EXPECT_EQ(added("5,6", "4"), "4-6");
  EXPECT_EQ(added("5,6", "4,7"), "4-7");
  EXPECT_EQ(added("5,6,8,9", "7"), "5-9");
  EXPECT_EQ(added("1-3,5-9", "4"), "1-9");
  EXPECT_EQ(added("1,3,5", "0,2,4,6"), "0-6");
  EXPECT_EQ(added("1,5,6,9", "7"), "1,5-7,9");
  EXPECT_EQ(added("4,5,6000", "7"), "4,5,7,6000");
}

RC_GTEST_PROP(IndexText, EqualsPrintingAnew, ()) {
  const int64_t bound = *rc::gen::element<int64_t>(12, 300, kBound);
  const int percent = *rc::gen::element(2, 50, 98);
  const int more = *rc::gen::element(1, 10, 90);
  IndexBits before;
  IndexBits added;
  IndexBits all;
  std::mt19937_64 random(*rc::gen::arbitrary<uint64_t>());
  for (int64_t i = 0; i < bound; ++i) {
    const bool was = random() % 100 < static_cast<uint64_t>(percent);
    const bool comes = !was && random() % 100 < static_cast<uint64_t>(more);
    was ? before.insert(i) : comes ? added.insert(i) : false;
    was || comes ? all.insert(i) : false;
  }
  RC_ASSERT(add_to_text(before.text(), added) == all.text());
}

RC_GTEST_PROP(IndexBits, RangesEqualSingleInserts, ()) {
  const auto first = *rc::gen::inRange<int64_t>(0, kBound);
  const auto last = *rc::gen::inRange<int64_t>(first, kBound);
  IndexBits range;
  range.insert_range(first, last);
  IndexBits single;
  for (int64_t i = first; i <= last; ++i) {
    single.insert(i);
  }
  RC_ASSERT(range == single);
  RC_ASSERT(range.size() == single.size());
}

RC_GTEST_PROP(IndexBits, SubtractsAsSingleErasesDo, ()) {
  const auto some = [] {
    IndexBits bits;
    for (int i = 0; i < 3; ++i) {
      const auto first = *rc::gen::inRange<int64_t>(0, kBound);
      bits.insert_range(first, std::min(kBound - 1, first + *rc::gen::inRange<int64_t>(0, 9000)));
    }
    return bits;
  };
  IndexBits left = some();
  const IndexBits taken = some();
  IndexBits single = left;
  bool any = false;
  for (int64_t i = 0; i < kBound; ++i) {
    any = (taken.contains(i) && single.erase(i)) || any;
  }
  RC_ASSERT(left.subtract(taken) == any);
  RC_ASSERT(left == single);
  RC_ASSERT(left.size() == single.size());
}

// A status that names every index twice, which index by index would take minutes.
TEST(IndexBits, ASetOfAllIndexesIsSubtractedByPages) {
  const std::string all = "0-" + std::to_string(IndexBits::kMaxIndex);
  IndexBits left = IndexBits::parse(all, IndexBits::kMaxIndex + 1);
  IndexBits taken = left;
  taken.erase(7);
  EXPECT_TRUE(left.subtract(taken));
  EXPECT_EQ(left.text(), "7");
  EXPECT_FALSE(left.subtract(taken));
}

}  // namespace
}  // namespace windlass::engine
