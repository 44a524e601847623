// Pods per second through the scheduler, its caches, the in-process API and the store in memory,
// from the first attempt to the last acknowledged binding and its event.
#include <benchmark/benchmark.h>

#include "api/codec/json/json.h"
#include "apiserver/client/in_process_client.h"
#include "apiserver/server.h"
#include "base/check.h"
#include "scheduler/scheduler.h"
#include "schema/core/v1/node.pb.h"
#include "schema/core/v1/pod.pb.h"
#include "store/store.h"
#include "virtual_world/world.h"

namespace {

using namespace windlass;

struct Cluster {
  explicit Cluster(int nodes) {
    server.create_system_namespaces();
    for (int i = 0; i < nodes; ++i) {
      const std::string name = "node-" + std::to_string(i);
      create<api::core::v1::Node>(
          {&api::kinds::node(), "", name},
          R"({"metadata":{"name":")" + name + R"(","labels":{"kubernetes.io/hostname":")" + name +
              R"(","zone":"z)" + std::to_string(i % 10) +
              R"("}},"status":{"allocatable":{"cpu":"64","memory":"256Gi","pods":"110"},)"
              R"("conditions":[{"type":"Ready","status":"True"}]}})");
    }
  }

  template <class T>
  void create(const apiserver::ObjectRef& ref, const std::string& json) {
    auto object = std::make_unique<T>();
    CHECK(api::decode_json(json, *object).has_value(), json);
    CHECK(server.create(ref, std::move(object)).answer.has_value(), "it is stored");
  }
  void add_pods(int count, const std::string& spec) {
    for (int i = 0; i < count; ++i) {
      const std::string index = std::to_string(pods++);
      create<api::core::v1::Pod>(
          {&api::kinds::pod(), "default", "pod-" + index},
          R"({"metadata":{"name":"pod-)" + index +
              R"(","labels":{"app":"bench","batch.kubernetes.io/job-completion-index":")" + index +
              R"("}},"spec":{)" + spec +
              R"("restartPolicy":"Never","containers":[{"name":"main","image":"busybox:1.37",)"
              R"("resources":{"requests":{"cpu":"100m","memory":"64Mi"}}}]}})");
    }
  }
  void run() {
    while (world.step()) {
    }
  }

  virtual_world::VirtualWorld world{1};
  store::Store store;
  apiserver::Server server{store, world.clock(), world.random(), api::FeatureGates()};
  apiserver::InProcessClient client{server, world.executor()};
  client::ClientEnv env{client, world.executor(), world.clock(), world.random(), world.log()};
  scheduler::Scheduler scheduler{env, {}};
  int pods = 0;
};

void schedule(benchmark::State& state, const std::string& spec) {
  const int nodes = static_cast<int>(state.range(0));
  const int pods = static_cast<int>(state.range(1));
  for (auto _ : state) {
    state.PauseTiming();
    auto cluster = std::make_unique<Cluster>(nodes);
    cluster->scheduler.start();
    cluster->run();
    cluster->add_pods(pods, spec);
    state.ResumeTiming();
    cluster->run();
    state.PauseTiming();
    CHECK(cluster->scheduler.metrics().scheduled == static_cast<uint64_t>(pods), "all are bound");
    cluster.reset();
    state.ResumeTiming();
  }
  state.SetItemsProcessed(state.iterations() * pods);
}

void plain(benchmark::State& state) {
  schedule(state, "");
}

void spread(benchmark::State& state) {
  schedule(
      state,
      R"("topologySpreadConstraints":[{"maxSkew":5,"topologyKey":"zone",)"
      R"("whenUnsatisfiable":"DoNotSchedule","labelSelector":{"matchLabels":{"app":"bench"}}}],)");
}

void node_affinity(benchmark::State& state) {
  schedule(state,
           R"("affinity":{"nodeAffinity":{"requiredDuringSchedulingIgnoredDuringExecution":)"
           R"({"nodeSelectorTerms":[{"matchExpressions":[{"key":"zone","operator":"In","values":)"
           R"(["z1","z2","z3"]}]}]}}},)");
}

// Every pod finds the cluster full; then one more node comes.
void no_room(benchmark::State& state) {
  const int pods = static_cast<int>(state.range(0));
  for (auto _ : state) {
    state.PauseTiming();
    auto cluster = std::make_unique<Cluster>(10);
    cluster->scheduler.start();
    cluster->run();
    cluster->add_pods(1100 + pods, "");
    state.ResumeTiming();
    cluster->run();
    state.PauseTiming();
    CHECK(cluster->scheduler.waiting() == static_cast<size_t>(pods), "the rest waits");
    cluster.reset();
    state.ResumeTiming();
  }
  state.SetItemsProcessed(state.iterations() * pods);
}

BENCHMARK(plain)
    ->Args({100, 1000})
    ->Args({1000, 10'000})
    ->Args({5000, 20'000})
    ->Unit(benchmark::kMillisecond);
BENCHMARK(node_affinity)->Args({1000, 5000})->Unit(benchmark::kMillisecond);
BENCHMARK(spread)->Args({1000, 5000})->Unit(benchmark::kMillisecond);
BENCHMARK(no_room)->Arg(10'000)->Unit(benchmark::kMillisecond);

}  // namespace

BENCHMARK_MAIN();
