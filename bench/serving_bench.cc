// The whole server on loopback, with the real handler and a store in memory: what a GET costs its
// threads, and what a thousand watchers cost a writer. `./dev bench serving` prints a table; the
// limits are in docs/reference/performance.md. The client is the main thread, so the server's share
// is the CPU time of the process without that of this thread.
#include <arpa/inet.h>
#include <fmt/format.h>
#include <netinet/tcp.h>
#include <openssl/ssl.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <vector>

#include "api/codec/json/json.h"
#include "apiserver/rest/rest_handler.h"
#include "base/check.h"
#include "net/testing.h"
#include "net/tls/certificates.h"
#include "posix/posix_random.h"
#include "schema/core/v1/pod.pb.h"

namespace windlass {
namespace {

constexpr int kRounds = 5;
constexpr size_t kGets = 4'000;
constexpr int kBatches = 100;
constexpr int kBatch = 20;  // writes in a row
constexpr size_t kMany = 1'000;
constexpr const char* kPod =
    R"({"metadata":{"labels":{"app":"bench","job-name":"j","tier":"batch"},"annotations":)"
    R"({"batch.kubernetes.io/job-completion-index":"7","note":"as long as notes are"}},)"
    R"("spec":{"restartPolicy":"Never","containers":[{"name":"main","image":"busybox:1.37",)"
    R"("command":["sh","-c","echo hello"],"env":[{"name":"A","value":"1"},{"name":"B",)"
    R"("value":"2"}],"resources":{"requests":{"cpu":"100m","memory":"64Mi"},"limits":)"
    R"({"cpu":"200m","memory":"128Mi"}},"volumeMounts":[{"name":"data","mountPath":"/data"}]}],)"
    R"("volumes":[{"name":"data","emptyDir":{}}],"tolerations":[{"key":"k","operator":"Exists"}]}})";

double seconds_of(clockid_t clock) {
  timespec now = {};
  ::clock_gettime(clock, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

double server_seconds() {
  return seconds_of(CLOCK_PROCESS_CPUTIME_ID) - seconds_of(CLOCK_THREAD_CPUTIME_ID);
}

double median(std::vector<double> values) {
  std::ranges::sort(values);
  return values[values.size() / 2];
}

class Serving {
 public:
  explicit Serving(net::ServerOptions options = {}) : core_(clock_) {
    server_.create_system_namespaces();
    thread_ = std::thread([this] { core_.run(); });
    options.io_threads = net::fitting_io_threads();
    auto started = net::HttpServer::start({core_, clock_, log_}, *handler_, std::move(options));
    CHECK(started.has_value(), "it listens");
    net_ = *std::move(started);
  }
  ~Serving() {
    net_.reset();
    core_.stop();
    thread_.join();
    handler_.reset();
  }

  const net::HttpServer& net() const { return *net_; }

  // In one go, before anything is delivered. The CPU time of the core thread for each.
  std::vector<double> create_pods(const std::string& name, int count) {
    std::vector<double> took;
    on_core([&] {
      for (int i = 0; i < count; ++i) {
        auto pod = std::make_unique<api::core::v1::Pod>();
        CHECK(api::decode_json(kPod, *pod).has_value(), "a pod");
        const double before = seconds_of(CLOCK_THREAD_CPUTIME_ID);
        const auto made = server_.create(
            {&api::kinds::pod(), "default", fmt::format("{}-{:03}", name, i)}, std::move(pod));
        took.push_back(seconds_of(CLOCK_THREAD_CPUTIME_ID) - before);
        CHECK(made.answer.has_value(), "it is stored");
      }
    });
    return took;
  }
  size_t open_streams() {
    size_t count = 0;
    on_core([&] { count = handler_->open_streams(); });
    return count;
  }

 private:
  void on_core(const std::function<void()>& task) {
    std::promise<void> done;
    core_.post([&] {
      task();
      done.set_value();
    });
    done.get_future().wait();
  }

  posix::PosixClock clock_;
  posix::PosixRandom random_;
  posix::EventLoop core_;
  net::testing::TextLog log_;
  store::Store store_;
  apiserver::Server server_{store_, clock_, random_, api::FeatureGates()};
  std::unique_ptr<apiserver::RestHandler> handler_ = std::make_unique<apiserver::RestHandler>(
      server_, core_, clock_, random_,
      apiserver::Authenticator({{apiserver::digest_of_token("t"),
                                 apiserver::authenticated_user("admin", {"system:masters"})}}),
      apiserver::RestOptions{});
  std::thread thread_;
  std::unique_ptr<net::HttpServer> net_;
};

std::string get(const std::string& target) {
  return "GET " + target +
         " HTTP/1.1\r\nHost: x\r\nUser-Agent: bench\r\nAccept: application/json\r\n"
         "Authorization: Bearer t\r\n\r\n";
}

// A client that reads no more than it must, so that it leaves the processor to the server.
class Connection {
 public:
  explicit Connection(const net::HttpServer& server) : client_(server) {}
  ~Connection() {
    SSL_free(tls_);
    SSL_CTX_free(context_);
  }
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  void start_tls() {
    context_ = SSL_CTX_new(TLS_client_method());
    tls_ = SSL_new(context_);
    SSL_set_fd(tls_, client_.fd());
    CHECK(SSL_connect(tls_) == 1, "handshake");
  }
  void send(const std::string& bytes) {
    if (tls_ != nullptr) {
      CHECK(SSL_write(tls_, bytes.data(), static_cast<int>(bytes.size())) > 0, "write");
    } else {
      client_.send(bytes);
    }
  }
  // Until what has come ends with this.
  size_t receive_until_end(std::string_view end) {
    size_t filled = 0;
    while (filled < end.size() ||
           std::string_view(buffer_).substr(filled - end.size(), end.size()) != end) {
      const size_t room = buffer_.size() - filled;
      const ssize_t got = tls_ != nullptr
                              ? SSL_read(tls_, buffer_.data() + filled, static_cast<int>(room))
                              : ::recv(client_.fd(), buffer_.data() + filled, room, 0);
      CHECK(got > 0, "the server is there");
      filled += static_cast<size_t>(got);
    }
    return filled;
  }
  // Each event ends its line.
  void receive_events(int count) {
    while (count > 0) {
      const ssize_t got = ::recv(client_.fd(), buffer_.data(), buffer_.size(), 0);
      CHECK(got > 0, "the server is there");
      for (ssize_t i = 0; i < got; ++i) {
        count -= last_ == '}' && buffer_[static_cast<size_t>(i)] == '\n' ? 1 : 0;
        last_ = buffer_[static_cast<size_t>(i)];
      }
    }
  }

 private:
  net::testing::Client client_;
  SSL_CTX* context_ = nullptr;
  SSL* tls_ = nullptr;
  std::string buffer_ = std::string(65'536, '\0');
  char last_ = 0;
};

// What the sockets alone cost: a thread that waits, reads a request and sends as many bytes as the
// server would, and knows nothing of HTTP or pods.
class BareEcho {
 public:
  BareEcho(size_t connections, size_t request, std::string answer)
      : request_(request), answer_(std::move(answer)) {
    const int epoll = ::epoll_create1(EPOLL_CLOEXEC);
    for (size_t i = 0; i < connections; ++i) {
      std::array<int, 2> pair = tcp_pair();
      clients_.push_back(pair[0]);
      epoll_event event = {EPOLLIN, {.fd = pair[1]}};
      CHECK(::epoll_ctl(epoll, EPOLL_CTL_ADD, pair[1], &event) == 0, "epoll");
    }
    thread_ = std::thread([this, epoll, connections] { serve(epoll, connections); });
  }
  ~BareEcho() {
    for (const int client : clients_) {
      ::shutdown(client, SHUT_WR);
    }
    thread_.join();
    for (const int client : clients_) {
      ::close(client);
    }
  }
  BareEcho(const BareEcho&) = delete;
  BareEcho& operator=(const BareEcho&) = delete;

  void send(size_t connection) {
    CHECK(::send(clients_[connection], buffer_.data(), request_, 0) == ssize_t(request_), "sent");
  }
  void receive(size_t connection) {
    for (size_t got = 0; got < answer_.size();) {
      const ssize_t count = ::recv(clients_[connection], buffer_.data(), buffer_.size(), 0);
      CHECK(count > 0, "the echo is there");
      got += static_cast<size_t>(count);
    }
  }

 private:
  static std::array<int, 2> tcp_pair() {
    const int listener = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_in address = {};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = ::htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    auto* name = reinterpret_cast<sockaddr*>(&address);
    CHECK(::bind(listener, name, size) == 0 && ::listen(listener, 1) == 0, "it listens");
    CHECK(::getsockname(listener, name, &size) == 0, "it has a port");
    const int client = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    CHECK(::connect(client, name, size) == 0, "connected");
    const int served = ::accept4(listener, nullptr, nullptr, SOCK_CLOEXEC);
    const int now = 1;
    ::setsockopt(client, IPPROTO_TCP, TCP_NODELAY, &now, sizeof now);
    ::setsockopt(served, IPPROTO_TCP, TCP_NODELAY, &now, sizeof now);
    ::close(listener);
    return {client, served};
  }
  void serve(int epoll, size_t open) {
    std::string buffer(65'536, '\0');
    std::array<epoll_event, 64> events = {};
    while (open > 0) {
      const int ready = ::epoll_wait(epoll, events.data(), events.size(), -1);
      for (int i = 0; i < ready; ++i) {
        const int fd = events[static_cast<size_t>(i)].data.fd;
        if (::recv(fd, buffer.data(), buffer.size(), 0) > 0) {
          CHECK(::send(fd, answer_.data(), answer_.size(), 0) == ssize_t(answer_.size()), "sent");
        } else {
          ::close(fd);
          --open;
        }
      }
    }
    ::close(epoll);
  }

  size_t request_;
  std::string answer_;
  std::string buffer_ = std::string(65'536, 'x');
  std::vector<int> clients_;
  std::thread thread_;
};

// The server's CPU time for each request, in several rounds, with so many clients that each wait
// for their answer.
template <class Ask, class Take>
std::vector<double> ask_in_rounds(size_t clients, Ask ask, Take take) {
  std::vector<double> rounds;
  for (int round = 0; round < kRounds; ++round) {
    const double before = server_seconds();
    for (size_t i = 0; i < kGets / clients; ++i) {
      for (size_t client = 0; client < clients; ++client) {
        ask(client);
      }
      for (size_t client = 0; client < clients; ++client) {
        take(client);
      }
    }
    rounds.push_back((server_seconds() - before) * 1e6 / kGets);
  }
  return rounds;
}

void measure_get(bool tls, size_t clients) {
  net::ServerOptions options;
  if (tls) {
    const Time now = posix::PosixClock().now();
    const net::CertifiedKey authority = *net::make_authority("bench", now);
    const net::CertifiedKey own = *net::issue_server(authority, {"127.0.0.1"}, now);
    options.tls =
        *net::TlsContext::make({own.certificate_pem, own.key_pem, authority.certificate_pem});
  }
  Serving serving(options);
  serving.create_pods("p", 1);
  std::vector<std::unique_ptr<Connection>> connections;
  for (size_t i = 0; i < clients; ++i) {
    connections.push_back(std::make_unique<Connection>(serving.net()));
    if (tls) {
      connections.back()->start_tls();
    }
  }
  const std::string request = get("/api/v1/namespaces/default/pods/p-000");
  size_t bytes = 0;
  const std::vector<double> rounds = ask_in_rounds(
      clients, [&](size_t i) { connections[i]->send(request); },
      [&](size_t i) { bytes = connections[i]->receive_until_end("}\n"); });
  BareEcho echo(clients, request.size(), std::string(bytes, 'x'));
  const std::vector<double> bare = ask_in_rounds(
      clients, [&](size_t i) { echo.send(i); }, [&](size_t i) { echo.receive(i); });
  fmt::print(
      "GET of a pod, {}, {} bytes, {} at a time: {:.1f} us of server CPU (best round {:.1f}{}); "
      "as many bytes without a server {:.1f} us (best round {:.1f})\n",
      tls ? "TLS" : "plain", bytes, clients, median(rounds), *std::ranges::min_element(rounds),
      tls ? "" : "; limit 25", median(bare), *std::ranges::min_element(bare));
}

// A server, with so many who watch its pods.
class Watched {
 public:
  explicit Watched(size_t watchers) {
    serving_.create_pods("p", 1);
    for (size_t i = 0; i < watchers; ++i) {
      connections_.push_back(std::make_unique<Connection>(serving_.net()));
      connections_.back()->send(
          get("/api/v1/namespaces/default/pods?watch=true&sendInitialEvents=false"
              "&resourceVersionMatch=NotOlderThan"));
      connections_.back()->receive_until_end("\r\n\r\n");
    }
    CHECK(serving_.open_streams() == watchers, "all watch");
  }

  void write(int batch) {
    const double before = server_seconds();
    for (const double took : serving_.create_pods(fmt::format("q-{:03}", batch), kBatch)) {
      writes_us_.push_back(took * 1e6);
    }
    for (const auto& connection : connections_) {
      connection->receive_events(kBatch);
    }
    all_us_ += (server_seconds() - before) * 1e6;
  }

  // Of the core thread, until the write is done.
  double write_us() const { return median(writes_us_); }
  // Of all threads, for each event that a watcher got, without the write.
  double delivery_us() const {
    const auto writes = static_cast<double>(writes_us_.size());
    return (all_us_ / writes - write_us()) / static_cast<double>(connections_.size());
  }

 private:
  Serving serving_;
  std::vector<std::unique_ptr<Connection>> connections_;
  std::vector<double> writes_us_;
  double all_us_ = 0;
};

// Turn by turn, so that both have the machine as it is at that moment.
void measure_fan_out() {
  Watched one(1);
  Watched many(kMany);
  for (int batch = 0; batch < kBatches; ++batch) {
    one.write(batch);
    many.write(batch);
  }
  fmt::print(
      "a write with 1 watcher {:.1f} us, with {} {:.1f} us, ratio {:.2f} (limit 1.10); each "
      "delivery {:.1f} us with 1, {:.1f} us with {}\n",
      one.write_us(), kMany, many.write_us(), many.write_us() / one.write_us(), one.delivery_us(),
      many.delivery_us(), kMany);
}

}  // namespace
}  // namespace windlass

int main() {
  for (const bool tls : {false, true}) {
    windlass::measure_get(tls, 1);
    windlass::measure_get(tls, 8);
  }
  windlass::measure_fan_out();
  return 0;
}
