#include "node/volumes/volume_files.h"

#include <gtest/gtest.h>

#include "virtual_world/virtual_files.h"

namespace windlass::node {
namespace {

using Entries = std::vector<std::string>;

TEST(PublishedFiles, ANewStateTakesThePlaceOfTheOldOneInOneStep) {
  virtual_world::VirtualFiles files;
  ASSERT_TRUE(publish_files(files, "/v", {{"a", "1", 0644}, {"deep/er", "2", 0400}}, {}));
  EXPECT_EQ(*files.list("/v"), (Entries{"..1", "..data", "a", "deep"}));
  EXPECT_EQ(files.link("/v/..data"), "..1");
  EXPECT_EQ(files.link("/v/deep"), "..data/deep");
  EXPECT_EQ(*files.read("/v/deep/er", 10), "2");
  EXPECT_EQ(files.mode("/v/deep/er"), 0400u);
  ASSERT_TRUE(publish_files(files, "/v", {{"a", "3", 0644}, {"b", "4", 0644}}, {}));
  EXPECT_EQ(*files.list("/v"), (Entries{"..2", "..data", "a", "b"}));
  EXPECT_EQ(*files.read("/v/a", 10), "3");
  EXPECT_EQ(*files.read("/v/b", 10), "4");
  ASSERT_TRUE(publish_files(files, "/v", {}, {}));
  EXPECT_EQ(*files.list("/v"), (Entries{"..1", "..data"}));
}

TEST(PublishedFiles, TheGroupOfThePodMayReadThem) {
  virtual_world::VirtualFiles files;
  ASSERT_TRUE(publish_files(files, "/v", {{"a", "1", 0400}}, 77));
  EXPECT_EQ(files.group("/v/..1/a"), 77u);
  EXPECT_EQ(files.mode("/v/a"), 0440u);
}

TEST(PublishedFiles, EveryDifferenceIsAnotherHash) {
  EXPECT_EQ(hash_of({{"a", "b", 1}}), hash_of({{"a", "b", 1}}));
  EXPECT_NE(hash_of({{"a", "b", 1}}), hash_of({{"a", "b", 2}}));
  EXPECT_NE(hash_of({{"a", "bc", 1}}), hash_of({{"ab", "c", 1}}));
}

}  // namespace
}  // namespace windlass::node
