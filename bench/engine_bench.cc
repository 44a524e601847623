// The Job engine over the whole life of one Job: every pod is created, seen running, seen finished,
// released and counted. Time is split into observations (what the watch tells) and decisions
// (decide and the answers to its writes). `parallelism` is either 1,000 or all pods at once; order
// of finishing is by creation or shuffled.
#include <benchmark/benchmark.h>

#include <chrono>
#include <random>
#include <string>
#include <vector>

#include "job/engine.h"
#include "job/testing.h"

namespace windlass::job {
namespace {

using Stopwatch = std::chrono::steady_clock;

class Life {
 public:
  Life(int64_t pods, int64_t parallelism, bool shuffled)
      : pods_(pods), shuffled_(shuffled), job_(make_job(pods, parallelism)), engine_({}, job_) {
    engine_.begin_list();
    engine_.end_list();
  }

  void run() {
    while (!engine_.at_rest()) {
      decide();
      if (!engine_.busy() && idle_) {
        finish_running();
      }
    }
  }

  double observation_ns() const { return observing_ / static_cast<double>(observations_); }
  double decision_ns_per_pod() const { return deciding_ / static_cast<double>(pods_); }
  double bytes_per_pod() const {
    return static_cast<double>(most_bytes_) / static_cast<double>(pods_);
  }
  int64_t rounds() const { return rounds_; }

 private:
  static JobView make_job(int64_t pods, int64_t parallelism) {
    JobView job =
        testing::indexed_job(static_cast<int32_t>(parallelism), static_cast<int32_t>(pods));
    job.rv = 1;
    return job;
  }

  template <class Work>
  void timed(double& total, Work work) {
    const auto begin = Stopwatch::now();
    work();
    total += std::chrono::duration<double, std::nano>(Stopwatch::now() - begin).count();
  }

  void decide() {
    Decision decision;
    timed(deciding_, [&] { decision = engine_.decide(now_); });
    idle_ = !decision.has_writes();
    rounds_ += idle_ ? 0 : 1;
    if (decision.status) {
      job_.status = std::move(decision.status->status);
      job_.record = decision.status->record.value_or(job_.record);
      job_.rv = ++rv_;
      timed(deciding_, [&] { engine_.status_written(job_); });
    }
    std::vector<PodView> created;
    for (const CreatePod& create : decision.creates) {
      created.push_back(make_pod(create.plan));
    }
    timed(deciding_, [&] {
      for (size_t i = 0; i < created.size(); ++i) {
        engine_.pod_created(decision.creates[i].id, created[i]);
      }
      for (const PodWrite& write : decision.pod_writes) {
        engine_.pod_written(write.uid, nullptr);
      }
    });
    running_.insert(running_.end(), created.begin(), created.end());
    most_bytes_ = std::max(most_bytes_, engine_.state().pods().bytes());
    // Released pods that are finished go away, as pod garbage collection would have it.
    timed(observing_, [&] {
      for (const PodWrite& write : decision.pod_writes) {
        engine_.observe_pod_gone(write.uid);
        ++observations_;
      }
    });
  }

  void finish_running() {
    std::vector<PodView> batch = std::move(running_);
    running_.clear();
    if (shuffled_) {
      std::shuffle(batch.begin(), batch.end(), random_);
    }
    now_ += seconds(1);
    for (PodView& pod : batch) {
      pod.phase = Phase::running;
      pod.has_node = true;
      pod.rv = ++rv_;
    }
    observe(batch);
    for (PodView& pod : batch) {
      pod.phase = Phase::succeeded;
      pod.containers.resize(1);
      pod.containers[0].terminated = true;
      pod.containers[0].finished_at = now_;
      pod.rv = ++rv_;
    }
    observe(batch);
  }

  void observe(const std::vector<PodView>& batch) {
    timed(observing_, [&] {
      for (const PodView& pod : batch) {
        engine_.observe_pod(pod);
      }
    });
    observations_ += static_cast<int64_t>(batch.size());
  }

  PodView make_pod(const PodPlan& plan) {
    const std::string number = std::to_string(++serial_);
    PodView pod;
    pod.uid = "5eed0000-0000-4000-8000-" + std::string(12 - number.size(), '0') + number;
    pod.name = plan.generate_name + "abcde";
    pod.completion_index = std::to_string(plan.index);
    pod.has_finalizer = true;
    pod.created = now_;
    pod.rv = ++rv_;
    return pod;
  }

  int64_t pods_;
  bool shuffled_;
  JobView job_;
  Engine engine_;
  Time now_ = time_from_unix(1'800'000'000);
  std::vector<PodView> running_;
  std::mt19937_64 random_{42};
  uint64_t rv_ = 1;
  int64_t serial_ = 0;
  int64_t rounds_ = 0;
  bool idle_ = false;
  double observing_ = 0;
  double deciding_ = 0;
  int64_t observations_ = 0;
  size_t most_bytes_ = 0;
};

void whole_life(benchmark::State& state, bool all_at_once, bool shuffled) {
  for ([[maybe_unused]] auto _ : state) {
    const int64_t pods = state.range(0);
    Life life(pods, all_at_once ? pods : std::min<int64_t>(pods, 1000), shuffled);
    life.run();
    state.counters["observation_ns"] = life.observation_ns();
    state.counters["decision_ns_per_pod"] = life.decision_ns_per_pod();
    state.counters["bytes_per_pod"] = life.bytes_per_pod();
    state.counters["rounds"] = static_cast<double>(life.rounds());
  }
}

BENCHMARK_CAPTURE(whole_life, a_thousand_at_a_time, false, false)
    ->RangeMultiplier(10)
    ->Range(1000, 1'000'000)
    ->Iterations(1)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(whole_life, all_at_once, true, false)
    ->RangeMultiplier(10)
    ->Range(1000, 1'000'000)
    ->Iterations(1)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(whole_life, all_at_once_shuffled, true, true)
    ->RangeMultiplier(10)
    ->Range(1000, 1'000'000)
    ->Iterations(1)
    ->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace windlass::job

BENCHMARK_MAIN();
