// The service manager that started this process, such as systemd: told over a datagram socket when
// the process is ready, that it still works, and when it stops (sd_notify(3)). Lives on the event
// loop's thread.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "base/time.h"
#include "posix/event_loop.h"

namespace windlass::posix {

// What the environment says of it.
struct ServiceAddress {
  std::string socket = {};  // $NOTIFY_SOCKET: a path, or @ and an abstract name; "" is none
  Duration watchdog = {};   // $WATCHDOG_USEC: it restarts what was silent for so long; 0 is never

  // The watchdog may be meant for another process ($WATCHDOG_PID).
  static ServiceAddress from_environment();
};

class ServiceManager {
 public:
  // Without a socket it does nothing.
  ServiceManager(EventLoop& loop, ServiceAddress address);
  ~ServiceManager();
  ServiceManager(const ServiceManager&) = delete;
  ServiceManager& operator=(const ServiceManager&) = delete;

  // From now on it also tells, from the loop, that the loop turns.
  void ready(std::string_view status);
  void stopping();

 private:
  void send(const std::string& message) const;
  void tick();

  EventLoop& loop_;
  const ServiceAddress address_;
  env::TimerId timer_ = env::TimerId::none;
};

}  // namespace windlass::posix
