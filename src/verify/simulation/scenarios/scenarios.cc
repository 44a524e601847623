#include <fmt/format.h>

#include <algorithm>

#include "base/check.h"
#include "verify/simulation/scenarios/scenario.h"

namespace windlass::verify::simulation {
namespace {

constexpr std::string_view kUrgent = "urgent";

// A Job whose processes do as the script says. `spec` is flow YAML; what it says about the pod
// follows `pod:`; `container` is what is said about its container; `metadata` that of the Job.
std::string manifest(std::string_view name, std::string_view spec, std::string_view script,
                     std::string_view container, std::string_view metadata = "") {
  std::string_view pod;
  if (const size_t at = spec.find("pod:"); at != spec.npos) {
    pod = spec.substr(at + 4);
    spec = spec.substr(0, at);
    while (spec.ends_with(' ') || spec.ends_with(',')) {
      spec.remove_suffix(1);
    }
  }
  const std::string_view policy =
      pod.find("restartPolicy") == pod.npos ? "restartPolicy: Never, " : "";
  return fmt::format(
      "{{apiVersion: batch/v1, kind: Job, metadata: {{{8}}}, spec: {{{0}{1}template: {{metadata: "
      "{{annotations: "
      "{{windlass.dev/hollow-script: \"{5}\"}}}}, spec: {{{2}{3}{4}"
      "containers: [{{name: main, image: x, {7}command: [sim, {6}, \"{5}\"]}}]}}}}}}}}",
      spec, spec.empty() ? "" : ", ", policy, pod, pod.empty() ? "" : ", ", script, name, container,
      metadata);
}

std::vector<ScriptedAction> parse_actions(std::string_view lines) {
  std::vector<ScriptedAction> actions;
  std::string text = "1s create j";
  text += lines.empty() ? "" : "; ";
  text += lines;
  while (!text.empty()) {
    const size_t end = text.find("; ");
    const Result<ScriptedAction> action = parse_action(text.substr(0, end));
    CHECK(action.has_value(), text);
    actions.push_back(*action);
    text = end == text.npos ? "" : text.substr(end + 2);
  }
  return actions;
}

Scenario make(const ScenarioRow& row) {
  Scenario made;
  made.name = row.name;
  made.about = row.about;
  const std::string_view room = row.urgent.empty() ? "" : "resources: {requests: {cpu: 1}}, ";
  const std::string metadata =
      !row.policy.empty() ? fmt::format("annotations: {{windlass.dev/policy: '{}'}}", row.policy)
      : row.completed.empty() ? ""
                              : starts_with(row.completed);
  made.jobs = {{"j", manifest("j", row.spec, row.script, room, metadata)}};
  made.actions = parse_actions(row.actions);
  made.ends = {{"j", std::string(row.end)}};
  if (!row.urgent.empty()) {
    const std::string urgent =
        fmt::format("{}, pod: priorityClassName: system-cluster-critical", row.urgent);
    made.jobs.emplace(kUrgent, manifest(kUrgent, urgent, "0@20", room));
    made.ends.emplace(kUrgent, "Complete");
  }
  made.cluster.elected = row.cluster == "elected";
  // A simulated machine that goes down forgets what it ran; the real one's journal does not.
  made.cluster.allowances.node_crashes =
      row.actions.find("crash node-") != std::string_view::npos && row.cluster != "hollow";
  for (SimulatedNodeOptions& node : made.cluster.nodes) {
    node.hollow = row.cluster == "hollow";
    node.cpu = row.urgent.empty() ? node.cpu : "1";
  }
  // How many pods a failing Job takes with it depends on the time.
  const bool is_queue = row.spec.find("parallelism") != row.spec.npos &&
                        row.spec.find("completions") == row.spec.npos;
  made.same_numbers = row.actions.empty() && row.end == "Complete" && !is_queue &&
                      row.spec.find("successPolicy") == row.spec.npos;
  return made;
}

}  // namespace

std::string starts_with(std::string_view completed) {
  return fmt::format("annotations: {{windlass.dev/completed-indexes: \"{}\"}}", completed);
}

const std::vector<Scenario>& scenarios() {
  static const std::vector<Scenario> all = [] {
    std::vector<Scenario> made;
    for (const auto rows : {job_rows(), policy_rows(), index_rows(), disruption_rows()}) {
      std::transform(rows.begin(), rows.end(), std::back_inserter(made), make);
    }
    return made;
  }();
  return all;
}

const Scenario* find_scenario(std::string_view name) {
  const auto& all = scenarios();
  const auto found = std::find_if(all.begin(), all.end(),
                                  [name](const Scenario& one) { return one.name == name; });
  return found == all.end() ? nullptr : &*found;
}

}  // namespace windlass::verify::simulation
