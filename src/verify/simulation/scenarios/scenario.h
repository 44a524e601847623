// What a simulated cluster is to live through: Jobs, what happens to them, and how they have to
// end. The named ones are in scenarios.cc, one per story; random ones come from a seed. Values.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "verify/simulation/cluster.h"
#include "verify/simulation/scripted_action.h"

namespace windlass::verify::simulation {

struct Scenario {
  std::string name = {};
  std::string about = {};
  Manifests jobs = {};  // YAML by name
  std::vector<ScriptedAction> actions = {};
  // By Job name: `Complete`, `Failed PodFailurePolicy`, `waits`, `gone`, or `*`. Whatever goes
  // wrong on the way, this is how it ends (safety.md L3).
  std::map<std::string, std::string> ends = {};
  // The numbers in its status, too, are those of the run without faults.
  bool same_numbers = false;
  TestedClusterOptions cluster = {};
};

// Faults that change how the scenario has to end are left out.
bool may_strike(const Scenario& scenario, const std::string& component, ClientFault fault);

const std::vector<Scenario>& scenarios();
const Scenario* find_scenario(std::string_view name);

// Jobs, edits and accidents drawn from the seed.
Scenario random_scenario(uint64_t seed);

}  // namespace windlass::verify::simulation
