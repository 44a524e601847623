// The HTTP side of the API server without sockets: what one request costs the server's CPU.
#include <benchmark/benchmark.h>

#include "api/codec/json.h"
#include "apiserver/rest/rest_handler.h"
#include "base/check.h"
#include "schema/core/v1/pod.pb.h"
#include "sim/world.h"
#include "store/store.h"

namespace {

using namespace windlass;

class Sink final : public http::Exchange {
 public:
  void respond(http::Response response) override {
    bytes += response.shared ? response.shared->size() : response.take_body().size();
  }
  void start(int, http::Headers) override {}
  void write(http::Chunk chunk) override { bytes += chunk->size(); }
  void finish() override { finished = true; }
  void abort() override {}
  size_t unsent() const override { return 0; }
  void when_unsent_at_most(size_t, std::function<void()> then) override { then(); }
  void when_closed(std::function<void()>) override {}

  size_t bytes = 0;
  bool finished = false;
};

std::string pod_json(const std::string& name) {
  return R"({"metadata":{"name":")" + name +
         R"(","labels":{"app":"bench","job-name":"j","tier":"batch"},"annotations":)"
         R"({"batch.kubernetes.io/job-completion-index":"7","note":"as long as notes are"}},)"
         R"("spec":{"restartPolicy":"Never","containers":[{"name":"main","image":"busybox:1.37",)"
         R"("command":["sh","-c","echo hello"],"env":[{"name":"A","value":"1"},{"name":"B",)"
         R"("value":"2"}],"resources":{"requests":{"cpu":"100m","memory":"64Mi"},"limits":)"
         R"({"cpu":"200m","memory":"128Mi"}},"volumeMounts":[{"name":"data","mountPath":"/data"}]}],)"
         R"("volumes":[{"name":"data","emptyDir":{}}],"tolerations":[{"key":"k","operator":"Exists"}]}})";
}

struct Cluster {
  explicit Cluster(int pods) {
    server.create_system_namespaces();
    for (int i = 0; i < pods; ++i) {
      write_pod("pod-" + std::to_string(100'000 + i));
    }
  }

  void write_pod(const std::string& name) {
    auto pod = std::make_unique<api::core::v1::Pod>();
    CHECK(api::decode_json(pod_json(name), *pod).has_value(), "a pod");
    CHECK(server.create({&api::kinds::pod(), "default", name}, std::move(pod)).answer.has_value(),
          "it is stored");
  }

  http::Request get(std::string target, http::Headers headers = {}) {
    headers.push_back({"Authorization", "Bearer t"});
    return {"GET", std::move(target), std::move(headers), "", {}};
  }
  void run(http::Request request, const std::shared_ptr<Sink>& sink) {
    apiserver::Prepared prepared = handler.prepare(std::move(request));
    std::get<std::unique_ptr<http::Call>>(prepared)->run(sink);
    while (world.step()) {
    }
  }

  sim::SimWorld world{1};
  store::Store store;
  apiserver::Server server{store, world.clock(), world.random(), api::FeatureGates()};
  apiserver::RestHandler handler{
      server,
      world.executor(),
      world.clock(),
      world.random(),
      apiserver::Authenticator({{apiserver::digest_of_token("t"),
                                 apiserver::authenticated_user("admin", {"system:masters"})}}),
      {}};
};

void get_pod(benchmark::State& state) {
  Cluster cluster(2000);
  const auto sink = std::make_shared<Sink>();
  const int spread = static_cast<int>(state.range(0));
  int i = 0;
  for (auto _ : state) {
    i = (i + 1) % spread;
    cluster.run(cluster.get("/api/v1/namespaces/default/pods/pod-" + std::to_string(100'000 + i)),
                sink);
  }
  state.counters["bytes"] =
      static_cast<double>(sink->bytes) / static_cast<double>(state.iterations());
}
BENCHMARK(get_pod)->Arg(1)->Arg(2000)->ArgName("different")->Unit(benchmark::kMicrosecond);

void list_pods(benchmark::State& state) {
  Cluster cluster(10'000);
  const bool protobuf = state.range(0) != 0;
  const auto sink = std::make_shared<Sink>();
  for (auto _ : state) {
    http::Headers headers;
    if (protobuf) {
      headers.push_back({"Accept", "application/vnd.kubernetes.protobuf"});
    }
    cluster.run(cluster.get("/api/v1/namespaces/default/pods", std::move(headers)), sink);
  }
  CHECK(sink->finished, "it was streamed");
  state.SetBytesProcessed(static_cast<int64_t>(sink->bytes));
}
BENCHMARK(list_pods)->Arg(0)->Arg(1)->ArgName("protobuf")->Unit(benchmark::kMillisecond);

void write_with_watchers(benchmark::State& state) {
  Cluster cluster(1);
  const auto sink = std::make_shared<Sink>();
  for (int64_t i = 0; i < state.range(0); ++i) {
    cluster.run(cluster.get("/api/v1/pods?watch=true&resourceVersion=" +
                            std::to_string(cluster.store.revision())),
                sink);
  }
  int i = 0;
  for (auto _ : state) {
    cluster.write_pod("new-" + std::to_string(++i));
    if (state.range(1) != 0) {
      while (cluster.world.step()) {
      }
    }
  }
  // What was not delivered inside the loop is not what a writer waits for.
  while (cluster.world.step()) {
  }
  state.counters["bytes"] =
      static_cast<double>(sink->bytes) / static_cast<double>(state.iterations());
}
BENCHMARK(write_with_watchers)
    ->ArgNames({"watchers", "delivered"})
    ->Args({0, 0})
    ->Args({1, 0})
    ->Args({1000, 0})
    ->Args({1, 1})
    ->Args({1000, 1})
    ->Unit(benchmark::kMicrosecond)
    ->Iterations(500);

}  // namespace

BENCHMARK_MAIN();
