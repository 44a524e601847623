#include "net/checks/endpoint_checks.h"

#include <fmt/format.h>

#include <utility>

#include "http/message.h"
#include "http/response_parser.h"
#include "net/checks/health_call.h"
#include "net/checks/probe_connection.h"
#include "net/stream/endpoint.h"

namespace windlass::net {
namespace {

constexpr uint16_t kHttpPort = 80;
constexpr uint16_t kHttpsPort = 443;

bool has_control_character(std::string_view text) {
  for (const char c : text) {
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7F) {
      return true;
    }
  }
  return false;
}

// Refuses characters that would break a request's head.
Result<void> check_text(const env::HttpCheck& check) {
  bool good = !has_control_character(check.path) && check.path.find(' ') == std::string::npos;
  for (const auto& [name, value] : check.headers) {
    good = good && !name.empty() && name.find_first_of(" :") == std::string::npos &&
           !has_control_character(name) && !has_control_character(value);
  }
  return good ? Result<void>() : fail(plain_error("malformed HTTP path or header"));
}

std::string request_head(const env::HttpCheck& check) {
  std::string head =
      fmt::format("GET {}{} HTTP/1.1\r\n", check.path.starts_with('/') ? "" : "/", check.path);
  http::Headers given;
  for (const auto& [name, value] : check.headers) {
    given.push_back({name, value});
    head += fmt::format("{}: {}\r\n", name, value);
  }
  if (!http::find_header(given, "Host")) {
    const bool usual = check.port == (check.tls ? kHttpsPort : kHttpPort);
    const Endpoint endpoint{check.address, check.port};
    const std::string text = endpoint.text();
    head += fmt::format("Host: {}\r\n", usual ? text.substr(0, text.rfind(':')) : text);
  }
  if (!http::find_header(given, "User-Agent")) {
    head += "User-Agent: kube-probe/windlass\r\n";
  }
  if (!http::find_header(given, "Accept")) {
    head += "Accept: */*\r\n";
  }
  return head + "Connection: close\r\n\r\n";
}

class HttpExchange final : public ProbeExchange {
 public:
  // What the caller reads once it is over.
  HttpExchange(std::string head, std::shared_ptr<int> status)
      : head_(std::move(head)), status_(std::move(status)) {
    parser_.begin("GET");
  }

  std::string_view output() override { return std::string_view(head_).substr(sent_); }
  void sent(size_t bytes) override { sent_ += bytes; }
  Result<bool> received(std::string_view bytes) override {
    std::string body;
    parser_.feed(bytes, body);
    if (parser_.state() == http::ResponseParser::State::broken) {
      return fail(plain_error("malformed HTTP response: " + parser_.problem()));
    }
    if (parser_.state() == http::ResponseParser::State::head) {
      return false;
    }
    *status_ = parser_.status();
    return true;
  }

 private:
  const std::string head_;
  const std::shared_ptr<int> status_;
  size_t sent_ = 0;
  http::ResponseParser parser_;
};

env::GrpcHealth health_without_answer(const ProbeEnd& end) {
  using How = env::GrpcHealth::How;
  env::GrpcHealth health;
  if (end.timed_out) {
    health.how = end.connected ? How::timed_out : How::unreachable;
  } else {
    health.how = end.connected ? How::failed : How::refused;
  }
  health.message = end.result.error().message;
  return health;
}

}  // namespace

env::NetworkChecks::Handle EndpointChecks::get(const env::HttpCheck& check, Duration timeout,
                                               OnStatus on_status) {
  const auto status = std::make_shared<int>(0);
  auto asked = std::make_shared<ProbeConnection>(
      loop_, [status, on_status = std::move(on_status)](const ProbeEnd& end) {
        on_status(end.result ? Result<int>(*status) : fail(end.result.error()));
      });
  if (const Result<void> good = check_text(check); !good) {
    asked->fail_later(good.error());
    return asked;
  }
  if (check.tls && tls_ == nullptr) {
    auto made = TlsClientContext::make({.verify = false});
    if (!made) {
      asked->fail_later(made.error());
      return asked;
    }
    tls_ = *std::move(made);
  }
  asked->begin(check.address, check.port, timeout,
               std::make_unique<HttpExchange>(request_head(check), status),
               check.tls ? tls_ : nullptr);
  return asked;
}

env::NetworkChecks::Handle EndpointChecks::connect(const std::string& address, uint16_t port,
                                                   Duration timeout, OnConnected on_connected) {
  auto asked = std::make_shared<ProbeConnection>(
      loop_,
      [on_connected = std::move(on_connected)](const ProbeEnd& end) { on_connected(end.result); });
  asked->begin(address, port, timeout, nullptr, nullptr);
  return asked;
}

env::NetworkChecks::Handle EndpointChecks::ask_health(const env::GrpcCheck& check, Duration timeout,
                                                      OnHealth on_health) {
  auto call = std::make_unique<HealthCall>(Endpoint{check.address, check.port}.text(),
                                           check.service, timeout);
  // The check owns the call, and calls back while it lives.
  auto asked = std::make_shared<ProbeConnection>(
      loop_, [call = call.get(), on_health = std::move(on_health)](const ProbeEnd& end) {
        on_health(end.result ? call->answer() : health_without_answer(end));
      });
  asked->begin(check.address, check.port, timeout, std::move(call), nullptr);
  return asked;
}

}  // namespace windlass::net
