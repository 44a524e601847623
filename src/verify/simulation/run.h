// One run: a scenario in a fresh cluster, with the faults that a source gives until the trouble is
// over; then everything heals, every Job has to come to rest, and silence has to follow
// (safety.md L1, L2). Deterministic: the same arguments give the same outcome.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "verify/simulation/scenarios/scenario.h"

namespace windlass::verify::simulation {

struct SimulationOptions {
  uint64_t seed = 1;
  // Instead of those that the seed gives.
  std::optional<std::vector<Strike>> strikes = {};
  bool quiet = false;  // no faults at all
  // By Job name: what its status has to count in the end, as the run without faults does.
  std::map<std::string, std::string> numbers = {};
  bool keep_log = false;
};

struct RunResult {
  std::vector<Broken> broken = {};
  std::vector<Strike> struck = {};
  std::vector<ScriptedAction> actions = {};
  std::map<std::string, std::string> ends = {};     // by Job name, as Scenario::ends has them
  std::map<std::string, std::string> numbers = {};  // by Job name: what its status counts
  std::map<std::pair<std::string, Site>, uint64_t> sites = {};  // how many were passed
  Sightings sightings = {};
  uint64_t trace_hash = 0;
  uint64_t steps = 0;
  uint64_t revisions = 0;
  Duration took = Duration::zero();  // virtual
  std::vector<std::string> log = {};

  bool sound() const { return broken.empty(); }
};

RunResult run(const Scenario& scenario, const SimulationOptions& options);

// Whether faults, which delay everything, must not change how the scenario ends (L3).
bool has_one_end(const Scenario& scenario);

}  // namespace windlass::verify::simulation
