#include "supervisor/server/session_process.h"

#include <fcntl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <utility>

#include "supervisor/server/container.h"

namespace windlass::supervisor {
namespace {

constexpr size_t kSessionErrorBytes = 4096;
// For what a command does about a hang-up.
constexpr Duration kHangUpPatience = seconds(2);

}  // namespace

SessionProcess::SessionProcess(posix::EventLoop& loop, Launched launched, bool terminal,
                               Handlers handlers)
    : loop_(loop), launched_(std::move(launched)), handlers_(std::move(handlers)) {
  sync_watch_ = loop_.watch(launched_.sync.get(), EPOLLIN, [this](uint32_t) { read_sync(); });
  process_watch_ = loop_.watch(launched_.pidfd.get(), EPOLLIN, [this](uint32_t) { on_end(); });
  [[maybe_unused]] const ssize_t sent = ::send(launched_.sync.get(), &kGo, 1, MSG_NOSIGNAL);
  if (!terminal) {
    std::vector<posix::FileDescriptor> streams;
    streams.push_back(std::move(launched_.out));
    streams.push_back(std::move(launched_.err));
    if (launched_.in.valid()) {
      streams.push_back(std::move(launched_.in));
    }
    handlers_.on_streams(std::move(streams));
  }
}

SessionProcess::~SessionProcess() {
  stop_watching();
  loop_.cancel(timer_);
}

// Until it is reaped, its number and that of its session's group are its own.
void SessionProcess::hang_up() {
  if (std::exchange(hung_up_, true)) {
    return;
  }
  ::kill(-launched_.pid, SIGHUP);
  timer_ = loop_.schedule(kHangUpPatience, [this] {
    timer_ = env::TimerId::none;
    kill();
  });
}

void SessionProcess::kill() {
  ::kill(-launched_.pid, SIGKILL);
  ::syscall(SYS_pidfd_send_signal, launched_.pidfd.get(), SIGKILL, nullptr, 0);
}

// An error of its start, or the other end of its terminal; nothing once the command runs.
bool SessionProcess::read_sync() {
  if (sync_watch_ == posix::WatchId::none) {
    return false;
  }
  std::array<char, kSessionErrorBytes> buffer;
  alignas(cmsghdr) std::array<char, CMSG_SPACE(sizeof(int))> control;
  iovec part = {buffer.data(), buffer.size()};
  msghdr message = {};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  message.msg_control = control.data();
  message.msg_controllen = control.size();
  const ssize_t got = ::recvmsg(launched_.sync.get(), &message, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
  if (got <= 0) {
    if (got == 0 || (errno != EAGAIN && errno != EINTR)) {
      loop_.unwatch(std::exchange(sync_watch_, posix::WatchId::none));
    }
    return false;
  }
  if (const cmsghdr* rights = CMSG_FIRSTHDR(&message);
      rights != nullptr && rights->cmsg_type == SCM_RIGHTS) {
    int number = -1;
    std::memcpy(&number, CMSG_DATA(rights), sizeof number);
    std::vector<posix::FileDescriptor> streams;
    streams.emplace_back(number);
    ::fcntl(number, F_SETFL, O_NONBLOCK);
    handlers_.on_streams(std::move(streams));
  } else {
    error_ = child_error({buffer.data(), static_cast<size_t>(got)}).message;
  }
  return true;
}

void SessionProcess::on_end() {
  const ProcessEnd end = wait_for_end(launched_.pidfd.get(), WEXITED | WNOHANG);
  if (!end.known) {
    return;
  }
  while (read_sync()) {
  }
  stop_watching();
  loop_.cancel(std::exchange(timer_, env::TimerId::none));
  handlers_.on_done({.error = error_, .code = end.code});
}

void SessionProcess::stop_watching() {
  for (posix::WatchId* watch : {&sync_watch_, &process_watch_}) {
    loop_.unwatch(std::exchange(*watch, posix::WatchId::none));
  }
}

}  // namespace windlass::supervisor
