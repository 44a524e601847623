// Requests to one API server: over one HTTP/2 connection where the server speaks that, else over a
// small, bounded number of HTTP/1.1 connections that are kept and used again. A request waits for
// its turn (request_queue.h says in which order); what the server throttles (429) waits as long as
// it says and goes again. A read whose connection turns out dead is sent once more; a write never
// is, unless it certainly was not applied.
//
// The process ignores SIGPIPE, which a write over TLS could raise.
//
// Lives on the event loop; dialer, loop, clock and random outlive it. Nothing is called after
// destruction.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/weak_self.h"
#include "client/api_client.h"
#include "env/random.h"
#include "http/message.h"
#include "http/rate_limit.h"
#include "remote/server_text.h"
#include "remote/transport/client_connection.h"
#include "remote/transport/dialer.h"
#include "remote/transport/http2_client_connection.h"
#include "remote/transport/request_queue.h"
#include "remote/watch_connections.h"

namespace windlass::remote {

struct HttpRequest {
  std::string method = "GET";
  std::string target = {};  // after the server's base path
  std::string accept = {};
  std::string content_type = {};
  std::string body = {};
  // Of a create: whom it is for. Their creates take turns.
  std::string create_for = {};
  // A 429 is its answer, and tells nothing about others: a server has limits for events alone.
  bool best_effort = false;
  // Asked at the moment it would leave, also after it had to wait; empty: always.
  std::function<bool()> may_send = {};
};

class Transport {
 public:
  struct Options {
    size_t connections = 32;  // over HTTP/1.1, each with one request at a time
    // Over HTTP/2: requests at a time, if the server lets us, and when a silent one is given up.
    Http2ClientConnection::Options http2 = {};
    double requests_per_second = 0;  // 0: no limit but the connections
    double burst = 0;
    Duration request_timeout = seconds(60);  // as kube-apiserver's own
    std::string user_agent = "windlass";
    // Counts: every answer with its status, 0 for a request that got none.
    std::function<void(std::string_view method, int status)> on_answer = {};
  };
  static constexpr size_t kMaxWaiting = 100'000;                        // requests
  static constexpr size_t kMaxAnswerBytes = size_t{256} * 1024 * 1024;  // a list of everything
  static constexpr int kMaxThrottled = 10;                              // times, of one request
  static constexpr int kMaxRefused = 5;  // times, of one request that the server did not begin with
  static constexpr Duration kMaxRetryAfter = seconds(60);
  // Those that the server has told to come back at the same time are spread over so much more of
  // it.
  static constexpr double kRetrySpread = 0.5;            // of what it said
  static constexpr Duration kIdleTimeout = seconds(60);  // less than servers keep connections

  using Done = std::function<void(Result<HttpAnswer>)>;

  Transport(posix::EventLoop& loop, env::Clock& clock, env::Random& random, Dialer& dialer,
            Options options);
  ~Transport();
  Transport(const Transport&) = delete;
  Transport& operator=(const Transport&) = delete;

  // An answer of any status is an answer. An error is client::not_sent(), or means that the request
  // may have been applied.
  void send(HttpRequest request, Done done);
  // How to show what the server says, without the token of now.
  ServerText server_text();

  // Requests that have no answer yet.
  size_t pending() const { return exchanges_.size(); }
  size_t open_connections() const { return connections_.size(); }

  Dialer& dialer() { return dialer_; }
  WatchConnections& watch_connections() { return watch_connections_; }
  posix::EventLoop& loop() { return loop_; }
  const Options& options() const { return options_; }
  // The head of a request, with all that the server wants to know; an error without credentials.
  // Valid as long as the request.
  Result<RequestHead> head_of(const HttpRequest& request);

 private:
  class Exchange;
  struct Idle {
    std::shared_ptr<ClientConnection> connection;
    MonotonicTime since;
  };

  void pump();
  void send_waiting();
  // Takes no more requests over connections that show the server an old certificate: it judges the
  // certificate with every request, but sees a new one only with a new connection.
  void retire_old();
  bool has_free() const;
  // False while the credentials are being fetched; then pump() comes again by itself.
  bool has_credentials();
  void on_credentials(const Result<void>& ready);
  // The server has too much to do: no request leaves before that time.
  void throttle(Duration delay);
  Duration spread_of(Duration delay);
  // False when the next request has to wait for its turn; then pump() comes again by itself.
  bool within_limit();
  // Only if there is one.
  std::shared_ptr<ClientConnection> take_free();
  void dial();
  size_t wanted_connections() const;
  void on_dialed(uint64_t id, Result<Dialer::Dialed> dialed);
  void fail_waiting(const Status& why);
  void on_free(const std::shared_ptr<ClientConnection>& connection);
  void on_changed(ClientConnection* connection);
  void forget_connection(const ClientConnection* connection);
  void close_idle();
  void count(std::string_view method, int status) const;
  void wait_again(Exchange& exchange, bool first);
  void finish(Exchange& exchange, Result<HttpAnswer> answer);

  posix::EventLoop& loop_;
  env::Clock& clock_;
  env::Random& random_;
  Dialer& dialer_;
  const Options options_;
  uint64_t last_id_ = 0;
  std::map<uint64_t, std::shared_ptr<Exchange>> exchanges_;
  RequestQueue waiting_;  // may name some that are gone
  std::map<const ClientConnection*, std::shared_ptr<ClientConnection>> connections_;
  std::shared_ptr<ClientConnection>
      shared_;                 // the HTTP/2 connection that takes requests, if there is one
  std::optional<bool> http2_;  // what the server spoke last; nothing before it was asked
  std::vector<Idle> idle_;     // the one used last is the next
  std::map<uint64_t, std::shared_ptr<void>> dials_;
  env::TimerId idle_timer_ = env::TimerId::none;
  bool preparing_ = false;
  bool pumping_ = false;  // it is posted
  http::RateLimit limit_;
  MonotonicTime throttled_until_;
  env::TimerId limit_timer_ = env::TimerId::none;
  WatchConnections watch_connections_;
  WeakSelf<Transport> self_{this};
};

}  // namespace windlass::remote
