// The upgrade tests of the KEPs, in simulation: each gate is on, off and on again over stored
// objects, while a Job that uses the feature lives. Everything restarts with each change, as an
// upgraded control plane does.
#include <gtest/gtest.h>

#include "base/sanitized_testing.h"
#include "verify/simulation/run.h"

namespace windlass::verify::simulation {
namespace {

struct GateCase {
  const char* gate;
  const char* scenario;
  const char* actions;
  const char* end;  // "" when either may come first
};

class GateLifeCycle : public ::testing::TestWithParam<GateCase> {};

std::string text_of_broken(const RunResult& outcome) {
  std::string text;
  for (const Broken& broken : outcome.broken) {
    text += broken.rule + ": " + broken.text + "\n";
  }
  return text;
}

Scenario with_gates(const GateCase& gate_case) {
  Scenario scenario = *find_scenario(gate_case.scenario);
  scenario.same_numbers = false;
  scenario.cluster.allowances.gates_change = true;
  // With the control plane its nodes restart, and a process is lost: 137, as after a reboot.
  scenario.cluster.allowances.node_crashes = true;
  scenario.ends.clear();
  if (std::string(gate_case.end) != "") {
    scenario.ends["j"] = gate_case.end;
  }
  std::string text = gate_case.actions;
  for (size_t at; !text.empty(); text = at == text.npos ? "" : text.substr(at + 2)) {
    at = text.find("; ");
    scenario.actions.push_back(*parse_action(text.substr(0, at)));
  }
  return scenario;
}

TEST_P(GateLifeCycle, OnOffOnOverStoredObjects) {
  const Scenario scenario = with_gates(GetParam());
  for (uint64_t seed = 1; seed <= (kSanitized ? 4 : 20); ++seed) {
    const RunResult outcome = run(scenario, {.seed = seed, .quiet = true});
    EXPECT_TRUE(outcome.sound()) << "seed " << seed << "\n" << text_of_broken(outcome);
  }
}

INSTANTIATE_TEST_SUITE_P(
    All, GateLifeCycle,
    ::testing::Values(
        // KEP-3329: the policy of a stored Job is dormant while the gate is off.
        GateCase{"JobPodFailurePolicy", "fail-job",
                 "500ms gate JobPodFailurePolicy off; 40s gate JobPodFailurePolicy on", ""},
        GateCase{"JobPodFailurePolicy", "ignore-exit-code",
                 "2s gate JobPodFailurePolicy off; 20s gate JobPodFailurePolicy on", ""},
        // KEP-3329: conditions are not added while it is off; what is there stays (F-2).
        GateCase{"PodDisruptionConditions", "ignore-disruption",
                 "3s gate PodDisruptionConditions off; 20s gate PodDisruptionConditions on", ""},
        // KEP-3850.
        GateCase{"JobBackoffLimitPerIndex", "per-index",
                 "2s gate JobBackoffLimitPerIndex off; 30s gate JobBackoffLimitPerIndex on", ""},
        GateCase{"JobBackoffLimitPerIndex", "fail-index",
                 "2s gate JobBackoffLimitPerIndex off; 30s gate JobBackoffLimitPerIndex on", ""},
        // KEP-3939.
        GateCase{"JobPodReplacementPolicy", "replace-failed",
                 "3s gate JobPodReplacementPolicy off; 20s gate JobPodReplacementPolicy on", ""},
        // KEP-4443: a stored verdict keeps its reason (job-controller.md H126).
        GateCase{"PodFailurePolicyName", "named-rule",
                 "2s gate PodFailurePolicyName off; 60s gate PodFailurePolicyName on", ""},
        GateCase{"JobSuccessPolicy", "success-policy",
                 "2s gate JobSuccessPolicy off; 20s gate JobSuccessPolicy on", ""},
        // job-controller.md N227: with the gate off the Job is taken over; on again, left as it is.
        GateCase{"JobManagedBy", "foreign", "2s gate JobManagedBy off; 4s gate JobManagedBy on",
                 ""}),
    [](const auto& tested) {
      std::string name = tested.param.scenario;
      std::replace(name.begin(), name.end(), '-', '_');
      return std::string(tested.param.gate) + "_" + name;
    });

}  // namespace
}  // namespace windlass::verify::simulation
