// Makes a failing run shorter: leaves out faults and actions, first many at a time and then one by
// one, as long as the same rule is still broken. What remains is what a person has to read.
#pragma once

#include "verify/simulation/run.h"

namespace windlass::verify::simulation {

struct Shrunk {
  Scenario scenario = {};  // with the actions that are left
  std::vector<Strike> strikes = {};
  RunResult outcome = {};
  int runs = 0;
};

inline constexpr int kMaxShrinkRuns = 600;

// `failed` is the outcome of run(scenario, {seed}).
Shrunk shrink(const Scenario& scenario, uint64_t seed, const RunResult& failed);

}  // namespace windlass::verify::simulation
