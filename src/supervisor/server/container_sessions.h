// The sessions of all containers: commands with streams of their own, each for one client. Bounded
// for all of them and for each pod. Lives on the event loop.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "posix/event_loop.h"
#include "posix/files/file_descriptor.h"
#include "supervisor/child/child.h"
#include "supervisor/protocol/messages.h"
#include "supervisor/server/container.h"
#include "supervisor/server/session_process.h"

namespace windlass::supervisor {

class ContainerSessions {
 public:
  static constexpr size_t kMaxSessions = 256;
  static constexpr size_t kMaxSessionsOfPod = 32;

  // The client of a session, by its number.
  class Clients {
   public:
    virtual void send_to_session(uint64_t number, const Message& message,
                                 std::vector<posix::FileDescriptor> descriptors) = 0;
    virtual void close_session(uint64_t number) = 0;

   protected:
    ~Clients() = default;
  };

  ContainerSessions(posix::EventLoop& loop, Clients& clients) : loop_(loop), clients_(clients) {}

  // `container` is that of the run, or null when none of it runs.
  void open(uint64_t number, const OpenSession& order, const std::string& run_id,
            const Container* container, const ChildSetting& setting);
  // Its client is gone.
  void hang_up(uint64_t number);
  // With their container.
  void end_all_of(const std::string& run_id);

 private:
  struct Session {
    std::string run_id;
    std::unique_ptr<SessionProcess> process;
  };

  Result<void> check(const OpenSession& order, const Container* container) const;
  void refuse(uint64_t number, const Status& why);
  void on_done(uint64_t number, const SessionEnded& end);

  posix::EventLoop& loop_;
  Clients& clients_;
  std::map<uint64_t, Session> sessions_;
};

}  // namespace windlass::supervisor
