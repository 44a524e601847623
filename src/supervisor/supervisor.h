// The process that holds the containers of one node. It knows nothing of pods: it starts what it is
// asked to, once per id, writes down what it starts before it runs and how it ended before it
// tells, and goes on when whoever asked is gone. One thread, one event loop, little memory.
//
// Order of things in one turn of the loop: requests clone processes that wait at a barrier; one
// commit makes all intents and ends durable; only then are the processes let go and the ends told.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "env/clock.h"
#include "env/containers.h"
#include "env/data_directory.h"
#include "env/log.h"
#include "posix/event_loop.h"
#include "supervisor/cgroups.h"
#include "supervisor/channel.h"
#include "supervisor/command.h"
#include "supervisor/container.h"
#include "supervisor/ledger.h"
#include "supervisor/messages.h"
#include "supervisor/shared_memory.h"

namespace windlass::supervisor {

struct SupervisorOptions {
  std::string directory;
  LogLimits logs;
  // For machines, and tests, without them.
  bool use_namespaces = true;
  bool use_cgroups = true;
  // Without an agent and without containers for this long, it ends: an agent that comes later
  // starts another one, and what is to be told is in the journal.
  Duration end_when_idle_for = seconds(10);
};

class Supervisor final : private Container::Listener {
 public:
  static constexpr const char* kSocketName = "supervisor.sock";
  // Each has four descriptors or more.
  static constexpr size_t kMaxCommands = 256;

  // The caller holds the directory's lock for as long as this lives.
  Supervisor(posix::EventLoop& loop, env::Clock& clock, env::Log& log, SupervisorOptions options,
             size_t max_descriptors, rlimit inherited_descriptors);
  ~Supervisor() override;

  // Ends what an earlier one left, and listens. The loop stops when the supervisor is done.
  Result<void> start();
  // Kills everything, records it, and stops the loop.
  void shut_down();

 private:
  struct Peer;

  void end_leftovers(bool same_boot);
  Result<void> listen();
  void accept();
  void welcome(Peer& peer, const Hello& hello);
  void drop_peer(Peer& peer);
  void on_frame(Peer& peer, std::string_view frame);
  void handle(const Start& message);
  void handle(const StartConfined& message) { handle(Start{message.request}); }
  void handle(const Signal& message);
  void handle(const Exec& message);
  void handle(const Forget& message);
  void handle(const AskUse& message);
  void send(const Message& message);
  void report(const std::string& id);
  // It is over, but that is not on disk yet.
  bool awaits_commit(const std::string& id) const;

  Result<void> launch(const env::ContainerRequest& request);
  void refuse(const std::string& id, const Status& why);
  void send_failed(const std::string& id, const std::string& why);
  void started(const std::string& id) override;
  void failed(const std::string& id, const Status& why) override;
  void ended(const std::string& id, const env::ContainerExit& exit) override;
  void over(const env::ContainerRunInfo& run);
  void retire_container(const std::string& id);
  void forget_run(const std::string& id);

  void schedule_commit();
  void commit();
  void commit_failed(const Status& why);
  void retire();
  void stop_if_done();
  void look_whether_needed();

  posix::EventLoop& loop_;
  env::Clock& clock_;
  env::Log& log_;
  SupervisorOptions options_;
  size_t max_containers_;
  Isolation isolation_;
  ChildSetting setting_;
  std::unique_ptr<Cgroups> cgroups_;
  SharedMemory memory_;
  Ledger ledger_;
  uint64_t last_group_ = 0;

  posix::FileDescriptor listener_;
  posix::WatchId listener_watch_ = posix::WatchId::none;
  uint64_t directory_inode_ = 0;
  env::TimerId look_timer_ = env::TimerId::none;
  MonotonicTime last_needed_;

  std::unique_ptr<Peer> peer_;  // the agent: the newest that said Hello
  std::vector<std::unique_ptr<Peer>> newcomers_;
  std::map<std::string, std::unique_ptr<Container>> containers_;
  std::map<uint64_t, std::unique_ptr<Command>> commands_;
  uint64_t last_command_ = 0;

  std::vector<std::string> to_release_;  // intents in the next commit
  std::vector<std::string> abandoned_;   // never released: they leave no record
  std::vector<std::string> to_report_;   // ends in the next commit
  std::vector<std::string> forget_when_over_;
  std::vector<std::unique_ptr<Container>> retired_;
  std::vector<std::unique_ptr<Command>> retired_commands_;
  std::vector<std::unique_ptr<Peer>> retired_peers_;
  bool commit_scheduled_ = false;
  bool retire_scheduled_ = false;
  bool shutting_down_ = false;
  env::TimerId commit_timer_ = env::TimerId::none;
};

}  // namespace windlass::supervisor
