#include "node/pod/lost_status.h"

#include <algorithm>
#include <variant>

namespace windlass::node {

namespace {

// Texts and times do not count: they change with the rest, and the API rounds times.
bool is_same_state(const ContainerState& seen, const ContainerState& now) {
  if (seen.index() != now.index()) {
    return false;
  }
  if (const auto* waiting = std::get_if<Waiting>(&seen)) {
    return waiting->reason == std::get<Waiting>(now).reason;
  }
  if (const auto* ended = std::get_if<Terminated>(&seen)) {
    const Terminated& other = std::get<Terminated>(now);
    return ended->exit_code == other.exit_code && ended->reason == other.reason;
  }
  return true;
}

const SeenContainer* find_seen(const PodSeen& seen, const std::string& name) {
  const auto found = std::find_if(seen.containers.begin(), seen.containers.end(),
                                  [&name](const SeenContainer& each) { return each.name == name; });
  return found == seen.containers.end() ? nullptr : &*found;
}

bool is_said(const PodSeen& seen, const ContainerStatusView& now) {
  const SeenContainer* said = find_seen(seen, now.name);
  return said != nullptr && said->restarts == now.restarts && said->ready == now.ready &&
         said->started == now.started && is_same_state(said->state, now.state);
}

// The API takes no end back where the container may not be started again (K-41), and with it
// refuses all else that is said.
bool is_irreversible(const PodSeen& seen, const ContainerStatusView& now) {
  const SeenContainer* said = find_seen(seen, now.name);
  return said != nullptr && std::holds_alternative<Terminated>(said->state) &&
         !std::holds_alternative<Terminated>(now.state);
}

bool is_phase_said(const PodSeen& seen, const PodStatusView& now) {
  // K-16: any end that the API shows stands.
  return now.terminal() ? is_terminal_phase(seen.phase) : seen.phase == now.phase;
}

bool is_ready(const PodSeen& seen, const PodStatusView& now) {
  const bool behind_gates = std::any_of(seen.gates.begin(), seen.gates.end(),
                                        [](const std::string& gate) { return gate != "True"; });
  return !behind_gates &&
         std::any_of(now.conditions.begin(), now.conditions.end(),
                     [](const ConditionView& each) { return each.type == "Ready" && each.status; });
}

}  // namespace

bool has_lost(const PodSeen& seen, const PodStatusView& now) {
  const auto any_container = [&now](const auto& predicate) {
    return std::any_of(now.init_containers.begin(), now.init_containers.end(), predicate) ||
           std::any_of(now.containers.begin(), now.containers.end(), predicate);
  };
  if (any_container(
          [&seen](const ContainerStatusView& each) { return is_irreversible(seen, each); })) {
    return false;
  }
  return !is_phase_said(seen, now) || seen.ready != is_ready(seen, now) ||
         any_container([&seen](const ContainerStatusView& each) { return !is_said(seen, each); });
}

}  // namespace windlass::node
