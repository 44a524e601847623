#include "supervisor/protocol/client.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "posix/files/data_directory.h"
#include "supervisor/protocol/local_socket.h"

namespace windlass::supervisor {
namespace {

constexpr Duration kFirstRetry = milliseconds(2);
constexpr Duration kLongestRetry = milliseconds(500);
constexpr int kLostCode = 137;

env::ContainerExit lost_exit() {
  env::ContainerExit exit;
  exit.code = kLostCode;
  exit.signal = kLostCode - 128;
  exit.lost = true;
  return exit;
}

}  // namespace

SupervisorClient::SupervisorClient(posix::EventLoop& loop, env::Clock& clock, env::Log& log,
                                   SupervisorClientOptions options)
    : loop_(loop),
      clock_(clock),
      log_(log),
      options_(std::move(options)),
      alone_since_(clock.monotonic()),
      retry_delay_(kFirstRetry) {
  post([this] { connect(); });
}

SupervisorClient::~SupervisorClient() {
  loop_.cancel(retry_timer_);
}

void SupervisorClient::start(const env::ContainerRequest& request, OnStarted on_started,
                             OnExit on_exit) {
  Result<void> possible = check_request(request);
  if (possible && encode(start_message(request)).size() > Channel::kMaxFrameBytes) {
    possible = fail(plain_error("exec: argument list too long"));
  }
  if (!possible) {
    post([possible, on_started = std::move(on_started)] { on_started(possible); });
    return;
  }
  Run& run = runs_[request.id];
  run.request = request;
  run.wanted = true;
  run.on_started = std::move(on_started);
  run.on_exit = std::move(on_exit);
  if (synced_) {
    if (known_.contains(request.id)) {
      post([this, id = request.id] { tell(id); });
    } else {
      send_start(run);
    }
  }
}

void SupervisorClient::attach(const std::string& id, OnExit on_exit) {
  Run& run = runs_[id];
  run.on_exit = std::move(on_exit);
  if (synced_) {
    post([this, id] { tell(id); });
  }
}

void SupervisorClient::list(OnList on_list) {
  lists_.push_back(std::move(on_list));
  if (synced_) {
    post([this] { handle(Synced{}); });
  }
}

void SupervisorClient::signal(const std::string& id, int signal_number) {
  send_or_keep(Signal{id, signal_number});
}

void SupervisorClient::exec(const env::ContainerExec& request, OnExecDone on_done) {
  const uint64_t number = ++last_exec_;
  Message message = Exec{number, request};
  Result<void> possible = check_exec(request);
  if (possible && encode(message).size() > Channel::kMaxFrameBytes) {
    possible = fail(plain_error("exec: argument list too long"));
  }
  if (!possible) {
    post([possible, on_done = std::move(on_done)] { on_done(fail(possible.error())); });
    return;
  }
  execs_.emplace(number, std::move(on_done));
  send_or_keep(std::move(message));
}

void SupervisorClient::forget(const std::string& id) {
  runs_.erase(id);
  known_.erase(id);
  forgotten_.insert(id);
  if (synced_) {
    send(Forget{id});
  }
}

void SupervisorClient::use(OnUse on_use) {
  if (!synced_ || version_ < kFirstVersionWithUse) {
    post([on_use = std::move(on_use)] { on_use({}); });
    return;
  }
  on_uses_.push_back(std::move(on_use));
  if (on_uses_.size() == 1) {
    send(AskUse{});
  }
}

void SupervisorClient::support(OnSupport on_known) {
  isolation([this, on_known = std::move(on_known)](const Isolation& found) {
    on_known({.mounts = found.namespaces,
              .shared_memory = version_ >= kFirstVersionWithSharedMemory,
              .confinement = version_ >= kFirstVersionWithConfinement && found.namespaces,
              .boundary = version_ >= kFirstVersionWithBoundary,
              .user_namespaces = found.user_namespace,
              .missing = found.missing});
  });
}

void SupervisorClient::isolation(std::function<void(const Isolation&)> on_known) {
  if (isolation_) {
    post([this, on_known = std::move(on_known)] { on_known(*isolation_); });
  } else {
    on_isolation_.push_back(std::move(on_known));
  }
}

void SupervisorClient::shut_down(std::function<void()> on_done) {
  on_shut_down_ = std::move(on_done);
  shutting_down_ = true;
  if (synced_) {
    send(Shutdown{});
  }
}

void SupervisorClient::connect() {
  retry_timer_ = env::TimerId::none;
  Result<posix::FileDescriptor> socket = connect_in(options_.directory, kSocketName);
  if (socket && socket->valid()) {
    channel_ = std::make_unique<Channel>(
        loop_, *std::move(socket),
        Channel::Handlers{[this](std::string_view frame) { on_frame(frame); },
                          [this](std::string_view why) { on_closed(why); }});
    send(Hello{kProtocolVersion, options_.end_with_me});
    return;
  }
  // Who holds the directory and does not listen comes up, or is on its way out: both are waited
  // for.
  if (shutting_down_ && (!posix::data_directory_in_use(options_.directory) ||
                         clock_.monotonic() - alone_since_ > options_.give_up_after)) {
    post([this] {
      if (const auto done = std::exchange(on_shut_down_, nullptr)) {
        done();
      }
    });
    return;
  }
  if (!socket) {
    last_error_ = socket.error().message;
  }
  // Once per time without one: the next attempts give it the time to come up.
  if (!shutting_down_ && !std::exchange(launched_, true)) {
    if (const Result<void> launched = options_.launch(); !launched) {
      last_error_ = launched.error().message;
    }
  }
  retry();
}

void SupervisorClient::retry() {
  if (clock_.monotonic() - alone_since_ > options_.give_up_after) {
    give_up(last_error_.empty() ? "it does not answer" : last_error_);
    launched_ = false;
    alone_since_ = clock_.monotonic();
  }
  retry_timer_ = loop_.schedule(retry_delay_, [this] { connect(); });
  retry_delay_ = std::min(2 * retry_delay_, kLongestRetry);
}

// What no supervisor has ever seen certainly does not run; the rest stays open until one answers.
void SupervisorClient::give_up(const std::string& why) {
  log_.error("no supervisor", {{"directory", options_.directory}, {"error", why}});
  std::vector<OnStarted> refused;
  for (auto each = runs_.begin(); each != runs_.end();) {
    Run& run = each->second;
    if (run.wanted && !run.sent) {
      refused.push_back(std::move(run.on_started));
      each = runs_.erase(each);
    } else {
      ++each;
    }
  }
  for (const OnStarted& on_started : refused) {
    on_started(fail(env::not_created("the supervisor cannot be reached: " + why)));
  }
}

void SupervisorClient::on_frame(std::string_view frame) {
  const Result<Message> message = decode(frame);
  if (!message) {
    log_.error("the supervisor is not understood", {{"error", message.error().message}});
    channel_->close();
    on_closed("");
    return;
  }
  std::visit(
      [this](const auto& said) {
        if constexpr (requires { this->handle(said); }) {
          this->handle(said);
        }
      },
      *message);
}

void SupervisorClient::on_closed(std::string_view why) {
  if (!why.empty()) {
    last_error_ = why;
  }
  closed_ = std::move(channel_);  // destroyed with the next one, not inside its own callback
  synced_ = false;
  launched_ = false;
  known_.clear();
  alone_since_ = clock_.monotonic();
  retry_delay_ = kFirstRetry;
  for (const auto& [number, on_done] : std::exchange(execs_, {})) {
    on_done(fail(plain_error("the connection to the supervisor was lost")));
  }
  handle(Use{});
  std::erase_if(waiting_, [](const Message& each) { return std::holds_alternative<Exec>(each); });
  retry_timer_ = loop_.schedule(Duration::zero(), [this] { connect(); });
}

void SupervisorClient::handle(const Use& message) {
  for (const OnUse& on_use : std::exchange(on_uses_, {})) {
    on_use(message.containers);
  }
}

void SupervisorClient::handle(const Welcome& message) {
  version_ = message.version;
  isolation_ = std::make_unique<Isolation>(message.isolation);
  for (const auto& on_known : std::exchange(on_isolation_, {})) {
    on_known(*isolation_);
  }
}

void SupervisorClient::handle(const RunUse& message) {
  last_use_ = message;
}

void SupervisorClient::handle(const RunReport& message) {
  const RunUse use = std::exchange(last_use_, {});
  if (forgotten_.contains(message.run.id)) {
    return;
  }
  env::ContainerRunInfo& run = known_[message.run.id];
  run = message.run;
  if (use.id == run.id) {
    run.exit.peak_memory_bytes = use.peak_memory_bytes;
    run.exit.cpu_microseconds = use.cpu_microseconds;
  }
  if (synced_) {
    tell(message.run.id);
  }
}

void SupervisorClient::handle(const Synced&) {
  if (!std::exchange(synced_, true)) {
    std::vector<std::string> ids;
    for (auto& [id, run] : runs_) {
      ids.push_back(id);
      if (run.wanted && !known_.contains(id)) {
        send_start(run);
      }
    }
    for (const Message& message : std::exchange(waiting_, {})) {
      send(message);
    }
    for (const std::string& id : forgotten_) {
      send(Forget{id});
    }
    if (shutting_down_) {
      send(Shutdown{});
    }
    for (const std::string& id : ids) {
      tell(id);
    }
  }
  std::vector<env::ContainerRunInfo> all;
  for (const auto& [id, run] : known_) {
    all.push_back(run);
  }
  for (const OnList& on_list : std::exchange(lists_, {})) {
    on_list(all);
  }
}

void SupervisorClient::handle(const ExecDone& message) {
  const auto found = execs_.find(message.number);
  if (found == execs_.end()) {
    return;
  }
  const OnExecDone on_done = std::move(found->second);
  execs_.erase(found);
  if (message.error.empty()) {
    on_done(message.result);
  } else {
    on_done(fail(plain_error(message.error)));
  }
}

void SupervisorClient::handle(const Forgotten& message) {
  forgotten_.erase(message.id);
}

void SupervisorClient::handle(const Refused& message) {
  handle(NotCreated{message.id, env::not_created("").reason, message.why});
}

void SupervisorClient::handle(const NotCreated& message) {
  known_.erase(message.id);
  const auto found = runs_.find(message.id);
  if (found == runs_.end() || !found->second.wanted) {
    tell(message.id);  // who attached to it took it for running
    return;
  }
  const OnStarted on_started = std::move(found->second.on_started);
  runs_.erase(found);
  on_started(fail(env::not_created(message.why, message.reason)));
}

// Calls back with what is known of a run that has a waiter here.
void SupervisorClient::tell(const std::string& id) {
  const auto found = runs_.find(id);
  if (found == runs_.end() || !synced_) {
    return;  // without a connection nothing is known
  }
  Run& run = found->second;
  const auto known = known_.find(id);
  if (known == known_.end()) {
    // It ran, or was said to; one that was only asked for is asked for again.
    if (!run.wanted) {
      const OnExit on_exit = std::move(run.on_exit);
      runs_.erase(found);
      on_exit(lost_exit());
    }
    return;
  }
  const env::ContainerRunInfo info = known->second;  // a callback may forget it
  if (info.state == env::ContainerRunInfo::State::starting) {
    return;
  }
  run.wanted = false;
  run.request = {};
  const OnStarted on_started = std::exchange(run.on_started, nullptr);
  OnExit on_exit;
  if (info.over()) {
    on_exit = std::move(run.on_exit);
    runs_.erase(found);
  }
  if (info.state == env::ContainerRunInfo::State::failed) {
    if (on_started) {
      on_started(fail(plain_error(info.error)));
    } else if (on_exit) {
      on_exit(lost_exit());
    }
    return;
  }
  if (on_started) {
    on_started({});
  }
  if (on_exit) {
    on_exit(info.exit);
  }
}

void SupervisorClient::send_start(Run& run) {
  const Message message = start_message(run.request);
  const bool too_old =
      (std::holds_alternative<StartConfined>(message) && version_ < kFirstVersionWithConfinement) ||
      (std::holds_alternative<StartBounded>(message) && version_ < kFirstVersionWithBoundary);
  if (too_old) {
    post([this, id = run.request.id] {
      handle(NotCreated{id, env::not_created("").reason,
                        "the supervisor is of an older version, which cannot confine a container "
                        "so; it ends when its last container has ended"});
    });
    return;
  }
  run.sent = true;
  send(message);
}

void SupervisorClient::send_or_keep(Message message) {
  if (synced_) {
    send(message);
  } else if (waiting_.size() < kMaxWaiting) {
    waiting_.push_back(std::move(message));
  }
}

void SupervisorClient::send(const Message& message) {
  channel_->send(encode(message));
}

void SupervisorClient::post(env::Task task) {
  loop_.post(self_.bind([task = std::move(task)](SupervisorClient&) { task(); }));
}

}  // namespace windlass::supervisor
