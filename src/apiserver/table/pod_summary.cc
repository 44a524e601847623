#include "apiserver/table/pod_summary.h"

#include <fmt/format.h>

#include <algorithm>

#include "api/codec/wire_time.h"
#include "schema/core/v1/pod.pb.h"

namespace windlass::apiserver {
namespace {

using api::core::v1::Container;
using api::core::v1::ContainerStateTerminated;
using api::core::v1::ContainerStatus;
using api::core::v1::Pod;

// Restarts of one group of containers; a pod shows either its init containers' or the others'.
struct Restarts {
  int64_t count = 0;
  std::optional<Time> last = {};

  void add(const ContainerStatus& status) {
    count += status.restart_count();
    if (status.last_state().has_terminated() &&
        status.last_state().terminated().has_finished_at()) {
      const Time ended = api::time_of(status.last_state().terminated().finished_at());
      last = last ? std::max(*last, ended) : ended;
    }
  }
  void add(const Restarts& other) {
    count += other.count;
    if (other.last) {
      last = last ? std::max(*last, *other.last) : *other.last;
    }
  }
};

bool has_condition(const Pod& pod, std::string_view type, std::string_view status) {
  for (const auto& condition : pod.status().conditions()) {
    if (condition.type() == type) {
      return condition.status() == status;
    }
  }
  return false;
}

bool is_gated(const Pod& pod) {
  for (const auto& condition : pod.status().conditions()) {
    if (condition.type() == "PodScheduled" && condition.reason() == "SchedulingGated") {
      return true;
    }
  }
  return false;
}

// An init container that is restarted for ever runs beside the others.
bool is_sidecar(const Pod& pod, const std::string& name) {
  for (const Container& container : pod.spec().init_containers()) {
    if (container.name() == name) {
      return container.restart_policy() == "Always";
    }
  }
  return false;
}

std::string how_it_ended(const ContainerStateTerminated& terminated) {
  if (!terminated.reason().empty()) {
    return terminated.reason();
  }
  return terminated.signal() != 0 ? fmt::format("Signal:{}", terminated.signal())
                                  : fmt::format("ExitCode:{}", terminated.exit_code());
}

// What the first init container that is not done says; nothing when all are.
std::optional<std::string> init_status(const Pod& pod, PodSummary& summary, Restarts& restarts,
                                       Restarts& sidecar_restarts) {
  int index = -1;
  for (const ContainerStatus& status : pod.status().init_container_statuses()) {
    ++index;
    restarts.add(status);
    const bool sidecar = is_sidecar(pod, status.name());
    if (sidecar) {
      sidecar_restarts.add(status);
    }
    const auto& state = status.state();
    if (state.has_terminated() && state.terminated().exit_code() == 0) {
      continue;
    }
    if (sidecar && status.started()) {
      summary.ready += status.ready() ? 1 : 0;
      continue;
    }
    if (state.has_terminated()) {
      return "Init:" + how_it_ended(state.terminated());
    }
    if (state.has_waiting() && !state.waiting().reason().empty() &&
        state.waiting().reason() != "PodInitializing") {
      return "Init:" + state.waiting().reason();
    }
    return fmt::format("Init:{}/{}", index, pod.spec().init_containers_size());
  }
  return std::nullopt;
}

// What the containers say, from the last to the first: the first one speaks last.
void look_at_containers(const Pod& pod, PodSummary& summary, Restarts& restarts) {
  bool any_running = false;
  std::string error;
  for (int i = pod.status().container_statuses_size() - 1; i >= 0; --i) {
    const ContainerStatus& status = pod.status().container_statuses(i);
    restarts.add(status);
    const auto& state = status.state();
    if (state.has_waiting() && !state.waiting().reason().empty()) {
      summary.status = state.waiting().reason();
    } else if (state.has_terminated()) {
      summary.status = how_it_ended(state.terminated());
      if (state.terminated().exit_code() != 0) {
        error = summary.status;
      }
    } else if (state.has_running() && status.ready()) {
      any_running = true;
      ++summary.ready;
    }
  }
  if (summary.status == "Completed") {
    if (any_running && has_condition(pod, "Ready", "True")) {
      summary.status = "Running";
    } else if (!error.empty()) {
      summary.status = error;
    } else if (any_running) {
      summary.status = "NotReady";
    }
  }
}

}  // namespace

PodSummary summarize_pod(const Pod& pod) {
  PodSummary summary;
  summary.total = pod.spec().containers_size();
  for (const Container& container : pod.spec().init_containers()) {
    summary.total += container.restart_policy() == "Always" ? 1 : 0;
  }
  summary.status = pod.status().reason().empty() ? pod.status().phase() : pod.status().reason();
  if (is_gated(pod)) {
    summary.status = "SchedulingGated";
  }
  Restarts init_restarts;
  Restarts restarts;  // of sidecars and containers
  const std::optional<std::string> init = init_status(pod, summary, init_restarts, restarts);
  if (init) {
    summary.status = *init;
  }
  if (!init || has_condition(pod, "Initialized", "True")) {
    look_at_containers(pod, summary, restarts);
  } else {
    restarts = init_restarts;
  }
  summary.restarts = restarts.count;
  summary.last_restart = restarts.last;
  const std::string& phase = pod.status().phase();
  if (pod.metadata().has_deletion_timestamp()) {
    if (pod.status().reason() == "NodeLost") {
      summary.status = "Unknown";
    } else if (phase != "Succeeded" && phase != "Failed") {
      summary.status = "Terminating";
    }
  }
  return summary;
}

}  // namespace windlass::apiserver
