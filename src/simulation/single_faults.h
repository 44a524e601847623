// Every single fault of a scenario, one run each (reliability.md 1.2 (3)): each write crashed
// before, applied with the answer lost, and after; each answer lost without a crash; each write
// refused; each event skipped; each view frozen.
#pragma once

#include <functional>
#include <vector>

#include "simulation/run.h"

namespace windlass::simulation {

// The faults to try, in order, for the sites that the run without faults passes. `about` names the
// components of interest; none means all.
std::vector<Strike> single_faults(const Scenario& scenario, const Outcome& quiet,
                                  const std::vector<std::string>& about = {});

}  // namespace windlass::simulation
