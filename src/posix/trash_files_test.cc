#include "posix/trash_files.h"

#include <gtest/gtest.h>

#include <filesystem>
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
  env::TimerId schedule(Duration, env::Task) override { return env::TimerId::none; }
  void cancel(env::TimerId) override {}
  void work() {
    for (const env::Task& task : tasks_) {
      task();
    }
    tasks_.clear();
  }

 private:
  std::vector<env::Task> tasks_;
};

class TrashFilesTest : public ::testing::Test {
 protected:
  void make_tree(const std::string& name) const {
    std::filesystem::create_directories(folder_ / name + "/deep");
    folder_.write(name + "/deep/file", "text");
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

}  // namespace
}  // namespace windlass::posix
