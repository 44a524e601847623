// Processes that a script plays: for each spawn it says how long the process takes and how it ends.
// Runs on one executor, in virtual time. Destroyed, it forgets its processes without reporting
// them. Fault point: sim_processes.spawn_failed.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <vector>

#include "base/time.h"
#include "env/executor.h"
#include "env/fault.h"
#include "env/processes.h"

namespace windlass::sim {

struct SimProcess {
  Duration duration = Duration::zero();  // until it ends by itself
  env::ProcessExit exit;
  // How long it goes on after SIGTERM; it then ends with `exit_on_term`. SIGKILL always ends it at
  // once, other signals do nothing.
  Duration term_delay = Duration::zero();
  env::ProcessExit exit_on_term = {143, 15};

  // For a process that only a signal ends.
  static constexpr Duration kForever = hours(24 * 365 * 10);
};

class SimProcesses final : public env::Processes {
 public:
  // An error from the script is the error of spawn().
  using Script = std::function<Result<SimProcess>(const env::SpawnRequest&)>;

  static constexpr size_t kMaxRunning = 1'000'000;

  SimProcesses(env::Executor& executor, Script script, env::Faults& faults = env::no_faults());
  ~SimProcesses() override;
  SimProcesses(const SimProcesses&) = delete;
  SimProcesses& operator=(const SimProcesses&) = delete;

  Result<env::ProcessId> spawn(const env::SpawnRequest& request,
                               std::function<void(env::ProcessExit)> on_exit) override;
  void signal(env::ProcessId process, int signal_number) override;

  size_t running() const { return running_.size(); }
  uint64_t spawned() const { return static_cast<uint64_t>(last_id_); }
  // Every signal that reached a running process, in order.
  struct Signal {
    env::ProcessId process;
    int number;
  };
  const std::vector<Signal>& signals() const { return signals_; }

 private:
  struct Running {
    SimProcess script;
    std::function<void(env::ProcessExit)> on_exit;
    // Whichever comes first ends it and cancels the others.
    std::vector<env::TimerId> timers;
    bool terminating = false;
    bool killed = false;
  };

  void end_after(int64_t id, Duration delay, env::ProcessExit exit);
  void end(int64_t id, env::ProcessExit exit);
  void cancel(const std::vector<env::TimerId>& timers);

  env::Executor& executor_;
  Script script_;
  env::Faults& faults_;
  std::map<int64_t, Running> running_;
  std::vector<Signal> signals_;
  int64_t last_id_ = 0;
};

}  // namespace windlass::sim
