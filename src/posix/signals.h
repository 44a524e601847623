#pragma once

#include <csignal>
#include <functional>
#include <initializer_list>

#include "posix/event_loop.h"
#include "posix/files/file_descriptor.h"

namespace windlass::posix {

// Delivers signals (SIGINT, SIGTERM) as callbacks on the event loop instead of interrupting
// anything. A signal that is ignored stays so, as the parent of the program wanted it (nohup, a
// shell's background jobs): blocked, it would be kept and delivered. Made on the main thread before
// others start, since they inherit its signal mask; one object per signal. Destroyed on the loop's
// thread, it restores the mask it found. Spawned processes get an empty mask
// (supervisor/launcher.h).
class Signals {
 public:
  Signals(EventLoop& loop, std::initializer_list<int> signal_numbers,
          std::function<void(int signal_number)> callback);
  ~Signals();
  Signals(const Signals&) = delete;
  Signals& operator=(const Signals&) = delete;

 private:
  void drain();

  EventLoop& loop_;
  std::function<void(int)> callback_;
  sigset_t previous_mask_;
  FileDescriptor fd_;
  WatchId watch_ = WatchId::none;
};

}  // namespace windlass::posix
