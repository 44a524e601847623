#include "engine/state/record_memory.h"

#include <gtest/gtest.h>

namespace windlass::engine {
namespace {

TEST(RecordMemory, KeepsWhatIsKnownBesideWhatIsStored) {
  RecordMemory memory;
  memory.load("v1;baseline=2");
  memory.raise(3, {1, 0}, Time());
  EXPECT_EQ(memory.record().baseline, 2);
  EXPECT_EQ(memory.record().counts.find(3).counted, 1);
  EXPECT_FALSE(memory.is_stored(3, {1, 0}));
  EXPECT_TRUE(memory.lacks(memory.record().counts));
  memory.load(format_record(memory.record()));
  EXPECT_TRUE(memory.is_stored(3, {1, 0}));
  EXPECT_FALSE(memory.lacks(memory.record().counts));
}

TEST(RecordMemory, TellsOfAnUnreadableTextOnce) {
  RecordMemory memory;
  memory.load("v1;baseline=x");
  EXPECT_TRUE(memory.take_unreadable());
  EXPECT_FALSE(memory.take_unreadable());
}

TEST(RecordMemory, GivesUpOnFailuresThatTheServerDoesNotKeep) {
  RecordMemory memory;
  memory.raise(3, {1, 0}, Time());
  EXPECT_EQ(memory.give_up_unstored(memory.record().counts), 1u);
  EXPECT_EQ(memory.give_up_unstored(memory.record().counts), 0u) << "once for each index";
  EXPECT_FALSE(memory.lacks(memory.record().counts));
  memory.retry_given_up();
  EXPECT_TRUE(memory.lacks(memory.record().counts));
}

TEST(RecordMemory, AdoptedRecordsDropOnlyWhatHasNotGrownSince) {
  RecordMemory memory;
  memory.raise(1, {1, 0}, Time());
  memory.raise(2, {1, 0}, Time());
  const IndexCounts dropped = memory.record().counts;
  memory.raise(2, {2, 0}, Time());
  memory.adopt(JobRecord(), dropped);
  EXPECT_EQ(memory.record().counts.find(1).counted, 0);
  EXPECT_EQ(memory.record().counts.find(2).counted, 2);
}

}  // namespace
}  // namespace windlass::engine
