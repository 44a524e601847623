#include "explain/attempt_digest.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "schema/ledger/v1/attempt.pb.h"
#include "verify/ledgers/attempt_maker.h"

namespace windlass::explain {
namespace {

using ledger::AttemptMaker;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

TEST(AttemptName, IsAPodAnIndexOrANumber) {
  const auto attempt = AttemptMaker().pod("sweep-7-x7k2p").index(7).number(2).make();
  const auto matches = [&](const char* text, std::optional<int64_t> index = std::nullopt) {
    return parse_attempt_name(text, index)->matches(*attempt);
  };
  EXPECT_TRUE(matches("sweep-7-x7k2p"));
  EXPECT_TRUE(matches("uid-of-sweep-7-x7k2p"));
  EXPECT_TRUE(matches("7:2"));
  EXPECT_TRUE(matches("2", 7));
  EXPECT_TRUE(matches("2")) << "of a Job without indexes; else the last with this number";
  EXPECT_FALSE(matches("2", 8));
  EXPECT_FALSE(matches("7:1"));
  EXPECT_FALSE(matches("sweep"));
  for (const char* bad : {"", "7:", ":2", "a:b", "-1:2", "7:99999999999"}) {
    EXPECT_FALSE(parse_attempt_name(bad, std::nullopt)) << bad;
  }
}

TEST(AttemptDigest, CountsAndKeepsWhatIsWanted) {
  AttemptDigest digest({.index = 7, .pod = "b"});
  digest.add(AttemptMaker().pod("a").index(7).at(100).exit(1).make());
  digest.add(AttemptMaker().pod("b").index(7).at(200).exit(2).ignored().make());
  digest.add(AttemptMaker().pod("c").index(7).phase("Succeeded").counted("Succeeded").make());
  digest.add(AttemptMaker().pod("d").index(8).counted("None").make());
  EXPECT_EQ(attempts_line(digest),
            "4 attempts between 1970-01-01T00:01:28Z and 1970-01-01T00:03:20Z: 1 succeeded, 1 "
            "failed, 1 ignored, 1 removed by the Job");
  EXPECT_EQ(digest.index_attempts(), 3);
  EXPECT_EQ(digest.index_lines().size(), 3u);
  EXPECT_EQ(digest.index_failure()->pod_name(), "b");
  EXPECT_EQ(digest.wanted_pod()->pod_name(), "b");
  EXPECT_EQ(digest.succeeded_indexes().to_string(), "7");
  EXPECT_EQ(digest.groups().failures(), 2);
}

TEST(AttemptDigest, IsBounded) {
  AttemptDigest digest({.index = 0});
  for (int i = 0; i < 150; ++i) {
    digest.add(AttemptMaker().index(0).number(i + 1).exit(1).make());
  }
  const auto* cause = digest.groups().causes()[0];
  EXPECT_EQ(digest.members(*cause).size(), AttemptDigest::kMaxLines);
  EXPECT_THAT(index_story(digest, Time()), HasSubstr("  and 50 more attempts\n"));
  EXPECT_THAT(cause_story(digest, *cause, 10), HasSubstr("  and 130 more\n"));
}

TEST(AttemptDigest, TheLastLinesOfALog) {
  const auto lines = [](const std::string& log, size_t count) {
    return last_log_lines(*AttemptMaker().log(log).make(), count);
  };
  EXPECT_THAT(lines("", 3), IsEmpty());
  EXPECT_THAT(lines("a\nb\n\nc\n\n", 3), ElementsAre("b", "", "c"));
  EXPECT_THAT(lines("a\nb", 10), ElementsAre("a", "b"));
  EXPECT_THAT(lines("a\n\x1b[2Jb\x07\n", 1), ElementsAre("b "));
  EXPECT_THAT(lines("a", 0), IsEmpty());
}

}  // namespace
}  // namespace windlass::explain
