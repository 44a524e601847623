// What a pod looks like when it has failed in a given way (disruption.md, K-13 to
// K-15).
#include <algorithm>

#include "policy/failure.h"

namespace windlass::policy {
namespace {

using Cause = Failure::Cause;

constexpr int64_t kGraceSeconds = 30;

const CauseInfo& info_of(const Failure& failure) {
  return cause_info(failure.cause);
}

const ContainerInfo* find_container(const Subject& subject, const std::string& name) {
  const auto found = std::find_if(subject.containers.begin(), subject.containers.end(),
                                  [&](const ContainerInfo& info) { return info.name == name; });
  return found == subject.containers.end() ? nullptr : &*found;
}

bool is_init(const ContainerInfo* container) {
  return container != nullptr && container->init && !container->sidecar;
}

// It is one of the containers that end with the failure's exit code.
bool is_meant(const Failure& failure, const std::string& container, bool init) {
  return failure.container.empty() ? !init : container == failure.container;
}

bool has_statuses(Cause cause) {
  return cause != Cause::admission && cause != Cause::deleted_while_pending;
}

// The exit code of a container, or nothing when it never ran or was never seen to end.
std::optional<int32_t> end_of(const ContainerInfo& container, const Failure& failure,
                              const Subject& subject) {
  const ContainerInfo* failing = find_container(subject, failure.container);
  if (!failure.exit_code) {
    return std::nullopt;  // the node is gone, and with it what became of the containers
  }
  if (is_init(failing)) {
    // Init containers run one after another; what comes behind a failed one never starts.
    if (!container.init || container.sidecar || &container > failing) {
      return std::nullopt;
    }
    return &container == failing ? *failure.exit_code : 0;
  }
  if (container.init) {
    return container.name == failure.sidecar ? kSigtermCode : 0;
  }
  return failing == nullptr || failing == &container ? *failure.exit_code : 0;
}

void add_statuses(engine::PodView& pod, const Failure& failure, const Subject& subject, Time now) {
  for (const ContainerInfo& container : subject.containers) {
    engine::ContainerView view;
    view.name = container.name;
    view.init = container.init;
    view.sidecar = container.sidecar;
    if (const auto code = end_of(container, failure, subject)) {
      view.terminated = true;
      view.exit_code = *code;
      view.finished_at = now;
    }
    pod.containers.push_back(std::move(view));
  }
}

// Succeeded when every container of the pod proper was seen to end with 0, however it was stopped.
engine::Phase final_phase(const engine::PodView& pod, const Failure& failure) {
  if (failure.cause == Cause::condition || pod.containers.empty()) {
    return engine::Phase::failed;
  }
  const bool all_well =
      std::all_of(pod.containers.begin(), pod.containers.end(), [](const auto& container) {
        return container.init || (container.terminated && container.exit_code == 0);
      });
  return all_well ? engine::Phase::succeeded : engine::Phase::failed;
}

void add_conditions(engine::PodView& pod, const Failure& failure, const Subject& subject,
                    Time now) {
  using engine::ConditionStatus;
  if (!info_of(failure).reason.empty() && subject.disruption_conditions) {
    pod.conditions.push_back({std::string(kDisruptionTarget), ConditionStatus::is_true, now});
  }
  for (const engine::ConditionPattern& pattern : failure.conditions) {
    pod.conditions.push_back({pattern.type, pattern.status, now});
  }
  if (!has_statuses(failure.cause)) {
    return;
  }
  const bool initialized = !is_init(find_container(subject, failure.container));
  pod.conditions.push_back(
      {"Initialized", initialized ? ConditionStatus::is_true : ConditionStatus::is_false, now});
  pod.conditions.push_back({"Ready", ConditionStatus::is_false, now});
  pod.conditions.push_back({"ContainersReady", ConditionStatus::is_false, now});
  pod.conditions.push_back({"PodScheduled", ConditionStatus::is_true, now});
}

}  // namespace

bool is_deleted_first(Failure::Cause cause) {
  switch (cause) {
    case Cause::preemption:
    case Cause::api_eviction:
    case Cause::taint:
    case Cause::node_lost:
    case Cause::deleted_while_pending:
    case Cause::deleted:
      return true;
    default:
      return false;
  }
}

void end_pod(engine::PodView& pod, const Failure& failure, const Subject& subject, Time now) {
  pod.containers.clear();
  pod.conditions.clear();
  pod.has_node = failure.cause != Cause::deleted_while_pending;
  if (has_statuses(failure.cause)) {
    add_statuses(pod, failure, subject, now);
  }
  add_conditions(pod, failure, subject, now);
  pod.phase = final_phase(pod, failure);
}

void begin_deletion(engine::PodView& pod, const Failure& failure, const Subject& subject,
                    Time now) {
  pod.has_node = failure.cause != Cause::deleted_while_pending;
  pod.phase = pod.has_node ? engine::Phase::running : engine::Phase::pending;
  pod.deletion_grace_seconds = pod.has_node ? kGraceSeconds : 0;
  pod.deletion_time = now + seconds(pod.deletion_grace_seconds);
  if (!info_of(failure).reason.empty() && subject.disruption_conditions) {
    pod.conditions.push_back(
        {std::string(kDisruptionTarget), engine::ConditionStatus::is_true, now});
  }
}

bool restarts_in_place(const ContainerInfo& container, int32_t exit_code, const Subject& subject) {
  return container.sidecar || container.restart.restarts_after(exit_code, subject.restart_policy);
}

bool restarts_in_place(const Failure& failure, const Subject& subject) {
  const bool by_itself = failure.cause == Cause::exit || failure.cause == Cause::signal ||
                         failure.cause == Cause::oom_killed;
  if (!by_itself || !failure.exit_code) {
    return false;
  }
  // As long as one of its containers goes on, so does the pod.
  return std::any_of(subject.containers.begin(), subject.containers.end(),
                     [&](const ContainerInfo& container) {
                       return is_meant(failure, container.name, container.init) &&
                              restarts_in_place(container, *failure.exit_code, subject);
                     });
}

void restart_container(engine::PodView& pod, const Failure& failure, const Subject& subject) {
  pod.has_node = true;
  pod.phase = engine::Phase::running;
  if (pod.containers.empty()) {
    for (const ContainerInfo& container : subject.containers) {
      engine::ContainerView view;
      view.name = container.name;
      view.init = container.init;
      view.sidecar = container.sidecar;
      pod.containers.push_back(std::move(view));
    }
  }
  for (engine::ContainerView& view : pod.containers) {
    view.restarts += is_meant(failure, view.name, view.init) ? 1 : 0;
  }
}

}  // namespace windlass::policy
