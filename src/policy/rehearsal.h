// One Job lived through in memory: the Job engine decides, every write succeeds at once, the clock
// moves only when something waits for it, and pods end when and how the caller says. One pod at a
// time, so that cause and effect stay together.
//
// The engine is the product's own; this stands in for API server and nodes. One thread, no I/O.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "engine/engine.h"
#include "policy/failure.h"
#include "policy/subject.h"

namespace windlass::policy {

// What the engine made of a failed pod.
struct Judgement {
  engine::Action action = engine::Action::none;
  int32_t rule = -1;  // -1: no rule matched
};

class Rehearsal {
 public:
  explicit Rehearsal(const Subject& subject);
  Rehearsal(const Rehearsal&) = delete;
  Rehearsal& operator=(const Rehearsal&) = delete;

  // Lets time pass until a pod runs; false when none will: the Job has ended.
  bool wait_for_pod();
  // The pod that runs ends in this way. There must be one.
  Judgement fail_pod(const Failure& failure);

  // FailureTarget or Failed; SuccessCriteriaMet or Complete. Null when there is neither.
  const engine::Condition* verdict() const;
  const engine::JobStatus& status() const { return job_.status; }
  Duration elapsed() const { return now_ - start_; }
  // The completion index of the pod that ended last; kNoIndex when the Job has none.
  int64_t last_index() const { return last_index_; }
  // With limits per index: when the index is tried again, and its failures so far.
  std::optional<Duration> index_waits(int64_t index) const;
  engine::IndexFailures index_failures(int64_t index) const;

 private:
  static constexpr int kMaxRounds = 10'000;  // of writes until the engine is content
  static constexpr int kMaxWaits = 1'000;    // for the next thing to happen

  const engine::PodView* running_pod() const;
  void settle();
  bool carry_out(const engine::Decision& decision);
  void create(const engine::CreatePod& create);
  void write(const engine::PodWrite& write);
  void observe(const std::string& uid);
  bool remove_if_over(const std::string& uid);

  const Subject& subject_;
  engine::JobView job_;
  Time start_;
  Time now_;
  uint64_t revision_ = 1;
  int serial_ = 0;
  int64_t last_index_ = engine::kNoIndex;
  std::optional<Time> wake_at_;
  std::map<std::string, engine::PodView> pods_;  // by uid, which grow with time
  engine::Engine engine_;
};

}  // namespace windlass::policy
