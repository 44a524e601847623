#include "posix/files/growing_files.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include "posix/files/counter_file.h"
#include "posix/testing.h"

namespace windlass::posix {
namespace {

using ::testing::HasSubstr;

TEST(GrowingFiles, KeepBytesAndReplaceFilesOfAnEarlierRun) {
  const TemporaryDirectory scratch;
  const std::string path = scratch / "a/b";
  const std::string bytes("\x1b[2J\r\0\xff\n", 8);
  for (int run = 0; run < 2; ++run) {
    auto files = GrowingFiles::open(path);
    ASSERT_TRUE(files) << files.error().message;
    ASSERT_TRUE(files->append("train/0.1.main.log", bytes));
    ASSERT_TRUE(files->append("train/0.1.main.log", "more"));
    EXPECT_EQ(scratch.read("a/b/train/0.1.main.log"), bytes + "more");
  }
  struct stat info = {};
  ASSERT_EQ(::stat((path + "/train/0.1.main.log").c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777U, 0600u);
}

TEST(GrowingFiles, AFolderThatCannotBeWrittenIsAnErrorBeforehand) {
  const TemporaryDirectory scratch;
  scratch.write("file", "");
  const auto below_file = GrowingFiles::open(scratch / "file/logs");
  ASSERT_FALSE(below_file);
  EXPECT_THAT(below_file.error().message, HasSubstr("not a directory"));
  const auto without_files = GrowingFiles::open("/proc");
  ASSERT_FALSE(without_files);
  EXPECT_THAT(without_files.error().message, HasSubstr("write to /proc: "));
}

TEST(GrowingFiles, AFolderThatWasRemovedMeanwhileIsAnError) {
  const TemporaryDirectory scratch;
  auto files = GrowingFiles::open(scratch.path());
  ASSERT_TRUE(files && files->append("train/0.1.main.log", "x"));
  std::filesystem::remove_all(scratch / "train");
  const auto gone = files->append("train/0.1.main.log", "y");
  ASSERT_FALSE(gone);
  EXPECT_THAT(gone.error().message, HasSubstr("no such file or directory"));
}

TEST(CounterFile, KeepsItsNumber) {
  const TemporaryDirectory scratch;
  int64_t last = 0;
  for (const int64_t number : {1, 99, 100}) {
    auto counter = CounterFile::lock(scratch / "counter");
    ASSERT_TRUE(counter) << counter.error().message;
    EXPECT_EQ(counter->last(), last);
    ASSERT_TRUE(counter->keep(number));
    last = number;
  }
  scratch.write("counter", "no number");
  EXPECT_EQ(CounterFile::lock(scratch / "counter")->last(), 0);
  EXPECT_FALSE(CounterFile::lock(scratch / "none/counter"));
}

}  // namespace
}  // namespace windlass::posix
