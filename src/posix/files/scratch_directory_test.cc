#include "posix/files/scratch_directory.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <array>
#include <ctime>
#include <filesystem>

#include "posix/files/data_directory.h"
#include "posix/testing.h"

namespace windlass::posix {
namespace {

// As one that a killed process left long ago.
std::string leave(const TemporaryDirectory& parent, const std::string& name) {
  std::filesystem::create_directories(parent / name + "/supervisor");
  parent.write(name + "/secret", "x");
  return parent / name;
}

void make_old(const std::string& path) {
  const timespec then = {::time(nullptr) - 120, 0};
  const std::array<timespec, 2> times = {then, then};
  ASSERT_EQ(::utimensat(AT_FDCWD, path.c_str(), times.data(), 0), 0);
}

TEST(ScratchDirectory, IsTheOwnersAloneAndGoesWhole) {
  const TemporaryDirectory parent;
  auto scratch = ScratchDirectory::make(parent.path(), "run-");
  ASSERT_TRUE(scratch);
  EXPECT_THAT(scratch->path(), testing::StartsWith(parent / "run-"));
  struct stat info = {};
  ASSERT_EQ(::stat(scratch->path().c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 07777U, 0700U);
  std::filesystem::create_directories(scratch->path() + "/a/b");
  ASSERT_TRUE(scratch->remove());
  EXPECT_TRUE(std::filesystem::is_empty(parent.path()));
  EXPECT_FALSE(ScratchDirectory::make(parent / "missing", "run-"));
}

TEST(ScratchDirectory, RemovesWhatKilledProcessesLeftAndNothingElse) {
  const TemporaryDirectory parent;
  const std::string left = leave(parent, "run-left");
  const std::string held = leave(parent, "run-held");
  const std::string ending = leave(parent, "run-ending");
  const std::string other = leave(parent, "other-left");
  for (const std::string& path : {held, ending + "/supervisor"}) {
    ::chmod(path.c_str(), 0700);
  }
  ::chmod((held + "/secret").c_str(), 0600);
  const auto owner = open_data_directory(held);
  ASSERT_TRUE(owner);
  const auto supervisor = open_data_directory(ending + "/supervisor");
  ASSERT_TRUE(supervisor);
  for (const std::string& path : {left, held, ending, other}) {
    make_old(path);
  }
  const std::string fresh = leave(parent, "run-new");
  const auto scratch = ScratchDirectory::make(parent.path(), "run-");
  ASSERT_TRUE(scratch);
  EXPECT_FALSE(std::filesystem::exists(left));
  for (const std::string& path : {held, ending, other, fresh, scratch->path()}) {
    EXPECT_TRUE(std::filesystem::exists(path)) << path;
  }
}

}  // namespace
}  // namespace windlass::posix
