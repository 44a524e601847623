#include "ledger/causes/failure_cause.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "schema/ledger/v1/attempt.pb.h"
#include "verify/ledgers/attempt_maker.h"

namespace windlass::ledger {
namespace {

using api::ledger::v1::Attempt;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

std::vector<std::string> titles_of(const CauseGroups& groups) {
  std::vector<std::string> titles;
  for (const FailureCause* cause : groups.causes()) {
    titles.push_back(fmt::format("{}: {}", cause->count, cause->full_title()));
  }
  return titles;
}

std::string title_of(const AttemptMaker& attempt) {
  CauseGroups groups;
  const FailureCause* cause = groups.add(attempt.make());
  return cause == nullptr ? "no failure" : cause->full_title();
}

TEST(CauseTitle, AnExitCodeWithItsLine) {
  EXPECT_EQ(title_of(AttemptMaker().exit(42).log("start\nrecord 17 is no JSON\n")),
            "exit 42 `record N is no JSON`");
  EXPECT_EQ(title_of(AttemptMaker().exit(42)), "exit 42");
  EXPECT_EQ(title_of(AttemptMaker().exit(42).message("bad record 7")), "exit 42 `bad record N`");
  EXPECT_EQ(title_of(AttemptMaker().exit(1).other_container().log("no\n")), "exit 1 in main `no`");
}

TEST(CauseTitle, OutOfMemoryIsToldFromAnotherKill) {
  EXPECT_EQ(title_of(AttemptMaker().exit(137).oom().log("record 17\n")), "OOMKilled");
  EXPECT_EQ(title_of(AttemptMaker().exit(137).log("record 17\n")), "exit 137 (SIGKILL)");
  EXPECT_EQ(title_of(AttemptMaker().exit(143).log("record 17\n")), "exit 143 (SIGTERM)");
}

TEST(CauseTitle, SignalsOfTheProgramKeepTheirLine) {
  EXPECT_EQ(title_of(AttemptMaker().exit(139).log("Segmentation fault (core dumped)\n")),
            "exit 139 (SIGSEGV) `Segmentation fault (core dumped)`");
  EXPECT_EQ(title_of(AttemptMaker().signal(6).log("x.c:3: main: Assertion `n > 0' failed.\n")),
            "killed by SIGABRT `x.c:N: main: Assertion `n > N' failed.`");
  EXPECT_EQ(title_of(AttemptMaker().exit(200)), "exit 200") << "no signal has this number";
}

TEST(CauseTitle, ADeadlineIsToldFromAnEviction) {
  EXPECT_EQ(title_of(AttemptMaker().exit(143).reason("DeadlineExceeded", "Pod was active ...")),
            "DeadlineExceeded");
  EXPECT_EQ(title_of(AttemptMaker().exit(137).reason(
                "Evicted", "The node was low on resource: memory. Threshold: 100Mi.")),
            "Evicted `The node was low on resource: memory`");
  EXPECT_EQ(title_of(AttemptMaker().reason("Deleted", "Deleted while pending")),
            "Deleted while pending");
}

TEST(CauseTitle, Disruptions) {
  const auto disrupted = [](const std::string& reason) {
    return title_of(AttemptMaker().exit(143).disruption(reason).log("record 17\n"));
  };
  EXPECT_EQ(disrupted("PreemptionByScheduler"), "evicted by preemption");
  EXPECT_EQ(disrupted("EvictionByEvictionAPI"), "evicted through the API");
  EXPECT_EQ(disrupted("DeletionByTaintManager"), "evicted by a taint of its node");
  EXPECT_EQ(disrupted("DeletionByPodGC"), "deleted with its node");
  EXPECT_EQ(disrupted("Own"), "disrupted: Own");
  EXPECT_EQ(disrupted(""), "disrupted");
  EXPECT_EQ(title_of(AttemptMaker()
                         .exit(137)
                         .reason("Evicted", "The node was low on resource: memory. More: 7.")
                         .disruption("TerminationByKubelet")),
            "ended by its node `The node was low on resource: memory`");
  EXPECT_EQ(title_of(AttemptMaker().exit(143).disruption("PreemptionByScheduler").ignored()),
            "evicted by preemption (ignored)");
}

TEST(CauseTitle, ContainersThatNeverRanAndPodsThatWereNeverSeen) {
  EXPECT_EQ(title_of(AttemptMaker().waiting("ImagePullBackOff", "Back-off pulling \"x:1\"")),
            "ImagePullBackOff `Back-off pulling \"ID\"`");
  EXPECT_EQ(title_of(AttemptMaker().exit(128).container_reason("StartError", "no such file: /x")),
            "StartError `no such file: PATH`");
  EXPECT_EQ(title_of(AttemptMaker().phase("Unknown")), "gone before its end was seen");
  EXPECT_EQ(title_of(AttemptMaker()), "failed without a reason");
}

TEST(CauseTitle, HostileText) {
  EXPECT_EQ(title_of(AttemptMaker().exit(1).log("\x1b[2J\x1b]0;x\x07no\xff\n")), "exit 1 `no?`");
  EXPECT_EQ(title_of(AttemptMaker().reason("\x1b[31mBad\n", "\x07")), "Bad");
}

TEST(CauseGroups, WhatDidNotFailIsNoCause) {
  CauseGroups groups;
  EXPECT_EQ(groups.add(AttemptMaker().counted("Succeeded").phase("Succeeded").make()), nullptr);
  EXPECT_EQ(groups.add(AttemptMaker().counted("None").exit(143).make()), nullptr);
  EXPECT_THAT(groups.causes(), IsEmpty());
  EXPECT_EQ(groups.attempts(), 2);
  EXPECT_EQ(groups.failures(), 0);
  // Without a verdict the phase decides.
  auto attempt = std::make_shared<Attempt>(*AttemptMaker().exit(1).make());
  attempt->clear_verdict();
  EXPECT_NE(groups.add(attempt), nullptr);
}

TEST(CauseGroups, ACauseHasCountsTimesNodesAndASample) {
  CauseGroups groups;
  groups.add(AttemptMaker().exit(42).index(5).at(100).node("a").log("record 5 bad\n").make());
  groups.add(AttemptMaker().exit(42).index(16).at(300).node("b").log("record 16 bad\n").make());
  const FailureCause* cause =
      groups.add(AttemptMaker().exit(42).index(5).at(200).log("\x1b[1mrecord 17 bad\n").make());
  EXPECT_EQ(cause->count, 3);
  EXPECT_EQ(cause->indexes.to_string(), "5,16");
  EXPECT_EQ(cause->first, time_from_unix(100));
  EXPECT_EQ(cause->last, time_from_unix(300));
  EXPECT_THAT(cause->nodes, ElementsAre(std::pair("a", 1), std::pair("b", 1)));
  EXPECT_EQ(cause->sample->index(), 16);
  EXPECT_EQ(cause->sample_line, "record 16 bad");
  EXPECT_EQ(groups.causes().size(), 1u);
}

TEST(CauseGroups, RuleContainerCodeReasonAndLineTellCausesApart) {
  CauseGroups groups;
  const auto base = [] { return AttemptMaker().exit(1).log("no\n"); };
  groups.add(base().make());
  groups.add(base().rule(0, "Bad", "FailIndex").make());
  groups.add(base().rule(1, "", "Count").make());
  groups.add(base().ignored().make());
  groups.add(base().container("other").make());
  groups.add(base().exit(2).make());
  groups.add(base().log("yes\n").make());
  groups.add(base().oom().make());
  groups.add(base().container_reason("StartError", "no").make());
  EXPECT_EQ(groups.causes().size(), 9u);
  groups.add(base().make());
  EXPECT_EQ(groups.causes().size(), 9u);
  std::vector<std::string> ids;
  for (const FailureCause* cause : groups.causes()) {
    EXPECT_EQ(cause->id.size(), 10u);
    ids.push_back(cause->id);
  }
  std::sort(ids.begin(), ids.end());
  EXPECT_EQ(std::unique(ids.begin(), ids.end()), ids.end());
}

TEST(CauseGroups, AnIdIsTheSameInEveryRunOfTheProgram) {
  CauseGroups groups;
  EXPECT_EQ(groups.add(AttemptMaker().exit(42).log("record 17 is no JSON\n").make())->id,
            "a633ff7bbc");
}

// What counted comes first, and of that the most frequent.
TEST(CauseGroups, CausesAreFoundByPlaceAndById) {
  CauseGroups groups;
  EXPECT_EQ(groups.find("1").error().message, "no cause \"1\": no attempt failed");
  for (int i = 0; i < 5; ++i) {
    groups.add(AttemptMaker().disruption("PreemptionByScheduler").ignored().make());
  }
  groups.add(AttemptMaker().exit(1).make());
  EXPECT_EQ(groups.find("2x").error().message, "no cause \"2x\": the causes are 1 to 2");
  const FailureCause* two = groups.add(AttemptMaker().exit(2).make());
  groups.add(AttemptMaker().exit(2).make());
  EXPECT_THAT(titles_of(groups),
              ElementsAre("2: exit 2", "1: exit 1", "5: evicted by preemption (ignored)"));
  EXPECT_EQ(*groups.find("1"), two);
  EXPECT_EQ(*groups.find(two->id), two);
  for (const char* bad : {"0", "4", "-1", "", "1 ", "99999999999999999999"}) {
    EXPECT_FALSE(groups.find(bad)) << bad;
  }
}

TEST(CauseGroups, AFloodOfPatternsIsOneCause) {
  CauseGroups groups;
  std::string word = "a";
  for (int i = 0; i < 1'000; ++i) {
    if (i > 0 && i % 26 == 0) {
      word += 'a';
    }
    word.back() = static_cast<char>('a' + i % 26);
    groups.add(AttemptMaker().exit(1).log(word + "\n").make());
  }
  ASSERT_EQ(groups.causes().size(), CauseGroups::kMaxPatternsPerEnd + 1);
  EXPECT_EQ(groups.causes()[0]->title, "exit 1, other lines");
  EXPECT_EQ(groups.causes()[0]->count, 900);
  groups.add(AttemptMaker().exit(2).log("zz\n").make());
  EXPECT_EQ(groups.causes().size(), CauseGroups::kMaxPatternsPerEnd + 2);
}

TEST(HeavyNodes, ABadNodeIsNamed) {
  // Of 1,000 attempts on 10 nodes 50 fail, 40 of them on one.
  EXPECT_TRUE(is_heavy({"bad", 40, 100, 50, 1000}));
  // A node that fails each pod at once takes most attempts, too.
  EXPECT_TRUE(is_heavy({"bad", 900, 900, 900, 1000}));
}

TEST(HeavyNodes, AnEvenShareIsNot) {
  EXPECT_FALSE(is_heavy({"n", 5, 100, 50, 1000}));
  EXPECT_FALSE(is_heavy({"big", 40, 800, 50, 1000})) << "it has most attempts";
  EXPECT_FALSE(is_heavy({"n", 4, 10, 4, 1000})) << "too few to tell";
  EXPECT_FALSE(is_heavy({"only", 50, 1000, 50, 1000}));
  EXPECT_FALSE(is_heavy({"n", 10, 10, 100, 100})) << "everything fails everywhere";
  EXPECT_FALSE(is_heavy({"n", 25, 100, 115, 1000})) << "2.5 times the rate of the others";
}

TEST(HeavyNodes, GroupsNameTheWorstFirst) {
  CauseGroups groups;
  const FailureCause* cause = nullptr;
  for (int i = 0; i < 1'000; ++i) {
    const int node = i % 10;
    const bool fails = (node == 3 && i % 20 < 10) || node == 7;
    AttemptMaker attempt;
    attempt.node(fmt::format("node-{}", node)).index(i);
    if (fails) {
      cause = groups.add(attempt.exit(5).make());
    } else {
      groups.add(attempt.phase("Succeeded").counted("Succeeded").make());
    }
  }
  const auto heavy = groups.heavy_nodes(*cause);
  ASSERT_EQ(heavy.size(), 2u);
  EXPECT_EQ(heavy[0].node, "node-7");
  EXPECT_EQ(heavy[0].failures, 100);
  EXPECT_EQ(heavy[0].attempts, 100);
  EXPECT_EQ(heavy[0].failures_in_all, 150);
  EXPECT_EQ(heavy[0].attempts_in_all, 1000);
  EXPECT_EQ(heavy[1].node, "node-3");
  EXPECT_EQ(groups.heavy_nodes(*cause, 1).size(), 1u);
}

TEST(CauseGroups, TenThousandFailuresOfFourPlantedCauses) {
  CauseGroups groups;
  for (const AttemptPtr& attempt : planted_failures(10'000)) {
    groups.add(attempt);
  }
  EXPECT_THAT(titles_of(groups),
              ElementsAre("4000: exit 42 `ValueError: record N of PATH is no JSON`",
                          "3000: OOMKilled", "2000: exit 1 `cannot reach N:N after DURATION`",
                          "1000: evicted by preemption (ignored)"));
  EXPECT_EQ(groups.failures(), 10'000);
}

// Whichever comes first.
RC_GTEST_PROP(CauseGroups, TheOrderOfAttemptsDoesNotMatter, ()) {
  std::vector<AttemptPtr> attempts = planted_failures(40);
  const auto all_of = [](const std::vector<AttemptPtr>& some) {
    CauseGroups groups;
    for (const AttemptPtr& attempt : some) {
      groups.add(attempt);
    }
    std::vector<std::string> texts;
    for (const FailureCause* cause : groups.causes()) {
      texts.push_back(fmt::format("{} {} {} {} {} {}", cause->id, cause->count,
                                  cause->indexes.to_string(), cause->sample_line,
                                  format_rfc3339(*cause->first), format_rfc3339(*cause->last)));
    }
    return texts;
  };
  const auto expected = all_of(attempts);
  for (size_t i = attempts.size(); i > 1; --i) {
    std::swap(attempts[i - 1], attempts[*rc::gen::inRange<size_t>(0, i)]);
  }
  RC_ASSERT(all_of(attempts) == expected);
}

}  // namespace
}  // namespace windlass::ledger
