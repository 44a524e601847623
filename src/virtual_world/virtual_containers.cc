#include "virtual_world/virtual_containers.h"

#include <algorithm>
#include <csignal>
#include <utility>

#include "base/check.h"

namespace windlass::virtual_world {
namespace {

using State = env::ContainerRunInfo::State;

env::ContainerExit unknown_end() {
  env::ContainerExit exit{128 + SIGKILL, SIGKILL};
  exit.lost = true;
  return exit;
}

}  // namespace

VirtualContainers::VirtualContainers(env::Executor& executor, env::Clock& clock, Script script,
                                     env::Faults& faults)
    : executor_(executor), clock_(clock), script_(std::move(script)), faults_(faults) {}

VirtualContainers::~VirtualContainers() {
  for (auto& [id, run] : runs_) {
    cancel_timers(run);
  }
}

void VirtualContainers::start(const env::ContainerRequest& request, OnStarted on_started,
                              OnExit on_exit) {
  if (refusal_ || faults_.fires("sim_containers.unreachable")) {
    const Status why = refusal_.value_or(env::not_created("the supervisor cannot be reached"));
    post([why, on_started = std::move(on_started)] { on_started(fail(why)); });
    return;
  }
  if (faults_.fires("sim_containers.start_failed")) {
    post([on_started = std::move(on_started)] {
      on_started(fail(plain_error("fork/exec: resource temporarily unavailable")));
    });
    return;
  }
  const auto [found, is_new] = runs_.try_emplace(request.id);
  Run& run = found->second;
  run.on_exit = std::move(on_exit);
  if (is_new) {
    run.info.id = request.id;
    play(run, request);
  }
  run.told = false;
  post([this, id = request.id, state = run.info.state, error = run.info.error,
        on_started = std::move(on_started)] {
    if (state == State::failed) {
      on_started(fail(plain_error(error)));
      return;
    }
    on_started({});
    const auto known = runs_.find(id);
    if (known == runs_.end()) {
      return;
    }
    known->second.told = true;
    if (known->second.info.state == State::ended && known->second.on_exit) {
      const env::ContainerExit exit = known->second.info.exit;
      std::exchange(known->second.on_exit, nullptr)(exit);
    }
  });
}

void VirtualContainers::play(Run& run, const env::ContainerRequest& request) {
  CHECK(running() < kMaxRunning, "containers leak");
  const Result<VirtualProcess> script = script_(request);
  if (!script) {
    run.info.state = State::failed;
    run.info.error = script.error().message;
    return;
  }
  ++started_;
  run.info.state = State::running;
  run.info.exit.started_at = clock_.now();
  run.script = *script;
  end_after(request.id, script->duration, script->exit);
}

void VirtualContainers::attach(const std::string& id, OnExit on_exit) {
  const auto found = runs_.find(id);
  const bool known = found != runs_.end() && found->second.info.state != State::failed;
  if (known && !found->second.info.over()) {
    found->second.on_exit = std::move(on_exit);
    found->second.told = true;
    return;
  }
  const env::ContainerExit exit = known ? found->second.info.exit : unknown_end();
  post([exit, on_exit = std::move(on_exit)] { on_exit(exit); });
}

void VirtualContainers::list(OnList on_list) {
  post([this, on_list = std::move(on_list)] {
    std::vector<env::ContainerRunInfo> all;
    for (const auto& [id, run] : runs_) {
      all.push_back(run.info);
    }
    on_list(std::move(all));
  });
}

void VirtualContainers::signal(const std::string& id, int signal_number) {
  const auto found = runs_.find(id);
  if (found == runs_.end() || found->second.info.over()) {
    return;
  }
  signals_.push_back({id, signal_number});
  Run& run = found->second;
  if (signal_number == SIGKILL && !std::exchange(run.killed, true)) {
    end_after(id, Duration::zero(), {128 + SIGKILL, SIGKILL});
  } else if (signal_number == SIGTERM && !std::exchange(run.terminating, true)) {
    end_after(id, run.script.term_delay, run.script.exit_on_term);
  }
}

void VirtualContainers::exec(const env::ContainerExec& request, OnExecDone on_done) {
  const auto found = runs_.find(request.id);
  Result<env::ContainerExecResult> result = env::ContainerExecResult();
  if (found == runs_.end() || found->second.info.state != State::running) {
    result = fail(plain_error("the container is not running"));
  } else if (exec_script_) {
    result = exec_script_(request);
  }
  post([result = std::move(result), on_done = std::move(on_done)] { on_done(result); });
}

void VirtualContainers::forget(const std::string& id) {
  const auto found = runs_.find(id);
  if (found == runs_.end()) {
    return;
  }
  found->second.on_exit = nullptr;
  if (found->second.info.over()) {
    runs_.erase(found);
  } else {
    found->second.forgotten = true;
  }
}

void VirtualContainers::use(OnUse on_use) {
  post([this, on_use = std::move(on_use)] {
    std::vector<env::ContainerUse> all;
    for (const auto& [id, run] : runs_) {
      if (use_ && !run.info.over()) {
        all.push_back(use_(id));
        all.back().id = id;
      }
    }
    on_use(all);
  });
}

void VirtualContainers::support(OnSupport on_known) {
  post([this, on_known = std::move(on_known)] { on_known(support_); });
}

void VirtualContainers::shut_down(std::function<void()> on_done) {
  std::vector<std::string> ids;
  for (const auto& [id, run] : runs_) {
    ids.push_back(id);
  }
  for (const std::string& id : ids) {
    signal(id, SIGKILL);
  }
  executor_.schedule(Duration::zero(), self_.bind([on_done](VirtualContainers&) { on_done(); }));
}

void VirtualContainers::lose_running() {
  for (auto& [id, run] : runs_) {
    if (!run.info.over()) {
      cancel_timers(run);
      end_after(id, Duration::zero(), unknown_end());
    }
  }
}

size_t VirtualContainers::running() const {
  return static_cast<size_t>(std::count_if(
      runs_.begin(), runs_.end(), [](const auto& entry) { return !entry.second.info.over(); }));
}

void VirtualContainers::end_after(const std::string& id, Duration delay, env::ContainerExit exit) {
  const env::TimerId timer = executor_.schedule(delay, [this, id, exit] { end(id, exit); });
  runs_.at(id).timers.push_back(timer);
}

void VirtualContainers::end(const std::string& id, env::ContainerExit exit) {
  const auto found = runs_.find(id);
  CHECK(found != runs_.end() && !found->second.info.over(), "a container ends once");
  Run& run = found->second;
  cancel_timers(run);
  exit.started_at = run.info.exit.started_at;
  exit.finished_at = clock_.now();
  run.info.exit = exit;
  run.info.state = State::ended;
  // The end is not told before the start.
  const OnExit on_exit = run.told ? std::exchange(run.on_exit, nullptr) : nullptr;
  if (run.forgotten) {
    runs_.erase(found);
  }
  if (on_exit) {
    on_exit(exit);
  }
}

void VirtualContainers::cancel_timers(Run& run) {
  for (const env::TimerId timer : std::exchange(run.timers, {})) {
    executor_.cancel(timer);
  }
}

void VirtualContainers::post(env::Task task) {
  executor_.post(self_.bind([task = std::move(task)](VirtualContainers&) { task(); }));
}

}  // namespace windlass::virtual_world
