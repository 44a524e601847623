#include "remote/transport/transport.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <utility>

#include "base/generator.h"
#include "remote/transport/http1_client_connection.h"

namespace windlass::remote {
namespace {

bool is_read(const HttpRequest& request) {
  return request.method == "GET" || request.method == "HEAD";
}

// Of a header in seconds; a date, or nonsense, is a second.
Duration retry_after(const http::Headers& headers) {
  int64_t told = 1;
  if (const auto value = http::find_header(headers, "Retry-After")) {
    std::from_chars(value->data(), value->data() + value->size(), told);
  }
  return std::clamp<Duration>(seconds(told), seconds(1), Transport::kMaxRetryAfter);
}

}  // namespace

// One request from send() to its answer.
class Transport::Exchange final : public AnswerSink {
 public:
  Exchange(Transport& owner, uint64_t id, HttpRequest request, Done done)
      : owner_(owner), id_(id), request_(std::move(request)), done_(std::move(done)) {
    arm();
  }
  ~Exchange() override {
    owner_.loop_.cancel(timer_);
    if (channel_ != nullptr) {
      channel_->cancel(*this);
    }
  }

  void run_on(const std::shared_ptr<ClientConnection>& channel) {
    if (request_.may_send && !request_.may_send()) {
      owner_.on_free(channel);
      return owner_.finish(*this, fail(client::not_sent("it may not be sent any more")));
    }
    const auto head = owner_.head_of(request_);
    if (!head) {
      owner_.on_free(channel);
      return owner_.finish(*this, fail(client::not_sent(head.error().message)));
    }
    channel_ = channel;
    arm();
    channel->send(*head, request_.body, *this);
  }

  bool on_more(HttpAnswer& answer) override {
    if (answer.body.size() <= kMaxAnswerBytes) {
      return true;
    }
    cancel();
    lose(fmt::format("the answer has more than {} bytes", kMaxAnswerBytes), true);
    return false;
  }

  void on_complete(HttpAnswer answer) override {
    owner_.count(request_.method, answer.status);
    owner_.on_free(std::exchange(channel_, nullptr));
    if (answer.status == 429 && !request_.best_effort && ++throttled_ <= kMaxThrottled) {
      const Duration delay = retry_after(answer.headers);
      owner_.throttle(delay);
      return wait(delay + owner_.spread_of(delay));
    }
    if (answer.status == 401 && !std::exchange(denied_, true) &&
        owner_.dialer_.credentials().reread()) {
      return owner_.wait_again(*this, true);
    }
    owner_.finish(*this, std::move(answer));
  }

  void on_lost(const Loss& loss) override {
    const auto channel = std::exchange(channel_, nullptr);
    owner_.on_free(channel);
    if (loss.refused && refused_++ < kMaxRefused) {
      return owner_.wait_again(*this, true);
    }
    // A connection that was kept may have been ended by the server at the same moment.
    const bool was_stale = channel->requests() > 1 && !loss.heard && !loss.refused;
    if (was_stale && (is_read(request_) || !loss.left) && !std::exchange(sent_again_, true)) {
      return owner_.wait_again(*this, true);
    }
    lose(loss.why, loss.left);
  }

  // Its time runs anew, if it waits for its turn: what a plugin takes is no fault of the server.
  void begin_anew() {
    if (channel_ == nullptr && !throttled_now_) {
      arm();
    }
  }

  uint64_t id() const { return id_; }
  const std::string& create_for() const { return request_.create_for; }
  Done take_done() { return std::exchange(done_, nullptr); }

 private:
  void lose(const std::string& why, bool left) {
    owner_.count(request_.method, 0);
    const std::string text = fmt::format("{} {}: {}", request_.method, request_.target, why);
    owner_.finish(*this, fail(left ? plain_error(text) : client::not_sent(text)));
  }

  // Answers whether it may have been applied.
  bool cancel() {
    const auto channel = std::exchange(channel_, nullptr);
    if (channel == nullptr) {
      return false;
    }
    const bool left = channel->cancel(*this);
    owner_.on_free(channel);
    return left;
  }

  void wait(Duration delay) {
    throttled_now_ = true;
    owner_.loop_.cancel(timer_);
    timer_ = owner_.loop_.schedule(delay, [this] {
      throttled_now_ = false;
      arm();
      owner_.wait_again(*this, false);
    });
  }

  // The time runs anew when it leaves: waiting for a connection is no fault of the server.
  void arm() {
    owner_.loop_.cancel(timer_);
    timer_ = owner_.loop_.schedule(owner_.options_.request_timeout, [this] {
      if (channel_ == nullptr && owner_.preparing_) {
        return arm();  // the plugin has a time limit of its own
      }
      const bool left = cancel();
      lose("no answer in time", left);
    });
  }

  Transport& owner_;
  const uint64_t id_;
  HttpRequest request_;
  Done done_;
  std::shared_ptr<ClientConnection> channel_;  // while it is on its way
  env::TimerId timer_ = env::TimerId::none;
  int throttled_ = 0;
  bool throttled_now_ = false;
  int refused_ = 0;
  bool denied_ = false;
  bool sent_again_ = false;
};

Transport::Transport(posix::EventLoop& loop, env::Clock& clock, env::Random& random, Dialer& dialer,
                     Options options)
    : loop_(loop),
      clock_(clock),
      random_(random),
      dialer_(dialer),
      options_(std::move(options)),
      limit_(options_.requests_per_second, options_.burst),
      watch_connections_(loop, clock, dialer, options_.http2) {}

Transport::~Transport() {
  loop_.cancel(idle_timer_);
  loop_.cancel(limit_timer_);
  exchanges_.clear();
  for (const auto& [key, connection] : connections_) {
    connection->close();
  }
}

Result<RequestHead> Transport::head_of(const HttpRequest& request) {
  const ServerUrl& server = dialer_.credentials().access().server;
  RequestHead head;
  TRY(head.authorization, dialer_.credentials().authorization());
  head.method = request.method;
  head.tls = server.tls;
  head.authority = server.authority();
  head.path = server.base_path + request.target;
  head.user_agent = options_.user_agent;
  head.accept = request.accept.empty() ? std::string_view("*/*") : request.accept;
  head.has_body = !is_read(request);
  head.content_type = request.content_type;
  return head;
}

ServerText Transport::server_text() {
  return ServerText(dialer_.credentials().authorization().value_or(""));
}

void Transport::send(HttpRequest request, Done done) {
  if (exchanges_.size() >= kMaxWaiting) {
    loop_.post(self_.bind([done = std::move(done)](Transport&) {
      done(fail(client::not_sent("too many requests wait for the API server")));
    }));
    return;
  }
  const uint64_t id = ++last_id_;
  waiting_.push(id, request.create_for);
  exchanges_.emplace(id,
                     std::make_shared<Exchange>(*this, id, std::move(request), std::move(done)));
  pump();
}

void Transport::count(std::string_view method, int status) const {
  if (options_.on_answer) {
    options_.on_answer(method, status);
  }
}

void Transport::wait_again(Exchange& exchange, bool first) {
  first ? waiting_.push_front(exchange.id()) : waiting_.push(exchange.id(), exchange.create_for());
  pump();
}

// Later, so that no caller is called back from inside its own call.
void Transport::pump() {
  if (std::exchange(pumping_, true)) {
    return;
  }
  loop_.post(self_.bind([](Transport& transport) {
    transport.pumping_ = false;
    transport.send_waiting();
  }));
}

void Transport::retire_old() {
  const uint64_t now = dialer_.credentials().tls_generation();
  if (shared_ != nullptr && shared_->tls_generation() != now) {
    shared_ = nullptr;  // it ends what it has begun
  }
  for (const Idle& idle : std::vector<Idle>(idle_)) {
    if (idle.connection->tls_generation() != now) {
      idle.connection->close();
      forget_connection(idle.connection.get());
    }
  }
}

void Transport::send_waiting() {
  retire_old();
  while (!waiting_.empty()) {
    const auto found = exchanges_.find(waiting_.front());
    if (found == exchanges_.end()) {
      waiting_.pop();
      continue;
    }
    if (!has_credentials()) {
      return;
    }
    if (!has_free()) {
      return dial();
    }
    if (!within_limit()) {
      return;
    }
    waiting_.pop();
    const auto exchange = found->second;
    exchange->run_on(take_free());
  }
}

bool Transport::has_free() const {
  return (shared_ != nullptr && shared_->room() > 0) || !idle_.empty();
}

std::shared_ptr<ClientConnection> Transport::take_free() {
  if (shared_ != nullptr && shared_->room() > 0) {
    return shared_;
  }
  const auto connection = std::move(idle_.back().connection);
  idle_.pop_back();
  return connection;
}

bool Transport::has_credentials() {
  dialer_.credentials().refresh();
  if (dialer_.credentials().ready()) {
    return true;
  }
  if (!std::exchange(preparing_, true)) {
    dialer_.credentials().prepare(self_.bind(&Transport::on_credentials));
  }
  return false;
}

void Transport::on_credentials(const Result<void>& ready) {
  preparing_ = false;
  if (ready) {
    for (const auto& [id, exchange] : exchanges_) {
      exchange->begin_anew();
    }
  } else {
    fail_waiting(client::not_sent(ready.error().message));
  }
  pump();
}

bool Transport::within_limit() {
  if (limit_timer_ != env::TimerId::none) {
    return false;
  }
  const MonotonicTime now = clock_.monotonic();
  const Duration wait = now < throttled_until_ ? throttled_until_ - now : limit_.take(now);
  if (wait == Duration::zero()) {
    return true;
  }
  limit_timer_ = loop_.schedule(wait, [this] {
    limit_timer_ = env::TimerId::none;
    pump();
  });
  return false;
}

// Otherwise those that wait would take the places of those that were told to, without a bound.
void Transport::throttle(Duration delay) {
  throttled_until_ = std::max(throttled_until_, clock_.monotonic() + delay);
}

Duration Transport::spread_of(Duration delay) {
  const auto most = static_cast<uint64_t>(static_cast<double>(delay.count()) * kRetrySpread);
  return Duration(static_cast<int64_t>(uniform(random_, most + 1)));
}

// One at first, to hear what the server speaks.
size_t Transport::wanted_connections() const {
  if (!http2_.value_or(true)) {
    return options_.connections;
  }
  // What goes away still carries what it began with.
  const size_t others = connections_.size() - (shared_ == nullptr ? 0 : 1);
  return others + 1;
}

void Transport::dial() {
  while (dials_.size() < waiting_.size() &&
         connections_.size() + dials_.size() < wanted_connections()) {
    const uint64_t id = ++last_id_;
    dials_[id] = dialer_.dial(
        [this, id](Result<Dialer::Dialed> dialed) { on_dialed(id, std::move(dialed)); });
  }
}

void Transport::on_dialed(uint64_t id, Result<Dialer::Dialed> dialed) {
  const auto dial = dials_.extract(id);  // it is still on the stack
  if (!dialed) {
    // With others open there is hope; without, the senders may try again as they see fit.
    const bool hope = std::any_of(connections_.begin(), connections_.end(),
                                  [](const auto& each) { return each.second->usable(); });
    if (!hope && dials_.empty()) {
      fail_waiting(client::not_sent(dialed.error().message));
    }
    return;
  }
  http2_ = dialed->stream->protocol() == net::kHttp2;
  // Several are dialed where HTTP/1.1 was spoken before; of those that turn out to be shared by all
  // requests one is enough.
  if (*http2_ && shared_ != nullptr && shared_->usable() &&
      shared_->tls_generation() == dialed->tls_generation) {
    return pump();
  }
  std::shared_ptr<ClientConnection> connection;
  if (*http2_) {
    connection = std::make_shared<Http2ClientConnection>(loop_, clock_, std::move(dialed->stream),
                                                         options_.http2);
    shared_ = connection;
  } else {
    connection = std::make_shared<Http1ClientConnection>(loop_, std::move(dialed->stream));
  }
  connection->made_with(dialed->tls_generation);
  connection->when_changed([this, key = connection.get()] { on_changed(key); });
  connection->start();
  connections_.emplace(connection.get(), connection);
  on_free(connection);
}

void Transport::fail_waiting(const Status& why) {
  for (const uint64_t id : waiting_.take_all()) {
    if (const auto found = exchanges_.find(id); found != exchanges_.end()) {
      const auto exchange = found->second;
      finish(*exchange, fail(why));
    }
  }
}

// A request on it has ended, or it is new.
void Transport::on_free(const std::shared_ptr<ClientConnection>& connection) {
  if (connection->closed()) {
    return forget_connection(connection.get());
  }
  if (!connection->shares() && connection->room() > 0) {
    idle_.push_back({connection, clock_.monotonic()});
    if (idle_timer_ == env::TimerId::none) {
      idle_timer_ = loop_.schedule(kIdleTimeout, [this] { close_idle(); });
    }
  }
  if (!waiting_.empty()) {
    pump();
  }
}

void Transport::on_changed(ClientConnection* connection) {
  if (connection->closed()) {
    return forget_connection(connection);
  }
  if (connection == shared_.get() && !connection->usable()) {
    shared_ = nullptr;  // it ends what it has begun
  }
  if (!waiting_.empty()) {
    pump();
  }
}

void Transport::close_idle() {
  idle_timer_ = env::TimerId::none;
  const MonotonicTime now = clock_.monotonic();
  while (!idle_.empty() && now - idle_.front().since >= kIdleTimeout) {
    const auto connection = idle_.front().connection;
    connection->close();
    forget_connection(connection.get());
  }
  if (!idle_.empty()) {
    idle_timer_ = loop_.schedule(kIdleTimeout / 2, [this] { close_idle(); });
  }
}

void Transport::forget_connection(const ClientConnection* connection) {
  if (connection == shared_.get()) {
    shared_ = nullptr;
  }
  std::erase_if(idle_,
                [connection](const Idle& idle) { return idle.connection.get() == connection; });
  connections_.erase(connection);
  if (!waiting_.empty()) {
    pump();
  }
}

void Transport::finish(Exchange& exchange, Result<HttpAnswer> answer) {
  const auto keep = exchanges_.extract(exchange.id());
  if (const Done done = exchange.take_done()) {
    done(std::move(answer));
  }
}

}  // namespace windlass::remote
