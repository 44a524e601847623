// The HTTP side of the API server without sockets: what one request costs the server's CPU.
#include <benchmark/benchmark.h>
#include <time.h>

#include <algorithm>
#include <vector>

#include "api/codec/json/json.h"
#include "apiserver/rest/rest_handler.h"
#include "base/check.h"
#include "schema/core/v1/pod.pb.h"
#include "store/store.h"
#include "virtual_world/world.h"

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

  virtual_world::VirtualWorld world{1};
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

void watch_pods(Cluster& cluster, int watchers, const std::shared_ptr<Sink>& sink) {
  for (int i = 0; i < watchers; ++i) {
    cluster.run(cluster.get("/api/v1/pods?watch=true&resourceVersion=" +
                            std::to_string(cluster.store.revision())),
                sink);
  }
}

double cpu_micros() {
  timespec now = {};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) * 1e6 + static_cast<double>(now.tv_nsec) * 1e-3;
}

double median(std::vector<double> values) {
  std::ranges::sort(values);
  return values[values.size() / 2];
}

// What a write costs its writer while one watches and while a thousand do, in turns, so that both
// meet the same machine. All of them have heard of the write before, and wait: that is delivered
// between the writes and not part of them.
void writer_with_watchers(benchmark::State& state) {
  Cluster quiet(1);
  Cluster busy(1);
  const auto sink = std::make_shared<Sink>();
  watch_pods(quiet, 1, sink);
  watch_pods(busy, static_cast<int>(state.range(0)), sink);
  std::vector<double> one;
  std::vector<double> many;
  std::vector<double> deliveries;
  int written = 0;
  // A write and its deliveries; the CPU time of the write.
  const auto write = [&](Cluster& cluster) {
    const std::string name = "new-" + std::to_string(++written);
    const double start = cpu_micros();
    cluster.write_pod(name);
    const double end = cpu_micros();
    while (cluster.world.step()) {
    }
    if (&cluster == &busy) {
      deliveries.push_back((cpu_micros() - end) / static_cast<double>(state.range(0)));
    }
    return end - start;
  };
  for (auto _ : state) {
    // Either comes after a thousand deliveries, which leave nothing in the processor's caches.
    write(busy);
    one.push_back(write(quiet));
    write(busy);
    many.push_back(write(busy));
  }
  state.counters["one_us"] = median(one);
  state.counters["many_us"] = median(many);
  state.counters["ratio"] = median(many) / median(one);
  state.counters["delivery_us"] = median(deliveries);
}
BENCHMARK(writer_with_watchers)
    ->Arg(1000)
    ->ArgName("watchers")
    ->Unit(benchmark::kMicrosecond)
    ->Iterations(200);

// One PATCH of a pod with a change in it, from the HTTP request to the encoded answer. `tracked`
// pods have managed fields, as those of kubectl do.
void patch_pod(benchmark::State& state, const char* type, const char* format) {
  Cluster cluster(0);
  const auto sink = std::make_shared<Sink>();
  const std::string pods = "/api/v1/namespaces/default/pods";
  const std::string manager = state.range(0) != 0 ? "?fieldManager=kubectl" : "";
  http::Request create{"POST", pods + manager, {{"Authorization", "Bearer t"}}, pod_json("p"), {}};
  cluster.run(std::move(create), sink);
  int64_t count = 0;
  for (auto _ : state) {
    http::Request patch{"PATCH",
                        pods + "/p" + manager,
                        {{"Authorization", "Bearer t"}, {"Content-Type", type}},
                        format,
                        {}};
    patch.body.replace(patch.body.find('#'), 1, std::to_string(++count));
    cluster.run(std::move(patch), sink);
  }
  CHECK(cluster.store.revision() >= static_cast<store::Revision>(count), "each is a write");
}
BENCHMARK_CAPTURE(patch_pod, strategic, "application/strategic-merge-patch+json",
                  R"({"metadata":{"labels":{"n":"#"}}})")
    ->Arg(0)
    ->Arg(1)
    ->ArgName("tracked")
    ->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(patch_pod, strategic_spec, "application/strategic-merge-patch+json",
                  R"({"spec":{"containers":[{"name":"main","image":"busybox:#"}]}})")
    ->Arg(0)
    ->Arg(1)
    ->ArgName("tracked")
    ->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(patch_pod, merge, "application/merge-patch+json",
                  R"({"metadata":{"labels":{"n":"#"}}})")
    ->Arg(0)
    ->Arg(1)
    ->ArgName("tracked")
    ->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(patch_pod, json, "application/json-patch+json",
                  R"([{"op":"add","path":"/metadata/labels/n","value":"#"}])")
    ->Arg(0)
    ->Arg(1)
    ->ArgName("tracked")
    ->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(patch_pod, apply, "application/apply-patch+yaml",
                  R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":"p","labels":{"n":"#"}}})")
    ->Arg(1)
    ->ArgName("tracked")
    ->Unit(benchmark::kMicrosecond);

}  // namespace

BENCHMARK_MAIN();
