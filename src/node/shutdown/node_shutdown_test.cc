#include "node/shutdown/node_shutdown.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

namespace windlass::node {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(ShutdownGroups, K70_TwoGroupsShareTheTime) {
  EXPECT_THAT(
      shutdown_groups(seconds(30), seconds(10)),
      ElementsAre(ShutdownGroup{0, seconds(20)}, ShutdownGroup{kCriticalPriority, seconds(10)}));
  EXPECT_THAT(shutdown_groups({}, {}), IsEmpty());
}

TEST(ShutdownGroups, K70_APodBelongsToTheLargestPriorityNotAboveItsOwn) {
  const ShutdownGroups groups = {{0, {}}, {1000, {}}, {kCriticalPriority, {}}};
  const std::pair<int64_t, size_t> cases[] = {
      {std::numeric_limits<int32_t>::min(), 0},
      {-1, 0},
      {0, 0},
      {999, 0},
      {1000, 1},
      {kCriticalPriority - 1, 1},
      {kCriticalPriority, 2},
  };
  for (const auto& [priority, group] : cases) {
    EXPECT_EQ(shutdown_group_of(groups, priority), group) << priority;
  }
}

}  // namespace
}  // namespace windlass::node
