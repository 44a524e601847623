#include "supervisor/journal.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "posix/testing.h"
#include "supervisor/ledger.h"

namespace windlass::supervisor {
namespace {

using State = env::ContainerRunInfo::State;

std::string three_commits(const posix::TemporaryDirectory& directory) {
  Journal journal(directory.path());
  EXPECT_TRUE(journal.replace("first").has_value());
  EXPECT_TRUE(journal.append("second, which is longer").has_value());
  EXPECT_TRUE(journal.append("third").has_value());
  std::string bytes = directory.read(Journal::kName);
  bytes.erase(bytes.find_last_not_of('\0') + 1);
  return bytes;
}

TEST(Journal, KeepsWhatWasCommitted) {
  const posix::TemporaryDirectory directory;
  EXPECT_TRUE(Journal(directory.path()).read()->empty());
  three_commits(directory);
  EXPECT_EQ(*Journal(directory.path()).read(),
            (std::vector<std::string>{"first", "second, which is longer", "third"}));
}

TEST(Journal, GrowsByMoreThanItNeedsAndKeepsWhatDidNotFit) {
  const posix::TemporaryDirectory directory;
  Journal journal(directory.path());
  ASSERT_TRUE(journal.replace("first"));
  const size_t length = directory.read(Journal::kName).size();
  ASSERT_TRUE(journal.append("second"));
  EXPECT_EQ(directory.read(Journal::kName).size(), length) << "there was room";
  const std::string large(2 * length, 'x');
  ASSERT_TRUE(journal.append(large));
  ASSERT_TRUE(journal.append("last"));
  EXPECT_GT(directory.read(Journal::kName).size(), 3 * length);
  EXPECT_EQ(*Journal(directory.path()).read(),
            (std::vector<std::string>{"first", "second", large, "last"}));
}

TEST(Journal, ATailTornAtAnyByteLosesOnlyWhatWasNotAcknowledged) {
  const posix::TemporaryDirectory directory;
  const std::string bytes = three_commits(directory);
  const size_t third = bytes.find("WLJ1", bytes.find("longer"));
  for (size_t length = third; length < bytes.size(); ++length) {
    const auto content = parse_journal(std::string_view(bytes).substr(0, length));
    ASSERT_TRUE(content.has_value()) << length;
    EXPECT_EQ(content->payloads.size(), 2u) << length;
    // A crash may leave zeros where the data had not arrived.
    const auto zeros = parse_journal(bytes.substr(0, length) + std::string(4096, '\0'));
    ASSERT_TRUE(zeros.has_value()) << length;
    EXPECT_EQ(zeros->payloads.size(), 2u) << length;
  }
}

TEST(Journal, DamageBeforeTheEndIsNamedAndNotSkipped) {
  const posix::TemporaryDirectory directory;
  const std::string bytes = three_commits(directory);
  const size_t second = bytes.find("WLJ1", 4);
  const size_t third = bytes.find("WLJ1", second + 4);
  for (size_t at = 0; at < third; ++at) {
    std::string damaged = bytes;
    damaged[at] = static_cast<char>(damaged[at] ^ 0x20);
    const auto content = parse_journal(damaged);
    ASSERT_FALSE(content.has_value()) << at;
    EXPECT_NE(content.error().message.find(
                  at < second ? "damaged at byte 0:" : "damaged at byte " + std::to_string(second)),
              std::string::npos)
        << content.error().message;
  }
  directory.write(Journal::kName, "x" + bytes);
  const auto read = Journal(directory.path()).read();
  ASSERT_FALSE(read.has_value());
  EXPECT_NE(read.error().message.find("move it away"), std::string::npos);
}

TEST(Ledger, RemembersAcrossProcessesAndForgetsWhenTold) {
  const posix::TemporaryDirectory directory;
  {
    Ledger ledger(directory.path());
    EXPECT_FALSE(*ledger.open("boot-1"));
    EXPECT_TRUE(ledger.commit().has_value());
    ledger.intend("a", {10, 100}, time_from_unix(1));
    ledger.intend("b", {11, 101}, time_from_unix(2));
    EXPECT_TRUE(ledger.commit().has_value());
    env::ContainerRunInfo end;
    end.id = "a";
    end.state = State::ended;
    end.exit.code = 42;
    ledger.end(end);
    EXPECT_TRUE(ledger.pending());
    EXPECT_TRUE(ledger.commit().has_value());
    EXPECT_FALSE(ledger.pending());
  }
  {
    Ledger ledger(directory.path());
    EXPECT_TRUE(*ledger.open("boot-1")) << "the same boot: marks are valid";
    ASSERT_NE(ledger.find("a"), nullptr);
    EXPECT_EQ(ledger.find("a")->run.exit.code, 42);
    ASSERT_NE(ledger.find("b"), nullptr);
    EXPECT_FALSE(ledger.find("b")->run.over());
    EXPECT_EQ(ledger.find("b")->process, (ProcessMark{11, 101}));
    ledger.forget("a");
    EXPECT_TRUE(ledger.commit().has_value());
  }
  Ledger ledger(directory.path());
  EXPECT_FALSE(*ledger.open("boot-2")) << "after a reboot the numbers mean others";
  EXPECT_EQ(ledger.find("a"), nullptr);
  EXPECT_NE(ledger.find("b"), nullptr);
}

TEST(Ledger, AFailedCommitIsMadeUpForByTheNext) {
  const posix::TemporaryDirectory directory;
  const std::string place = directory / "d";
  std::filesystem::create_directory(place);
  Ledger ledger(place);
  ASSERT_TRUE(ledger.open("boot").has_value());
  ledger.intend("a", {1, 1}, time_from_unix(1));
  std::filesystem::remove_all(place);
  EXPECT_FALSE(ledger.commit().has_value());
  EXPECT_TRUE(ledger.pending());
  std::filesystem::create_directory(place);
  EXPECT_TRUE(ledger.commit().has_value());
  Ledger again(place);
  ASSERT_TRUE(again.open("boot").has_value());
  EXPECT_NE(again.find("a"), nullptr);
}

}  // namespace
}  // namespace windlass::supervisor
