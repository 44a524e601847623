#include "posix/files/private_file.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include "posix/process/inherited.h"
#include "posix/testing.h"

namespace windlass::posix {
namespace {

mode_t file_mode(const std::string& path) {
  struct stat info = {};
  EXPECT_EQ(::lstat(path.c_str(), &info), 0) << path;
  return info.st_mode & 07777U;
}

TEST(PrivateFile, IsItsOwnersAlone) {
  const TemporaryDirectory directory;
  const mode_t before = ::umask(0);
  ASSERT_TRUE(write_private_file(directory / "key", "secret").has_value());
  ::umask(0777);
  ASSERT_TRUE(write_private_file(directory / "other", "secret").has_value());
  ::umask(before);
  EXPECT_EQ(file_mode(directory / "key"), 0600u);
  EXPECT_EQ(file_mode(directory / "other"), 0600u);
  EXPECT_EQ(directory.read("key"), "secret");
}

TEST(PrivateFile, ReplacesWhatWasThereAndFollowsNoLink) {
  const TemporaryDirectory directory;
  directory.write("target", "mine");
  ASSERT_EQ(::symlink((directory / "target").c_str(), (directory / "key").c_str()), 0);
  ASSERT_EQ(::symlink((directory / "target").c_str(), (directory / "key.new").c_str()), 0);
  ASSERT_TRUE(write_private_file(directory / "key", "secret").has_value());
  EXPECT_EQ(directory.read("key"), "secret");
  EXPECT_EQ(directory.read("target"), "mine");
  EXPECT_EQ(file_mode(directory / "key"), 0600u);
}

TEST(PrivateFile, ErrorsNameThePathAndNotTheContent) {
  const auto written = write_private_file("/nowhere/key", "CANARY");
  ASSERT_FALSE(written.has_value());
  EXPECT_EQ(written.error().message, "create /nowhere/key.new: no such file or directory");
}

TEST(Inherited, VariablesAreTextOrNothing) {
  ::setenv("WINDLASS_TEST_VARIABLE", "value", 1);
  EXPECT_EQ(environment_variable("WINDLASS_TEST_VARIABLE"), "value");
  ::unsetenv("WINDLASS_TEST_VARIABLE");
  EXPECT_EQ(environment_variable("WINDLASS_TEST_VARIABLE"), "");
}

TEST(Inherited, TheDescriptorLimitOnlyGrows) {
  const size_t raised = raise_descriptor_limit();
  EXPECT_GT(raised, 0u);
  EXPECT_EQ(raise_descriptor_limit(), raised);
}

}  // namespace
}  // namespace windlass::posix
