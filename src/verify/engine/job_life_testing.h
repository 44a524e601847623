// The whole life of one Job, carried out against its engine: every pod is created, seen running,
// seen finished, released, counted and gone. Counts what the engine did. For the benchmark, which
// also takes the time, and the test of growth; not part of the product.
#pragma once

#include <algorithm>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "engine/engine.h"
#include "verify/engine/fake_cluster.h"

namespace windlass::engine::testing {

// What a call of the engine is for. The answer to a write is news as well.
enum class EngineCall { observe, decide };

// Told when the engine is called and when it has answered.
class Meter {
 public:
  virtual ~Meter() = default;
  virtual void begin() {}
  virtual void end(EngineCall /*call*/) {}
  // Nothing is under way, and all events are given out: what the engine holds now is its state.
  virtual void rest() {}
};

struct LifePlan {
  int64_t pods = 1000;
  int64_t parallelism = 1000;
  int64_t wave = 1000;  // so many pods end at a time
  bool indexed = true;
  bool shuffled = false;  // they end in any order
};

class Life {
 public:
  Life(const LifePlan& plan, Meter& meter)
      : plan_(plan), meter_(meter), job_(make_job(plan)), engine_({}, job_) {
    engine_.begin_list();
    engine_.end_list();
  }

  void run() {
    while (!engine_.at_rest()) {
      decide();
      if (idle_) {
        meter_.rest();
        finish_wave();
      }
    }
  }

  const JobStatus& status() const { return job_.status; }
  // Pods that the engine looked at, and bytes of status that it wrote.
  uint64_t visits() const { return engine_.state().visits(); }
  uint64_t text_bytes() const { return text_bytes_; }
  int64_t observations() const { return observations_; }
  int64_t status_writes() const { return status_writes_; }
  size_t most_pods() const { return most_pods_; }
  size_t most_table_bytes() const { return most_table_bytes_; }

 private:
  static JobView make_job(const LifePlan& plan) {
    const auto parallelism = static_cast<int32_t>(plan.parallelism);
    const auto completions = static_cast<int32_t>(plan.pods);
    JobView job = plan.indexed ? indexed_job(parallelism, completions)
                               : defaulted_job(parallelism, completions);
    job.rv = 1;
    return job;
  }

  template <class Do>
  void engine_call(EngineCall call, Do action) {
    meter_.begin();
    action();
    meter_.end(call);
  }

  void decide() {
    Decision decision;
    engine_call(EngineCall::decide, [&] { decision = engine_.decide(now_); });
    idle_ = !decision.has_writes();
    if (decision.status) {
      store(*decision.status);
    }
    const size_t first = running_.size();
    for (const CreatePod& create : decision.creates) {
      running_.push_back({++serial_, create.plan.index});
    }
    show(running_.data() + first, decision.creates.size(), Phase::pending);
    engine_call(EngineCall::observe, [&] {
      for (size_t i = 0; i < decision.creates.size(); ++i) {
        engine_.pod_created(decision.creates[i].id, shown_[i]);
      }
      for (const PodWrite& write : decision.pod_writes) {
        engine_.pod_written(write.uid, nullptr);
      }
    });
    most_pods_ = std::max(most_pods_, engine_.state().pods().size());
    most_table_bytes_ = std::max(most_table_bytes_, engine_.state().pods().bytes());
    // Released pods that are finished go away, as pod garbage collection would have it.
    engine_call(EngineCall::observe, [&] {
      for (const PodWrite& write : decision.pod_writes) {
        engine_.observe_pod_gone(write.uid);
      }
    });
    observations_ += static_cast<int64_t>(decision.creates.size() + 2 * decision.pod_writes.size());
  }

  void store(const StatusWrite& write) {
    job_.status = write.status;
    // As a server answers: the same text, but not shared with what was sent.
    job_.status.completed_indexes = std::string(write.status.completed_indexes);
    job_.record = write.record.value_or(job_.record);
    job_.rv = ++rv_;
    ++status_writes_;
    ++observations_;
    text_bytes_ += job_.status.completed_indexes.size();
    JobView stored = job_;
    engine_call(EngineCall::observe, [&] { engine_.status_written(std::move(stored)); });
  }

  void finish_wave() {
    const auto count = std::min(running_.size(), static_cast<size_t>(plan_.wave));
    const size_t kept = running_.size() - count;
    for (size_t i = running_.size(); plan_.shuffled && i > kept; --i) {
      std::swap(running_[i - 1], running_[random_() % i]);
    }
    if (!plan_.shuffled) {
      std::rotate(running_.begin(), running_.begin() + static_cast<std::ptrdiff_t>(count),
                  running_.end());
    }
    now_ += seconds(1);
    for (const Phase phase : {Phase::running, Phase::succeeded}) {
      for (size_t at = kept; at < running_.size(); at += kShown) {
        const size_t some = std::min(kShown, running_.size() - at);
        show(running_.data() + at, some, phase);
        engine_call(EngineCall::observe, [&] {
          for (size_t i = 0; i < some; ++i) {
            engine_.observe_pod(shown_[i]);
          }
        });
        observations_ += static_cast<int64_t>(some);
      }
    }
    running_.resize(kept);
  }

  struct Pod {
    int64_t serial = 0;
    int64_t index = kNoIndex;
  };

  // Writes pods as the server would show them into views that are used again and again: what this
  // driver allocates must not slow the engine down.
  void show(const Pod* pods, size_t count, Phase phase) {
    shown_.resize(std::max(shown_.size(), count));
    for (size_t i = 0; i < count; ++i) {
      PodView& view = shown_[i];
      digits_ = std::to_string(pods[i].serial);
      view.uid.assign("5eed0000-0000-4000-8000-").append(12 - digits_.size(), '0').append(digits_);
      view.name = generate_name(job_.name, pods[i].index);
      view.name += "abcde";
      if (plan_.indexed) {
        view.completion_index = std::to_string(pods[i].index);
      }
      view.has_finalizer = true;
      view.has_node = phase != Phase::pending;
      view.phase = phase;
      view.created = now_;
      view.rv = ++rv_;
      view.containers.resize(1);
      view.containers[0].terminated = phase == Phase::succeeded;
      view.containers[0].finished_at = now_;
    }
  }

  static constexpr size_t kShown = 500;

  LifePlan plan_;
  Meter& meter_;
  JobView job_;
  Engine engine_;
  Time now_ = time_from_unix(1'800'000'000);
  std::vector<Pod> running_;
  std::vector<PodView> shown_;
  std::string digits_;
  std::mt19937_64 random_{42};
  uint64_t rv_ = 1;
  int64_t serial_ = 0;
  bool idle_ = false;
  int64_t observations_ = 0;
  int64_t status_writes_ = 0;
  uint64_t text_bytes_ = 0;
  size_t most_pods_ = 0;
  size_t most_table_bytes_ = 0;
};

}  // namespace windlass::engine::testing
