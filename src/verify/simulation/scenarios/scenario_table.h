// The named scenarios as tables: one Job j, what its processes do (script.h), what happens to it
// (action.h), and how it has to end. An end of `*` leaves that open: where an action races with the
// Job, either may be first.
#pragma once

#include <span>
#include <string_view>

namespace windlass::verify::simulation {

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
};

std::span<const ScenarioRow> job_rows();
std::span<const ScenarioRow> policy_rows();
std::span<const ScenarioRow> index_rows();
std::span<const ScenarioRow> disruption_rows();

}  // namespace windlass::verify::simulation
