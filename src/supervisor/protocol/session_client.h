// The client's end of one session with a supervisor: it starts the command and tells how it ended.
// Its streams are descriptors, which the owner reads and writes itself. Lives on the event loop's
// thread; destroyed, it hangs up.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "posix/event_loop.h"
#include "posix/files/file_descriptor.h"
#include "supervisor/protocol/channel.h"
#include "supervisor/protocol/messages.h"

namespace windlass::supervisor {

class SessionClient {
 public:
  // May destroy the session's owner, and the session with it.
  struct Handlers {
    // As of SessionStarted: non-blocking.
    std::function<void(std::vector<posix::FileDescriptor>)> on_started;
    // Once, also without on_started, and when the supervisor is lost.
    std::function<void(const SessionEnded&)> on_ended;
  };

  // With the supervisor of this directory, which is not started for it.
  static Result<std::unique_ptr<SessionClient>> open(posix::EventLoop& loop,
                                                     const std::string& directory,
                                                     const OpenSession& order, Handlers handlers);
  ~SessionClient();
  SessionClient(const SessionClient&) = delete;
  SessionClient& operator=(const SessionClient&) = delete;

 private:
  SessionClient(posix::EventLoop& loop, posix::FileDescriptor socket, Handlers handlers);
  void on_frame(std::string_view frame);
  void end(SessionEnded how);

  posix::EventLoop& loop_;
  std::shared_ptr<Channel> channel_;
  Handlers handlers_;
  bool started_ = false;
  bool ended_ = false;
};

}  // namespace windlass::supervisor
