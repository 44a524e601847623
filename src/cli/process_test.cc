#include "cli/process.h"

#include <gtest/gtest.h>

namespace windlass::cli {
namespace {

TEST(Process, TheDataDirectoryFollowsXdg) {
  EXPECT_EQ(default_data_dir("/state", "/users/u"), "/state/windlass");
  EXPECT_EQ(default_data_dir("", "/users/u"), "/users/u/.local/state/windlass");
  EXPECT_EQ(default_data_dir("relative", "/users/u"), "/users/u/.local/state/windlass");
}

TEST(Process, PathsBecomeAbsoluteAndNormal) {
  EXPECT_EQ(absolute_path("/a/./b/../c"), "/a/c");
  EXPECT_TRUE(absolute_path("a").ends_with("/a"));
  EXPECT_TRUE(absolute_path("a").starts_with('/'));
}

}  // namespace
}  // namespace windlass::cli
