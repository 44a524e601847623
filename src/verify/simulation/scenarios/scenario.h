// What a simulated cluster is to live through: Jobs, what happens to them, and how they have to
// end. The named ones are in scenarios.cc, one per story; random ones come from a seed. Values.
#pragma once

#include <map>
#include <span>
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

// What metadata of a Job says about the indexes that it starts with as completed; flow YAML.
std::string starts_with(std::string_view completed);

// The named scenarios as tables: one Job j, what its processes do (script.h), what happens to it
// (action.h), and how it has to end. An end of `*` leaves that open: where an action races with the
// Job, either may be first.
struct ScenarioRow {
  std::string_view name;
  std::string_view about;   // the rule or story it is taken from
  std::string_view spec;    // of the Job, flow YAML; after `pod:` that of its pods
  std::string_view script;  // of its processes
  std::string_view end;
  std::string_view actions = {};
  std::string_view cluster = {};  // `elected`: two Job controllers and a Lease; `hollow`: its nodes
  // Of a second Job, urgent, for whose pods others make room; then a node has room for one pod.
  std::string_view urgent = {};
  std::string_view completed = {};  // indexes that the Job starts with as completed
  std::string_view policy = {};     // annotation windlass.dev/policy of the Job, flow YAML
};

std::span<const ScenarioRow> job_rows();
std::span<const ScenarioRow> policy_rows();
std::span<const ScenarioRow> index_rows();
std::span<const ScenarioRow> disruption_rows();

}  // namespace windlass::verify::simulation
