#include "logind/logind_shutdown.h"

#include <utility>

namespace windlass::logind {
namespace {

constexpr const char* kBusName = "org.freedesktop.DBus";
constexpr const char* kBusPath = "/org/freedesktop/DBus";
constexpr const char* kLogind = "org.freedesktop.login1";
constexpr const char* kLogindPath = "/org/freedesktop/login1";
constexpr const char* kManager = "org.freedesktop.login1.Manager";

BusCall to_bus(std::string method, std::vector<std::string> arguments) {
  return {kBusName, kBusPath, kBusName, std::move(method), std::move(arguments)};
}

}  // namespace

LogindShutdown::~LogindShutdown() {
  loop_.cancel(retry_);
}

void LogindShutdown::watch(std::optional<Duration> wanted, OnChange on_change) {
  wanted_ = wanted;
  on_change_ = std::move(on_change);
  connect();
}

void LogindShutdown::connect() {
  auto bus = Bus::connect(loop_, address_,
                          {[this](const BusSignal& signal) { on_signal(signal); },
                           [this] { connect_later("the connection to the system bus was lost"); }});
  if (!bus) {
    return connect_later(bus.error().message);
  }
  bus_ = *std::move(bus);
  subscribe();
}

// The lock stays: logind knows it by its descriptor, not by the connection it came through.
void LogindShutdown::connect_later(const std::string& why) {
  if (!std::exchange(complained_, true)) {
    log_.info("a shutdown of this machine will not be noticed", {{"error", why}});
  }
  owner_.clear();
  retry_ = loop_.schedule(kRetry, [this] {
    retry_ = env::TimerId::none;
    bus_.reset();
    connect();
  });
}

void LogindShutdown::subscribe() {
  const auto ignore = [](const Result<BusValues>&) {};
  bus_->call(to_bus("AddMatch", {std::string("type='signal',sender='org.freedesktop.login1',"
                                             "path='/org/freedesktop/login1',"
                                             "interface='org.freedesktop.login1.Manager',"
                                             "member='PrepareForShutdown'")}),
             ignore);
  bus_->call(to_bus("AddMatch", {std::string("type='signal',sender='org.freedesktop.DBus',"
                                             "interface='org.freedesktop.DBus',"
                                             "member='NameOwnerChanged',"
                                             "arg0='org.freedesktop.login1'")}),
             ignore);
  // Starts logind where the bus can.
  bus_->call({kLogind, kLogindPath, "org.freedesktop.DBus.Peer", "Ping"}, ignore);
  bus_->call(to_bus("GetNameOwner", {kLogind}), [this](const Result<BusValues>& owner) {
    if (owner && !owner->texts.empty()) {
      on_owner(owner->texts.front());
    } else if (owner_.empty() && !std::exchange(complained_, true)) {
      log_.info("a shutdown of this machine will not be noticed: there is no logind",
                {{"error", owner ? "" : owner.error().message}});
    }
  });
}

void LogindShutdown::on_owner(const std::string& owner) {
  if (std::exchange(owner_, owner) == owner || owner.empty()) {
    return;
  }
  take_lock();
  bus_->call({kLogind,
              kLogindPath,
              "org.freedesktop.DBus.Properties",
              "Get",
              {kManager, "InhibitDelayMaxUSec"}},
             [this](const Result<BusValues>& answer) { on_patience(answer); });
}

void LogindShutdown::take_lock() {
  if (lock_.valid() || imminent_) {
    return;
  }
  bus_->call({kLogind,
              kLogindPath,
              kManager,
              "Inhibit",
              {"shutdown", "windlass", "Pods are to end within their grace periods", "delay"}},
             [this](Result<BusValues> answer) {
               if (!answer || !answer->descriptor.valid()) {
                 log_.warning("a shutdown of this machine will not wait for pods",
                              {{"error", answer ? "no lock was given" : answer.error().message}});
               } else if (!imminent_) {
                 lock_ = std::move(answer->descriptor);
                 log_.info("shutdowns of this machine wait for pods");
               }
             });
}

// A kubelet rewrites logind's configuration; that is for the machine's owner to decide.
void LogindShutdown::on_patience(const Result<BusValues>& answer) {
  if (!answer || !answer->number || !wanted_) {
    return;
  }
  const Duration patience = std::chrono::microseconds(*answer->number);
  if (patience < *wanted_) {
    log_.warning("logind waits for less than the shutdown grace period: set InhibitDelayMaxSec",
                 {{"InhibitDelayMaxSec", format_duration(patience)},
                  {"shutdownGracePeriod", format_duration(*wanted_)}});
  }
}

void LogindShutdown::on_signal(const BusSignal& signal) {
  if (signal.sender == kBusName && signal.member == "NameOwnerChanged" &&
      signal.values.texts.size() == 3 && signal.values.texts[0] == kLogind) {
    on_owner(signal.values.texts[2]);
    return;
  }
  // Every peer on the bus can send us a signal.
  const bool ours = !owner_.empty() && signal.sender == owner_ && signal.interface == kManager &&
                    signal.member == "PrepareForShutdown";
  if (!ours || !signal.values.flag || *signal.values.flag == imminent_) {
    return;
  }
  imminent_ = *signal.values.flag;
  if (!imminent_) {
    take_lock();
  }
  on_change_(imminent_);
}

}  // namespace windlass::logind
