#include "ledger/causes/cause_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>
#include <string>

#include "base/json_writer.h"
#include "schema/ledger/v1/attempt.pb.h"
#include "verify/ledgers/attempt_maker.h"

namespace windlass::ledger {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

// 2023-11-14T22:13:20Z
constexpr int64_t kStart = 1'700'000'000;

CauseGroups three_causes() {
  CauseGroups groups;
  for (int i = 0; i < 12; ++i) {
    groups.add(AttemptMaker().index(3 + 17 * i).exit(137).oom().at(kStart + i).make());
  }
  for (const int index : {5, 16, 30, 41}) {
    groups.add(AttemptMaker()
                   .index(index)
                   .exit(42)
                   .at(kStart + index)
                   .node("node-1")
                   .rule(0, "BadInput", "FailIndex")
                   .log("record " + std::to_string(index) + " is no JSON\n")
                   .make());
  }
  for (int i = 0; i < 40; ++i) {
    groups.add(AttemptMaker().index(i).disruption("PreemptionByScheduler").ignored().make());
  }
  return groups;
}

std::string json_of(const CauseGroups& groups) {
  std::string text;
  JsonWriter json(text);
  write_causes(groups, json);
  return text;
}

TEST(CauseText, ASummaryIsOneLine) {
  EXPECT_EQ(causes_summary(three_causes()),
            "56 failures, 3 causes: OOMKilled (indexes 3,20,37 and 9 more), exit 42 `record N is "
            "no JSON` (indexes 5,16,30 and 1 more), evicted by preemption (ignored, 40)");
  EXPECT_EQ(causes_summary(CauseGroups()), "");
  CauseGroups one;
  one.add(AttemptMaker().exit(1).make());
  EXPECT_EQ(causes_summary(one), "1 failure, 1 cause: exit 1 (1)");
  CauseGroups twice;
  twice.add(AttemptMaker().exit(1).index(7).make());
  twice.add(AttemptMaker().exit(1).index(7).make());
  EXPECT_EQ(causes_summary(twice), "2 failures, 1 cause: exit 1 (2, index 7)");
}

TEST(CauseText, ABlockHasTheFactsOfEachCause) {
  EXPECT_EQ(causes_block(three_causes()),
            "56 failures, 3 causes\n"
            "   1      12  OOMKilled\n"
            "              indexes 3,20,37,54,71,88,105,122 and 4 more\n"
            "              between 2023-11-14T22:13:20Z and 2023-11-14T22:13:31Z\n"
            "   2       4  exit 42 `record N is no JSON`\n"
            "              indexes 5,16,30,41\n"
            "              between 2023-11-14T22:13:25Z and 2023-11-14T22:14:01Z\n"
            "              rule 0 (BadInput): FailIndex\n"
            "              last: record 41 is no JSON\n"
            "   3      40  evicted by preemption (ignored)\n"
            "              indexes 0-39\n");
  EXPECT_EQ(causes_block(CauseGroups()), "");
}

TEST(CauseText, ANodeWithMoreThanItsShareIsNamed) {
  CauseGroups groups;
  for (int i = 0; i < 100; ++i) {
    AttemptMaker attempt;
    attempt.node("node-" + std::to_string(i % 5));
    groups.add(i % 5 == 2 ? attempt.exit(3).make()
                          : attempt.phase("Succeeded").counted("Succeeded").make());
  }
  EXPECT_THAT(causes_block(groups), HasSubstr("  node-2: 20 of 20, with 20% of all attempts\n"));
  EXPECT_THAT(json_of(groups),
              HasSubstr(R"("heavyNodes":[{"node":"node-2","failures":20,"attempts":20,)"
                        R"("failuresOnAllNodes":20,"attemptsOnAllNodes":100}])"));
}

TEST(CauseText, ManyCausesAreCutWithACount) {
  CauseGroups groups;
  for (int code = 1; code <= 12; ++code) {
    for (int i = 0; i < code; ++i) {
      groups.add(AttemptMaker().exit(code).make());
    }
  }
  EXPECT_THAT(causes_summary(groups),
              HasSubstr("exit 12 (12), exit 11 (11), exit 10 (10), exit 9 (9), exit 8 (8), 7 more "
                        "causes (28)"));
  EXPECT_THAT(causes_block(groups), HasSubstr("           3  2 more causes\n"));
  EXPECT_THAT(json_of(groups), HasSubstr("\"exitCode\":1,"));
}

TEST(CauseText, LinesFitAndCannotHarmATerminal) {
  CauseGroups groups;
  groups.add(AttemptMaker()
                 .exit(1)
                 .node("\x1b[31mnode\n")
                 .container("\x1b[31mmain\n")
                 .rule(0, "\x1b]0;x\x07name", "\x1b[2JCount")
                 .other_container()
                 .log("\xff" + std::string(300, 'x') + "\xe6\xbc\xa2\x1b[2J\n")
                 .make());
  std::istringstream lines(causes_block(groups));
  for (std::string line; std::getline(lines, line);) {
    EXPECT_LE(line.size(), 80u) << line;
    for (const char c : line) {
      EXPECT_GE(static_cast<unsigned char>(c), 0x20) << line;
    }
  }
  EXPECT_THAT(causes_summary(groups), Not(HasSubstr("\x1b")));
  CauseGroups wide;
  std::string log;
  for (int i = 0; i < 100; ++i) {
    log += "\xe6\xbc\xa2";
  }
  wide.add(AttemptMaker().exit(1).log(log).make());
  std::istringstream wide_lines(causes_block(wide));
  for (std::string line; std::getline(wide_lines, line);) {
    EXPECT_LE(line.size(), 120u) << "three bytes take two columns: " << line;
  }
}

TEST(CauseText, JsonHasAllOfACause) {
  CauseGroups groups;
  groups.add(AttemptMaker()
                 .index(7)
                 .number(2)
                 .exit(42)
                 .at(kStart)
                 .node("node-1")
                 .pod("sweep-7-x7k2p")
                 .rule(0, "BadInput", "FailIndex")
                 .log("record 7 is no JSON\n")
                 .make());
  EXPECT_EQ(json_of(groups),
            R"([{"id":")" + groups.causes()[0]->id +
                R"(","title":"exit 42 `record N is no JSON`","failures":1,"end":"ExitCode",)"
                R"("counted":"Failed","rule":0,"ruleName":"BadInput","action":"FailIndex",)"
                R"("container":"main","exitCode":42,"line":"record N is no JSON","indexes":"7",)"
                R"("first":"2023-11-14T22:13:20Z","last":"2023-11-14T22:13:20Z",)"
                R"("nodes":{"node-1":1},"heavyNodes":[],"sample":{"pod":"sweep-7-x7k2p",)"
                R"("podUID":"uid-of-sweep-7-x7k2p","node":"node-1","index":7,"attempt":2,)"
                R"("line":"record 7 is no JSON"}}])");
  EXPECT_EQ(json_of(CauseGroups()), "[]");
}

}  // namespace
}  // namespace windlass::ledger
