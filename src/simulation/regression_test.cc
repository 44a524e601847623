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
