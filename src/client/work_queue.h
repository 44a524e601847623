// Keys waiting to be worked on, each at most once, never by two at a time (job-controller.md
// 1.5-1.7). "Key in, requeue-after out": a controller gets a key, works as long as it likes, and
// calls done() exactly once, after having asked for a retry or forgotten the key's failures.
//
// Holds one small entry per key that is queued, delayed, running or failing: bounded by the objects
// there are. Lives on one executor and must be destroyed there; after that nothing of it runs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>

#include "base/metrics.h"
#include "base/time.h"
#include "base/weak_self.h"
#include "env/clock.h"
#include "env/executor.h"

namespace windlass::client {

// The metrics of one work queue, under the names that Kubernetes' queues have (job-controller.md
// 8.15): workqueue_depth, _adds_total, _queue_duration_seconds, _work_duration_seconds and
// _retries_total, with the queue's name as label. Counts into a registry that outlives it.
class QueueMetrics {
 public:
  QueueMetrics(MetricRegistry& registry, std::string name);

  void added(size_t depth);
  void started(Duration waited, size_t depth);
  void done(Duration worked);
  // Every delayed add, as upstream counts them: no rate of errors.
  void retried();

 private:
  std::string name_;
  MetricFamily& depth_;
  MetricFamily& adds_;
  MetricFamily& waits_;
  MetricFamily& works_;
  MetricFamily& retries_;
};

class QueueMetrics;

class WorkQueue {
 public:
  struct Options {
    size_t workers = 5;  // keys in work at the same time
    // After the n-th failure in a row: first * 2^(n-1), at most `max` (job-controller.md 0.2).
    Duration first_retry = seconds(1);
    Duration max_retry = seconds(60);
    std::shared_ptr<QueueMetrics> metrics = {};  // none: nothing is counted
  };
  // Starts work on a key; never called inside a call to the queue.
  using Process = std::function<void(const std::string& key)>;

  WorkQueue(env::Executor& executor, env::Clock& clock, Options options, Process process);
  ~WorkQueue();
  WorkQueue(const WorkQueue&) = delete;
  WorkQueue& operator=(const WorkQueue&) = delete;

  // As soon as a worker is free; again after done() if it is in work now.
  void add(const std::string& key);
  // The same for what can wait: behind everything that was added otherwise, but for one turn in
  // kPatientTurn.
  void add_patient(const std::string& key);
  // Of two delays the earlier one wins; zero or less is add().
  void add_after(const std::string& key, Duration delay);
  // After a failure: later each time, until forget().
  void add_rate_limited(const std::string& key);
  void forget(const std::string& key) { failures_.erase(key); }
  void done(const std::string& key);

  // Nothing is started any more. What is in work goes on.
  void shut_down();

  size_t queued() const { return ready_.size() + patient_.size(); }
  size_t delayed() const { return delayed_.size(); }
  size_t in_work() const { return in_work_.size(); }
  bool idle() const { return queued() == 0 && in_work_.empty(); }
  int failures(const std::string& key) const;

 private:
  static constexpr uint64_t kPatientTurn = 8;

  struct Delayed {
    MonotonicTime due;
    env::TimerId timer;
  };

  bool admit(const std::string& key);
  void push(std::deque<std::string>& line, const std::string& key);
  std::string next();
  void dispatch_later();
  void dispatch();

  env::Executor& executor_;
  env::Clock& clock_;
  Options options_;
  Process process_;
  std::deque<std::string> ready_;
  std::deque<std::string> patient_;
  uint64_t turn_ = 0;
  std::set<std::string> dirty_;  // in one of them, or in work and to be queued again
  std::set<std::string> in_work_;
  std::map<std::string, Delayed> delayed_;
  std::map<std::string, int> failures_;
  std::map<std::string, MonotonicTime> since_;  // queued or in work; with metrics only
  bool dispatching_ = false;
  bool shut_down_ = false;
  WeakSelf<WorkQueue> self_{this};
};

}  // namespace windlass::client
