#include "engine/state/pod_table.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <map>

namespace windlass::engine {
namespace {

TEST(PodTableTest, NamesTakeFiveBytesWhenGenerated) {
  PodTable table("work");
  const Slot slot = table.insert({1, 1});
  table.at(slot).index = 12;
  for (const char* name : {"work-12-abcde", "work-1-abcde", "other", "", "work-12-abcdef"}) {
    table.set_name(slot, name);
    EXPECT_EQ(table.name(slot), name);
  }
  const std::string long_job(63, 'j');
  PodTable cut(long_job);
  const Slot other = cut.insert({1, 2});
  cut.set_name(other, long_job.substr(0, 58) + "abcde");
  EXPECT_EQ(cut.name(other), long_job.substr(0, 58) + "abcde");
}

RC_GTEST_PROP(PodTableTest, BehavesLikeAMap, (const std::vector<std::pair<uint8_t, bool>>& ops)) {
  PodTable table("work");
  std::map<uint64_t, int32_t> model;
  for (const auto& [number, add] : ops) {
    const uint64_t key = number % 97;
    const Uid uid{0, key};
    const Slot found = table.find(uid);
    RC_ASSERT((found != kNoSlot) == model.contains(key));
    if (add && found == kNoSlot) {
      const Slot slot = table.insert(uid);
      table.at(slot).index = static_cast<int32_t>(key % 7);
      table.link(slot);
      model[key] = static_cast<int32_t>(key % 7);
    } else if (!add && found != kNoSlot) {
      table.unlink(found);
      table.erase(found);
      model.erase(key);
    }
  }
  std::map<int32_t, int> chains;
  for (const auto& [key, index] : model) {
    RC_ASSERT(table.find({0, key}) != kNoSlot);
    ++chains[index];
  }
  for (int32_t index = 0; index < 7; ++index) {
    int length = 0;
    const Slot head = table.head(index);
    for (Slot slot = head; slot != kNoSlot; slot = table.at(slot).next) {
      RC_ASSERT(table.at(slot).index == index);
      RC_ASSERT(table.head_of(slot) == head);
      ++length;
    }
    RC_ASSERT(length == chains[index]);
  }
}

}  // namespace
}  // namespace windlass::engine
