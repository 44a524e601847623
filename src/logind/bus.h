// A connection to a D-Bus, as a client that calls methods and hears signals: libdbus on the event
// loop. The library is opened when it is first needed: most commands never do, and it brings a
// dozen others; a machine without it has no bus either.
//
// Lives on the event loop, which outlives it; nothing is called after destruction.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "posix/event_loop.h"
#include "posix/files/file_descriptor.h"

namespace windlass::logind {

struct BusCall {
  std::string destination;
  std::string path;
  std::string interface;
  std::string method;
  std::vector<std::string> arguments = {};
};

// The arguments of a message whose types are used here.
struct BusValues {
  std::vector<std::string> texts;
  std::optional<bool> flag;
  std::optional<uint64_t> number;  // also in a variant
  posix::FileDescriptor descriptor;
};

struct BusSignal {
  std::string sender;  // the unique name, which cannot be forged
  std::string interface;
  std::string member;
  BusValues values;
};

class Bus {
 public:
  // Calls without an answer; more are refused.
  static constexpr size_t kMaxCalls = 64;

  using OnReply = std::function<void(Result<BusValues>)>;
  struct Handlers {
    std::function<void(const BusSignal&)> on_signal;
    std::function<void()> on_lost;  // once; destroy the connection later, not in it
  };

  // `address` as in DBUS_SYSTEM_BUS_ADDRESS. Introduces itself to the bus.
  static Result<std::unique_ptr<Bus>> connect(posix::EventLoop& loop, const std::string& address,
                                              Handlers handlers);
  ~Bus();
  Bus(const Bus&) = delete;
  Bus& operator=(const Bus&) = delete;

  // `on_reply` runs later, and not at all when the connection is lost before.
  void call(const BusCall& call, OnReply on_reply);

 private:
  class Impl;
  explicit Bus(std::shared_ptr<Impl> impl);
  std::shared_ptr<Impl> impl_;
};

}  // namespace windlass::logind
