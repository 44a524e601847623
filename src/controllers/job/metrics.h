// The Job controller's metrics under upstream's names (job-controller.md 8.5 to 8.14). Counts into
// a registry that outlives it.
#pragma once

#include <string>
#include <string_view>

#include "base/metrics.h"
#include "base/time.h"
#include "engine/decision.h"
#include "engine/types.h"

namespace windlass::controllers::job {

class JobMetrics {
 public:
  explicit JobMetrics(MetricRegistry& registry);

  void count(engine::CompletionMode mode, const engine::MetricDelta& delta);
  // A Job that another controller manages was seen for the first time (8.13).
  void seen_foreign(const std::string& manager);
  // A pod has become one that has ended and holds the finalizer, or is none any more (8.10).
  void terminated_with_finalizer(bool is);
  // News of a pod or Job that is older than what the server has answered: not acted on (8.14).
  void skipped_stale(std::string_view group, std::string_view resource);
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
  MetricFamily& foreign_jobs_;
  MetricFamily& stale_skips_;
};

}  // namespace windlass::controllers::job
