// The controller and servers that differ in what they can do: encodings, lists as streams, fields
// of newer versions. Our own server plays them all, but for one that is older.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>

#include "cli/commands/controller/controller_testing.h"
#include "http/handler.h"
#include "plane/health_handler.h"
#include "remote/wire.h"

namespace windlass::cli {
namespace {

using testing::ControllerOnCluster;
using testing::Fault;
using ::testing::HasSubstr;
using testing::kQuickPods;
using testing::RunningController;
using Harm = testing::Fault::Harm;

std::string header_of(const http::Request& request, const char* name) {
  return std::string(http::find_header(request.headers, name).value_or(""));
}

bool is_from_controller(const http::Request& request) {
  return header_of(request, "User-Agent").starts_with("windlass/");
}

bool has(const std::string& text, const char* part) {
  return text.find(part) != std::string::npos;
}

class ControllerOnServers : public ControllerOnCluster {
 protected:
  ~ControllerOnServers() override {
    cluster_.choose_faults([](const http::Request&) { return Fault(); });
  }

  // A Job from its creation to its end.
  void expect_complete(const std::string& key) {
    create_job(key, std::string(R"({"completions":3,"parallelism":3,
      "managedBy":"windlass.dev/job-controller","template":)") +
                        kQuickPods + "}");
    const auto job = wait_for(key, "Complete");
    ASSERT_NE(job, nullptr);
    EXPECT_EQ(job->status().succeeded(), 3);
  }
};

TEST_F(ControllerOnServers, ObjectsTravelAsProtobuf) {
  std::atomic<int> protobuf = 0;
  std::atomic<int> json = 0;
  cluster_.choose_faults([&](const http::Request& request) {
    if (is_from_controller(request) && request.target.find("/namespaces/") != std::string::npos) {
      const std::string type = header_of(request, "Content-Type");
      const bool understands = header_of(request, "Accept").starts_with(remote::kProtobufType);
      (understands && type != remote::kJsonType ? protobuf : json)++;
    }
    return Fault();
  });
  RunningController controller(cluster_.access(), options(), "one");
  expect_complete("default/j");
  EXPECT_GT(protobuf, 6) << "three pods are made and released, and the status is written";
  EXPECT_EQ(json, 0);
  // And that is what the server makes of it.
  const auto answer = user_.await<remote::HttpAnswer>([&](auto done) {
    remote::HttpRequest request;
    request.target = "/apis/batch/v1/namespaces/default/jobs/j";
    request.accept = remote::kAccept;
    user_.transport.send(std::move(request), std::move(done));
  });
  ASSERT_TRUE(answer.has_value());
  EXPECT_TRUE(remote::is_protobuf(answer->headers));
}

// 406 to a client that accepts only protobuf, 415 to one that sends it.
TEST_F(ControllerOnServers, AServerWithoutProtobufIsSpokenToInJson) {
  std::atomic<int> refused = 0;
  cluster_.choose_faults([&](const http::Request& request) {
    if (!is_from_controller(request)) {
      return Fault();
    }
    const bool sends = header_of(request, "Content-Type") == remote::kProtobufType;
    if (sends || has(header_of(request, "Accept"), "protobuf")) {
      ++refused;
      return Fault{Harm::refuse, sends ? 415 : 406};
    }
    return Fault();
  });
  RunningController controller(cluster_.access(), options(), "one");
  expect_complete("default/j");
  EXPECT_GT(refused, 0);
  const int before = refused;
  expect_complete("default/k");
  EXPECT_EQ(refused, before) << "once is enough";
}

TEST_F(ControllerOnServers, ListsComeAsStreamsWhereTheServerHasThem) {
  std::atomic<int> streams = 0;
  std::atomic<int> pages = 0;
  std::atomic<bool> has_streams = true;
  cluster_.choose_faults([&](const http::Request& request) {
    const bool list = request.target.starts_with("/api/v1/pods?") ||
                      request.target.starts_with("/apis/batch/v1/jobs?");
    if (!is_from_controller(request) || !list) {
      return Fault();
    }
    if (!has(request.target, "watch=true")) {
      ++pages;
    } else if (has(request.target, "sendInitialEvents=true")) {
      ++streams;
      return has_streams ? Fault() : Fault{Harm::refuse, 422};
    }
    return Fault();
  });
  {
    RunningController controller(cluster_.access(), options(), "one");
    expect_complete("default/j");
    EXPECT_EQ(streams, 2) << "of Jobs and of pods";
    EXPECT_EQ(pages, 0);
    EXPECT_EQ(controller.stop(), ExitCode::ok);
  }
  has_streams = false;
  RunningController controller(cluster_.access(), options(), "two");
  expect_complete("default/k");
  EXPECT_EQ(streams, 4);
  EXPECT_EQ(pages, 2);
}

TEST_F(ControllerOnServers, OneNamespaceIsAllThatItLooksAt) {
  std::atomic<int> elsewhere = 0;
  cluster_.choose_faults([&](const http::Request& request) {
    if (is_from_controller(request) && (request.target.starts_with("/api/v1/pods") ||
                                        request.target.starts_with("/apis/batch/v1/jobs"))) {
      ++elsewhere;
    }
    return Fault();
  });
  ControllerOptions here = options();
  here.ns = "default";
  RunningController controller(cluster_.access(), here, "one");
  create_job(
      "kube-system/theirs",
      std::string(R"({"managedBy":"windlass.dev/job-controller","template":)") + kQuickPods + "}");
  expect_complete("default/ours");
  EXPECT_EQ(elsewhere, 0);
  EXPECT_TRUE(list(api::kinds::pod(), "kube-system").empty());
}

// In a cluster the pod's own namespace has the lease, because its role is there, whichever it looks
// at.
TEST_F(ControllerOnServers, TheLeaseIsInThePodsOwnNamespace) {
  remote::ClusterAccess in_cluster = cluster_.access();
  in_cluster.context = "in-cluster";
  in_cluster.ns = "kube-system";
  ControllerOptions here = options();
  here.ns = "default";
  RunningController controller(in_cluster, here, "one");
  controller.wait_for("Leading");
  EXPECT_EQ(list(api::kinds::lease(), "kube-system").size(), 1u);
  EXPECT_TRUE(list(api::kinds::lease(), "default").empty());
}

// What the API of Jobs was in 1.28.
void answer_as_old_server(remote::testing::ScriptedConnection& peer) {
  peer.receive();
  peer.answer(200, R"({"gitVersion":"v1.28.15"})");
  peer.receive();
  peer.answer(
      200, R"({"components":{"schemas":{"io.k8s.api.batch.v1.JobSpec":{"properties":{"template":{},
        "podFailurePolicy":{},"backoffLimitPerIndex":{},"podReplacementPolicy":{}}},
      "io.k8s.api.batch.v1.JobStatus":{"properties":{"failedIndexes":{},"terminating":{}}}}}})");
}

// What a controller that is named by Jobs can do there.
TEST(ControllerOnOldServers, SaysWhatIsMissing) {
  remote::testing::ScriptedServer server({answer_as_old_server});
  ControllerOptions options;
  options.manager = "windlass.dev/job-controller";
  options.listen = "";
  RunningController controller(server.access(), options, "one");
  EXPECT_EQ(controller.join(), ExitCode::failed);
  EXPECT_THAT(controller.said(),
              HasSubstr("the server (v1.28.15) does not support spec.managedBy"));
  EXPECT_THAT(controller.said(),
              HasSubstr("the server (v1.28.15) does not support spec.successPolicy"));
  EXPECT_THAT(
      controller.said(),
      HasSubstr("error: the server does not support spec.managedBy, which --managed-by needs"));
  EXPECT_EQ(controller.said().find("backoffLimitPerIndex"), std::string::npos);
}

// A page of a list of one Job, whose status `writer` has just written.
std::string page_with(const std::string& key, const std::string& writer,
                      const std::string& continue_token) {
  const client::KeyParts parts = client::split_key(key);
  const std::string now = format_rfc3339(posix::PosixClock().now());
  return R"({"kind":"JobList","apiVersion":"batch/v1","metadata":{"resourceVersion":"9","continue":")" +
         continue_token + R"("},"items":[{"metadata":{"name":")" + parts.name +
         R"(","namespace":")" + parts.ns + R"(","managedFields":[{"manager":")" + writer +
         R"(","operation":"Update","subresource":"status","time":")" + now +
         R"("}]},"spec":{"template":{}}}]})";
}

struct Looked {
  std::string said;
  std::vector<std::string> asked;  // the requests for Jobs
};

// What becomes of a controller that is to take the place of the built-in one.
Looked look_for_built_in(const std::string& ns, std::vector<std::pair<int, std::string>> lists) {
  Looked looked;
  remote::testing::ScriptedServer server({[&](remote::testing::ScriptedConnection& peer) {
    answer_as_old_server(peer);
    for (const auto& [status, body] : lists) {
      looked.asked.push_back(peer.receive());
      peer.answer(status, body);
    }
  }});
  ControllerOptions options;
  options.manager = api::kBuiltInJobController;
  options.ns = ns;
  options.listen = "";
  RunningController controller(server.access(), options, "one");
  EXPECT_EQ(controller.join(), ExitCode::failed);
  looked.said = controller.said();
  return looked;
}

TEST(ControllerOnOldServers, TheBuiltInOneIsLookedForOnEveryPage) {
  const Looked looked = look_for_built_in(
      "", {{200, page_with("a/old", "windlass", "more")}, {200, page_with("prod/new", "k3s", "")}});
  ASSERT_EQ(looked.asked.size(), 2u) << looked.said;
  EXPECT_THAT(looked.asked[1], HasSubstr("continue=more"));
  EXPECT_THAT(looked.said, HasSubstr("k3s wrote the status of Job prod/new"));
}

TEST(ControllerOnOldServers, TheBuiltInOneIsLookedForInAllNamespacesThatMayBeRead) {
  const std::string trace = page_with("here/j", "kube-controller-manager", "");
  const Looked all = look_for_built_in("here", {{200, page_with("prod/j", "kubelite", "")}});
  EXPECT_THAT(all.said, HasSubstr("kubelite wrote the status of Job prod/j"));
  const Looked one = look_for_built_in(
      "here", {{403, R"({"kind":"Status","apiVersion":"v1","status":"Failure","code":403,
        "reason":"Forbidden","message":"jobs.batch is forbidden"})"},
               {200, trace}});
  ASSERT_EQ(one.asked.size(), 2u) << one.said;
  EXPECT_THAT(one.asked[0], HasSubstr("GET /apis/batch/v1/jobs?"));
  EXPECT_THAT(one.asked[1], HasSubstr("GET /apis/batch/v1/namespaces/here/jobs?"));
  EXPECT_THAT(one.said, HasSubstr("kube-controller-manager wrote the status of Job here/j"));
}

// Keeps the answer of a call.
class Answer final : public http::Exchange {
 public:
  void respond(http::Response response) override {
    status = response.status;
    body = response.take_body();
  }
  void start(int, http::Headers) override {}
  void write(http::Chunk) override {}
  void finish() override {}
  void abort() override {}
  size_t unsent() const override { return 0; }
  void when_unsent_at_most(size_t, std::function<void()>) override {}
  void when_closed(std::function<void()>) override {}

  int status = 0;
  std::string body;
};

TEST(ControllerHealth, IsAskedOnTheCore) {
  std::string why_not = "Jobs and pods are being listed";
  std::string note;
  const plane::HealthHandler handler(
      {[&] { return why_not; }, [&] { return note; }, [] { return "a_total 1\n"; }});
  const auto ask = [&](const std::string& method, const std::string& target) {
    const auto answer = std::make_shared<Answer>();
    auto prepared = handler.prepare({method, target, {}, "", {}});
    if (auto* response = std::get_if<http::Response>(&prepared)) {
      answer->respond(std::move(*response));
    } else {
      std::get<std::unique_ptr<http::Call>>(prepared)->run(answer);
    }
    return std::to_string(answer->status) + " " + answer->body;
  };
  EXPECT_EQ(ask("GET", "/healthz"), "200 ok");
  EXPECT_EQ(ask("GET", "/livez?verbose"), "200 ok");
  EXPECT_EQ(ask("GET", "/readyz"), "503 Jobs and pods are being listed\n");
  why_not.clear();
  EXPECT_EQ(ask("GET", "/readyz"), "200 ok");
  note = "3 attempts wait";
  EXPECT_EQ(ask("GET", "/readyz"), "200 ok\n3 attempts wait\n");
  EXPECT_EQ(ask("GET", "/metrics"), "200 a_total 1\n");
  EXPECT_THAT(ask("POST", "/metrics"), HasSubstr("405"));
  EXPECT_THAT(ask("GET", "/"), HasSubstr("404"));
}

}  // namespace
}  // namespace windlass::cli
