// The pod worker's hooks and probes, how it stops containers, one or all, and what it has on the
// disk.
#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "node/container_flow.h"
#include "node/container_request.h"
#include "node/pod_worker.h"

namespace windlass::node {
namespace {

// A hook that takes longer is not waited for: nobody waits a day for a container to start.
constexpr Duration kPostStartLimit = hours(24);
constexpr Duration kEvictionGrace = seconds(1);  // K-62

}  // namespace

PodProbes::Host PodWorker::probes_host() {
  return {host_.env.executor,
          host_.env.clock,
          handlers_,
          [this](size_t number) { return handler_target(number); },
          [this](size_t number, const ProbeState& state) { on_probe_change(number, state); },
          [this](size_t number, const std::string& what) {
            host_.events.warning(event_target(number), "Unhealthy", what);
          },
          [this](size_t number, ProbeKind kind) { kill_by_probe(number, kind); }};
}

ContainerStops::Host PodWorker::stops_host() {
  return {host_.env.executor,
          host_.env.clock,
          host_.containers,
          handlers_,
          host_.config.minimum_grace,
          [this](size_t number) { return handler_target(number); },
          [this](size_t number) {
            host_.events.warning(event_target(number), "FailedPreStopHook", "PreStopHook failed");
          }};
}

Result<HandlerTarget> PodWorker::handler_target(size_t number) const {
  const ContainerPlan& plan = plan_of(number);
  TRY(ContainerCommand command, resolve_container(plan_, plan, host_.facts, setup_.objects()));
  HandlerTarget target;
  target.run_id = run_ids_.at(number);
  target.environment = std::move(command.environment);
  target.working_directory = working_directory(plan, files_.work_dir(),
                                               container_at(run_, number).image_id == kHostImageId);
  target.uid = plan.identity.user;
  target.gid = plan.identity.group;
  target.address = host_.facts.pod_ip;
  return target;
}

// A run has just begun. The probes wait for the hook, and both for a pod that is not ending.
void PodWorker::begin_checks(size_t number) {
  const ContainerChecks& checks = plan_of(number).checks;
  ContainerRun& run = container_at(run_, number);
  const bool first = run.restarts == 0;
  run.awaits_startup = checks.post_start || checks.startup;
  run.awaits_readiness = checks.readiness.has_value();
  run.never_was_up = (first || run.never_was_up) && run.awaits_startup;
  run.unhealthy = false;
  if (ending_ != Ending::none) {
    return;
  }
  if (!checks.post_start) {
    begin_probes(number, Duration::zero(), {});
    return;
  }
  const Result<HandlerTarget> target = handler_target(number);
  if (!target) {
    on_post_start(number, {HandlerResult::Outcome::error, target.error().message});
    return;
  }
  post_starts_[number] =
      handlers_.run(*checks.post_start, *target, kPostStartLimit,
                    [this, number](const HandlerResult& result) { on_post_start(number, result); });
}

void PodWorker::on_post_start(size_t number, const HandlerResult& result) {
  const auto over = post_starts_.extract(number);
  if (result.outcome != HandlerResult::Outcome::done) {
    host_.events.warning(event_target(number), "FailedPostStartHook", "PostStartHook failed");
    stop_unhealthy(number, plan_.grace, "FailedPostStartHook");
    return;
  }
  begin_probes(number, Duration::zero(), {});
  if (container_at(run_, number).started()) {
    advance();
  }
}

void PodWorker::begin_probes(size_t number, Duration age, ProbeState::Before before) {
  const ContainerChecks& checks = plan_of(number).checks;
  ContainerRun& run = container_at(run_, number);
  run.awaits_startup = checks.startup && !before.started;
  run.never_was_up = run.never_was_up && run.awaits_startup;
  run.awaits_readiness = checks.readiness && !before.ready;
  probes_.begin(number, checks, age, before);
}

// Runs that an earlier agent began go on being probed from what it had found. Its hooks are over:
// nobody knows how they went, and they are not run twice.
void PodWorker::resume_checks() {
  const bool containers_ran =
      std::any_of(run_.containers.begin(), run_.containers.end(),
                  [](const ContainerRun& container) { return container.ever_started; });
  for (size_t i = 0; i < container_count(run_); ++i) {
    ContainerRun& run = container_at(run_, i);
    if (!run.running()) {
      continue;
    }
    const auto seen =
        std::find_if(seen_.containers.begin(), seen_.containers.end(),
                     [&run](const SeenContainer& container) { return container.name == run.name; });
    const bool known = seen != seen_.containers.end() && seen->restarts == run.restarts &&
                       std::holds_alternative<Running>(seen->state);
    run.never_was_up = !containers_ran;
    begin_probes(i, host_.env.clock.monotonic() - *run.began,
                 {known && seen->started, known && seen->ready});
  }
}

void PodWorker::end_checks(size_t number) {
  probes_.end(number);
  stops_.forget(number);
  post_starts_.erase(number);
}

void PodWorker::on_probe_change(size_t number, const ProbeState& state) {
  ContainerRun& run = container_at(run_, number);
  run.awaits_startup = !state.started();
  run.never_was_up = run.never_was_up && run.awaits_startup;
  run.awaits_readiness = plan_of(number).checks.readiness && !state.ready();
  advance();
}

void PodWorker::kill_by_probe(size_t number, ProbeKind kind) {
  const ContainerChecks& checks = plan_of(number).checks;
  const ProbePlan& probe = kind == ProbeKind::startup ? *checks.startup : *checks.liveness;
  const bool again = !plan_of(number).restart.runs_once(plan_.restart_policy);
  stop_unhealthy(number, probe.grace.value_or(plan_.grace),
                 fmt::format("Container {} failed {} probe{}", plan_of(number).name,
                             probe_word(kind), again ? ", will be restarted" : ""));
}

void PodWorker::stop_unhealthy(size_t number, Duration grace, const std::string& why) {
  container_at(run_, number).unhealthy = true;
  probes_.end(number);
  host_.events.normal(event_target(number), "Killing", why);
  const auto& hook = plan_of(number).checks.pre_stop;
  stops_.begin(number, run_ids_.at(number), hook ? &*hook : nullptr, grace);
  stops_.let_go(number);
}

// All containers get their stop signal at once; sidecars only when the others are gone, last one
// first. Their hooks run at once (K-32).
void PodWorker::signal_next() {
  const Duration left = *stop_by_ - host_.env.clock.monotonic();
  std::vector<size_t> sidecars;
  std::vector<size_t> now;
  bool others = false;
  for (size_t i = 0; i < container_count(run_); ++i) {
    const ContainerRun& run = container_at(run_, i);
    others = others || (run.active() && !run.sidecar);
    // One that is only starting gets it when it runs: before its command is there to catch it, a
    // signal would be lost.
    if (run.running()) {
      const auto& hook = plan_of(i).checks.pre_stop;
      stops_.begin(i, run_ids_.at(i), hook ? &*hook : nullptr, left);
      (run.sidecar ? sidecars : now).push_back(i);
    }
  }
  if (!others && !sidecars.empty()) {
    now.push_back(sidecars.back());
  }
  for (const size_t number : now) {
    stops_.let_go(number);
  }
}

StorageUse PodWorker::storage_use() const {
  StorageUse use;
  const auto add = [&](const std::string& path, uint64_t& bytes) {
    const auto size = host_.env.files.tree_size(path).value_or(env::Files::TreeSize());
    bytes += size.bytes;
    use.entries += size.entries;
  };
  add(files_.work_dir(), use.work);
  for (const VolumePlan& volume : plan_.volumes) {
    if (volume.kind == VolumePlan::Kind::empty_dir) {
      add(files_.volumes_dir() + "/" + volume.name, use.empty_dirs[volume.name]);
    }
  }
  for (size_t i = 0; i < container_count(run_); ++i) {
    const std::string& name = plan_of(i).name;
    add(files_.log_directory(name), use.logs[name]);
    add(files_.layer_directory(name), use.logs[name]);
  }
  return use;
}

void PodWorker::check_storage() {
  if (ending_ != Ending::none || !set_up_ || !has_storage_limits(plan_)) {
    return;
  }
  if (const auto message = exceeded_limit(plan_, storage_use())) {
    evict(*message, kEvictionGrace, ForcedEnd::Kind::eviction);
  }
}

void PodWorker::evict(const std::string& message, Duration grace, ForcedEnd::Kind kind) {
  if (ending_ != Ending::none) {
    return;
  }
  host_.events.warning(pod_target(), "Evicted", message);
  forced_ = ForcedEnd{"Evicted", message, kind};
  end(Ending::told, std::min(grace, plan_.grace));
}

void PodWorker::preempt() {
  if (ending_ != Ending::none) {
    return;
  }
  const std::string why = "Preempted in order to admit critical pod";
  host_.events.warning(pod_target(), "Preempting", why);
  forced_ = ForcedEnd{"Preempting", why, ForcedEnd::Kind::disruption,
                      "Pod was preempted by Kubelet to accommodate a critical pod."};
  end(Ending::told, plan_.grace);
}

}  // namespace windlass::node
