#include "net/io_thread.h"

#include <signal.h>

#include <algorithm>
#include <utility>

#include "http/response_head.h"
#include "net/http1_server_connection.h"
#include "net/http2_server_connection.h"
#include "net/stream/byte_stream.h"
#include "net/stream/endpoint.h"
#include "net/tls/handshake.h"

namespace windlass::net {

IoThread::IoThread(ServerState& state, std::shared_ptr<const TlsContext> tls)
    : state_(state),
      tls_(std::move(tls)),
      loop_(state.clock),
      mailbox_(std::make_shared<Mailbox>([this] { loop_.post([this] { deliver(); }); })),
      scratch_(kScratchBytes) {
  thread_ = std::thread([this] {
    // Signals are for the main thread. Also SIGPIPE, which OpenSSL's writes could raise.
    sigset_t all;
    ::sigfillset(&all);
    ::pthread_sigmask(SIG_BLOCK, &all, nullptr);
    loop_.run();
  });
}

IoThread::~IoThread() {
  mailbox_->close();
  loop_.post([this] {
    on_empty_ = nullptr;
    close_all();
  });
  loop_.stop();
  thread_.join();
}

void IoThread::adopt(std::shared_ptr<posix::FileDescriptor> socket) {
  loop_.post([this, socket = std::move(socket)] { add(std::move(*socket)); });
}

void IoThread::use(std::shared_ptr<const TlsContext> tls) {
  loop_.post([this, tls = std::move(tls)] { tls_ = tls; });
}

void IoThread::add(posix::FileDescriptor socket) {
  std::unique_ptr<ByteStream> stream;
  if (tls_ == nullptr) {
    stream = std::make_unique<PlainStream>(std::move(socket));
  } else {
    stream = tls_->accept(std::move(socket));
  }
  if (stream == nullptr || stopping()) {
    state_.connections.remove(1);
    return;
  }
  const std::string network = network_of(peer_address(stream->fd()));
  if (!make_room(network)) {
    state_.turned_away.fetch_add(1);
    state_.connections.remove(1);
    return;
  }
  state_.adopted.fetch_add(1);
  const uint64_t id = ++last_id_;
  const auto connection = std::make_shared<Handshake>(id, *this, state_, std::move(stream));
  connections_.emplace(id, connection);
  unproven_.add(id, network);
  connection->start();
}

void IoThread::greet(uint64_t connection_id, std::unique_ptr<ByteStream> stream, http::Peer peer) {
  std::shared_ptr<ServerConnection> connection;
  if (stream->protocol() == kHttp2) {
    connection = std::make_shared<Http2ServerConnection>(connection_id, *this, state_,
                                                         std::move(stream), std::move(peer));
  } else {
    connection = std::make_shared<Http1ServerConnection>(connection_id, *this, state_,
                                                         std::move(stream), std::move(peer));
  }
  connections_[connection_id] = connection;
  connection->start();
}

// All steps first, then the sockets: what was said to one client in one go goes out in one go.
void IoThread::deliver() {
  std::vector<std::shared_ptr<ServerConnection>> touched;
  for (Mailbox::Item& item : mailbox_->take()) {
    if (item.link->connection != nullptr) {
      auto connection = item.link->connection->shared_from_this();
      connection->take_step(*item.link, std::move(item.step));
      if (touched.empty() || touched.back() != connection) {
        touched.push_back(std::move(connection));
      }
    }
  }
  for (const auto& connection : touched) {
    connection->advance();
  }
}

std::string_view IoThread::date() {
  const Time now = state_.clock.now();
  if (const int64_t second = unix_seconds(now); second != date_seconds_) {
    date_seconds_ = second;
    date_ = http::http_date(now);
  }
  return date_;
}

// First those of the same address when it has its share, so that no address takes the room of
// others; then those without proof of who opened them; then those that wait for their next request:
// it comes over another connection.
bool IoThread::make_room(const std::string& network) {
  const size_t share = state_.limiter->address_share_of(state_.limits.connections);
  if (unproven_.count(network) >= std::max<size_t>(share / state_.io_threads, 1)) {
    return displace(unproven_.oldest_of(network));
  }
  if (state_.adopted.load() < state_.limits.connections ||
      displace(unproven_.oldest_of_largest())) {
    return true;
  }
  const auto idle = std::ranges::find_if(
      connections_, [](const auto& entry) { return !entry.second->is_busy(); });
  return idle != connections_.end() && displace(idle->first);
}

bool IoThread::displace(std::optional<uint64_t> connection_id) {
  if (!connection_id) {
    return false;
  }
  state_.displaced.fetch_add(1);
  const auto connection = connections_.at(*connection_id);
  connection->close();
  return true;
}

void IoThread::forget(uint64_t connection_id) {
  connections_.erase(connection_id);
  unproven_.remove(connection_id);
  state_.adopted.fetch_sub(1);
  state_.connections.remove(1);
  if (connections_.empty() && stopping()) {
    // Later: the connection that has just ended is still running.
    loop_.post([this] {
      if (const auto on_empty = std::exchange(on_empty_, nullptr)) {
        on_empty();
      }
    });
  }
}

void IoThread::stop(std::function<void()> on_empty) {
  loop_.post([this, on_empty = std::move(on_empty)] {
    on_empty_ = on_empty;
    const auto connections = connections_;  // they leave the map as they end
    for (const auto& [id, connection] : connections) {
      connection->wind_down();
    }
    if (connections_.empty()) {
      on_empty_ = nullptr;
      on_empty();
      return;
    }
    loop_.schedule(state_.limits.stop_grace, [this] { close_all(); });
  });
}

void IoThread::close_all() {
  const auto connections = connections_;
  for (const auto& [id, connection] : connections) {
    connection->close();
  }
}

}  // namespace windlass::net
