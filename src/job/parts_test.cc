// The small parts: UIDs, the pod table, pod plans, conditions, retries.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <map>

#include "job/conditions.h"
#include "job/pod_factory.h"
#include "job/pod_table.h"
#include "job/retry.h"
#include "job/uid.h"

namespace windlass::job {
namespace {

TEST(Uids, CanonicalAndOddTexts) {
  UidNames names;
  for (const char* text :
       {"0e8a7b9c-1234-4abc-8def-0123456789ab", "a", "", "ffffffff-ffff-ffff-0000-000000000000",
        "0E8A7B9C-1234-4ABC-8DEF-0123456789AB", "0e8a7b9c-1234-4abc-8def-0123456789a"}) {
    const Uid uid = names.intern(text);
    EXPECT_EQ(names.text(uid), text);
    EXPECT_EQ(names.intern(text), uid);
    EXPECT_EQ(names.find(text), uid);
    names.forget(uid);
  }
  EXPECT_EQ(names.find("a"), std::nullopt);
}

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

TEST(PodPlans, R4_3_R4_4_F75_GenerateName) {
  EXPECT_EQ(generate_name("work", kNoIndex), "work-");
  EXPECT_EQ(generate_name(std::string(253, 'a'), kNoIndex), std::string(253, 'a'));
  const std::string name = generate_name(std::string(63, 'a'), 1);
  EXPECT_EQ(name.size(), 58u);
  EXPECT_EQ(name.substr(54), "a-1-");
}

TEST(PodPlans, R0_28_R4_13_Annotations) {
  EXPECT_EQ(parse_index(std::nullopt), kNoIndex);
  for (const char* text : {"", "-1", "x", "1x", "99999999999"}) {
    EXPECT_EQ(parse_index(text), kNoIndex) << text;
  }
  EXPECT_EQ(parse_index("17"), 17);
  EXPECT_EQ(parse_failure_count("2147483647"), 2147483647);
  EXPECT_EQ(parse_failure_count("2147483648"), 0);
  EXPECT_EQ(next_count(2147483647), 2147483647);
}

TEST(Conditions, N233_EnsureConditionTable) {
  using enum ConditionStatus;
  const Time now = time_from_unix(1);
  const Time later = time_from_unix(2);
  JobStatus status;
  EXPECT_FALSE(set_condition(status, "T", is_false, "R", "M", now));
  EXPECT_TRUE(set_condition(status, "T", is_true, "R", "M", now));
  EXPECT_FALSE(set_condition(status, "T", is_true, "R", "M", later));
  EXPECT_EQ(status.conditions[0].last_transition, now);
  EXPECT_TRUE(set_condition(status, "T", is_true, "R2", "M", later));
  EXPECT_EQ(status.conditions[0].last_transition, later);
  EXPECT_TRUE(set_condition(status, "T", is_false, "R2", "M", later));
  EXPECT_EQ(status.conditions.size(), 1u);
}

TEST(Conditions, R6_24_R8_7_ReasonLabelsAreBounded) {
  EXPECT_EQ(finished_reason_label("PodFailurePolicy_Any"), "PodFailurePolicy");
  EXPECT_EQ(finished_reason_label("DeadlineExceeded"), "DeadlineExceeded");
  EXPECT_EQ(finished_reason_label("MadeByHand"), "Other");
}

TEST(Retries, R0_2_OneSecondDoublingToSixty) {
  Retry retry;
  Time now = time_from_unix(0);
  EXPECT_TRUE(retry.open(now));
  for (const int expected : {1, 2, 4, 8, 16, 32, 60, 60}) {
    retry.failed();
    retry.settle(now, {});
    EXPECT_EQ(retry.not_before(), now + seconds(expected));
    EXPECT_FALSE(retry.open(now));
    now += seconds(expected);
    EXPECT_TRUE(retry.open(now));
  }
  retry.succeeded();
  retry.settle(now, {});
  EXPECT_EQ(retry.not_before(), std::nullopt);
}

}  // namespace
}  // namespace windlass::job
