#include "ledger.h"

#include <gtest/gtest.h>

namespace windlass::crash {
namespace {

Found found(uint64_t revision, uint64_t number) {
  return {revision, number, content_of("a", number)};
}

// An object whose first write was acknowledged at revision 5.
Entry written() {
  Entry entry("a", true);
  entry.begin_write();
  entry.acknowledge(5);
  return entry;
}

TEST(Ledger, WhatWasAcknowledgedMustBeThere) {
  EXPECT_EQ(written().settle(found(5, 1)), "");
  EXPECT_NE(written().settle(std::nullopt), "");
  EXPECT_NE(written().settle(found(4, 1)), "");
  EXPECT_NE(written().settle(Found{5, 1, "half"}), "");
}

TEST(Ledger, AWriteUnderWayIsThereOrNot) {
  Entry entry = written();
  entry.begin_write();
  EXPECT_EQ(Entry(entry).settle(found(5, 1)), "");
  EXPECT_EQ(Entry(entry).settle(found(6, 2)), "");
  EXPECT_NE(Entry(entry).settle(found(5, 2)), "");
  EXPECT_NE(Entry(entry).settle(std::nullopt), "");
  EXPECT_EQ(entry.settle(found(6, 2)), "");
  EXPECT_NE(entry.settle(found(5, 1)), "") << "once it was seen it stays";
}

TEST(Ledger, ADeletionUnderWayIsDoneOrNot) {
  Entry entry = written();
  entry.begin_delete();
  EXPECT_EQ(Entry(entry).settle(found(5, 1)), "");
  EXPECT_EQ(Entry(entry).settle(std::nullopt), "");
  entry.acknowledge(0);
  EXPECT_EQ(Entry(entry).settle(std::nullopt), "");
  EXPECT_NE(entry.settle(found(5, 1)), "");
}

TEST(Ledger, WhatOthersWriteToMayBeNewer) {
  Entry entry("a", false);
  entry.begin_write();
  entry.acknowledge(5);
  EXPECT_EQ(Entry(entry).settle(found(9, 1)), "");
  EXPECT_NE(Entry(entry).settle(found(4, 1)), "");
}

}  // namespace
}  // namespace windlass::crash
