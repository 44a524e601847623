#include "posix/worker_thread.h"

#include <pthread.h>
#include <signal.h>

namespace windlass::posix {
namespace {

constexpr size_t kMaxThreadName = 15;

}  // namespace

WorkerThread::WorkerThread(env::Clock& clock, const std::string& name) : loop_(clock) {
  // Signals are for the thread that asked for them, not for one that happens to be there.
  sigset_t all = {};
  sigset_t before = {};
  ::sigfillset(&all);
  ::pthread_sigmask(SIG_SETMASK, &all, &before);
  thread_ = std::thread([this] { loop_.run(); });
  ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
  ::pthread_setname_np(thread_.native_handle(), name.substr(0, kMaxThreadName).c_str());
}

WorkerThread::~WorkerThread() {
  loop_.stop();
  thread_.join();
}

}  // namespace windlass::posix
