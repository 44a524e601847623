// The connections that watches run on, apart from those of requests, so that neither takes the
// other with it: over HTTP/2 one that all watches share, over HTTP/1.1 one for each.
//
// Lives on the event loop; loop, clock and dialer outlive it.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>

#include "base/weak_self.h"
#include "remote/transport/dialer.h"
#include "remote/transport/http2_client_connection.h"

namespace windlass::remote {

class WatchConnections {
 public:
  using Done = std::function<void(Result<std::shared_ptr<ClientConnection>>)>;

  WatchConnections(posix::EventLoop& loop, env::Clock& clock, Dialer& dialer,
                   const Http2ClientConnection::Options& options);
  ~WatchConnections();
  WatchConnections(const WatchConnections&) = delete;
  WatchConnections& operator=(const WatchConnections&) = delete;

  // A connection with room for a watch, which holds it as long as it runs. `done` runs once, later,
  // unless the answer is dropped before.
  [[nodiscard]] std::shared_ptr<void> obtain(Done done);

 private:
  struct Waiting;

  void serve_later();
  void serve();
  void drop_gone();
  void fail_waiting(const Status& why);
  void on_dialed(uint64_t id, Result<Dialer::Dialed> dialed);

  posix::EventLoop& loop_;
  env::Clock& clock_;
  Dialer& dialer_;
  const Http2ClientConnection::Options options_;
  std::map<uint64_t, std::weak_ptr<Waiting>> waiting_;  // in the order in which they came
  std::map<uint64_t, std::shared_ptr<void>> dials_;
  uint64_t last_id_ = 0;
  std::shared_ptr<Http2ClientConnection> shared_;
  std::optional<bool> http2_;  // what the server spoke last; nothing before it was asked
  WeakSelf<WatchConnections> self_{this};
};

}  // namespace windlass::remote
