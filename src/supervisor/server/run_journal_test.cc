#include "supervisor/server/run_journal.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "posix/testing.h"
#include "supervisor/server/run_table.h"

namespace windlass::supervisor {
namespace {

using State = env::ContainerRunInfo::State;

std::string three_commits(const posix::TemporaryDirectory& directory) {
  RunJournal journal(directory.path());
  EXPECT_TRUE(journal.replace("first").has_value());
  EXPECT_TRUE(journal.append("second, which is longer").has_value());
  EXPECT_TRUE(journal.append("third").has_value());
  std::string bytes = directory.read(RunJournal::kName);
  bytes.erase(bytes.find_last_not_of('\0') + 1);
  return bytes;
}

TEST(RunJournal, KeepsWhatWasCommitted) {
  const posix::TemporaryDirectory directory;
  EXPECT_TRUE(RunJournal(directory.path()).read()->empty());
  three_commits(directory);
  EXPECT_EQ(*RunJournal(directory.path()).read(),
            (std::vector<std::string>{"first", "second, which is longer", "third"}));
}

TEST(RunJournal, GrowsByMoreThanItNeedsAndKeepsWhatDidNotFit) {
  const posix::TemporaryDirectory directory;
  RunJournal journal(directory.path());
  ASSERT_TRUE(journal.replace("first"));
  const size_t length = directory.read(RunJournal::kName).size();
  ASSERT_TRUE(journal.append("second"));
  EXPECT_EQ(directory.read(RunJournal::kName).size(), length) << "there was room";
  const std::string large(2 * length, 'x');
  ASSERT_TRUE(journal.append(large));
  ASSERT_TRUE(journal.append("last"));
  EXPECT_GT(directory.read(RunJournal::kName).size(), 3 * length);
  EXPECT_EQ(*RunJournal(directory.path()).read(),
            (std::vector<std::string>{"first", "second", large, "last"}));
}

TEST(RunJournal, ATailTornAtAnyByteLosesOnlyWhatWasNotAcknowledged) {
  const posix::TemporaryDirectory directory;
  const std::string bytes = three_commits(directory);
  const size_t third = bytes.find("WLJ1", bytes.find("longer"));
  for (size_t length = third; length < bytes.size(); ++length) {
    const auto content = parse_run_journal(std::string_view(bytes).substr(0, length));
    ASSERT_TRUE(content.has_value()) << length;
    EXPECT_EQ(content->payloads.size(), 2u) << length;
    // A crash may leave zeros where the data had not arrived.
    const auto zeros = parse_run_journal(bytes.substr(0, length) + std::string(4096, '\0'));
    ASSERT_TRUE(zeros.has_value()) << length;
    EXPECT_EQ(zeros->payloads.size(), 2u) << length;
  }
}

TEST(RunJournal, DamageBeforeTheEndIsNamedAndNotSkipped) {
  const posix::TemporaryDirectory directory;
  const std::string bytes = three_commits(directory);
  const size_t second = bytes.find("WLJ1", 4);
  const size_t third = bytes.find("WLJ1", second + 4);
  for (size_t at = 0; at < third; ++at) {
    std::string damaged = bytes;
    damaged[at] = static_cast<char>(damaged[at] ^ 0x20);
    const auto content = parse_run_journal(damaged);
    ASSERT_FALSE(content.has_value()) << at;
    EXPECT_NE(content.error().message.find(
                  at < second ? "damaged at byte 0:" : "damaged at byte " + std::to_string(second)),
              std::string::npos)
        << content.error().message;
  }
  directory.write(RunJournal::kName, "x" + bytes);
  const auto read = RunJournal(directory.path()).read();
  ASSERT_FALSE(read.has_value());
  EXPECT_NE(read.error().message.find("move it away"), std::string::npos);
}

TEST(RunTable, RemembersAcrossProcessesAndForgetsWhenTold) {
  const posix::TemporaryDirectory directory;
  {
    RunTable table(directory.path());
    EXPECT_FALSE(*table.open("boot-1"));
    EXPECT_TRUE(table.commit().has_value());
    table.intend("a", {10, 100}, time_from_unix(1));
    table.intend("b", {11, 101}, time_from_unix(2));
    EXPECT_TRUE(table.commit().has_value());
    env::ContainerRunInfo end;
    end.id = "a";
    end.state = State::ended;
    end.exit.code = 42;
    table.end(end);
    EXPECT_TRUE(table.pending());
    EXPECT_TRUE(table.commit().has_value());
    EXPECT_FALSE(table.pending());
  }
  {
    RunTable table(directory.path());
    EXPECT_TRUE(*table.open("boot-1")) << "the same boot: marks are valid";
    ASSERT_NE(table.find("a"), nullptr);
    EXPECT_EQ(table.find("a")->run.exit.code, 42);
    ASSERT_NE(table.find("b"), nullptr);
    EXPECT_FALSE(table.find("b")->run.over());
    EXPECT_EQ(table.find("b")->process, (ProcessMark{11, 101}));
    table.forget("a");
    EXPECT_TRUE(table.commit().has_value());
  }
  RunTable table(directory.path());
  EXPECT_FALSE(*table.open("boot-2")) << "after a reboot the numbers mean others";
  EXPECT_EQ(table.find("a"), nullptr);
  EXPECT_NE(table.find("b"), nullptr);
}

TEST(RunTable, AFailedCommitIsMadeUpForByTheNext) {
  const posix::TemporaryDirectory directory;
  const std::string place = directory / "d";
  std::filesystem::create_directory(place);
  RunTable table(place);
  ASSERT_TRUE(table.open("boot").has_value());
  table.intend("a", {1, 1}, time_from_unix(1));
  std::filesystem::remove_all(place);
  EXPECT_FALSE(table.commit().has_value());
  EXPECT_TRUE(table.pending());
  std::filesystem::create_directory(place);
  EXPECT_TRUE(table.commit().has_value());
  RunTable again(place);
  ASSERT_TRUE(again.open("boot").has_value());
  EXPECT_NE(again.find("a"), nullptr);
}

}  // namespace
}  // namespace windlass::supervisor
