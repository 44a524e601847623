#include "posix/signals.h"

#include <sys/signalfd.h>
#include <unistd.h>

#include <cerrno>

#include "base/check.h"

namespace windlass::posix {
namespace {

bool is_ignored(int signal_number) {
  struct sigaction action = {};
  return ::sigaction(signal_number, nullptr, &action) == 0 && action.sa_handler == SIG_IGN;
}

}  // namespace

Signals::Signals(EventLoop& loop, std::initializer_list<int> signal_numbers,
                 std::function<void(int)> callback)
    : loop_(loop), callback_(std::move(callback)), previous_mask_{} {
  sigset_t wanted;
  sigemptyset(&wanted);
  for (const int number : signal_numbers) {
    if (!is_ignored(number)) {
      sigaddset(&wanted, number);
    }
  }
  CHECK(::pthread_sigmask(SIG_BLOCK, &wanted, &previous_mask_) == 0, "pthread_sigmask");
  fd_ = FileDescriptor(::signalfd(-1, &wanted, SFD_NONBLOCK | SFD_CLOEXEC));
  CHECK(fd_.valid(), "signalfd");
  watch_ = loop_.watch(fd_.get(), EPOLLIN, [this](uint32_t) { drain(); });
}

Signals::~Signals() {
  loop_.unwatch(watch_);
  // What came in but was not read would strike the moment the mask is restored.
  signalfd_siginfo ignored = {};
  while (::read(fd_.get(), &ignored, sizeof ignored) > 0) {
  }
  ::pthread_sigmask(SIG_SETMASK, &previous_mask_, nullptr);
}

void Signals::drain() {
  signalfd_siginfo info = {};
  const ssize_t got = ::read(fd_.get(), &info, sizeof info);
  if (got != sizeof info) {
    CHECK(got < 0 && (errno == EAGAIN || errno == EINTR), "a signalfd gives whole records");
    return;
  }
  // One per call: the callback may destroy this object, and the loop comes back for the next.
  const std::function<void(int)> callback = callback_;
  callback(static_cast<int>(info.ssi_signo));
}

}  // namespace windlass::posix
