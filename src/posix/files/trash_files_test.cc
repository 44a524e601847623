#include "posix/files/trash_files.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <utility>
#include <vector>

#include "posix/posix_clock.h"
#include "posix/posix_log.h"
#include "posix/testing.h"

namespace windlass::posix {
namespace {

// Does its work when it is told to.
class LazyWorker final : public env::Executor {
 public:
  void post(env::Task task) override { tasks_.push_back(std::move(task)); }
  env::TimerId schedule(Duration, env::Task task) override {
    timers_.push_back(std::move(task));
    return env::TimerId::none;
  }
  void cancel(env::TimerId) override {}
  void work() {
    for (const env::Task& task : tasks_) {
      task();
    }
    tasks_.clear();
  }
  // As if the time of what is scheduled had come; true if something was.
  bool pass_time() {
    const std::vector<env::Task> due = std::exchange(timers_, {});
    for (const env::Task& task : due) {
      task();
    }
    return !due.empty();
  }

 private:
  std::vector<env::Task> tasks_;
  std::vector<env::Task> timers_;
};

class TrashFilesTest : public ::testing::Test {
 protected:
  void make_tree(const std::string& name) const {
    std::filesystem::create_directories(folder_ / name + "/deep");
    folder_.write(name + "/deep/file", "text");
  }
  void make_open_directory(const std::string& name) const {
    std::filesystem::create_directory(folder_ / name);
    std::filesystem::permissions(folder_ / name, std::filesystem::perms::all);
  }
  ino_t inode(const std::string& name) const {
    struct stat info = {};
    ::stat((folder_ / name).c_str(), &info);
    return info.st_ino;
  }
  bool is_there(const std::string& name) const { return std::filesystem::exists(folder_ / name); }

  const TemporaryDirectory folder_;
  PosixClock clock_;
  PosixLog log_{clock_, env::LogLevel::error};
  LazyWorker worker_;
};

TEST_F(TrashFilesTest, ATreeIsGoneAtOnceAndRemovedLater) {
  TrashFiles files(folder_ / "trash", worker_, log_);
  make_tree("a");
  make_tree("b");
  EXPECT_TRUE(files.remove_tree(folder_ / "a"));
  EXPECT_TRUE(files.remove_tree(folder_ / "b"));
  EXPECT_TRUE(files.remove_tree(folder_ / "nothing"));
  EXPECT_FALSE(is_there("a"));
  EXPECT_FALSE(is_there("b"));
  EXPECT_EQ(files.list(folder_ / "trash")->size(), 2u);
  worker_.work();
  EXPECT_TRUE(files.list(folder_ / "trash")->empty());
}

TEST_F(TrashFilesTest, ATrashThatIsGoneIsMadeAgain) {
  TrashFiles files(folder_ / "trash", worker_, log_);
  make_tree("a");
  make_tree("b");
  make_tree("c");
  EXPECT_TRUE(files.remove_tree(folder_ / "a"));
  std::filesystem::remove_all(folder_ / "trash");
  EXPECT_TRUE(files.remove_tree(folder_ / "b"));
  EXPECT_FALSE(is_there("b"));
  EXPECT_TRUE(files.remove_tree(folder_ / "c"));
  EXPECT_FALSE(is_there("c"));
  EXPECT_EQ(files.list(folder_ / "trash")->size(), 1u);
}

TEST_F(TrashFilesTest, WhatAnEarlierProcessLeftGoesToo) {
  make_tree("trash/7");
  TrashFiles files(folder_ / "trash", worker_, log_);
  make_tree("a");
  EXPECT_TRUE(files.remove_tree(folder_ / "a"));
  EXPECT_FALSE(is_there("a"));
  EXPECT_EQ(*files.list(folder_ / "trash"), (std::vector<std::string>{"7", "8"}));
  worker_.work();
  EXPECT_TRUE(files.list(folder_ / "trash")->empty());
}

TEST_F(TrashFilesTest, WithoutATrashItIsRemovedWithinTheCall) {
  folder_.write("file", "in the way");
  TrashFiles files(folder_ / "file/trash", worker_, log_);
  make_tree("a");
  EXPECT_TRUE(files.remove_tree(folder_ / "a"));
  EXPECT_FALSE(is_there("a"));
}

TEST_F(TrashFilesTest, AnEmptyDirectoryIsUsedAgain) {
  TrashFiles files(folder_ / "trash", worker_, log_);
  make_open_directory("a");
  const ino_t number = inode("a");
  EXPECT_TRUE(files.remove_tree(folder_ / "a"));
  EXPECT_FALSE(files.reuse_directory(folder_ / "b")) << "it has not been looked at yet";
  worker_.work();
  EXPECT_TRUE(files.reuse_directory(folder_ / "b"));
  EXPECT_EQ(inode("b"), number);
  EXPECT_FALSE(files.reuse_directory(folder_ / "c")) << "there was one";
  EXPECT_FALSE(is_there("c"));
}

TEST_F(TrashFilesTest, ADirectoryThatNobodyNeedsIsNotKept) {
  TrashFiles files(folder_ / "trash", worker_, log_);
  for (const char* name : {"a", "b"}) {
    make_open_directory(name);
    EXPECT_TRUE(files.remove_tree(folder_ / name));
  }
  worker_.work();
  EXPECT_TRUE(worker_.pass_time());
  EXPECT_EQ(files.list(folder_ / "trash")->size(), 2u) << "they have only just come";
  EXPECT_TRUE(files.reuse_directory(folder_ / "c"));
  EXPECT_TRUE(worker_.pass_time());
  EXPECT_TRUE(files.list(folder_ / "trash")->empty()) << "one was needed, and one was not";
  while (worker_.pass_time()) {
  }
  EXPECT_FALSE(files.reuse_directory(folder_ / "d"));
  EXPECT_TRUE(is_there("c"));
}

TEST_F(TrashFilesTest, NothingIsKeptWhenItGoes) {
  make_open_directory("a");
  {
    TrashFiles files(folder_ / "trash", worker_, log_);
    EXPECT_TRUE(files.remove_tree(folder_ / "a"));
    worker_.work();
  }
  worker_.work();
  EXPECT_TRUE(PosixFiles().list(folder_ / "trash")->empty());
}

}  // namespace
}  // namespace windlass::posix
