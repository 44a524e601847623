#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/sanitized_testing.h"
#include "verify/simulation/faults/fault_search.h"

namespace windlass::verify::simulation {
namespace {

using ::testing::IsEmpty;

std::string broken_text(const RunResult& outcome) {
  std::string text;
  for (const Broken& broken : outcome.broken) {
    text += broken.rule + ": " + broken.text + "\n";
  }
  return text;
}

TEST(Strike, IsReadAsItIsWritten) {
  for (const char* text :
       {"job-controller/write#12=lost-reply:5s", "node-1/event#3=frozen:1m20s",
        "scheduler/write#1=crash-before", "ttl/read#2=throttled", "pod-gc/note#7=conflict"}) {
    const Result<Strike> strike = parse_strike(text);
    ASSERT_TRUE(strike.has_value()) << text;
    EXPECT_EQ(text_of(*strike), text);
  }
  for (const char* text : {"", "x", "a/b#1=slow", "a/write#x=slow:1s", "a/read#1=crash-before",
                           "a/event#1=conflict", "a/write#1=nothing"}) {
    EXPECT_FALSE(parse_strike(text).has_value()) << text;
  }
}

TEST(ScriptedAction, IsReadAsItIsWritten) {
  for (const char* text : {"12s delete-pod j 0", "1m5.5s crash api-server 20s"}) {
    EXPECT_EQ(text_of(*parse_action(text)), text);
  }
  EXPECT_FALSE(parse_action("soon delete-pod j 0").has_value());
  EXPECT_FALSE(parse_action("12s").has_value());
}

TEST(Script, GivesEachIndexItsAttempts) {
  ProcessScripts scripts;
  const std::string text = "0=42@5,0@1;*=1@2/3:0";
  EXPECT_EQ(scripts.next("j", 0, text)->exit.code, 42);
  EXPECT_EQ(scripts.next("j", 0, text)->exit.code, 0);
  EXPECT_EQ(scripts.next("j", 0, text)->duration, seconds(1));
  const Result<virtual_world::VirtualProcess> other = scripts.next("j", 1, text);
  EXPECT_EQ(other->exit.code, 1);
  EXPECT_EQ(other->term_delay, seconds(3));
  EXPECT_EQ(other->exit_on_term.code, 0);
  EXPECT_EQ(scripts.next("k", 0, text)->exit.code, 42);
  EXPECT_FALSE(scripts.next("j", 0, "x@1").has_value());
}

// job-controller.md 13.1: write for write.
TEST(Simulation, R13_1_AnEmptyPolicyChangesNothing) {
  for (Scenario scenario : scenarios()) {
    constexpr std::string_view kMetadata = "kind: Job, metadata: {}";
    std::string& manifest = scenario.jobs.at("j");
    const size_t at = manifest.find(kMetadata);
    if (at == std::string::npos) {
      continue;  // it has annotations already
    }
    const RunResult without = run(scenario, {.quiet = true});
    manifest.replace(at, kMetadata.size(),
                     "kind: Job, metadata: {annotations: {windlass.dev/policy: '{}'}}");
    const RunResult with = run(scenario, {.quiet = true});
    EXPECT_TRUE(with.sound()) << scenario.name << "\n" << broken_text(with);
    EXPECT_EQ(with.ends, without.ends) << scenario.name;
    EXPECT_EQ(with.numbers, without.numbers) << scenario.name;
    EXPECT_EQ(with.revisions, without.revisions) << scenario.name;
    EXPECT_EQ(with.took, without.took) << scenario.name;
  }
}

TEST(Simulation, EveryScenarioEndsAsItShouldWithoutFaults) {
  ASSERT_GE(scenarios().size(), 60u);
  for (const Scenario& scenario : scenarios()) {
    const RunResult outcome = run(scenario, {.quiet = true});
    EXPECT_TRUE(outcome.sound()) << scenario.name << "\n" << broken_text(outcome);
    EXPECT_GT(outcome.revisions, 15u) << scenario.name;
  }
}

TEST(Simulation, TheSameSeedIsTheSameRunToTheHash) {
  for (uint64_t seed = 3; seed <= (kSanitized ? 3 : 6); ++seed) {
    const Scenario scenario = random_scenario(seed);
    const RunResult first = run(scenario, {.seed = seed});
    const RunResult second = run(scenario, {.seed = seed});
    EXPECT_EQ(first.trace_hash, second.trace_hash);
    EXPECT_EQ(first.struck, second.struck);
    EXPECT_NE(first.trace_hash, run(scenario, {.seed = seed + 100}).trace_hash);
  }
}

TEST(Simulation, AWrittenScheduleReplaysTheSeed) {
  const Scenario& scenario = *find_scenario("fail-job");
  const RunResult drawn = run(scenario, {.seed = 11});
  const RunResult written = run(scenario, {.seed = 11, .strikes = drawn.struck});
  EXPECT_EQ(drawn.trace_hash, written.trace_hash);
}

TEST(Simulation, SingleFaultsCoverEveryWriteInThreeWays) {
  const Scenario& scenario = *find_scenario("one-pod");
  const RunResult quiet = run(scenario, {.quiet = true});
  const uint64_t writes = quiet.sites.at({"job-controller", Site::write});
  EXPECT_GE(writes, 5u);
  const std::vector<Strike> strikes = single_faults(scenario, quiet, {"job-controller"});
  for (const ClientFault fault :
       {ClientFault::crash_before, ClientFault::crash_applied, ClientFault::crash_after}) {
    EXPECT_EQ(static_cast<uint64_t>(
                  std::count_if(strikes.begin(), strikes.end(),
                                [fault](const Strike& strike) { return strike.fault == fault; })),
              writes);
  }
}

TEST(Simulation, NoSingleFaultOfTheControllerChangesHowAJobEnds) {
  std::vector<const char*> names = {"fail-job"};
  if (!kSanitized) {
    names.insert(names.end(), {"one-pod", "retry", "per-index-retry", "suspend-resume"});
  }
  const size_t step = kSanitized ? 3 : 1;
  for (const char* name : names) {
    const Scenario& scenario = *find_scenario(name);
    const RunResult quiet = run(scenario, {.quiet = true});
    const std::vector<Strike> strikes = single_faults(scenario, quiet, {"job-controller"});
    for (size_t i = 0; i < strikes.size(); i += step) {
      const Strike& strike = strikes[i];
      const RunResult outcome = run(scenario, {.strikes = {{strike}}});
      EXPECT_TRUE(outcome.sound()) << name << " " << text_of(strike) << "\n"
                                   << broken_text(outcome);
    }
  }
}

// A world with a broken rule: the finalizer of a pod is taken by a client that does not say so.
TEST(Simulation, AFailureIsShrunkToWhatItNeeds) {
  Scenario scenario = *find_scenario("parallel");
  scenario.actions.push_back(*parse_action("2s pause scheduler 1s"));
  scenario.actions.push_back(*parse_action("3s crash ttl 1s"));
  scenario.ends["j"] = "Failed";  // wrong on purpose
  const RunResult failed = run(scenario, {.seed = 7});
  ASSERT_THAT(failed.broken, ::testing::SizeIs(1));
  EXPECT_EQ(failed.broken.front().rule, "L3");
  const Shrunk shrunk = shrink(scenario, 7, failed);
  EXPECT_THAT(shrunk.strikes, IsEmpty());
  EXPECT_EQ(shrunk.scenario.actions.size(), 1u) << "without the create it would be another end";
  EXPECT_LE(shrunk.runs, kMaxShrinkRuns);
}

}  // namespace
}  // namespace windlass::verify::simulation
