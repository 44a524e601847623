// The metrics of one work queue, under the names that Kubernetes' queues have (job-controller.md
// 8.15): workqueue_depth, _adds_total, _queue_duration_seconds, _work_duration_seconds and
// _retries_total, with the queue's name as label. Counts into a registry that outlives it.
#pragma once

#include <cstddef>
#include <string>

#include "base/metrics.h"
#include "base/time.h"

namespace windlass::client {

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

}  // namespace windlass::client
