#include "node/container/known_runs.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <utility>

#include "base/utf8.h"
#include "node/container/container_flow.h"
#include "node/pod/pod_status.h"

namespace windlass::node {
namespace {

constexpr int kStartErrorCode = 128;
// The text may repeat what an object says, at any length.
constexpr size_t kMaxErrorBytes = 1024;

// K-12, for a container whose end is unknown.
Terminated lost_container(const ContainerRun& container, RestartPolicy policy) {
  Terminated ended;
  ended.exit_code = kLostExitCode;
  ended.reason = "ContainerStatusUnknown";
  ended.message = will_restart(container, policy)
                      ? "The container could not be located when the pod was deleted.  The "
                        "container used to be Running"
                      : "The container could not be located when the pod was terminated";
  return ended;
}

void adopt_seen(const SeenContainer& seen, RestartPolicy policy, ContainerRun& run) {
  run.last = seen.last;
  run.restarts = seen.restarts;
  run.container_id = seen.container_id;
  run.image_id = seen.image_id;
  run.ever_started = !std::holds_alternative<Waiting>(seen.state) || seen.last.has_value();
  if (const auto* ended = std::get_if<Terminated>(&seen.state)) {
    run.state = *ended;
  } else if (std::holds_alternative<Running>(seen.state)) {
    run.state = lost_container(run, policy);
  } else if (seen.last) {
    run.state = *std::exchange(run.last, std::nullopt);  // it was about to be restarted
  }
}

void adopt_run(const PodSpecView& spec, int attempt, const env::ContainerRunInfo& found,
               ContainerRun& run) {
  if (run.ever_started && attempt > run.restarts && run.ended() != nullptr) {
    run.last = *run.ended();
  }
  run.restarts = attempt;
  run.ever_started = true;
  run.container_id = container_id_of(run_id(spec.uid, run.name, attempt));
  run.image_id = run.image_id.empty() ? kHostImageId : run.image_id;
  switch (found.state) {
    case env::ContainerRunInfo::State::starting:
    case env::ContainerRunInfo::State::running:
      run.state = Running{found.exit.started_at};
      return;
    case env::ContainerRunInfo::State::ended:
      run.state = Running{found.exit.started_at};
      run.state = ended_from(found.exit, run, spec.restart_policy);
      return;
    case env::ContainerRunInfo::State::failed:
      run.state = start_error(found.error, run.container_id, found.exit.finished_at);
      return;
  }
}

}  // namespace

std::string run_id(std::string_view pod_uid, std::string_view container, int attempt) {
  return fmt::format("{}/{}/{}", pod_uid, container, attempt);
}

std::string container_id_of(std::string_view run) {
  return fmt::format("windlass://{}", run);
}

std::map<std::string, PodRuns> group_runs(const std::vector<env::ContainerRunInfo>& runs) {
  std::map<std::string, PodRuns> grouped;
  for (const env::ContainerRunInfo& run : runs) {
    const size_t first = run.id.find('/');
    const size_t last = run.id.rfind('/');
    int attempt = -1;
    if (first != last && last != std::string::npos) {
      std::from_chars(run.id.data() + last + 1, run.id.data() + run.id.size(), attempt);
    }
    const bool ours = attempt >= 0;
    const std::string uid = ours ? run.id.substr(0, first) : "";
    const std::string container = ours ? run.id.substr(first + 1, last - first - 1) : run.id;
    grouped[uid][container].emplace(std::max(attempt, 0), run);
  }
  return grouped;
}

Terminated ended_from(const env::ContainerExit& exit, const ContainerRun& container,
                      RestartPolicy policy) {
  if (exit.lost) {
    return lost_container(container, policy);
  }
  Terminated ended;
  ended.exit_code = exit.code;
  // K-51: the reason is the memory's only where the end was not a success.
  ended.reason = exit.oom_killed && exit.code != 0 ? "OOMKilled" : end_reason(exit.code);
  const auto* running = std::get_if<Running>(&container.state);
  // As it was told while it ran; of a short run the agent hears when it is over already.
  const bool told = running != nullptr && running->started_at <= exit.finished_at;
  ended.started_at = told ? running->started_at : std::min(exit.started_at, exit.finished_at);
  ended.finished_at = exit.finished_at;
  ended.container_id = container.container_id;
  return ended;
}

Terminated start_error(const std::string& message, const std::string& container_id, Time now) {
  return {kStartErrorCode,   "StartError", readable(message, kMaxErrorBytes),
          time_from_unix(0), now,          container_id};
}

void adopt(const PodSpecView& spec, const PodSeen& seen, const PodRuns& runs, PodRun& pod) {
  for (size_t i = 0; i < container_count(pod); ++i) {
    ContainerRun& run = container_at(pod, i);
    const auto status =
        std::find_if(seen.containers.begin(), seen.containers.end(),
                     [&run](const SeenContainer& container) { return container.name == run.name; });
    if (status != seen.containers.end()) {
      adopt_seen(*status, spec.restart_policy, run);
    }
    const auto found = runs.find(run.name);
    if (found == runs.end()) {
      continue;
    }
    // What the status has said to be over stays as it was said (K-41).
    const bool said =
        status != seen.containers.end() && std::holds_alternative<Terminated>(status->state);
    const auto& [attempt, newest] = *found->second.rbegin();
    if (attempt > run.restarts || (attempt == run.restarts && !said)) {
      adopt_run(spec, attempt, newest, run);
    }
  }
}

}  // namespace windlass::node
