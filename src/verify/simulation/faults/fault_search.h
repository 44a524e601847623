// Makes a failing run shorter: leaves out faults and actions, first many at a time and then one by
// one, as long as the same rule is still broken. What remains is what a person has to read.
#pragma once

#include <functional>
#include <vector>

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

// Every single fault of a scenario, one run each (safety.md Y2): each write crashed
// before, applied with the answer lost, and after; each answer lost without a crash; each write
// refused; each event skipped; each view frozen.

// The faults to try, in order, for the sites that the run without faults passes. `about` names the
// components of interest; none means all.
std::vector<Strike> single_faults(const Scenario& scenario, const RunResult& quiet,
                                  const std::vector<std::string>& about = {});

}  // namespace windlass::verify::simulation
