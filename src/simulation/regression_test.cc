// Schedules that were not sound once, each with the defect that it showed. The ordinals of calls
// move when components change; what stays is that none of these may ever fail again.
#include <gtest/gtest.h>

#include "simulation/run.h"

namespace windlass::simulation {
namespace {

struct Schedule {
  const char* name;
  const char* scenario;
  uint64_t seed;
  std::vector<const char*> actions;  // none: those of the scenario
  std::vector<const char*> strikes;
};

class Regression : public ::testing::TestWithParam<Schedule> {};

TEST_P(Regression, StaysSound) {
  const Schedule& schedule = GetParam();
  Scenario scenario = std::string(schedule.scenario) == "random"
                          ? random_scenario(schedule.seed)
                          : *find_scenario(schedule.scenario);
  if (!schedule.actions.empty()) {
    scenario.actions.clear();
    for (const char* action : schedule.actions) {
      scenario.actions.push_back(*parse_action(action));
    }
  }
  std::vector<Strike> strikes;
  for (const char* strike : schedule.strikes) {
    strikes.push_back(*parse_strike(strike));
  }
  const Outcome outcome = run(scenario, {.seed = schedule.seed, .strikes = strikes});
  for (const Broken& broken : outcome.broken) {
    ADD_FAILURE() << broken.rule << ": " << broken.text;
  }
}

INSTANTIATE_TEST_SUITE_P(
    Found, Regression,
    ::testing::Values(
        // T6, job-controller.md 1.50, 222: old news of a finished Job brought it back to life.
        Schedule{"OldNewsOfAFinishedJob",
                 "one-pod",
                 46,
                 {},
                 {"job-controller/event#4=frozen:3m42.02s", "node-1/read#3=unavailable",
                  "job-controller/event#8=frozen:3m11.298s"}},
        // L1: the node took any conflict of its delete for another pod of the name, and gave up.
        Schedule{"ConflictWhileAPodIsRemoved",
                 "fail-job",
                 79,
                 {},
                 {"node-1/write#2=lost-reply:2m59.371s", "node-1/write#4=lost-reply:1m23.876s",
                  "node-1/write#6=conflict"}},
        // L1: the same of a hollow node.
        Schedule{
            "ConflictWhileAHollowPodIsRemoved",
            "random",
            100760,
            {"5.133s create j", "21.134s resume k", "13.266s create k", "6.033s evict-pod j 3"},
            {"job-controller/write#3=conflict", "scheduler/event#7=frozen:56.941s",
             "node-2/write#4=conflict", "garbage-collector/event#20=frozen:23.991s",
             "node-2/write#6=conflict", "job-controller/note#3=conflict", "node-2/write#7=conflict",
             "node-2/write#20=conflict"}},
        // B3: a pod that was given up, and ended before it was deleted. A mistake of the monitor.
        Schedule{"GivenUpAndEndedByItself",
                 "random",
                 101806,
                 {"20.024s create j", "137ms create k", "5.74s create l", "42.109s completions l 6",
                  "1m26.212s suspend j", "2m10.174s resume j"},
                 {"garbage-collector/read#4=throttled", "node-1/write#1=server-error",
                  "node-3/write#1=throttled", "job-controller/note#3=lost-request:2m30.562s",
                  "scheduler/note#3=server-error", "node-2/write#5=duplicated",
                  "scheduler/note#5=unavailable", "garbage-collector/event#24=skipped:58.546s",
                  "job-controller/write#27=crash-after", "node-1/write#10=slow:28.048s",
                  "job-controller/write#63=crash-before"}},
        // L2: rest was declared between the last action and its commit. A mistake of the
        // simulation.
        Schedule{"ResumedInTheLastMoment",
                 "random",
                 12996,
                 {"3.037s create k", "1m59.16s clock 1917s", "1m32.984s suspend k",
                  "2m12.934s resume k"},
                 {}},
        // N-1, N-3: a node that was believed dead stayed Unknown, tainted and useless for ever.
        Schedule{"ANodeComesBack", "one-pod", 1, {}, {"node-lifecycle/event#3=frozen:6m"}},
        // C10: a pod that had succeeded meanwhile was let go as one that never had a node.
        Schedule{"SucceededBeforeItIsGivenUp",
                 "suspend-one-done",
                 1,
                 {},
                 {"job-controller/event#9=frozen:14.164s"}}),
    [](const auto& tested) { return std::string(tested.param.name); });

}  // namespace
}  // namespace windlass::simulation
