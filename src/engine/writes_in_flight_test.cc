#include "engine/writes_in_flight.h"

#include <gtest/gtest.h>

namespace windlass::engine {
namespace {

TEST(WritesInFlight, CreatesOfARoundAreOverTogether) {
  WritesInFlight writes;
  const uint32_t first = writes.add_create(0);
  const uint32_t second = writes.add_create(1);
  writes.note_gone("a");
  EXPECT_FALSE(writes.answer_create(second));
  EXPECT_TRUE(writes.is_gone("a"));
  EXPECT_FALSE(writes.empty());
  EXPECT_TRUE(writes.answer_create(first));
  EXPECT_FALSE(writes.is_gone("a"));
  EXPECT_TRUE(writes.empty());
  EXPECT_GT(writes.add_create(0), second) << "an answer of the last round fits none of this one";
}

TEST(WritesInFlight, ChangesAreAnsweredByUid) {
  WritesInFlight writes;
  writes.add_change({PodOp::delete_pod, "u", "pod", 0}, {0, 7}, 3);
  EXPECT_FALSE(writes.empty());
  const WritesInFlight::PodChange change = writes.answer_change("u");
  EXPECT_EQ(change.op, PodOp::delete_pod);
  EXPECT_EQ(change.name, "pod");
  EXPECT_EQ(change.slot, 3u);
  EXPECT_TRUE(writes.empty());
}

}  // namespace
}  // namespace windlass::engine
