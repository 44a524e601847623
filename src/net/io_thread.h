// One thread that does the input and output of its share of the connections. adopt(), stop() and
// the destructor are for the server; the rest is for connections, on this thread.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "net/admission/unproven_connections.h"
#include "net/exchange_link.h"
#include "net/server_connection.h"
#include "net/server_state.h"
#include "net/tls/tls_context.h"
#include "posix/event_loop.h"

namespace windlass::net {

class IoThread {
 public:
  IoThread(ServerState& state, std::shared_ptr<const TlsContext> tls);
  // Cuts what is still there.
  ~IoThread();
  IoThread(const IoThread&) = delete;
  IoThread& operator=(const IoThread&) = delete;

  // From any thread.
  void adopt(std::shared_ptr<posix::FileDescriptor> socket);
  // For the connections adopted from now on. From any thread.
  void use(std::shared_ptr<const TlsContext> tls);
  // Ends what is idle, lets answers complete within the grace period, then cuts. `on_empty` runs
  // on this thread once no connection is left; no adopt() after this.
  void stop(std::function<void()> on_empty);

  posix::EventLoop& loop() { return loop_; }
  bool stopping() const { return on_empty_ != nullptr; }
  const std::shared_ptr<Mailbox>& mailbox() const { return mailbox_; }
  // For one read; what is in it is gone with the next.
  std::span<char> scratch() { return scratch_; }
  // The Date of an answer given now.
  std::string_view date();
  // The handshake of this connection is over.
  void greet(uint64_t connection_id, std::unique_ptr<ByteStream> stream, http::Peer peer);
  void forget(uint64_t connection_id);
  // It has proven who it is.
  void vouch_for(uint64_t connection_id) { unproven_.remove(connection_id); }

 private:
  static constexpr size_t kScratchBytes = size_t{64} * 1024;

  void add(posix::FileDescriptor socket);
  void deliver();
  void close_all();
  // Closes one that may go to make room for one of this network; false when there is none.
  bool make_room(const std::string& network);
  bool displace(std::optional<uint64_t> connection_id);

  ServerState& state_;
  std::shared_ptr<const TlsContext> tls_;  // null for plain TCP
  posix::EventLoop loop_;
  std::shared_ptr<Mailbox> mailbox_;
  std::vector<char> scratch_;
  std::map<uint64_t, std::shared_ptr<ServerConnection>> connections_;
  UnprovenConnections unproven_;
  uint64_t last_id_ = 0;
  std::string date_;
  int64_t date_seconds_ = -1;
  std::function<void()> on_empty_;
  std::thread thread_;  // last: it uses all the others
};

}  // namespace windlass::net
