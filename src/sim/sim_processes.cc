#include "sim/sim_processes.h"

#include <csignal>
#include <utility>

#include "base/check.h"

namespace windlass::sim {

SimProcesses::SimProcesses(env::Executor& executor, Script script, env::Faults& faults)
    : executor_(executor), script_(std::move(script)), faults_(faults) {}

SimProcesses::~SimProcesses() {
  for (const auto& [id, process] : running_) {
    cancel(process.timers);
  }
}

Result<env::ProcessId> SimProcesses::spawn(const env::SpawnRequest& request,
                                           std::function<void(env::ProcessExit)> on_exit) {
  if (faults_.fires("sim_processes.spawn_failed")) {
    return fail(plain_error("fork/exec: resource temporarily unavailable"));
  }
  CHECK(running_.size() < kMaxRunning, "processes leak");
  TRY(SimProcess script, script_(request));
  const int64_t id = ++last_id_;
  running_.emplace(id, Running{script, std::move(on_exit), {}, false, false});
  end_after(id, script.duration, script.exit);
  return env::ProcessId{id};
}

void SimProcesses::signal(env::ProcessId process, int signal_number) {
  const auto id = static_cast<int64_t>(process);
  const auto found = running_.find(id);
  if (found == running_.end()) {
    return;
  }
  signals_.push_back({process, signal_number});
  Running& running = found->second;
  if (signal_number == SIGKILL && !std::exchange(running.killed, true)) {
    end_after(id, Duration::zero(), {128 + SIGKILL, SIGKILL});
  } else if (signal_number == SIGTERM && !std::exchange(running.terminating, true)) {
    end_after(id, running.script.term_delay, running.script.exit_on_term);
  }
}

void SimProcesses::end_after(int64_t id, Duration delay, env::ProcessExit exit) {
  const env::TimerId timer = executor_.schedule(delay, [this, id, exit] { end(id, exit); });
  running_.at(id).timers.push_back(timer);
}

void SimProcesses::cancel(const std::vector<env::TimerId>& timers) {
  for (const env::TimerId timer : timers) {
    executor_.cancel(timer);
  }
}

void SimProcesses::end(int64_t id, env::ProcessExit exit) {
  const auto found = running_.find(id);
  CHECK(found != running_.end(), "a process ends once");
  cancel(found->second.timers);
  const std::function<void(env::ProcessExit)> on_exit = std::move(found->second.on_exit);
  running_.erase(found);
  on_exit(exit);
}

}  // namespace windlass::sim
