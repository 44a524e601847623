// Sends spans to a receiver of OpenTelemetry in batches. Nothing waits for it: spans that the
// receiver does not take wait in a queue with a limit, and are sent again with growing delays. What
// does not fit, and what the receiver rejects for good, is left out: counted, and said in the log.
//
// Lives on the core executor. Nothing is called after destruction.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/metrics.h"
#include "base/result.h"
#include "base/time.h"
#include "base/weak_self.h"
#include "env/executor.h"
#include "env/log.h"
#include "env/random.h"

namespace windlass::tracing {

// What the receiver says to a request.
struct ReceiverAnswer {
  int status = 0;
  std::string body = {};
  std::optional<Duration> retry_after = {};
};

class SpanExporter {
 public:
  // Sends one ExportTraceServiceRequest; answers later, once. An error: no answer came.
  using Post = std::function<void(std::string body, std::function<void(Result<ReceiverAnswer>)>)>;

  struct Parts {
    env::Executor& core;
    env::Random& random;
    env::Log& log;
    MetricRegistry& metrics;
    Post post;
    std::string version = {};  // of this program
  };

  static constexpr size_t kMaxBatch = 512;                     // spans
  static constexpr size_t kMaxQueuedBytes = size_t{16} << 20;  // with what is under way
  static constexpr Duration kLinger = milliseconds(500);       // for a batch to fill
  static constexpr Duration kFirstRetry = seconds(1);
  static constexpr Duration kMaxRetry = seconds(30);
  static constexpr Duration kMaxRetryAfter = minutes(5);

  explicit SpanExporter(Parts parts);
  ~SpanExporter();
  SpanExporter(const SpanExporter&) = delete;
  SpanExporter& operator=(const SpanExporter&) = delete;

  // JSON of one span.
  void add(std::string span);
  // Sends what is there without lingering, and calls `done` when all is sent or `limit` is over.
  void finish(Duration limit, std::function<void()> done);

  size_t queued() const { return queue_.size() + batch_.size(); }
  uint64_t left_out() const { return left_out_; }

 private:
  void send();
  void on_answer(const Result<ReceiverAnswer>& answer);
  void retry_later(const std::string& why, std::optional<Duration> told);
  void settle(uint64_t rejected, const std::string& why);
  void leave_out(uint64_t spans, const char* result, const std::string& why);
  void schedule(Duration delay);
  void end_finish();
  void show_queue();

  Parts parts_;
  MetricFamily& spans_;
  MetricFamily& queued_;
  std::deque<std::string> queue_;
  std::vector<std::string> batch_;  // being sent, or to be sent again
  size_t bytes_ = 0;                // of both
  bool sending_ = false;
  bool failing_ = false;  // the receiver did not take the last batch
  bool dropping_ = false;
  uint64_t left_out_ = 0;
  Duration retry_delay_ = kFirstRetry;
  env::TimerId timer_ = env::TimerId::none;  // of the next batch
  env::TimerId finish_timer_ = env::TimerId::none;
  std::function<void()> finished_;
  WeakSelf<SpanExporter> self_{this};
};

}  // namespace windlass::tracing
