#include "posix/files/data_directory.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <filesystem>
#include <thread>

#include "posix/testing.h"

namespace windlass::posix {
namespace {

using testing::HasSubstr;

unsigned mode_of(const std::string& path) {
  struct stat info = {};
  return ::stat(path.c_str(), &info) == 0 ? info.st_mode & 07777U : 0;
}

TEST(DataDirectory, IsMadeForItsOwnerAlone) {
  const TemporaryDirectory folder;
  const std::string path = folder / "a/b";
  const auto opened = open_data_directory(path);
  ASSERT_TRUE(opened);
  EXPECT_EQ(mode_of(path), 0700U);
  ASSERT_TRUE((*opened)->create("store.db"));
  EXPECT_EQ(mode_of(path + "/store.db"), 0600U);
  EXPECT_EQ(mode_of(path + "/lock"), 0600U);
}

TEST(DataDirectory, ALaxerFolderIsRefusedWithTheCommandThatMendsIt) {
  const TemporaryDirectory folder;
  for (const unsigned mode : {0750U, 0705U, 0701U, 0777U}) {
    ::chmod(folder.path().c_str(), mode);
    const auto opened = open_data_directory(folder.path());
    ASSERT_FALSE(opened);
    EXPECT_THAT(opened.error().message, HasSubstr("chmod 700 " + folder.path()));
  }
  ::chmod(folder.path().c_str(), 0700);
  EXPECT_TRUE(open_data_directory(folder.path()));
}

TEST(DataDirectory, ALaxerFileIsRefusedWithTheCommandThatMendsIt) {
  const TemporaryDirectory folder;
  const std::string file = folder.write("store.db", "x");
  ::chmod(file.c_str(), 0640);
  const auto opened = open_data_directory(folder.path());
  ASSERT_FALSE(opened);
  EXPECT_EQ(opened.error().message,
            file + " is open to other users (mode 0640): chmod 600 " + file);
  ::chmod(file.c_str(), 0600);
  EXPECT_TRUE(open_data_directory(folder.path()));
}

TEST(DataDirectory, ASecondOwnerIsRefusedAndToldOfTheFirst) {
  const TemporaryDirectory folder;
  {
    const auto first = open_data_directory(folder.path());
    ASSERT_TRUE(first);
    const auto second = open_data_directory(folder.path());
    ASSERT_FALSE(second);
    EXPECT_EQ(second.error().message,
              folder.path() + " is in use by process " + std::to_string(::getpid()));
  }
  EXPECT_TRUE(open_data_directory(folder.path())) << "the lock goes with its owner";
}

TEST(DataDirectory, AnOwnerWithoutANameLeavesThatOfNobodyElse) {
  const TemporaryDirectory folder;
  ASSERT_TRUE(open_data_directory(folder.path()));
  ASSERT_EQ(folder.read("lock"), std::to_string(::getpid()) + "\n");
  const auto first = open_data_directory(folder.path(), LockName::none);
  ASSERT_TRUE(first);
  EXPECT_EQ(folder.read("lock"), "");
  const auto second = open_data_directory(folder.path());
  ASSERT_FALSE(second);
  EXPECT_EQ(second.error().message, folder.path() + " is in use by another process");
}

TEST(DataDirectory, ANameInTheLockIsItsOwnersOnlyWhileItHasItOpen) {
  const TemporaryDirectory folder;
  EXPECT_FALSE(data_directory_owner(folder.path()));
  {
    const auto held = open_data_directory(folder.path());
    ASSERT_TRUE(held);
    EXPECT_EQ(data_directory_owner(folder.path()).value_or(0), ::getpid());
  }
  ASSERT_EQ(folder.read("lock"), std::to_string(::getpid()) + "\n");
  EXPECT_FALSE(data_directory_owner(folder.path())) << "a number that is left";
}

// Any process may remove the file; the directory is held all the same, and its owner is known.
TEST(DataDirectory, IsHeldWithoutItsLockFile) {
  const TemporaryDirectory folder;
  {
    const auto held = open_data_directory(folder.path());
    ASSERT_TRUE(held);
    std::filesystem::remove(folder / "lock");
    EXPECT_TRUE(data_directory_in_use(folder.path()));
    EXPECT_EQ(data_directory_owner(folder.path()).value_or(0), ::getpid());
    const auto second = open_data_directory(folder.path());
    ASSERT_FALSE(second);
    EXPECT_EQ(second.error().message,
              folder.path() + " is in use by process " + std::to_string(::getpid()));
    EXPECT_FALSE(std::filesystem::exists(folder / "lock")) << "the one refused leaves nothing";
    // Another one in its place names no owner.
    ::chmod(folder.write("lock", "1\n").c_str(), 0600);
    EXPECT_TRUE(data_directory_in_use(folder.path()));
    EXPECT_EQ(data_directory_owner(folder.path()).value_or(0), ::getpid());
  }
  EXPECT_FALSE(data_directory_in_use(folder.path()));
  EXPECT_TRUE(open_data_directory(folder.path()));
}

TEST(DataDirectory, LooksAtTheFilesThatOthersFind) {
  const TemporaryDirectory parent;
  const std::string path = parent / "data";
  const auto opened = open_data_directory(path);
  ASSERT_TRUE(opened);
  ASSERT_TRUE((*opened)->create("a"));
  const auto first = (*opened)->look_at("a");
  ASSERT_TRUE(first);
  EXPECT_EQ(first->bytes, 0U);
  parent.write("data/a", "four");
  const auto grown = (*opened)->look_at("a");
  ASSERT_TRUE(grown);
  EXPECT_EQ(grown->identity, first->identity);
  EXPECT_EQ(grown->bytes, 4U);
  // Both exist at the same time, so they cannot have the same number.
  std::filesystem::rename(parent / "data/a", parent / "data/b");
  ASSERT_TRUE((*opened)->create("a"));
  EXPECT_NE((*opened)->look_at("a")->identity, first->identity);
  std::filesystem::rename(path, parent / "moved");
  EXPECT_FALSE((*opened)->look_at("a")) << "it is no longer where others look for it";
}

TEST(DataDirectory, MakesRenamesAndRemovesFiles) {
  const TemporaryDirectory folder;
  const auto opened = open_data_directory(folder.path());
  ASSERT_TRUE(opened);
  env::DataDirectory& directory = **opened;
  folder.write("new", "old content");
  ASSERT_TRUE(directory.create("new"));
  EXPECT_EQ(folder.read("new"), "") << "an older one is replaced";
  ASSERT_TRUE(directory.rename("new", "real"));
  EXPECT_FALSE(*directory.has("new"));
  EXPECT_TRUE(*directory.has("real"));
  ASSERT_TRUE(directory.remove("real"));
  ASSERT_TRUE(directory.remove("real")) << "gone is gone";
  EXPECT_FALSE(*directory.has("real"));
  EXPECT_FALSE(directory.rename("real", "other"));
}

TEST(DataDirectory, OneThatIsHeldCanBeEnteredAllTheSame) {
  const TemporaryDirectory folder;
  const auto held = open_data_directory(folder.path());
  ASSERT_TRUE(held);
  const auto entered = enter_directory(folder.path());
  ASSERT_TRUE(entered);
  ASSERT_TRUE((*entered)->create("file"));
  EXPECT_TRUE(*(*held)->has("file"));
  EXPECT_EQ((*entered)->look_at("file")->mode, 0600U);
  ::chmod((folder / "file").c_str(), 0644);
  EXPECT_EQ((*entered)->look_at("file")->mode, 0644U);
  EXPECT_FALSE(enter_directory(folder / "none"));
}

TEST(DataDirectory, HoldsAPartOfTheDisk) {
  const TemporaryDirectory folder;
  const auto opened = open_data_directory(folder.path());
  ASSERT_TRUE(opened);
  ASSERT_TRUE((*opened)->hold_reserve(100'000));
  ASSERT_TRUE((*opened)->hold_reserve(100'000));
  EXPECT_EQ(std::filesystem::file_size(folder / "reserve"), 100'000U);
  (*opened)->release_reserve();
  EXPECT_FALSE(std::filesystem::exists(folder / "reserve"));
  const auto too_much = (*opened)->hold_reserve(uint64_t{1} << 60);
  ASSERT_FALSE(too_much);
  EXPECT_FALSE(std::filesystem::exists(folder / "reserve")) << "all or nothing";
}

// One that is killed while it starts a process leaves it the lock, until that has become another
// program.
TEST(DataDirectory, WaitsForALockThatAnOwnerWhoIsGoneHasLeftBehind) {
  const TemporaryDirectory folder;
  std::array<int, 2> told = {};
  ASSERT_EQ(::pipe(told.data()), 0);
  const pid_t owner = ::fork();
  if (owner == 0) {
    const auto opened = open_data_directory(folder.path());
    const pid_t heir = ::fork();
    if (heir == 0) {
      ::pause();
      ::_exit(0);
    }
    const bool written = ::write(told[1], &heir, sizeof heir) == sizeof heir;
    ::_exit(opened && written ? 0 : 1);
  }
  int status = 1;
  ASSERT_EQ(::waitpid(owner, &status, 0), owner);
  ASSERT_EQ(status, 0);
  pid_t heir = 0;
  ASSERT_EQ(::read(told[0], &heir, sizeof heir), static_cast<ssize_t>(sizeof heir));
  ::close(told[0]);
  ::close(told[1]);
  EXPECT_TRUE(data_directory_in_use(folder.path()));
  std::thread end([heir] { ::kill(heir, SIGKILL); });
  EXPECT_TRUE(open_data_directory(folder.path()).has_value());
  end.join();
}

}  // namespace
}  // namespace windlass::posix
