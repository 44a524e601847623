#include "net/http_server.h"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/epoll.h>
#include <sys/socket.h>

#include <atomic>
#include <cerrno>
#include <future>
#include <thread>
#include <utility>

#include "base/check.h"
#include "net/io_thread.h"
#include "net/server_state.h"

namespace windlass::net {
namespace {

constexpr size_t kMaxIoThreads = 64;
constexpr int kMaxAcceptsPerTurn = 64;
// When the system has no descriptors left, new clients wait this long for another try.
constexpr Duration kAcceptPause = milliseconds(100);

}  // namespace

size_t fitting_io_threads() {
  return std::thread::hardware_concurrency() > 2 ? 2 : 1;
}

class HttpServer::Impl {
 public:
  Impl(ServerEnv env, const http::Handler& handler, ServerOptions options,
       posix::FileDescriptor listener)
      : state_{handler, env.core, env.clock, env.log, options.limits, options.io_threads},
        endpoint_(options.endpoint),
        listener_(std::move(listener)) {
    CHECK(options.io_threads > 0 && options.io_threads <= kMaxIoThreads, "some threads, not all");
    for (size_t i = 0; i < options.io_threads; ++i) {
      threads_.push_back(std::make_unique<IoThread>(state_, options.tls));
    }
    acceptor().post([this] { watch_listener(); });
  }

  ~Impl() {
    // Before any thread goes, so that none that is gone adopts a connection.
    std::promise<void> closed;
    acceptor().post([&] {
      close_listener();
      closed.set_value();
    });
    closed.get_future().wait();
  }

  void stop(std::function<void()> on_stopped) {
    acceptor().post([this, on_stopped = std::move(on_stopped)] {
      close_listener();
      const auto left = std::make_shared<std::atomic<size_t>>(threads_.size());
      for (const auto& thread : threads_) {
        thread->stop([this, left, on_stopped] {
          if (left->fetch_sub(1) == 1) {
            state_.core.post(on_stopped);
          }
        });
      }
    });
  }

  void use(const std::shared_ptr<const TlsContext>& tls) {
    for (const auto& thread : threads_) {
      thread->use(tls);
    }
  }

  const Endpoint& endpoint() const { return endpoint_; }
  const ServerState& state() const { return state_; }

 private:
  posix::EventLoop& acceptor() { return threads_.front()->loop(); }

  void watch_listener() {
    if (listener_.valid()) {
      watch_ = acceptor().watch(listener_.get(), EPOLLIN, [this](uint32_t) { accept_some(); });
    }
  }

  void close_listener() {
    acceptor().unwatch(std::exchange(watch_, posix::WatchId::none));
    listener_.reset();
  }

  void accept_some() {
    for (int i = 0; i < kMaxAcceptsPerTurn; ++i) {
      const int fd = ::accept4(listener_.get(), nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC);
      if (fd < 0) {
        if (errno == EMFILE || errno == ENFILE || errno == ENOBUFS || errno == ENOMEM) {
          pause_accepting();
        }
        return;
      }
      welcome(std::make_shared<posix::FileDescriptor>(fd));
    }
  }

  void pause_accepting() {
    state_.log.warning("no file descriptors left for new connections");
    acceptor().unwatch(std::exchange(watch_, posix::WatchId::none));
    acceptor().schedule(kAcceptPause, [this] { watch_listener(); });
  }

  void welcome(std::shared_ptr<posix::FileDescriptor> socket) {
    if (!state_.connections.try_add(1)) {
      state_.turned_away.fetch_add(1);
      return;
    }
    const int on = 1;
    ::setsockopt(socket->get(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    ::setsockopt(socket->get(), SOL_SOCKET, SO_KEEPALIVE, &on, sizeof on);
    next_ = (next_ + 1) % threads_.size();
    threads_[next_]->adopt(std::move(socket));
  }

  ServerState state_;
  Endpoint endpoint_;
  // The first thread's.
  posix::FileDescriptor listener_;
  posix::WatchId watch_ = posix::WatchId::none;
  size_t next_ = 0;

  std::vector<std::unique_ptr<IoThread>> threads_;  // last: they use all the others
};

HttpServer::HttpServer(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
HttpServer::~HttpServer() = default;

Result<std::unique_ptr<HttpServer>> HttpServer::start(ServerEnv env, const http::Handler& handler,
                                                      ServerOptions options) {
  TRY(posix::FileDescriptor listener, listen_on(options.endpoint));
  return std::unique_ptr<HttpServer>(new HttpServer(
      std::make_unique<Impl>(env, handler, std::move(options), std::move(listener))));
}

const Endpoint& HttpServer::endpoint() const {
  return impl_->endpoint();
}

ServerStatistics HttpServer::statistics() const {
  const ServerState& state = impl_->state();
  ServerStatistics now;
  now.connections = state.connections.value();
  now.reads_in_flight =
      state.limiter->in_flight[static_cast<size_t>(http::RequestClass::read)].value();
  now.writes_in_flight =
      state.limiter->in_flight[static_cast<size_t>(http::RequestClass::mutating)].value();
  now.long_running =
      state.limiter->in_flight[static_cast<size_t>(http::RequestClass::long_running)].value();
  now.buffered_request_bytes =
      state.limiter->head_bytes.value() + state.limiter->body_bytes.value();
  now.requests = state.requests.load();
  now.throttled = state.throttled.load();
  now.refused = state.refused.load();
  now.cut_off = state.cut_off.load();
  now.turned_away = state.turned_away.load();
  now.displaced = state.displaced.load();
  return now;
}

void HttpServer::use(const std::shared_ptr<const TlsContext>& tls) {
  impl_->use(tls);
}

void HttpServer::stop(std::function<void()> on_stopped) {
  impl_->stop(std::move(on_stopped));
}

}  // namespace windlass::net
