#include "client/queue_metrics.h"

#include <utility>

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

}  // namespace windlass::client
