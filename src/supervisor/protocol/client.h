// env::Containers through the supervisor process of a directory: finds it or starts it, connects
// again when the connection ends, and asks for everything again then. A run that was asked for and
// not acknowledged is asked for again; the supervisor knows whether it has it already.
//
// Lives on the event loop's thread. Destroyed, it leaves the supervisor and its containers alone,
// unless `end_with_me` was asked for.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/weak_self.h"
#include "env/clock.h"
#include "env/containers.h"
#include "env/log.h"
#include "posix/event_loop.h"
#include "supervisor/protocol/channel.h"
#include "supervisor/protocol/messages.h"

namespace windlass::supervisor {

struct SupervisorClientOptions {
  std::string directory;
  // Starts a supervisor for the directory and returns; who loses the race for the lock just ends.
  std::function<Result<void>()> launch;
  // The supervisor ends, and its containers with it, when this client is gone.
  bool end_with_me = false;
  // Without a supervisor for this long, what was never sent to one is answered with the error.
  Duration give_up_after = seconds(10);
};

class SupervisorClient final : public env::Containers {
 public:
  // Signals and commands that wait for a connection.
  static constexpr size_t kMaxWaiting = 100'000;

  SupervisorClient(posix::EventLoop& loop, env::Clock& clock, env::Log& log,
                   SupervisorClientOptions options);
  ~SupervisorClient() override;
  SupervisorClient(const SupervisorClient&) = delete;
  SupervisorClient& operator=(const SupervisorClient&) = delete;

  void start(const env::ContainerRequest& request, OnStarted on_started, OnExit on_exit) override;
  void attach(const std::string& id, OnExit on_exit) override;
  void list(OnList on_list) override;
  void signal(const std::string& id, int signal_number) override;
  void exec(const env::ContainerExec& request, OnExecDone on_done) override;
  void forget(const std::string& id) override;
  void use(OnUse on_use) override;
  void support(OnSupport on_known) override;
  void shut_down(std::function<void()> on_done) override;

  // What the containers get here; runs once it is known.
  void isolation(std::function<void(const Isolation&)> on_known);

 private:
  struct Run {
    env::ContainerRequest request;  // empty once the supervisor has it, or when attached
    bool wanted = false;            // to be started
    bool sent = false;              // to some supervisor, once
    OnStarted on_started;
    OnExit on_exit;
  };

  void connect();
  void retry();
  void give_up(const std::string& why);
  void on_frame(std::string_view frame);
  void on_closed(std::string_view why);
  void handle(const Welcome& message);
  void handle(const RunReport& message);
  void handle(const Synced& message);
  void handle(const ExecDone& message);
  void handle(const Forgotten& message);
  void handle(const Refused& message);
  void handle(const NotCreated& message);
  void handle(const Use& message);
  void handle(const RunUse& message);
  void tell(const std::string& id);
  void send_start(Run& run);
  void send_or_keep(Message message);
  void send(const Message& message);
  void post(env::Task task);

  posix::EventLoop& loop_;
  env::Clock& clock_;
  env::Log& log_;
  SupervisorClientOptions options_;
  std::unique_ptr<Channel> channel_;
  std::unique_ptr<Channel> closed_;
  bool synced_ = false;
  bool launched_ = false;
  bool shutting_down_ = false;
  MonotonicTime alone_since_;
  Duration retry_delay_;
  std::string last_error_;
  env::TimerId retry_timer_ = env::TimerId::none;
  std::map<std::string, env::ContainerRunInfo> known_;
  std::map<std::string, Run> runs_;
  std::set<std::string> forgotten_;  // said to forget, not yet answered
  std::vector<Message> waiting_;
  std::vector<OnList> lists_;
  std::map<uint64_t, OnExecDone> execs_;
  uint64_t last_exec_ = 0;
  uint32_t version_ = 0;        // of the supervisor
  RunUse last_use_;             // of the run that is reported next
  std::vector<OnUse> on_uses_;  // they wait for the same answer
  std::unique_ptr<Isolation> isolation_;
  std::vector<std::function<void(const Isolation&)>> on_isolation_;
  std::function<void()> on_shut_down_;
  WeakSelf<SupervisorClient> self_{this};
};

}  // namespace windlass::supervisor
