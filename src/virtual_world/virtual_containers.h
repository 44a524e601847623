// Containers that a script plays: for each start it says how long the first process takes and how
// it ends. It is the supervisor and its client in one: a run lives until it is forgotten, also when
// the agent that started it is gone, and the agent that started or attached to it last hears of its
// end.
//
// Runs on one executor, in virtual time. Destroyed, it forgets everything without reporting it.
// Fault points: sim_containers.start_failed, sim_containers.unreachable.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/time.h"
#include "base/weak_self.h"
#include "env/clock.h"
#include "env/containers.h"
#include "env/executor.h"
#include "env/fault.h"

namespace windlass::virtual_world {

struct VirtualProcess {
  Duration duration = Duration::zero();  // until it ends by itself
  env::ContainerExit exit;
  // How long it goes on after SIGTERM; it then ends with `exit_on_term`. SIGKILL always ends it at
  // once, other signals do nothing.
  Duration term_delay = Duration::zero();
  env::ContainerExit exit_on_term = {143, 15};

  // For a process that only a signal ends.
  static constexpr Duration kForever = hours(24 * 365 * 10);
};

class VirtualContainers final : public env::Containers {
 public:
  // An error from the script is the error of the start.
  using Script = std::function<Result<VirtualProcess>(const env::ContainerRequest&)>;
  using ExecScript = std::function<Result<env::ContainerExecResult>(const env::ContainerExec&)>;

  static constexpr size_t kMaxRunning = 1'000'000;

  VirtualContainers(env::Executor& executor, env::Clock& clock, Script script,
                    env::Faults& faults = env::no_faults());
  ~VirtualContainers() override;
  VirtualContainers(const VirtualContainers&) = delete;
  VirtualContainers& operator=(const VirtualContainers&) = delete;

  void start(const env::ContainerRequest& request, OnStarted on_started, OnExit on_exit) override;
  void attach(const std::string& id, OnExit on_exit) override;
  void list(OnList on_list) override;
  void signal(const std::string& id, int signal_number) override;
  void exec(const env::ContainerExec& request, OnExecDone on_done) override;
  void forget(const std::string& id) override;
  void use(OnUse on_use) override;
  void support(OnSupport on_known) override;
  void shut_down(std::function<void()> on_done) override;

  // Without one a command ends with 0 at once.
  void set_exec(ExecScript script) { exec_script_ = std::move(script); }
  void set_support(env::ContainerSupport support) { support_ = std::move(support); }
  // Of every run; without one nothing is known of any.
  void set_use(std::function<env::ContainerUse(const std::string& id)> use) {
    use_ = std::move(use);
  }
  // While it is not, nothing comes of any start.
  void set_reachable(bool reachable) {
    refusal_ = reachable ? std::nullopt
                         : std::optional(env::not_created("the supervisor cannot be reached"));
  }
  // Every start is answered so, until there is nothing here.
  void refuse(std::optional<Status> why) { refusal_ = std::move(why); }
  // The supervisor died, and what ran with it: how those runs ended is not known.
  void lose_running();

  size_t running() const;
  size_t known() const { return runs_.size(); }
  uint64_t started() const { return started_; }
  // Every signal that reached a running container, in order.
  struct Signal {
    std::string id;
    int number;
  };
  const std::vector<Signal>& signals() const { return signals_; }

 private:
  struct Run {
    env::ContainerRunInfo info;
    VirtualProcess script;
    OnExit on_exit;
    // Whichever comes first ends it and cancels the others.
    std::vector<env::TimerId> timers;
    bool terminating = false;
    bool killed = false;
    bool forgotten = false;  // once it is over
    bool told = false;       // of its start
  };

  void play(Run& run, const env::ContainerRequest& request);
  void end_after(const std::string& id, Duration delay, env::ContainerExit exit);
  void end(const std::string& id, env::ContainerExit exit);
  void cancel_timers(Run& run);
  void post(env::Task task);

  env::Executor& executor_;
  env::Clock& clock_;
  Script script_;
  ExecScript exec_script_;
  std::function<env::ContainerUse(const std::string& id)> use_;
  env::Faults& faults_;
  env::ContainerSupport support_;
  std::map<std::string, Run> runs_;
  std::vector<Signal> signals_;
  uint64_t started_ = 0;
  std::optional<Status> refusal_;
  WeakSelf<VirtualContainers> self_{this};
};

}  // namespace windlass::virtual_world
