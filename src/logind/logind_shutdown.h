// env::MachineShutdown by systemd's logind, over the system bus (disruption.md K-71): holds a delay
// lock, so that the machine waits, and hears PrepareForShutdown. Where there is no bus or no logind
// it says so once, and looks again now and then.
//
// Lives on the event loop, which outlives it.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "env/log.h"
#include "env/machine_shutdown.h"
#include "logind/bus.h"

namespace windlass::logind {

class LogindShutdown final : public env::MachineShutdown {
 public:
  static constexpr Duration kRetry = minutes(1);
  static constexpr const char* kSystemBus = "unix:path=/var/run/dbus/system_bus_socket";

  LogindShutdown(posix::EventLoop& loop, env::Log& log, std::string bus_address = kSystemBus)
      : loop_(loop), log_(log), address_(std::move(bus_address)) {}
  ~LogindShutdown() override;
  LogindShutdown(const LogindShutdown&) = delete;
  LogindShutdown& operator=(const LogindShutdown&) = delete;

  void watch(std::optional<Duration> wanted, OnChange on_change) override;
  void release() override { lock_.reset(); }

  // The machine waits for release().
  bool holds_lock() const { return lock_.valid(); }

 private:
  void connect();
  void connect_later(const std::string& why);
  void subscribe();
  void on_owner(const std::string& owner);
  void take_lock();
  void on_patience(const Result<BusValues>& answer);
  void on_signal(const BusSignal& signal);

  posix::EventLoop& loop_;
  env::Log& log_;
  const std::string address_;
  std::optional<Duration> wanted_;
  OnChange on_change_;
  std::unique_ptr<Bus> bus_;
  std::string owner_;  // logind's name on the bus: signals of others do not count
  posix::FileDescriptor lock_;
  bool imminent_ = false;
  bool complained_ = false;
  env::TimerId retry_ = env::TimerId::none;
};

}  // namespace windlass::logind
