// The runs of the supervisor's containers, from a request to the durable record of its end.
//
// Order of things in one turn of the loop: requests clone processes that wait at a barrier; one
// commit makes all intents and ends durable; only then are the processes released and the ends
// told. Lives on the event loop.
#pragma once

#include <sys/resource.h>

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "env/clock.h"
#include "env/containers.h"
#include "env/log.h"
#include "posix/event_loop.h"
#include "supervisor/cgroup/cgroups.h"
#include "supervisor/child/shared_memory.h"
#include "supervisor/log/log_file.h"
#include "supervisor/protocol/isolation.h"
#include "supervisor/protocol/messages.h"
#include "supervisor/server/container.h"
#include "supervisor/server/container_sessions.h"
#include "supervisor/server/exec_process.h"
#include "supervisor/server/run_table.h"

namespace windlass::supervisor {

struct ContainerRunsOptions {
  std::string directory;
  LogLimits logs;
  // For machines, and tests, without them.
  bool use_namespaces = true;
  bool use_cgroups = true;
  size_t max_descriptors = 0;  // of this process
  rlimit inherited_descriptors = {};
};

class ContainerRuns final : private Container::Listener {
 public:
  // Each has four descriptors or more.
  static constexpr size_t kMaxCommands = 256;

  class Owner : public ContainerSessions::Clients {
   public:
    // To the agent, if there is one.
    virtual void send(const Message& message) = 0;
    // The version of the agent's protocol; 0 without one.
    virtual uint32_t agent_version() const = 0;
    // A commit is done, or there is nothing more to commit.
    virtual void on_committed() = 0;

   protected:
    ~Owner() = default;
  };

  ContainerRuns(posix::EventLoop& loop, env::Clock& clock, env::Log& log, Owner& owner,
                ContainerRunsOptions options);
  ~ContainerRuns() override { loop_.cancel(commit_timer_); }

  // Ends the containers that an earlier supervisor left, and records that.
  Result<void> open();
  const Isolation& isolation() const { return isolation_; }

  void handle(const Start& message);
  void handle(const StartConfined& message) { handle(Start{message.request}); }
  void handle(const StartBounded& message) { handle(Start{message.request}); }
  void handle(const Signal& message);
  void handle(const Exec& message);
  void handle(const Forget& message);
  void handle(const AskUse& message);
  void open_session(uint64_t number, const OpenSession& order);
  void hang_up(uint64_t session) { sessions_.hang_up(session); }
  // All that is recorded, for a new agent.
  void report_all();

  // Kills everything; no more starts.
  void shut_down();
  // A container runs, or its end is not told yet.
  bool any() const { return !containers_.empty(); }
  bool any_memory() const { return memory_.any(); }
  // All that has happened is on disk.
  bool settled() const { return !run_table_.pending(); }
  void remove_idle_groups() { cgroups_->remove_idle(); }
  // After the last container.
  void remove_groups() { cgroups_->remove(); }

 private:
  void end_leftovers(bool same_boot);
  Result<void> launch(const env::ContainerRequest& request);
  void refuse(const std::string& id, const Status& why);
  void send_failed(const std::string& id, const std::string& why);
  void report(const std::string& id);
  void send_report(const env::ContainerRunInfo& run);
  // It is over, but that is not on disk yet.
  bool awaits_commit(const std::string& id) const;

  void started(const std::string& id) override;
  void failed(const std::string& id, const Status& why) override;
  void ended(const std::string& id, const env::ContainerExit& exit) override;
  void over(const env::ContainerRunInfo& run);
  void retire_container(const std::string& id);
  void forget_run(const std::string& id);

  void schedule_commit();
  void commit();
  void commit_failed(const Status& why);

  posix::EventLoop& loop_;
  env::Clock& clock_;
  env::Log& log_;
  Owner& owner_;
  const ContainerRunsOptions options_;
  const size_t max_containers_;
  Isolation isolation_;
  ChildSetting setting_;
  std::unique_ptr<Cgroups> cgroups_;
  SharedMemory memory_;
  RunTable run_table_;
  uint64_t last_group_ = 0;

  std::map<std::string, std::unique_ptr<Container>> containers_;
  std::map<uint64_t, std::unique_ptr<ExecProcess>> commands_;
  uint64_t last_command_ = 0;
  ContainerSessions sessions_;

  std::vector<std::string> to_release_;  // intents in the next commit
  std::vector<std::string> abandoned_;   // never released: they leave no record
  std::vector<std::string> to_report_;   // ends in the next commit
  std::vector<std::string> forget_when_over_;
  bool commit_scheduled_ = false;
  bool shutting_down_ = false;
  env::TimerId commit_timer_ = env::TimerId::none;
};

}  // namespace windlass::supervisor
