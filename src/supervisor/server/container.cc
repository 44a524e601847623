#include "supervisor/server/container.h"

#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <utility>

#include "base/check.h"

namespace windlass::supervisor {
namespace {

constexpr size_t kMaxErrorBytes = 4096;
constexpr size_t kMaxEarlySignals = 16;
// A group whose last process is going needs a moment; one with a process that the kernel cannot
// kill may need for ever, and is not over until then (safety.md N4).
constexpr Duration kFirstLook = milliseconds(1);
constexpr Duration kLongestLook = seconds(1);
// The v1 event comes just before the kill that it announces.
constexpr Duration kOomLook = milliseconds(5);
constexpr int kMaxOomLooks = 200;

void send_signal(int pidfd, int number) {
  ::syscall(SYS_pidfd_send_signal, pidfd, number, nullptr, 0);
}

uint64_t microseconds_of(const timeval& time) {
  return static_cast<uint64_t>(time.tv_sec) * 1'000'000 + static_cast<uint64_t>(time.tv_usec);
}

}  // namespace

ProcessEnd wait_for_end(int pidfd, int options) {
  siginfo_t info = {};
  struct rusage usage = {};
  int64_t result = 0;
  do {
    info = {};
    // The C library's waitid() does not pass the usage on.
    result = ::syscall(SYS_waitid, P_PIDFD, pidfd, &info, options, &usage);
  } while (result != 0 && errno == EINTR);
  ProcessEnd end;
  if (result != 0 || info.si_pid == 0) {
    return end;
  }
  end.known = true;
  end.signal = info.si_code == CLD_EXITED ? 0 : info.si_status;
  end.code = info.si_code == CLD_EXITED ? info.si_status : kSignalBase + info.si_status;
  end.peak_memory_bytes = static_cast<uint64_t>(usage.ru_maxrss) * 1024;
  end.cpu_microseconds = microseconds_of(usage.ru_utime) + microseconds_of(usage.ru_stime);
  return end;
}

Container::Container(posix::EventLoop& loop, env::Clock& clock, Listener& listener, std::string id,
                     std::unique_ptr<ContainerGroup> group, std::unique_ptr<LogFile> log,
                     Launched launched)
    : loop_(loop),
      clock_(clock),
      listener_(listener),
      id_(std::move(id)),
      group_(std::move(group)),
      launched_(std::move(launched)),
      look_again_(kFirstLook) {
  if (log) {
    pump_ = std::make_unique<LogPump>(loop_, std::move(log), std::move(launched_.out),
                                      std::move(launched_.err));
  }
  exit_.started_at = clock_.now();
  sync_watch_ = loop_.watch(launched_.sync.get(), EPOLLIN, [this](uint32_t) { on_sync(); });
  process_watch_ =
      loop_.watch(launched_.pidfd.get(), EPOLLIN, [this](uint32_t) { on_process_end(); });
  watch_oom();
}

Container::~Container() {
  stop_watching();
  loop_.cancel(timer_);
}

void Container::release() {
  CHECK(state_ == State::waiting || state_ == State::ending || state_ == State::over,
        "released once");
  if (state_ != State::waiting) {
    return;  // it ended before, by an error of its set-up or killed
  }
  state_ = State::released;
  exit_.started_at = clock_.now();
  [[maybe_unused]] const ssize_t sent = ::send(launched_.sync.get(), &kGo, 1, MSG_NOSIGNAL);
}

void Container::signal(int number) {
  if (number == SIGKILL) {
    kill();
  } else if (state_ == State::running) {
    send_signal(launched_.pidfd.get(), number);
  } else if (state_ < State::running && early_signals_.size() < kMaxEarlySignals) {
    early_signals_.push_back(number);  // for the program, not for what prepares it
  }
}

void Container::kill() {
  if (state_ < State::ending) {
    send_signal(launched_.pidfd.get(), SIGKILL);
  }
}

void Container::abandon(const Status& why) {
  error_ = error_.value_or(why);
  kill();
}

void Container::watch_oom() {
  if (group_->oom_event() >= 0) {
    oom_watch_ = loop_.watch(group_->oom_event(), EPOLLIN, [this](uint32_t) { on_oom(); });
  }
}

// disruption.md M-21: with v1 the kernel kills one process; a container dies as a whole.
void Container::on_oom() {
  uint64_t count = 0;
  [[maybe_unused]] const ssize_t got = ::read(group_->oom_event(), &count, sizeof count);
  loop_.cancel(std::exchange(oom_timer_, env::TimerId::none));
  if (group_->oom_kills() > 0) {
    kill();
    return;
  }
  if (++oom_looks_ <= kMaxOomLooks) {
    oom_timer_ = loop_.schedule(kOomLook, [this] {
      oom_timer_ = env::TimerId::none;
      on_oom();
    });
  }
}

void Container::on_sync() {
  std::array<char, kMaxErrorBytes> text;
  const ssize_t got = ::recv(launched_.sync.get(), text.data(), text.size(), MSG_DONTWAIT);
  if (got < 0 && (errno == EAGAIN || errno == EINTR)) {
    return;
  }
  loop_.unwatch(std::exchange(sync_watch_, posix::WatchId::none));
  launched_.sync.reset();
  if (got > 0) {
    error_ = child_error({text.data(), static_cast<size_t>(got)});
    return;  // its process ends now, and that is when it is reported
  }
  if (state_ == State::released) {
    state_ = State::running;
    listener_.started(id_);
    for (const int number : std::exchange(early_signals_, {})) {
      signal(number);
    }
  }
}

void Container::on_process_end() {
  // Looked at first: until it is reaped, the number of its session's group is its own, and what is
  // left of the group can be killed without hitting a stranger (safety.md N5).
  if (!wait_for_end(launched_.pidfd.get(), WEXITED | WNOHANG | WNOWAIT).known) {
    return;
  }
  if (sync_watch_ != posix::WatchId::none) {
    on_sync();
  }
  const bool before_release = state_ == State::waiting;
  ::kill(-launched_.pid, SIGKILL);
  const ProcessEnd end = wait_for_end(launched_.pidfd.get(), WEXITED | WNOHANG);
  exit_.code = end.code;
  exit_.signal = end.signal;
  exit_.lost = !end.known;
  if (end.known) {
    exit_.peak_memory_bytes = std::max(end.peak_memory_bytes, group_->peak_memory_bytes());
    exit_.cpu_microseconds = end.cpu_microseconds;
  }
  exit_.finished_at = std::max(clock_.now(), exit_.started_at);  // the clock may be set back
  if (before_release && !error_) {
    error_ = plain_error("killed before it was started");
  }
  state_ = State::ending;
  stop_watching();
  finish();
}

void Container::finish() {
  timer_ = env::TimerId::none;
  exit_.oom_killed = exit_.oom_killed || group_->oom_kills() > 0;
  if (!group_->remove()) {
    group_->kill();
    look_again_ = std::min(2 * look_again_, kLongestLook);
    timer_ = loop_.schedule(look_again_, [this] { finish(); });
    return;
  }
  if (pump_) {
    pump_->drain();
    pump_.reset();
  }
  state_ = State::over;
  if (error_) {
    listener_.failed(id_, *error_);
  } else {
    listener_.ended(id_, exit_);
  }
}

void Container::stop_watching() {
  loop_.cancel(std::exchange(oom_timer_, env::TimerId::none));
  for (posix::WatchId* watch : {&sync_watch_, &process_watch_, &oom_watch_}) {
    loop_.unwatch(std::exchange(*watch, posix::WatchId::none));
  }
}

}  // namespace windlass::supervisor
