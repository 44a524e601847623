// For tests only: a cluster as `windlass controller` finds one. The whole control plane with hollow
// nodes, behind TLS, on a thread of its own; and what may happen between a client and it: requests
// refused, lost, answered halfway or late, watches cut.
#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <future>
#include <map>
#include <memory>
#include <string>
#include <thread>
#include <utility>

#include "apiserver/rest/rest_handler.h"
#include "net/http_server.h"
#include "net/testing.h"
#include "net/tls/certificates.h"
#include "node/hollow/hollow_nodes.h"
#include "plane/control_plane.h"
#include "posix/event_loop.h"
#include "posix/files/posix_files.h"
#include "posix/posix_clock.h"
#include "posix/posix_random.h"
#include "remote/cluster_access.h"
#include "store/store.h"

namespace windlass::cli::testing {

struct Fault {
  enum class Harm {
    none,
    refuse,        // with `status`; nothing is done
    lose_request,  // the connection ends; nothing is done
    lose_answer,   // all is done; the connection ends
    cut_answer,    // in the middle of its body, or of a watch after `events`
    late,          // all is done after `delay`
  };
  Harm harm = Harm::none;
  int status = 503;
  http::Headers headers = {};
  Duration delay = seconds(1);
  size_t events = 2;
};

// Asked on the cluster's thread, for every request.
using ChooseFault = std::function<Fault(const http::Request&)>;

// As an API server refuses: a Status with the reason that goes with the code.
inline http::Response refusal(const Fault& fault) {
  const std::map<int, std::string> reasons = {
      {406, "NotAcceptable"},     {415, "UnsupportedMediaType"},
      {401, "Unauthorized"},      {409, "Conflict"},
      {410, "Expired"},           {422, "Invalid"},
      {429, "TooManyRequests"},   {500, "InternalError"},
      {503, "ServiceUnavailable"}};
  http::Response response{fault.status, fault.headers, {}};
  response.headers.push_back({"Content-Type", "application/json"});
  response.body = R"({"kind":"Status","apiVersion":"v1","status":"Failure","code":)" +
                  std::to_string(fault.status) + R"(,"reason":")" + reasons.at(fault.status) +
                  R"(","message":"refused by the test"})";
  return response;
}

// Passes an answer on until it is to be cut.
class FaultyExchange final : public http::Exchange,
                             public std::enable_shared_from_this<FaultyExchange> {
 public:
  FaultyExchange(env::Executor& executor, std::shared_ptr<http::Exchange> inner, Fault fault)
      : executor_(executor), inner_(std::move(inner)), fault_(std::move(fault)) {}

  void respond(http::Response response) override {
    switch (fault_.harm) {
      case Fault::Harm::lose_answer:
        return inner_->abort();
      case Fault::Harm::cut_answer: {
        const std::string body = response.take_body();
        inner_->start(response.status, response.headers);
        inner_->write(std::make_shared<const std::string>(body.substr(0, body.size() / 2)));
        return inner_->abort();
      }
      default:
        inner_->respond(std::move(response));
    }
  }
  void start(int status, http::Headers headers) override {
    inner_->start(status, std::move(headers));
  }
  void write(http::Chunk chunk) override {
    if (cut_) {
      return;
    }
    if (fault_.harm == Fault::Harm::cut_answer && written_++ == fault_.events) {
      cut_ = true;
      // Half a frame, as a connection does that breaks.
      inner_->write(std::make_shared<const std::string>(chunk->substr(0, chunk->size() / 2)));
      inner_->abort();
      executor_.post([self = shared_from_this()] { self->tell_closed(); });
      return;
    }
    inner_->write(std::move(chunk));
  }
  void finish() override {
    if (!cut_) {
      inner_->finish();
      const auto forgotten = std::exchange(closed_, nullptr);
    }
  }
  void abort() override {
    inner_->abort();
    const auto forgotten = std::exchange(closed_, nullptr);
  }
  size_t unsent() const override { return cut_ ? 0 : inner_->unsent(); }
  void when_unsent_at_most(size_t bytes, std::function<void()> then) override {
    if (!cut_) {
      inner_->when_unsent_at_most(bytes, std::move(then));
    }
  }
  void when_closed(std::function<void()> then) override {
    closed_ = std::move(then);
    inner_->when_closed([weak = weak_from_this()] {
      if (const auto self = weak.lock()) {
        self->tell_closed();
      }
    });
  }

 private:
  void tell_closed() {
    if (const auto closed = std::exchange(closed_, nullptr)) {
      closed();
    }
  }

  env::Executor& executor_;
  std::shared_ptr<http::Exchange> inner_;
  const Fault fault_;
  std::function<void()> closed_;
  size_t written_ = 0;
  bool cut_ = false;
};

class FaultyHandler final : public http::Handler {
 public:
  FaultyHandler(env::Executor& executor, const http::Handler& inner)
      : executor_(executor), inner_(inner) {}

  std::shared_ptr<http::RequestContext> read_head(const http::Request& head,
                                                  const http::Peer& peer) const override {
    return inner_.read_head(head, peer);
  }
  std::variant<http::Response, std::unique_ptr<http::Call>> prepare(
      http::Request request) const override {
    http::Request seen{request.method, request.target, request.headers, "", request.peer};
    auto prepared = inner_.prepare(std::move(request));
    return std::make_unique<FaultyCall>(*this, std::move(seen), std::move(prepared));
  }

  ChooseFault choose = [](const http::Request&) { return Fault(); };

 private:
  using Prepared = std::variant<http::Response, std::unique_ptr<http::Call>>;

  class FaultyCall final : public http::Call {
   public:
    FaultyCall(const FaultyHandler& owner, http::Request request, Prepared prepared)
        : owner_(owner),
          request_(std::move(request)),
          prepared_(std::make_shared<Prepared>(std::move(prepared))) {}

    void run(std::shared_ptr<http::Exchange> exchange) override {
      const Fault fault = owner_.choose(request_);
      if (fault.harm == Fault::Harm::refuse) {
        return exchange->respond(refusal(fault));
      }
      if (fault.harm == Fault::Harm::lose_request) {
        return exchange->abort();
      }
      auto faulty = std::make_shared<FaultyExchange>(owner_.executor_, exchange, fault);
      const auto pass = [prepared = prepared_, faulty] {
        if (auto* response = std::get_if<http::Response>(prepared.get())) {
          faulty->respond(std::move(*response));
        } else {
          std::get<std::unique_ptr<http::Call>>(*prepared)->run(faulty);
        }
      };
      if (fault.harm == Fault::Harm::late) {
        owner_.executor_.schedule(fault.delay, pass);
      } else {
        pass();
      }
    }

   private:
    const FaultyHandler& owner_;
    const http::Request request_;
    std::shared_ptr<Prepared> prepared_;
  };

  env::Executor& executor_;
  const http::Handler& inner_;
};

// Both are good for an administrator.
inline constexpr const char* kOldToken = "an-older-token";
inline constexpr const char* kNewToken = "a-newer-token";

class TestCluster {
 public:
  explicit TestCluster(size_t nodes = 2)
      : loop_(clock_), authority_(*net::make_authority("ca", clock_.now())) {
    thread_ = std::thread([this, nodes] { run(nodes); });
    ready_.get_future().wait();
  }
  ~TestCluster() {
    loop_.stop();
    thread_.join();
  }
  TestCluster(const TestCluster&) = delete;
  TestCluster& operator=(const TestCluster&) = delete;

  // As an administrator.
  remote::ClusterAccess access(const std::string& name = "admin") const {
    remote::ClusterAccess access;
    access.server = {true, endpoint_.address, endpoint_.port, ""};
    access.authority_pem = authority_.certificate_pem;
    const auto admin = *net::issue_client(authority_, name, {std::string(apiserver::kAdminGroup)},
                                          posix::PosixClock().now());
    access.certificate_pem = admin.certificate_pem;
    access.key_pem = admin.key_pem;
    return access;
  }

  // From now on.
  void choose_faults(ChooseFault choose) {
    on_core([&] { faults_->choose = std::move(choose); });
  }
  // Closes every connection; the server answers nothing until resume().
  void pause() {
    on_core([this] { http_.reset(); });
  }
  void resume() {
    on_core([this] { serve(); });
  }

 private:
  void on_core(const std::function<void()>& task) {
    std::promise<void> done;
    loop_.post([&] {
      task();
      done.set_value();
    });
    done.get_future().wait();
  }

  void serve() {
    const auto certified = *net::issue_server(authority_, {"127.0.0.1"}, clock_.now());
    net::ServerOptions options;
    options.endpoint = endpoint_;
    options.tls = *net::TlsContext::make(
        {certified.certificate_pem, certified.key_pem, authority_.certificate_pem});
    auto started = net::HttpServer::start({loop_, clock_, log_}, *faults_, options);
    ASSERT_TRUE(started.has_value()) << started.error().message;
    http_ = *std::move(started);
    endpoint_ = http_->endpoint();
  }

  static apiserver::TokenEntry admin(const char* token) {
    return {apiserver::digest_of_token(token),
            apiserver::authenticated_user("admin", {std::string(apiserver::kAdminGroup)})};
  }

  void run(size_t nodes) {
    posix::PosixFiles files;
    const env::Env env{clock_, random_, loop_, log_, files};
    store::Store store;
    plane::ControlPlane plane(env, store, {});
    apiserver::RestHandler rest(plane.server(), loop_, clock_, random_,
                                apiserver::Authenticator({admin(kOldToken), admin(kNewToken)}), {});
    faults_ = std::make_unique<FaultyHandler>(loop_, rest);
    serve();
    plane.start();
    node::hollow::HollowOptions hollow;
    for (size_t i = 0; i < nodes; ++i) {
      hollow.nodes.push_back(node::hollow::hollow_config(i));
    }
    node::hollow::HollowNodes hollow_nodes(plane.client_env(), std::move(hollow));
    hollow_nodes.start([this] { ready_.set_value(); });
    loop_.run();
    http_.reset();
  }

  posix::PosixClock clock_;
  posix::PosixRandom random_;
  posix::EventLoop loop_;
  net::testing::TextLog log_;
  net::CertifiedKey authority_;
  net::Endpoint endpoint_ = {"127.0.0.1", 0};
  std::unique_ptr<FaultyHandler> faults_;
  std::unique_ptr<net::HttpServer> http_;
  std::promise<void> ready_;
  std::thread thread_;
};

}  // namespace windlass::cli::testing
