#include "posix/files/posix_files.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include "posix/testing.h"

namespace windlass::posix {
namespace {

using ::testing::ElementsAre;

TEST(PosixFiles, ReadsUpToTheLimit) {
  const TemporaryDirectory directory;
  PosixFiles files;
  const std::string path = directory.write("f", "12345");
  EXPECT_EQ(*files.read(path, 5), "12345");
  EXPECT_EQ(files.read(path, 4).error().message, "read " + path + ": more than 4 bytes");
  EXPECT_EQ(*files.read(directory.write("empty", ""), 0), "");
  const std::string large(1'000'000, 'x');
  EXPECT_EQ(*files.read(directory.write("large", large), large.size()), large);
}

TEST(PosixFiles, AFileWithoutASizeIsLimitedToo) {
  PosixFiles files;
  EXPECT_EQ(files.read("/dev/zero", 100'000).error().message,
            "read /dev/zero: more than 100000 bytes");
}

TEST(PosixFiles, DashIsStandardInput) {
  const TemporaryDirectory directory;
  PosixFiles files;
  const std::string path = directory.write("f", "from stdin");
  const int saved = ::dup(STDIN_FILENO);
  ASSERT_NE(std::freopen(path.c_str(), "r", stdin), nullptr);
  const Result<std::string> content = files.read("-", 100);
  ::dup2(saved, STDIN_FILENO);
  ::close(saved);
  EXPECT_EQ(*content, "from stdin");
}

TEST(PosixFiles, ErrorsNameThePathAndTheReason) {
  const TemporaryDirectory directory;
  PosixFiles files;
  EXPECT_EQ(files.read("/nowhere/job.yaml", 10).error().message,
            "open /nowhere/job.yaml: no such file or directory");
  EXPECT_EQ(files.type("/nowhere").error().message, "stat /nowhere: no such file or directory");
  EXPECT_EQ(files.list("/nowhere").error().message, "open /nowhere: no such file or directory");
  EXPECT_EQ(files.read(directory.path(), 10).error().message,
            "read " + directory.path() + ": is a directory");
}

TEST(PosixFiles, TypesAndSortedNames) {
  const TemporaryDirectory directory;
  PosixFiles files;
  directory.write("b", "");
  directory.write("a", "");
  ASSERT_TRUE(files.make_directory(directory / "c"));
  EXPECT_THAT(*files.list(directory.path()), ElementsAre("a", "b", "c"));
  EXPECT_EQ(files.type(directory / "a"), env::Files::Type::file);
  EXPECT_EQ(files.type(directory / "c"), env::Files::Type::directory);
  EXPECT_EQ(files.type("/dev/null"), env::Files::Type::other);
}

TEST(PosixFiles, MakesPrivateDirectoriesWithTheirParents) {
  const TemporaryDirectory directory;
  PosixFiles files;
  const std::string path = directory / "x/y/z";
  EXPECT_TRUE(files.make_directory(path));
  EXPECT_TRUE(files.make_directory(path + "/"));
  struct stat info = {};
  ASSERT_EQ(::stat((directory / "x").c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777, 0700U);
  const std::string file = directory.write("f", "");
  EXPECT_EQ(files.make_directory(file).error().message, "mkdir " + file + ": not a directory");
  EXPECT_EQ(files.make_directory(file + "/a").error().message,
            "mkdir " + file + "/a: not a directory");
}

TEST(PosixFiles, RemovesTreesButNotWhatLinksPointTo) {
  const TemporaryDirectory directory;
  PosixFiles files;
  ASSERT_TRUE(files.make_directory(directory / "tree/deep"));
  const std::string kept = directory.write("kept", "content");
  directory.write("tree/deep/f", "");
  ASSERT_EQ(::symlink(kept.c_str(), (directory / "tree/link").c_str()), 0);
  EXPECT_TRUE(files.remove_tree(directory / "tree"));
  EXPECT_TRUE(files.remove_tree(directory / "tree"));
  EXPECT_THAT(*files.list(directory.path()), ElementsAre("kept"));
  EXPECT_EQ(*files.read(kept, 100), "content");
}

TEST(PosixFiles, RemovesAlsoWhatItsOwnerHasClosed) {
  const TemporaryDirectory directory;
  PosixFiles files;
  ASSERT_TRUE(files.make_directory(directory / "tree/deep/closed"));
  directory.write("tree/deep/f", "");
  ASSERT_TRUE(files.set_mode(directory / "tree/deep/closed", 0));
  ASSERT_TRUE(files.set_mode(directory / "tree/deep", 0));
  EXPECT_TRUE(files.remove_tree(directory / "tree"));
  EXPECT_THAT(*files.list(directory.path()), ::testing::IsEmpty());
}

TEST(PosixFiles, WritesWithTheModeThatIsAskedFor) {
  const TemporaryDirectory directory;
  PosixFiles files;
  const std::string path = directory / "f";
  ASSERT_TRUE(files.write(path, "longer", 0666));
  ASSERT_TRUE(files.write(path, "new", 0440));
  EXPECT_EQ(*files.read(path, 100), "new");
  struct stat info = {};
  ASSERT_EQ(::stat(path.c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 07777, 0440U);
  ASSERT_TRUE(files.set_mode(path, 01777));
  ASSERT_EQ(::stat(path.c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 07777, 01777U);
  ASSERT_EQ(::symlink(path.c_str(), (directory / "link").c_str()), 0);
  EXPECT_FALSE(files.write(directory / "link", "through", 0600)) << "links are not followed";
  EXPECT_EQ(*files.read(path, 100), "new");
  EXPECT_EQ(files.set_mode("/nowhere", 0700).error().message,
            "chmod /nowhere: no such file or directory");
}

TEST(PosixFiles, CountsWhatATreeTakesWithoutFollowingLinks) {
  constexpr size_t kSize = 256 * 1024;
  const TemporaryDirectory directory;
  PosixFiles files;
  ASSERT_TRUE(files.make_directory(directory / "tree/deep"));
  directory.write("tree/deep/f", std::string(kSize, 'x'));
  const std::string large = directory.write("large", std::string(4 * kSize, 'x'));
  ASSERT_EQ(::symlink(large.c_str(), (directory / "tree/link").c_str()), 0);
  EXPECT_GE(files.tree_size(directory / "tree")->bytes, kSize);
  EXPECT_LT(files.tree_size(directory / "tree")->bytes, 2 * kSize);
  EXPECT_GE(files.tree_size(large)->bytes, 4 * kSize);
  EXPECT_EQ(files.tree_size("/nowhere")->bytes, 0U);
}

TEST(PosixFiles, LinksAreReplacedInOneStep) {
  const TemporaryDirectory directory;
  PosixFiles files;
  directory.write("a", "one");
  directory.write("b", "two");
  ASSERT_TRUE(files.set_link(directory / "l", "a"));
  EXPECT_EQ(*files.read(directory / "l", 10), "one");
  ASSERT_TRUE(files.set_link(directory / "l", "b"));
  EXPECT_EQ(*files.read(directory / "l", 10), "two");
  EXPECT_FALSE(files.set_link(directory / "no/l", "b"));
  EXPECT_TRUE(files.set_group(directory / "a", ::getegid()));
  EXPECT_FALSE(files.set_group(directory / "none", ::getegid()));
}

}  // namespace
}  // namespace windlass::posix
