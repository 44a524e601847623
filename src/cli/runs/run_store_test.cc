#include "cli/runs/run_store.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include "posix/testing.h"

namespace windlass::cli {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class RunStoreTest : public ::testing::Test {
 protected:
  std::unique_ptr<RunFolder> begin(const RunLimits& limits = {}) {
    RunRecord record;
    record.started = *parse_rfc3339("2026-01-02T03:04:05Z");
    record.directory = "/work";
    record.files = {"job.yaml", "-"};
    record.ns = "team";
    record.done = {{"team", "train", false, "0-5", 0}, {"team", "prepare", true, "", 3}};
    auto folder = store_.create(record, "kind: Job\n", limits);
    EXPECT_TRUE(folder) << folder.error().message;
    return folder ? *std::move(folder) : nullptr;
  }

  std::vector<std::string> names() const {
    std::vector<std::string> all;
    const std::vector<StoredRun> runs = store_.list().value();
    for (const StoredRun& run : runs) {
      all.push_back(run.name);
    }
    return all;
  }

  static RunAccount report(RunVerdict verdict) {
    RunAccount made;
    made.verdict = verdict;
    made.started = *parse_rfc3339("2026-01-02T03:04:05Z");
    made.ended = made.started + seconds(3);
    return made;
  }

  static mode_t mode(const std::string& path) {
    struct stat info = {};
    return ::stat(path.c_str(), &info) == 0 ? info.st_mode & 0777U : 0;
  }

  posix::TemporaryDirectory scratch_;
  RunStore store_{scratch_ / "state/windlass/runs"};
};

TEST_F(RunStoreTest, ThereIsNoneAtFirst) {
  EXPECT_THAT(names(), IsEmpty());
  EXPECT_TRUE(store_.prune({}).value().empty());
  const auto none = store_.find("last");
  ASSERT_FALSE(none);
  EXPECT_THAT(none.error().message, HasSubstr("no run is kept in "));
}

TEST_F(RunStoreTest, KeepsHowARunBeganAndEnded) {
  {
    const auto folder = begin();
    ASSERT_TRUE(folder);
    EXPECT_EQ(folder->name(), "1");
    EXPECT_EQ(store_.find("last")->verdict(), "Running");
    ASSERT_TRUE(folder->save_report(report(RunVerdict::failed)));
    EXPECT_EQ(store_.find("1")->verdict(), "Running") << "until the process has ended";
  }
  const auto run = store_.find("run/1");
  ASSERT_TRUE(run) << run.error().message;
  EXPECT_EQ(run->verdict(), "Failed");
  EXPECT_EQ(run->report->took, seconds(3));
  EXPECT_EQ(run->record.directory, "/work");
  EXPECT_THAT(run->record.files, ElementsAre("job.yaml", "-"));
  EXPECT_EQ(run->record.ns, "team");
  ASSERT_EQ(run->record.done.size(), 2u);
  EXPECT_EQ(run->record.done[0].indexes, "0-5");
  EXPECT_TRUE(run->record.done[1].complete);
  EXPECT_EQ(run->record.done[1].completions, 3);
  EXPECT_EQ(store_.manifest(*run).value(), "kind: Job\n");
}

TEST_F(RunStoreTest, OnlyTheUserMayRead) {
  const auto folder = begin();
  ASSERT_TRUE(folder && folder->save_report(report(RunVerdict::running)));
  EXPECT_EQ(mode(store_.directory()), 0700u);
  EXPECT_EQ(mode(folder->path()), 0700u);
  for (const char* file : {"/run.json", "/manifest.yaml", "/report.json"}) {
    EXPECT_EQ(mode(folder->path() + file), 0600u) << file;
  }
}

TEST_F(RunStoreTest, ARunThatWasKilledSaysSo) {
  begin();
  EXPECT_EQ(store_.find("last")->verdict(), "Killed");
  ASSERT_TRUE(begin()->save_report(report(RunVerdict::running)));
  EXPECT_EQ(store_.find("last")->verdict(), "Killed");
}

TEST_F(RunStoreTest, NumbersAreNotUsedAgain) {
  begin();
  begin();
  ASSERT_TRUE(store_.remove(*store_.find("2")));
  EXPECT_EQ(begin()->name(), "3");
  EXPECT_THAT(names(), ElementsAre("3", "1"));
  // Without the file that counts them, the folders do.
  std::filesystem::remove(store_.directory() + "/counter");
  EXPECT_EQ(begin()->name(), "4");
}

TEST_F(RunStoreTest, TheOldestGoFirstAndThoseThatGoOnNever) {
  const auto first = begin({3});
  begin({3});
  begin({3});
  begin({3});
  EXPECT_THAT(names(), ElementsAre("4", "3", "2", "1")) << "the third place was that of run/1";
  begin({3});
  EXPECT_THAT(names(), ElementsAre("5", "4", "3", "1"));
  EXPECT_THAT(store_.prune({0}).value(), ElementsAre("5", "4", "3"));
  EXPECT_THAT(names(), ElementsAre("1"));
  const auto refused = store_.remove(*store_.find("1"));
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().message, HasSubstr("run/1 is still running"));
}

TEST_F(RunStoreTest, ASizeIsALimitToo) {
  begin();
  std::ofstream(store_.directory() + "/1/ledger.db") << std::string(300'000, 'x');
  begin();
  begin({50, 200'000});
  EXPECT_THAT(names(), ElementsAre("3", "2"));
}

TEST_F(RunStoreTest, WhatIsNoRunIsLeftAlone) {
  begin();
  std::filesystem::create_directory(store_.directory() + "/notes");
  std::filesystem::create_directory(store_.directory() + "/7");
  std::ofstream(store_.directory() + "/1/report.json") << "{damaged";
  EXPECT_THAT(names(), ElementsAre("1"));
  EXPECT_EQ(store_.find("1")->verdict(), "Killed");
  EXPECT_EQ(begin()->name(), "8");
}

TEST_F(RunStoreTest, AnUnknownNameSaysWhichThereAre) {
  begin();
  begin();
  for (const char* name : {"3", "run/9", "", "02", "../1", "latest"}) {
    const auto none = store_.find(name);
    ASSERT_FALSE(none) << name;
    EXPECT_THAT(none.error().message, HasSubstr("The newest are 2, 1;"));
  }
}

TEST_F(RunStoreTest, AFolderThatCannotBeMadeIsAnError) {
  scratch_.write("file", "");
  RunStore store(scratch_ / "file/windlass/runs");
  const auto folder = store.create({}, "", {});
  ASSERT_FALSE(folder);
  EXPECT_THAT(folder.error().message, HasSubstr("not a directory"));
}

TEST(RunRecord, DamagedTextAndLaterVersionsAreErrors) {
  const std::string json = record_json({});
  EXPECT_TRUE(read_record(json));
  EXPECT_FALSE(read_record(json.substr(1)));
  EXPECT_FALSE(read_record("{}"));
  EXPECT_FALSE(read_record(R"({"apiVersion":"windlass.dev/v2","kind":"Run"})"));
}

}  // namespace
}  // namespace windlass::cli
