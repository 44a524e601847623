// For tests of the HTTP side: an exchange that remembers what it was given, and a server with its
// handler in virtual time. Nothing here opens a socket.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "apiserver/rest/rest_handler.h"
#include "apiserver/server_testing.h"

namespace windlass::apiserver {

// What a client sees of one answer. A test decides how fast the client reads.
class FakeExchange final : public http::Exchange {
 public:
  void respond(http::Response response) override {
    EXPECT_FALSE(answered) << "answered twice";
    answered = true;
    finished = true;
    status = response.status;
    headers = std::move(response.headers);
    body = response.take_body();
  }
  void start(int code, http::Headers with) override {
    EXPECT_FALSE(answered) << "answered twice";
    answered = true;
    status = code;
    headers = std::move(with);
  }
  void write(http::Chunk chunk) override {
    EXPECT_TRUE(answered && !finished) << "written outside of an answer";
    body += *chunk;
    chunks.push_back(std::move(chunk));
    unsent_bytes += reads ? 0 : chunks.back()->size();
    most_unsent = std::max(most_unsent, unsent_bytes);
  }
  void finish() override { finished = true; }
  void abort() override { aborted = true; }
  size_t unsent() const override { return unsent_bytes; }
  void when_unsent_at_most(size_t bytes, std::function<void()> then) override {
    EXPECT_FALSE(when_taken) << "one at a time";
    taken_limit = bytes;
    when_taken = std::move(then);
  }
  void when_closed(std::function<void()> then) override { on_close = std::move(then); }
  void upgrade(const std::string& protocol, http::Headers with) override {
    EXPECT_FALSE(answered) << "answered twice";
    answered = true;
    status = 101;
    upgraded_to = protocol;
    headers = std::move(with);
  }
  void receive(std::function<void(std::string)> then) override {
    EXPECT_FALSE(on_receive) << "one at a time";
    on_receive = std::move(then);
  }

  // The client sends this over its upgraded connection. False when it is not read.
  bool say(std::string bytes) {
    const auto then = std::exchange(on_receive, nullptr);
    if (then) {
      then(std::move(bytes));
    }
    return then != nullptr;
  }

  // The client takes everything that was sent.
  void take() {
    unsent_bytes = 0;
    if (auto then = std::exchange(when_taken, nullptr)) {
      then();
    }
  }
  void close() {
    if (auto then = std::exchange(on_close, nullptr)) {
      then();
    }
  }
  std::string header(std::string_view name) const {
    return std::string(http::find_header(headers, name).value_or(""));
  }

  bool answered = false;
  bool finished = false;
  bool aborted = false;
  int status = 0;
  http::Headers headers;
  std::string body;
  std::vector<http::Chunk> chunks;
  bool reads = true;  // false: the client takes nothing
  size_t unsent_bytes = 0;
  size_t most_unsent = 0;
  size_t taken_limit = 0;
  std::function<void()> when_taken;
  std::function<void()> on_close;
  std::string upgraded_to;
  std::function<void(std::string)> on_receive;
};

class RestTest : public ServerTest {
 protected:
  static constexpr const char* kAdminToken = "admin-token";
  static constexpr const char* kViewerToken = "viewer-token";
  static constexpr const char* kNodeToken = "node-token";

  static Authenticator test_authenticator() {
    return Authenticator(
        {{digest_of_token(kAdminToken), authenticated_user("admin", {"system:masters"})},
         {digest_of_token(kViewerToken), authenticated_user("viewer", {"windlass:viewers"})},
         {digest_of_token(kNodeToken), authenticated_user("system:node:n1", {"system:nodes"})}});
  }

  static http::Request request(std::string method, std::string target, std::string body = "",
                               http::Headers headers = {}) {
    headers.push_back({"Authorization", std::string("Bearer ") + kAdminToken});
    return {std::move(method), std::move(target), std::move(headers), std::move(body), {}};
  }

  // Lets what is posted run; time stands still.
  void settle() {
    while (world.step()) {
    }
  }

  std::shared_ptr<FakeExchange> send(http::Request what) {
    auto exchange = std::make_shared<FakeExchange>();
    begin(std::move(what), exchange);
    settle();
    return exchange;
  }
  void begin(http::Request what, const std::shared_ptr<FakeExchange>& exchange) {
    Prepared prepared = handler.prepare(std::move(what));
    if (auto* response = std::get_if<http::Response>(&prepared)) {
      exchange->respond(std::move(*response));
      return;
    }
    world.executor().post(
        [exchange, call = std::shared_ptr<http::Call>(std::move(
                       std::get<std::unique_ptr<http::Call>>(prepared)))] { call->run(exchange); });
  }
  std::shared_ptr<FakeExchange> get(std::string target, http::Headers headers = {}) {
    return send(request("GET", std::move(target), "", std::move(headers)));
  }
  std::shared_ptr<FakeExchange> post(std::string target, std::string body,
                                     http::Headers headers = {}) {
    return send(request("POST", std::move(target), std::move(body), std::move(headers)));
  }

  RestHandler handler{server,         world.executor(),     world.clock(),
                      world.random(), test_authenticator(), {}};
};

}  // namespace windlass::apiserver
