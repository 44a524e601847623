// For tests only: a page before an API in virtual time, whose viewers have the rights that a test
// says, and a browser that keeps its cookie and key.
#pragma once

#include <gtest/gtest.h>
#include <simdjson.h>

#include <memory>
#include <set>
#include <string>
#include <utility>
#include <variant>

#include "apiserver/rest/rest_testing.h"
#include "apiserver/testing.h"
#include "dashboard/page_handler.h"
#include "verify/ledgers/memory_ledger.h"

namespace windlass::dashboard {

class FakeBackend final : public Backend {
 public:
  explicit FakeBackend(env::Executor& executor) : executor_(executor) {}

  Result<ViewerPtr> identify(const http::Headers& headers,
                             const http::Peer& /*peer*/) const override {
    if (http::find_header(headers, "Authorization").value_or("") != "Bearer good") {
      return fail(unauthorized());
    }
    auto viewer = std::make_shared<Viewer>();
    viewer->name = "ann";
    viewer->caller = {"ann", http::Caller::Rank::ordinary};
    return viewer;
  }
  void check(const Viewer& /*viewer*/, const Access& access, client::Done<void> done) override {
    const std::string name = access.verb + " " + access.resource +
                             (access.subresource.empty() ? "" : "/" + access.subresource);
    executor_.post([denied = denied.contains(name), done = std::move(done)] {
      denied ? done(fail(forbidden({"", "things", ""}, "no"))) : done({});
    });
  }
  void read_text(const Viewer& viewer, const std::string& path,
                 client::Done<std::string> done) override {
    executor_.post([text = viewer.name + " reads " + path, done = std::move(done)] { done(text); });
  }
  void rerun(const RerunOrder& order, client::Done<std::string> done) override {
    reruns.push_back(order.ns + "/" + order.job + " " + order.indexes.to_string());
    executor_.post([done = std::move(done)] { done(std::string("again")); });
  }

  std::set<std::string> denied;
  std::vector<std::string> reruns;

 private:
  env::Executor& executor_;
};

class PageTest : public ::testing::Test {
 protected:
  struct Reply {
    int status = 0;
    std::string body;
    http::Headers headers;
    std::string header(std::string_view name) const {
      return std::string(http::find_header(headers, name).value_or(""));
    }
  };

  PageTest()
      : page_(api_.client_env(), api_.world.executor(), ledger_, backend_,
              {.guard = {.host_names = {"build1.example.com"}}, .login = "windlass dashboard"}) {}

  // Begins a request; run() goes on until it is answered.
  std::shared_ptr<apiserver::FakeExchange> begin(const std::string& method,
                                                 const std::string& target, http::Headers headers,
                                                 std::string body = "") {
    if (!http::find_header(headers, "Host")) {
      headers.push_back({"Host", "127.0.0.1:6443"});
    }
    if (!body.empty()) {
      headers.push_back({"Content-Length", std::to_string(body.size())});
    }
    auto exchange = std::make_shared<apiserver::FakeExchange>();
    http::Request request{method, target, std::move(headers), std::move(body)};
    request.context = page_.read_head(request, request.peer);
    if (!request.body.empty()) {
      if (auto refused = page_.screen(request, *request.context)) {
        exchange->respond(*std::move(refused));
        return exchange;
      }
    }
    auto prepared = page_.prepare(std::move(request));
    if (auto* response = std::get_if<http::Response>(&prepared)) {
      exchange->respond(std::move(*response));
    } else {
      std::get<std::unique_ptr<http::Call>>(prepared)->run(exchange);
    }
    return exchange;
  }
  Reply run(const std::shared_ptr<apiserver::FakeExchange>& exchange) {
    EXPECT_TRUE(api_.world.run_until([&] { return exchange->answered; }, minutes(1)));
    return {exchange->status, exchange->body, exchange->headers};
  }
  Reply ask(const std::string& method, const std::string& target, http::Headers headers,
            const std::string& body = "") {
    return run(begin(method, target, std::move(headers), body));
  }

  std::string login_token() {
    return text(ask("POST", "/ui/data/logins", {{"Authorization", "Bearer good"}}, "{}").body,
                "token");
  }
  // Logs in, and answers what a browser sends from then on.
  http::Headers log_in() {
    const Reply reply =
        ask("POST", "/ui/data/login", {}, R"({"token":")" + login_token() + R"("})");
    EXPECT_EQ(reply.status, 200) << reply.body;
    const std::string cookie = reply.header("Set-Cookie");
    return {{"Cookie", "theme=dark; " + cookie.substr(0, cookie.find(';'))},
            {"X-Windlass-Key", text(reply.body, "key")},
            {"Sec-Fetch-Site", "same-origin"}};
  }

  std::string text(const std::string& json, std::string_view member) {
    std::string_view found;
    EXPECT_EQ(parser_.parse(json)[member].get(found), simdjson::SUCCESS) << json;
    return std::string(found);
  }

  apiserver::testing::SimulatedApi api_;
  ledger::MemoryLedger ledger_{api_.world.executor()};
  FakeBackend backend_{api_.world.executor()};
  PageHandler page_;
  simdjson::dom::parser parser_;
};

}  // namespace windlass::dashboard
