#include "posix/files/spare_directories.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <filesystem>

#include "posix/testing.h"

namespace windlass::posix {
namespace {

namespace fs = std::filesystem;

class SpareDirectoriesTest : public ::testing::Test {
 protected:
  std::string directory(const std::string& name) const {
    fs::create_directory(folder_ / name);
    fs::permissions(folder_ / name, fs::perms::all);
    return folder_ / name;
  }

  const TemporaryDirectory folder_;
  SpareDirectories spares_;
};

TEST_F(SpareDirectoriesTest, OneThatIsAsNewIsKept) {
  EXPECT_TRUE(spares_.offer(directory("a")));
  EXPECT_TRUE(spares_.place(folder_ / "b"));
  EXPECT_TRUE(fs::is_directory(folder_ / "b"));
  EXPECT_FALSE(fs::exists(folder_ / "a"));
}

// Changes to one are not for its next user to find.
TEST_F(SpareDirectoriesTest, OneToWhichSomethingWasDoneIsNot) {
  fs::permissions(directory("mode"), fs::perms::owner_all);
  EXPECT_FALSE(spares_.offer(folder_ / "mode"));
  fs::permissions(directory("sticky"), fs::perms::all | fs::perms::sticky_bit);
  EXPECT_FALSE(spares_.offer(folder_ / "sticky"));
  directory("full");
  folder_.write("full/.hidden", "");
  EXPECT_FALSE(spares_.offer(folder_ / "full"));
  if (::setxattr(directory("marked").c_str(), "user.mark", "x", 1, 0) == 0) {
    EXPECT_FALSE(spares_.offer(folder_ / "marked"));
  }
  if (::geteuid() == 0) {
    ASSERT_EQ(::chown(directory("given").c_str(), 1, 1), 0);
    EXPECT_FALSE(spares_.offer(folder_ / "given"));
  }
  directory("large");
  for (int i = 0; i < 400; ++i) {
    folder_.write("large/a-name-that-takes-room-" + std::to_string(i), "");
  }
  const bool grew = fs::is_directory(folder_ / "large") && [&] {
    struct stat info = {};
    ::stat((folder_ / "large").c_str(), &info);
    return info.st_size > 4096;
  }();
  for (int i = 0; i < 400; ++i) {
    fs::remove(folder_ / "large/a-name-that-takes-room-" + std::to_string(i));
  }
  EXPECT_TRUE(!grew || !spares_.offer(folder_ / "large"));
}

TEST_F(SpareDirectoriesTest, WhatIsNoDirectoryIsNot) {
  directory("real");
  fs::create_symlink(folder_ / "real", folder_ / "link");
  EXPECT_FALSE(spares_.offer(folder_ / "link"));
  folder_.write("file", "");
  EXPECT_FALSE(spares_.offer(folder_ / "file"));
  EXPECT_FALSE(spares_.offer(folder_ / "nothing"));
}

TEST_F(SpareDirectoriesTest, NothingThatIsThereIsReplaced) {
  EXPECT_TRUE(spares_.offer(directory("a")));
  directory("b");
  EXPECT_FALSE(spares_.place(folder_ / "b"));
  EXPECT_TRUE(spares_.place(folder_ / "c")) << "it is still to be had";
}

TEST_F(SpareDirectoriesTest, OneThatCannotBeMovedIsRemovedAndNotTriedForEver) {
  EXPECT_TRUE(spares_.offer(directory("a")));
  EXPECT_FALSE(spares_.place(folder_ / "missing/b"));
  EXPECT_FALSE(spares_.any());
  EXPECT_FALSE(fs::exists(folder_ / "a"));
  EXPECT_TRUE(spares_.offer(directory("a"))) << "another place may be there";
  // Into itself: as where a file system cannot do it at all.
  EXPECT_FALSE(spares_.place(folder_ / "a/b"));
  EXPECT_FALSE(fs::exists(folder_ / "a"));
  EXPECT_FALSE(spares_.offer(directory("a")));
}

TEST_F(SpareDirectoriesTest, ThereAreNeverMoreThanEnough) {
  for (size_t i = 0; i < SpareDirectories::kMost; ++i) {
    EXPECT_TRUE(spares_.offer(directory(std::to_string(i))));
  }
  EXPECT_FALSE(spares_.offer(directory("more")));
  EXPECT_EQ(spares_.take_all().size(), SpareDirectories::kMost);
}

}  // namespace
}  // namespace windlass::posix
