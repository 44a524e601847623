// Schedules that were not sound once, each with the defect that it showed. The ordinals of calls
// move when components change; what stays is that none of these may ever fail again.
#include <gtest/gtest.h>

#include "verify/simulation/run.h"

namespace windlass::verify::simulation {
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
  const RunResult outcome = run(scenario, {.seed = schedule.seed, .strikes = strikes});
  for (const Broken& broken : outcome.broken) {
    ADD_FAILURE() << broken.rule << ": " << broken.text;
  }
}

INSTANTIATE_TEST_SUITE_P(
    Found, Regression,
    ::testing::Values(
        // T6, job-controller.md 1.50, M222: old news of a finished Job brought it back to life.
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
                 {"job-controller/event#9=frozen:14.164s"}},
        // T4: a pod was adopted, and the Job ended before the cache told of it.
        Schedule{
            "AdoptedAndNotYetSeen",
            "random",
            313396,
            {"5.271s create j", "627ms create k", "10.292s create l", "17.914s orphan-pod j 1"},
            {"job-controller/write#4=crash-before", "garbage-collector/event#10=broken",
             "node-2/event#1=frozen:43.065s", "node-1/event#3=frozen:6m17.962s",
             "stale-marks/event#7=broken", "taint-eviction/event#10=gone",
             "node-lifecycle/event#15=broken", "node-lifecycle/event#21=broken",
             "job-controller/event#17=frozen:2m54.911s"}},
        // T4: a Job ended while a pod was being adopted for it.
        Schedule{
            "EndedDuringAnAdoption",
            "random",
            500360,
            {"20.98s create j", "13.858s create k", "27.798s recreate j", "41.606s orphan-pod k 3"},
            {"garbage-collector/read#7=unavailable", "budgets/read#2=unavailable"}},
        // B1: a pod that scale-down gave up had failed just before, by a rule that ignores it. A
        // mistake of the monitor.
        Schedule{
            "GivenUpAndFailedBefore",
            "random",
            310286,
            {"13.633s create j", "10.822s create k", "18.803s create l", "49.236s parallelism l 1"},
            {"job-controller/read#1=lost-request:9.414s",
             "garbage-collector/read#10=lost-request:4.063s", "budgets/read#2=lost-request:2.087s",
             "budgets/read#3=lost-request:4.7s", "job-controller/read#2=lost-request:7.28s",
             "node-1/read#14=lost-request:5.593s", "node-1/read#15=lost-request:3.428s",
             "job-controller/event#42=skipped:876ms", "job-controller/read#6=lost-request:6.7s",
             "job-controller/event#53=skipped:881ms"}},
        // T-1: a node's taint was gone before the pod came; the view of nodes was old.
        Schedule{"ATaintThatIsGone",
                 "random",
                 308742,
                 {"7.724s create j", "12.687s create k", "7.199s create l", "1m22s taint node-1",
                  "7m3s untaint node-1", "20s crash taint-eviction 45s"},
                 {"stale-marks/event#16=repeated", "job-controller/event#26=repeated",
                  "job-controller/event#37=repeated", "node-2/event#13=skipped:4m29.661s",
                  "taint-eviction/event#45=gone", "node-lifecycle/event#157=frozen:3m35.234s",
                  "taint-eviction/event#69=skipped:3m35.464s"}},
        // B3: a failed pod was marked as disrupted afterwards, and no longer counted.
        Schedule{"MarkedAfterItFailed",
                 "random",
                 329446,
                 {"1.104s create j", "7.513s create k", "15.923s create l", "35s taint node-2"},
                 {}},
        // C1: a pod that was let go as nothing was counted when its end was seen before the answer.
        Schedule{"SucceededWhileItIsLetGo",
                 "random",
                 349244,
                 {"12.466s create j", "1m2.339s suspend j", "1m32.09s resume j",
                  "48s pause node-1 5m38s"},
                 {"node-1/event#1=frozen:2m5.039s", "job-controller/event#13=frozen:4m0.601s",
                  "budgets/event#19=broken"}},
        // P3: pods that were stopped count before they end; they had, and the view was old. A
        // mistake of the monitor.
        Schedule{
            "StoppedAndEndedUnseen",
            "random",
            362674,
            {"3.587s create j", "18.795s create k"},
            {"node-lifecycle/read#2=lost-request:6.528s",
             "job-controller/read#3=lost-request:6.02s", "job-controller/write#2=slow:1.938s",
             "garbage-collector/event#17=skipped:889ms", "job-controller/read#4=server-error",
             "job-controller/read#5=lost-request:2.944s",
             "job-controller/write#6=lost-reply:1.679s", "job-controller/write#10=server-error",
             "job-controller/event#7=skipped:5.234s", "job-controller/read#9=slow:5.554s",
             "job-controller/write#36=lost-request:3.519s",
             "job-controller/event#23=skipped:4.762s"}},
        // B1: an evicted pod counts from its deletion on, as long as its end is not seen. A mistake
        // of the monitor.
        Schedule{
            "EvictedAndEndedUnseen",
            "random",
            346128,
            {"10.273s create j", "2.56s create k", "2.539s create l", "29s taint node-1"},
            {"garbage-collector/event#20=frozen:4.764s", "garbage-collector/event#23=frozen:8.055s",
             "job-controller/event#37=frozen:7.948s"}},
        // A5: what the release of an old Job's pods reads of the Job that has its name now is not
        // known to the controller of that Job. A mistake of the simulation.
        Schedule{"ReadBeforeItIsKnown",
                 "random",
                 306628,
                 {"6.093s create j", "14.599s completions j 5", "1m2.654s suspend j",
                  "54.289s recreate j"},
                 {"node-1/event#1=skipped:2.934s", "job-controller/event#8=skipped:11.774s",
                  "node-1/event#4=skipped:10.584s", "job-controller/event#15=skipped:39.245s",
                  "job-controller/event#19=frozen:50.614s"}}),
    [](const auto& tested) { return std::string(tested.param.name); });

}  // namespace
}  // namespace windlass::verify::simulation
