// Every single fault of a scenario, one run each (safety.md Y2): each write crashed
// before, applied with the answer lost, and after; each answer lost without a crash; each write
// refused; each event skipped; each view frozen.
#pragma once

#include <functional>
#include <vector>

#include "verify/simulation/run.h"

namespace windlass::verify::simulation {

// The faults to try, in order, for the sites that the run without faults passes. `about` names the
// components of interest; none means all.
std::vector<Strike> single_faults(const Scenario& scenario, const RunResult& quiet,
                                  const std::vector<std::string>& about = {});

}  // namespace windlass::verify::simulation
