// Attempts over HTTP: docs/reference/ledger.md.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "apiserver/rest/rest_testing.h"
#include "schema/ledger/v1/attempt.pb.h"
#include "verify/ledgers/memory_ledger.h"

namespace windlass::apiserver {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

constexpr const char* kAttempts = "/apis/ledger.windlass.dev/v1/namespaces/batch/attempts";

class AttemptCallsTest : public RestTest {
 protected:
  AttemptCallsTest() {
    for (int i = 0; i < 3; ++i) {
      auto attempt = std::make_shared<api::ledger::v1::Attempt>();
      attempt->mutable_metadata()->set_namespace_(i == 2 ? "other" : "batch");
      attempt->mutable_metadata()->set_name("uid-" + std::to_string(i));
      attempt->mutable_job()->set_name("train");
      attempt->set_index(i);
      attempt->set_number(1);
      attempt->set_pod_name("train-" + std::to_string(i));
      attempt->mutable_ended_at()->set_seconds(unix_seconds(world.clock().now()) - 60 + i);
      auto* container = attempt->add_containers();
      container->set_name("main");
      container->set_exit_code(40 + i);
      container->set_reason("Error");
      attempt->mutable_verdict()->set_counted("Failed");
      ledger_.record(attempt, [](const Result<void>&) {});
    }
  }

  std::shared_ptr<FakeExchange> ask(const std::string& method, const std::string& target,
                                    http::Headers headers = {}, std::string body = "") {
    return ask_as(kAdminToken, method, target, std::move(headers), std::move(body));
  }
  std::shared_ptr<FakeExchange> ask_as(const std::string& token, const std::string& method,
                                       const std::string& target, http::Headers headers = {},
                                       std::string body = "") {
    headers.push_back({"Authorization", "Bearer " + token});
    auto exchange = std::make_shared<FakeExchange>();
    Prepared prepared = handler_.prepare({method, target, std::move(headers), std::move(body), {}});
    if (auto* response = std::get_if<http::Response>(&prepared)) {
      exchange->respond(std::move(*response));
    } else {
      std::get<std::unique_ptr<http::Call>>(prepared)->run(exchange);
      settle();
    }
    return exchange;
  }
  static RestOptions with(ledger::AttemptSource& attempts) {
    RestOptions options;
    options.hooks.attempts = &attempts;
    return options;
  }

  ledger::MemoryLedger ledger_{world.executor()};
  RestHandler handler_{server,         world.executor(),     world.clock(),
                       world.random(), test_authenticator(), with(ledger_)};
};

TEST_F(AttemptCallsTest, ListsThoseOfANamespaceOrOfAll) {
  const auto list = ask("GET", kAttempts);
  EXPECT_EQ(list->status, 200);
  EXPECT_THAT(list->body,
              StartsWith(R"({"kind":"AttemptList","apiVersion":"ledger.windlass.dev/v1")"));
  EXPECT_THAT(list->body, AllOf(HasSubstr("uid-0"), HasSubstr("uid-1"), Not(HasSubstr("uid-2"))));
  const auto all = ask("GET", "/apis/ledger.windlass.dev/v1/attempts");
  EXPECT_THAT(all->body, AllOf(HasSubstr("uid-0"), HasSubstr("uid-2")));
}

TEST_F(AttemptCallsTest, SelectsByFields) {
  const auto one = ask("GET", std::string(kAttempts) + "?fieldSelector=exitCode%3D41");
  EXPECT_THAT(one->body, AllOf(HasSubstr("uid-1"), Not(HasSubstr("uid-0"))));
  const auto unknown = ask("GET", std::string(kAttempts) + "?fieldSelector=spec.zork%3D1");
  EXPECT_EQ(unknown->status, 400);
  EXPECT_THAT(unknown->body, HasSubstr("field label not supported: spec.zork"));
  EXPECT_EQ(ask("GET", std::string(kAttempts) + "?labelSelector=a%3Db")->status, 400);
  EXPECT_EQ(
      ask("GET", std::string(kAttempts) + "?fieldSelector=metadata.namespace%3Dother")->status,
      400);
}

TEST_F(AttemptCallsTest, GivesPages) {
  const auto first = ask("GET", std::string(kAttempts) + "?limit=1");
  EXPECT_THAT(first->body,
              AllOf(HasSubstr("uid-0"), HasSubstr(R"("continue":"1")"), Not(HasSubstr("uid-1"))));
  const auto second = ask("GET", std::string(kAttempts) + "?limit=1&continue=1");
  EXPECT_THAT(second->body,
              AllOf(HasSubstr("uid-1"), Not(HasSubstr("uid-0")), Not(HasSubstr(R"("continue")"))));
  EXPECT_EQ(ask("GET", std::string(kAttempts) + "?limit=1&continue=zork")->status, 400);
  EXPECT_EQ(ask("GET", std::string(kAttempts) + "?limit=x")->status, 400);
}

TEST_F(AttemptCallsTest, GetsOneByTheUidOfItsPod) {
  const auto one = ask("GET", std::string(kAttempts) + "/uid-1");
  EXPECT_EQ(one->status, 200);
  EXPECT_THAT(one->body,
              AllOf(StartsWith(R"({"kind":"Attempt","apiVersion":"ledger.windlass.dev/v1")"),
                    HasSubstr(R"("podName":"train-1")")));
  const auto elsewhere = ask("GET", std::string(kAttempts) + "/uid-2");
  EXPECT_EQ(elsewhere->status, 404);
  EXPECT_THAT(elsewhere->body, HasSubstr(R"(attempts.ledger.windlass.dev \"uid-2\" not found)"));
}

TEST_F(AttemptCallsTest, ShowsTables) {
  const http::Headers accept = {
      {"Accept", "application/json;as=Table;v=v1;g=meta.k8s.io,application/json"}};
  const auto table = ask("GET", kAttempts, accept);
  EXPECT_THAT(table->body,
              AllOf(StartsWith(R"({"kind":"Table","apiVersion":"meta.k8s.io/v1")"),
                    HasSubstr(R"("cells":["uid-0","train","0",1,"Failed","40","Error","60s",)"
                              R"("train-0","\u003cnone\u003e","\u003cnone\u003e"])")));
  EXPECT_THAT(ask("GET", std::string(kAttempts) + "/uid-1", accept)->body,
              HasSubstr(R"("cells":["uid-1")"));
}

TEST_F(AttemptCallsTest, ShowsMetadataAloneAndProtobuf) {
  const auto partial = ask("GET", kAttempts,
                           {{"Accept",
                             "application/json;as=PartialObjectMetadataList;"
                             "g=meta.k8s.io;v=v1,application/json"}});
  EXPECT_THAT(partial->body, AllOf(HasSubstr(R"("kind":"PartialObjectMetadataList")"),
                                   HasSubstr("uid-0"), Not(HasSubstr("train"))));
  const auto binary = ask("GET", kAttempts, {{"Accept", "application/vnd.kubernetes.protobuf"}});
  EXPECT_EQ(binary->header("Content-Type"), "application/vnd.kubernetes.protobuf");
  EXPECT_THAT(binary->body, StartsWith("k8s"));
  EXPECT_THAT(binary->body, HasSubstr("train-1"));
}

TEST_F(AttemptCallsTest, NoVerbWrites) {
  const std::string one = std::string(kAttempts) + "/uid-1";
  const std::string body = R"({"apiVersion":"ledger.windlass.dev/v1","kind":"Attempt"})";
  const http::Headers json = {{"Content-Type", "application/json"}};
  const http::Headers patch = {{"Content-Type", "application/merge-patch+json"}};
  EXPECT_EQ(ask("POST", kAttempts, json, body)->status, 405);
  EXPECT_EQ(ask("PUT", one, json, body)->status, 405);
  EXPECT_EQ(ask("PATCH", one, patch, "{}")->status, 405);
  EXPECT_EQ(ask("DELETE", one)->status, 405);
  EXPECT_EQ(ask("DELETE", kAttempts)->status, 405);
  EXPECT_EQ(ask("GET", std::string(kAttempts) + "?watch=true")->status, 405);
  EXPECT_EQ(ledger_.all().size(), 3u);
}

TEST_F(AttemptCallsTest, ViewersMayReadAndNodesAndStrangersMayNot) {
  EXPECT_EQ(ask_as(kViewerToken, "GET", kAttempts)->status, 200);
  EXPECT_EQ(ask_as(kViewerToken, "GET", std::string(kAttempts) + "/uid-1")->status, 200);
  EXPECT_EQ(ask_as(kViewerToken, "DELETE", std::string(kAttempts) + "/uid-1")->status, 403);
  EXPECT_EQ(ask_as(kNodeToken, "GET", kAttempts)->status, 403);
  EXPECT_EQ(ask_as("zork", "GET", kAttempts)->status, 401);
}

TEST_F(AttemptCallsTest, DiscoveryHasThemOnlyWithALedger) {
  EXPECT_THAT(ask("GET", "/apis")->body, HasSubstr("ledger.windlass.dev/v1"));
  EXPECT_THAT(ask("GET", "/apis/ledger.windlass.dev/v1")->body,
              HasSubstr(R"({"name":"attempts","singularName":"attempt","namespaced":true,)"
                        R"("kind":"Attempt","verbs":["get","list"]})"));
  EXPECT_THAT(ask("GET", "/openapi/v3")->body, HasSubstr("apis/ledger.windlass.dev/v1"));
  EXPECT_THAT(ask("GET", "/")->body, HasSubstr("/apis/ledger.windlass.dev/v1"));
  // The handler of the fixture above has none.
  EXPECT_THAT(get("/apis")->body, Not(HasSubstr("ledger.windlass.dev")));
  EXPECT_EQ(get("/apis/ledger.windlass.dev/v1")->status, 404);
  EXPECT_EQ(get(kAttempts)->status, 404);
  EXPECT_THAT(get("/openapi/v3")->body, Not(HasSubstr("ledger.windlass.dev")));
  EXPECT_THAT(get("/")->body, Not(HasSubstr("ledger.windlass.dev")));
}

TEST_F(AttemptCallsTest, TheSchemaTellsWhatAnAttemptIs) {
  const std::string document = ask("GET", "/openapi/v3/apis/ledger.windlass.dev/v1")->body;
  EXPECT_THAT(document, HasSubstr("One attempt of a Job: a pod, how it ended"));
  EXPECT_THAT(document, Not(HasSubstr(R"("post":)")));
}

}  // namespace
}  // namespace windlass::apiserver
