#include "controllers/job/metrics.h"

#include <gtest/gtest.h>

namespace windlass::controllers::job {
namespace {

using engine::CompletionMode;
using engine::Metric;

TEST(JobMetrics, Rules8_7To8_12_UpstreamsNamesAndLabels) {
  MetricRegistry registry;
  JobMetrics metrics(registry);
  const engine::MetricDelta deltas[] = {
      {Metric::jobs_finished, "failed", "PodFailurePolicy", 1},
      {Metric::pods_finished, "succeeded", "", 3},
      {Metric::failures_handled, "FailIndex", "", 2},
      {Metric::finished_indexes, "failed", "perIndex", 1},
      {Metric::pods_created, "new", "succeeded", 4},
  };
  for (const engine::MetricDelta& delta : deltas) {
    metrics.count(CompletionMode::indexed, delta);
  }
  metrics.terminated_with_finalizer(true);
  const auto value = [&registry](const char* name, LabelValues values) {
    return registry.counter(name, "").value(values);
  };
  EXPECT_EQ(value("job_controller_jobs_finished_total", {"Indexed", "failed", "PodFailurePolicy"}),
            1);
  EXPECT_EQ(value("job_controller_job_pods_finished_total", {"Indexed", "succeeded"}), 3);
  EXPECT_EQ(value("job_controller_pod_failures_handled_by_failure_policy_total", {"FailIndex"}), 2);
  EXPECT_EQ(value("job_controller_terminated_pods_tracking_finalizer_total", {"add"}), 1);
  EXPECT_EQ(value("job_controller_job_finished_indexes_total", {"failed", "perIndex"}), 1);
  EXPECT_EQ(value("job_controller_job_pods_creation_total", {"new", "succeeded"}), 4);
}

TEST(JobMetrics, Rule8_13_Rule8_14_ForeignJobsAndOldNews) {
  MetricRegistry registry;
  JobMetrics metrics(registry);
  metrics.seen_foreign("example.com/other");
  metrics.skipped_stale("", "pods");
  metrics.skipped_stale("batch", "jobs");
  EXPECT_EQ(registry.counter("job_controller_jobs_by_external_controller_total", "")
                .value({"example.com/other"}),
            1);
  EXPECT_EQ(registry.counter("job_controller_stale_sync_skips_total", "").value({"batch", "jobs"}),
            1);
}

TEST(JobMetrics, Rules8_5And8_6_SyncsAreCountedAndTimed) {
  MetricRegistry registry;
  JobMetrics metrics(registry);
  metrics.synced(CompletionMode::non_indexed, engine::SyncAction::pods_created, false,
                 milliseconds(5));
  metrics.synced(CompletionMode::non_indexed, engine::SyncAction::tracking, true, seconds(1));
  EXPECT_EQ(registry.counter("job_controller_job_syncs_total", "")
                .value({"NonIndexed", "success", "pods_created"}),
            1);
  EXPECT_EQ(registry.histogram("job_controller_job_sync_duration_seconds", "", {})
                .value({"NonIndexed", "error", "tracking"}),
            1);
}

}  // namespace
}  // namespace windlass::controllers::job
