#include "client/work_queue.h"

#include <algorithm>
#include <utility>

#include "base/check.h"

namespace windlass::client {

namespace {

std::vector<double> queue_bounds() {
  return exponential_bounds(1e-8, 10, 10);  // upstream's: 10 ns to 10 s
}

double in_seconds(Duration duration) {
  return std::chrono::duration<double>(duration).count();
}

}  // namespace

QueueMetrics::QueueMetrics(MetricRegistry& registry, std::string name)
    : name_(std::move(name)),
      depth_(registry.gauge("workqueue_depth", "Current depth of workqueue", {"name"})),
      adds_(registry.counter("workqueue_adds_total", "Total number of adds handled by workqueue",
                             {"name"})),
      waits_(registry.histogram("workqueue_queue_duration_seconds",
                                "How long an item stays in workqueue before being requested",
                                queue_bounds(), {"name"})),
      works_(registry.histogram("workqueue_work_duration_seconds",
                                "How long processing an item from workqueue takes", queue_bounds(),
                                {"name"})),
      retries_(registry.counter("workqueue_retries_total",
                                "Total number of retries handled by workqueue", {"name"})) {}

void QueueMetrics::added(size_t depth) {
  adds_.add({name_});
  depth_.set({name_}, static_cast<double>(depth));
}

void QueueMetrics::started(Duration waited, size_t depth) {
  waits_.observe({name_}, in_seconds(waited));
  depth_.set({name_}, static_cast<double>(depth));
}

void QueueMetrics::done(Duration worked) {
  works_.observe({name_}, in_seconds(worked));
}

void QueueMetrics::retried() {
  retries_.add({name_});
}

WorkQueue::WorkQueue(env::Executor& executor, env::Clock& clock, Options options, Process process)
    : executor_(executor), clock_(clock), options_(options), process_(std::move(process)) {
  CHECK(options_.workers > 0, "a queue without workers would never move");
}

WorkQueue::~WorkQueue() {
  shut_down();
}

void WorkQueue::shut_down() {
  shut_down_ = true;
  for (const auto& [key, delayed] : delayed_) {
    executor_.cancel(delayed.timer);
  }
  delayed_.clear();
  ready_.clear();
  patient_.clear();
  dirty_.clear();
}

bool WorkQueue::admit(const std::string& key) {
  return !shut_down_ && dirty_.insert(key).second && !in_work_.contains(key);
}

void WorkQueue::add(const std::string& key) {
  if (admit(key)) {
    push(ready_, key);
    dispatch_later();
  }
}

void WorkQueue::add_patient(const std::string& key) {
  if (admit(key)) {
    push(patient_, key);
    dispatch_later();
  }
}

void WorkQueue::push(std::deque<std::string>& line, const std::string& key) {
  line.push_back(key);
  if (options_.metrics) {
    since_[key] = clock_.monotonic();
    options_.metrics->added(queued());
  }
}

std::string WorkQueue::next() {
  const bool patient = ready_.empty() || (!patient_.empty() && ++turn_ % kPatientTurn == 0);
  std::deque<std::string>& line = patient ? patient_ : ready_;
  std::string key = std::move(line.front());
  line.pop_front();
  return key;
}

void WorkQueue::add_after(const std::string& key, Duration delay) {
  if (options_.metrics) {
    options_.metrics->retried();
  }
  if (delay <= Duration::zero()) {
    add(key);
    return;
  }
  if (shut_down_) {
    return;
  }
  const MonotonicTime due = clock_.monotonic() + delay;
  const auto found = delayed_.find(key);
  if (found != delayed_.end()) {
    if (found->second.due <= due) {
      return;
    }
    executor_.cancel(found->second.timer);
  }
  const env::TimerId timer = executor_.schedule(delay, [this, key] {
    delayed_.erase(key);
    add(key);
  });
  delayed_.insert_or_assign(key, Delayed{due, timer});
}

void WorkQueue::add_rate_limited(const std::string& key) {
  const int previous = failures_[key]++;
  Duration delay = options_.first_retry;
  for (int i = 0; i < previous && delay < options_.max_retry; ++i) {
    delay *= 2;
  }
  add_after(key, std::min(delay, options_.max_retry));
}

int WorkQueue::failures(const std::string& key) const {
  const auto found = failures_.find(key);
  return found == failures_.end() ? 0 : found->second;
}

void WorkQueue::done(const std::string& key) {
  CHECK(in_work_.erase(key) == 1, "done() belongs to a key that was handed out");
  if (options_.metrics) {
    options_.metrics->done(clock_.monotonic() - since_.at(key));
    since_.erase(key);
  }
  if (dirty_.contains(key)) {
    push(ready_, key);
  }
  dispatch_later();
}

void WorkQueue::dispatch_later() {
  if (dispatching_ || queued() == 0 || in_work_.size() >= options_.workers) {
    return;
  }
  dispatching_ = true;
  executor_.post(self_.bind(&WorkQueue::dispatch));
}

void WorkQueue::dispatch() {
  dispatching_ = false;
  if (queued() == 0 || in_work_.size() >= options_.workers) {
    return;
  }
  const std::string key = next();
  dirty_.erase(key);
  in_work_.insert(key);
  if (options_.metrics) {
    MonotonicTime& since = since_.at(key);
    options_.metrics->started(clock_.monotonic() - since, queued());
    since = clock_.monotonic();
  }
  // One key per task, so that others on this executor get their turn in between. The work may
  // destroy the queue: nothing of it is touched afterwards.
  dispatch_later();
  const Process process = process_;
  process(key);
}

}  // namespace windlass::client
