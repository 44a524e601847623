#include "supervisor/server/exec_process.h"

#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <utility>

#include "supervisor/server/container.h"

namespace windlass::supervisor {
namespace {

constexpr uint64_t kMaxOutputBytes = 1024 * 1024;
constexpr size_t kOutputBytes = 16 * 1024;
constexpr size_t kCommandErrorBytes = 4096;
// A process that it left behind may hold its output open and keep writing; not for ever.
constexpr int kMaxLastReads = 64;

}  // namespace

ExecProcess::ExecProcess(posix::EventLoop& loop, Launched launched, Duration timeout,
                         uint64_t max_output_bytes, OnDone on_done)
    : loop_(loop),
      launched_(std::move(launched)),
      max_output_bytes_(std::min(max_output_bytes, kMaxOutputBytes)),
      on_done_(std::move(on_done)) {
  output_watch_ = loop_.watch(launched_.out.get(), EPOLLIN, [this](uint32_t) { read_output(); });
  process_watch_ = loop_.watch(launched_.pidfd.get(), EPOLLIN, [this](uint32_t) { on_end(); });
  timer_ = loop_.schedule(timeout, [this] {
    timer_ = env::TimerId::none;
    result_.timed_out = true;
    // What it has started, too: all in its session's group. It is not reaped yet, so the number is
    // its own.
    ::kill(-launched_.pid, SIGKILL);
    ::syscall(SYS_pidfd_send_signal, launched_.pidfd.get(), SIGKILL, nullptr, 0);
  });
  [[maybe_unused]] const ssize_t sent = ::send(launched_.sync.get(), &kGo, 1, MSG_NOSIGNAL);
}

ExecProcess::~ExecProcess() {
  stop_watching();
  loop_.cancel(timer_);
}

void ExecProcess::read_output() {
  std::array<char, kOutputBytes> buffer;
  const ssize_t got = ::read(launched_.out.get(), buffer.data(), buffer.size());
  if (got > 0) {
    const size_t room = max_output_bytes_ - result_.output.size();
    result_.output.append(buffer.data(), std::min(static_cast<size_t>(got), room));
  } else if (got == 0 || (errno != EAGAIN && errno != EINTR)) {
    loop_.unwatch(std::exchange(output_watch_, posix::WatchId::none));
  }
}

void ExecProcess::on_end() {
  const ProcessEnd end = wait_for_end(launched_.pidfd.get(), WEXITED | WNOHANG);
  if (!end.known) {
    return;
  }
  std::array<char, kCommandErrorBytes> text;
  const ssize_t got = ::recv(launched_.sync.get(), text.data(), text.size(), MSG_DONTWAIT);
  for (int reads = 0; reads < kMaxLastReads && output_watch_ != posix::WatchId::none; ++reads) {
    read_output();
  }
  stop_watching();
  loop_.cancel(std::exchange(timer_, env::TimerId::none));
  if (got > 0 && !result_.timed_out) {
    on_done_(fail(child_error({text.data(), static_cast<size_t>(got)})));
    return;
  }
  result_.code = end.code;
  on_done_(std::move(result_));
}

void ExecProcess::stop_watching() {
  for (posix::WatchId* watch : {&output_watch_, &process_watch_}) {
    loop_.unwatch(std::exchange(*watch, posix::WatchId::none));
  }
}

}  // namespace windlass::supervisor
