#include "node/pod/pod_status.h"

#include <fmt/format.h>

#include <algorithm>
#include <variant>

#include "node/container/container_flow.h"

namespace windlass::node {

namespace {

constexpr int kUnknownExitCode = 137;

bool never_started(const ContainerRun& container) {
  return std::holds_alternative<Waiting>(container.state) && !container.last;
}

// K-14 for a pod that is left to itself.
std::string live_phase(const StatusInput& input) {
  const PodRun& run = input.run;
  if (initialization_failed(run, input.policy)) {
    return run.any_active() ? "Pending" : "Failed";
  }
  if (!initialized(run) ||
      std::any_of(run.containers.begin(), run.containers.end(), never_started)) {
    return "Pending";
  }
  const bool goes_on = std::any_of(
      run.containers.begin(), run.containers.end(), [&input](const ContainerRun& container) {
        return !container.ended() || will_restart(container, input.policy);
      });
  if (goes_on || run.any_active()) {
    return "Running";
  }
  return std::all_of(run.containers.begin(), run.containers.end(),
                     [](const ContainerRun& container) { return container.succeeded(); })
             ? "Succeeded"
             : "Failed";
}

// Whatever its containers make of it.
bool is_doomed(const StatusInput& input) {
  return input.terminating && input.forced && input.forced->kind == ForcedEnd::Kind::failure;
}

// K-15: once the pod is terminating and all have stopped, the restart policy no longer matters.
std::string final_phase(const StatusInput& input) {
  const PodRun& run = input.run;
  const bool all_good =
      initialized(run) && std::all_of(run.containers.begin(), run.containers.end(),
                                      [](const ContainerRun& c) { return c.succeeded(); });
  return all_good && !is_doomed(input) ? "Succeeded" : "Failed";
}

std::string phase_before_end(const PodRun& run) {
  const bool started =
      initialized(run) && std::none_of(run.containers.begin(), run.containers.end(), never_started);
  return started ? "Running" : "Pending";
}

// The pod was still pending: no container but an init container was ever started.
bool ended_before_start(const StatusInput& input) {
  return input.terminating && !input.rejected &&
         std::none_of(input.run.containers.begin(), input.run.containers.end(),
                      [](const ContainerRun& container) { return container.ever_started; });
}

std::string name_list(const std::vector<const ContainerRun*>& containers) {
  std::vector<std::string_view> names;
  for (const ContainerRun* container : containers) {
    names.push_back(container->name);
  }
  return fmt::format("[{}]", fmt::join(names, " "));
}

ConditionView initialized_condition(const PodRun& run, std::string_view phase) {
  std::vector<const ContainerRun*> incomplete;
  for (const ContainerRun& container : run.init_containers) {
    if (container.sidecar ? !container.was_up() : !container.succeeded()) {
      incomplete.push_back(&container);
    }
  }
  if (!incomplete.empty()) {
    return {"Initialized", false, "ContainersNotInitialized",
            "containers with incomplete status: " + name_list(incomplete)};
  }
  return {"Initialized", true, phase == "Succeeded" ? "PodCompleted" : "", ""};
}

// Ready and ContainersReady are the same here: readiness gates, which others answer, come in where
// the answers are read (status_message.h).
ConditionView ready_condition(std::string_view type, const StatusInput& input,
                              std::string_view phase) {
  std::vector<const ContainerRun*> unready;
  for (const ContainerRun& container : input.run.init_containers) {
    if (container.sidecar && !container.ready()) {
      unready.push_back(&container);
    }
  }
  for (const ContainerRun& container : input.run.containers) {
    if (!container.ready()) {
      unready.push_back(&container);
    }
  }
  if (phase == "Succeeded") {
    return {std::string(type), false, "PodCompleted", ""};
  }
  // K-19: a pod that never started keeps the reason it had.
  if (phase == "Failed" && !ended_before_start(input)) {
    return {std::string(type), false, "PodFailed", ""};
  }
  if (unready.empty()) {
    return {std::string(type), true, "", ""};
  }
  return {std::string(type), false, "ContainersNotReady",
          "containers with unready status: " + name_list(unready)};
}

ContainerStatusView view(const ContainerRun& container, bool init, bool initializing) {
  ContainerStatusView out;
  out.name = container.name;
  out.image = container.image;
  out.image_id = container.image_id;
  out.container_id = container.container_id;
  out.state = container.state;
  out.last = container.last;
  out.restarts = container.restarts;
  out.started = container.started();
  out.ready = init && !container.sidecar ? container.succeeded() : container.ready();
  if (auto* waiting = std::get_if<Waiting>(&out.state); waiting && waiting->reason.empty()) {
    waiting->reason = initializing ? "PodInitializing" : "ContainerCreating";  // K-11
  }
  return out;
}

void mark_unknown(ContainerRun& container) {
  container.state = Terminated{kUnknownExitCode,
                               "ContainerStatusUnknown",
                               "The container could not be located when the pod was terminated",
                               std::nullopt,
                               std::nullopt,
                               ""};
}

}  // namespace

std::string_view end_reason(int exit_code) {
  return exit_code == 0 ? "Completed" : "Error";
}

PodStatusView describe(const StatusInput& input) {
  const PodRun& run = input.run;
  PodStatusView out;
  if (!input.terminating) {
    out.phase = live_phase(input);
  } else {
    // K-35: the phase stays until the last container has stopped.
    out.phase = run.any_active() ? phase_before_end(run) : final_phase(input);
  }
  if (out.phase == "Failed" && input.forced) {
    out.reason = input.forced->reason;
    out.message = input.forced->message;
  } else if (out.phase == "Failed" && ended_before_start(input)) {
    // KEP-3329: a pod deleted before it ran says so.
    out.reason = "Deleted";
    out.message = "Deleted while pending";
  }
  if (out.terminal() && input.forced && input.forced->kind == ForcedEnd::Kind::disruption) {
    const ForcedEnd& forced = *input.forced;
    out.disruption = forced.disruption_message.empty() ? forced.message : forced.disruption_message;
  }
  const bool initializing = !initialized(run);
  out.conditions.push_back({"PodReadyToStartContainers", input.set_up && !out.terminal(), "", ""});
  out.conditions.push_back(initialized_condition(run, out.phase));
  // K-43: not ready while its containers stop, though the phase stays until then.
  const std::string_view ready_as = is_doomed(input) ? "Failed" : std::string_view(out.phase);
  out.conditions.push_back(ready_condition("Ready", input, ready_as));
  out.conditions.push_back(ready_condition("ContainersReady", input, ready_as));
  out.conditions.push_back({"PodScheduled", true, "", ""});
  for (const ContainerRun& container : run.init_containers) {
    out.init_containers.push_back(view(container, true, initializing));
  }
  for (const ContainerRun& container : run.containers) {
    out.containers.push_back(view(container, false, initializing));
  }
  return out;
}

void settle(PodRun& run) {
  for (auto* list : {&run.init_containers, &run.containers}) {
    for (ContainerRun& container : *list) {
      const bool waits = std::holds_alternative<Waiting>(container.state);
      if (waits && container.last && !container.sidecar) {
        container.state = *std::exchange(container.last, std::nullopt);
      }
    }
  }
  if (initialized(run)) {
    for (auto* list : {&run.init_containers, &run.containers}) {
      for (ContainerRun& container : *list) {
        if (!container.ended()) {
          mark_unknown(container);
        }
      }
    }
    return;
  }
  size_t last_started = 0;
  for (size_t i = 0; i < run.init_containers.size(); ++i) {
    if (run.init_containers[i].ever_started) {
      last_started = i;
    }
  }
  for (size_t i = 0; i <= last_started; ++i) {
    if (!run.init_containers[i].ended()) {
      mark_unknown(run.init_containers[i]);
    }
  }
}

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
