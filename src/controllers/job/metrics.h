// The Job controller's metrics under upstream's names (job-controller.md 8.5 to 8.12). Counts into
// a registry that outlives it.
#pragma once

#include "base/metrics.h"
#include "base/time.h"
#include "job/decision.h"
#include "job/types.h"

namespace windlass::controllers::job {

namespace engine = ::windlass::job;

class JobMetrics {
 public:
  explicit JobMetrics(MetricRegistry& registry);

  void count(engine::CompletionMode mode, const engine::MetricDelta& delta);
  void synced(engine::CompletionMode mode, engine::SyncAction action, bool failed, Duration took);

 private:
  MetricFamily& sync_durations_;
  MetricFamily& syncs_;
  MetricFamily& jobs_finished_;
  MetricFamily& pods_finished_;
  MetricFamily& failures_handled_;
  MetricFamily& terminated_with_finalizer_;
  MetricFamily& finished_indexes_;
  MetricFamily& pods_created_;
};

}  // namespace windlass::controllers::job
