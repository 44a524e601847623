#include "verify/ledgers/memory_ledger.h"

#include <gtest/gtest.h>

#include "schema/ledger/v1/attempt.pb.h"
#include "virtual_world/world.h"

namespace windlass::ledger {
namespace {

AttemptPtr attempt_of(const std::string& uid, int64_t ended) {
  auto attempt = std::make_shared<api::ledger::v1::Attempt>();
  attempt->mutable_metadata()->set_name(uid);
  attempt->mutable_ended_at()->set_seconds(ended);
  return attempt;
}

std::vector<std::string> names_of(const AttemptPage& page) {
  std::vector<std::string> names;
  for (const AttemptPtr& attempt : page.items) {
    names.push_back(attempt->metadata().name());
  }
  return names;
}

using Names = std::vector<std::string>;

TEST(MemoryLedger, RecordsAndFindsOldestFirstInPages) {
  virtual_world::VirtualWorld world(1);
  MemoryLedger ledger(world.executor());
  int done = 0;
  for (const auto& attempt : {attempt_of("b", 2), attempt_of("a", 1), attempt_of("c", 2)}) {
    ledger.record(attempt, [&](const Result<void>& result) { done += result ? 1 : 0; });
  }
  EXPECT_EQ(done, 0) << "never inside the call";
  ASSERT_TRUE(world.run_until_idle());
  EXPECT_EQ(done, 3);
  const AttemptPage first = ledger.page({}, 2, "").value();
  EXPECT_EQ(names_of(first), (Names{"a", "b"}));
  const AttemptPage second = ledger.page({}, 2, first.next).value();
  EXPECT_EQ(names_of(second), Names{"c"});
  EXPECT_EQ(second.next, "");
  EXPECT_EQ(ledger.page({}, 2, "zork").error().code, 400);
}

TEST(MemoryLedger, ReplacesTheRecordOfTheSamePod) {
  virtual_world::VirtualWorld world(1);
  MemoryLedger ledger(world.executor());
  ledger.record(attempt_of("a", 1), [](const Result<void>&) {});
  ledger.record(attempt_of("a", 9), [](const Result<void>&) {});
  ASSERT_EQ(ledger.all().size(), 1u);
  EXPECT_EQ(ledger.of_pod("a")->ended_at().seconds(), 9);
}

TEST(MemoryLedger, RefusesAndHoldsWhenTold) {
  virtual_world::VirtualWorld world(1);
  MemoryLedger ledger(world.executor());
  std::vector<bool> results;
  const auto note = [&](const Result<void>& result) { results.push_back(result.has_value()); };
  ledger.refuse(plain_error("full"));
  ledger.record(attempt_of("a", 1), note);
  ledger.refuse(std::nullopt);
  ledger.hold();
  ledger.record(attempt_of("b", 1), note);
  ASSERT_TRUE(world.run_until_idle());
  EXPECT_EQ(results, std::vector<bool>{false});
  EXPECT_EQ(ledger.all().size(), 0u);
  ledger.release();
  ASSERT_TRUE(world.run_until_idle());
  EXPECT_EQ(results, (std::vector<bool>{false, true}));
}

}  // namespace
}  // namespace windlass::ledger
