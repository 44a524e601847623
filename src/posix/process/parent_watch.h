// Tells when the process that this one works for is gone: a process by its number, or the one at
// the other end of standard input. Lives on the event loop's thread.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>

#include "base/result.h"
#include "posix/event_loop.h"
#include "posix/files/file_descriptor.h"

namespace windlass::posix {

class ParentWatch {
 public:
  // An error for a process that is not there.
  static Result<std::unique_ptr<ParentWatch>> of_process(EventLoop& loop, pid_t process);
  // A pipe or a socket: its other end is closed when the parent is gone, however it ended. Nothing
  // is read. Null for all else, such as a terminal. The descriptor outlives the watch.
  static std::unique_ptr<ParentWatch> of_input(EventLoop& loop, int input);

  ~ParentWatch();
  ParentWatch(const ParentWatch&) = delete;
  ParentWatch& operator=(const ParentWatch&) = delete;

  // `on_gone` runs once, on the loop.
  void start(std::function<void()> on_gone);

 private:
  ParentWatch(EventLoop& loop, FileDescriptor own, int watched, uint32_t events)
      : loop_(loop), own_(std::move(own)), watched_(watched), events_(events) {}

  EventLoop& loop_;
  const FileDescriptor own_;
  const int watched_;
  const uint32_t events_;
  WatchId watch_ = WatchId::none;
};

}  // namespace windlass::posix
