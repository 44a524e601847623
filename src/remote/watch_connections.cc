#include "remote/watch_connections.h"

#include <algorithm>
#include <utility>

#include "remote/transport/http1_client_connection.h"

namespace windlass::remote {

struct WatchConnections::Waiting {
  Done done;
};

WatchConnections::WatchConnections(posix::EventLoop& loop, env::Clock& clock, Dialer& dialer,
                                   const Http2ClientConnection::Options& options)
    : loop_(loop), clock_(clock), dialer_(dialer), options_(options) {}

WatchConnections::~WatchConnections() {
  if (shared_ != nullptr) {
    shared_->close();
  }
}

std::shared_ptr<void> WatchConnections::obtain(Done done) {
  auto waiting = std::make_shared<Waiting>(Waiting{std::move(done)});
  waiting_.emplace(++last_id_, waiting);
  serve_later();
  return waiting;
}

void WatchConnections::serve_later() {
  loop_.post(self_.bind(&WatchConnections::serve));
}

void WatchConnections::drop_gone() {
  std::erase_if(waiting_, [](const auto& each) { return each.second.expired(); });
}

void WatchConnections::serve() {
  const std::weak_ptr<const void> alive = self_.lifetime();
  drop_gone();
  // A watch that begins shows the newest certificate; those that run hold their line until they
  // end.
  if (shared_ != nullptr && shared_->tls_generation() != dialer_.credentials().tls_generation()) {
    shared_ = nullptr;
  }
  while (!waiting_.empty() && shared_ != nullptr && shared_->room() > 0) {
    const auto waiting = waiting_.extract(waiting_.begin()).mapped().lock();
    if (waiting != nullptr) {
      waiting->done(std::shared_ptr<ClientConnection>(shared_));
      if (alive.expired()) {
        return;
      }
    }
  }
  // One at first, to hear what the server speaks.
  const size_t wanted =
      http2_.value_or(true) ? std::min<size_t>(waiting_.size(), 1) : waiting_.size();
  while (dials_.size() < wanted) {
    const uint64_t id = ++last_id_;
    dials_[id] = dialer_.dial(
        [this, id](Result<Dialer::Dialed> dialed) { on_dialed(id, std::move(dialed)); });
  }
}

// All that waited for this connection.
void WatchConnections::fail_waiting(const Status& why) {
  const std::weak_ptr<const void> alive = self_.lifetime();
  size_t count = http2_.value_or(true) ? waiting_.size() : 1;
  while (count-- > 0 && !alive.expired() && !waiting_.empty()) {
    if (const auto waiting = waiting_.extract(waiting_.begin()).mapped().lock()) {
      waiting->done(fail(why));
    }
  }
}

void WatchConnections::on_dialed(uint64_t id, Result<Dialer::Dialed> dialed) {
  const auto dial = dials_.extract(id);  // it is still on the stack
  serve_later();
  drop_gone();
  if (dialed) {
    http2_ = dialed->stream->protocol() == net::kHttp2;
  }
  if (dialed && *http2_) {
    shared_ =
        std::make_shared<Http2ClientConnection>(loop_, clock_, std::move(dialed->stream), options_);
    shared_->made_with(dialed->tls_generation);
    shared_->when_changed([this, key = shared_.get()] {
      if (shared_.get() == key && !key->usable()) {
        shared_ = nullptr;  // the watches on it hold it until they end
      }
      serve_later();
    });
    return shared_->start();
  }
  if (!dialed) {
    return fail_waiting(dialed.error());
  }
  if (waiting_.empty()) {
    return;
  }
  const auto waiting = waiting_.extract(waiting_.begin()).mapped().lock();
  auto connection = std::make_shared<Http1ClientConnection>(loop_, std::move(dialed->stream));
  connection->start();
  waiting->done(std::shared_ptr<ClientConnection>(std::move(connection)));
}

}  // namespace windlass::remote
