#include "controllers/job/metrics.h"

namespace windlass::controllers::job {

namespace {

std::string_view mode_label(engine::CompletionMode mode) {
  return mode == engine::CompletionMode::indexed ? "Indexed" : "NonIndexed";
}

std::string_view action_label(engine::SyncAction action) {
  switch (action) {
    case engine::SyncAction::reconciling:
      break;
    case engine::SyncAction::tracking:
      return "tracking";
    case engine::SyncAction::pods_created:
      return "pods_created";
    case engine::SyncAction::pods_deleted:
      return "pods_deleted";
  }
  return "reconciling";
}

}  // namespace

JobMetrics::JobMetrics(MetricRegistry& registry)
    : sync_durations_(registry.histogram(
          "job_controller_job_sync_duration_seconds", "The time it took to sync a job",
          exponential_bounds(0.004, 2, 15), {"completion_mode", "result", "action"})),
      syncs_(registry.counter("job_controller_job_syncs_total", "The number of job syncs",
                              {"completion_mode", "result", "action"})),
      jobs_finished_(registry.counter("job_controller_jobs_finished_total",
                                      "The number of finished jobs",
                                      {"completion_mode", "result", "reason"})),
      pods_finished_(registry.counter("job_controller_job_pods_finished_total",
                                      "The number of finished Pods that are fully tracked",
                                      {"completion_mode", "result"})),
      failures_handled_(registry.counter(
          "job_controller_pod_failures_handled_by_failure_policy_total",
          "The number of failed Pods handled by failure policy, by action", {"action"})),
      terminated_with_finalizer_(
          registry.counter("job_controller_terminated_pods_tracking_finalizer_total",
                           "The number of terminated pods that have the finalizer "
                           "batch.kubernetes.io/job-tracking, by event",
                           {"event"})),
      finished_indexes_(registry.counter("job_controller_job_finished_indexes_total",
                                         "The number of finished indexes",
                                         {"status", "backoffLimit"})),
      pods_created_(registry.counter("job_controller_job_pods_creation_total",
                                     "The number of Pods created by the Job controller",
                                     {"reason", "status"})),
      foreign_jobs_(registry.counter("job_controller_jobs_by_external_controller_total",
                                     "The number of Jobs managed by an external controller",
                                     {"controller_name"})),
      stale_skips_(registry.counter(
          "job_controller_stale_sync_skips_total",
          "What was seen and not acted on, because the server had answered something newer",
          {"group", "resource"})) {}

void JobMetrics::seen_foreign(const std::string& manager) {
  foreign_jobs_.add({manager});
}

void JobMetrics::terminated_with_finalizer(bool is) {
  terminated_with_finalizer_.add({is ? "add" : "delete"});
}

void JobMetrics::skipped_stale(std::string_view group, std::string_view resource) {
  stale_skips_.add({group, resource});
}

void JobMetrics::count(engine::CompletionMode mode, const engine::MetricDelta& delta) {
  const auto by = static_cast<double>(delta.by);
  switch (delta.metric) {
    case engine::Metric::jobs_finished:
      jobs_finished_.add({mode_label(mode), delta.a, delta.b}, by);
      return;
    case engine::Metric::pods_finished:
      pods_finished_.add({mode_label(mode), delta.a}, by);
      return;
    case engine::Metric::failures_handled:
      failures_handled_.add({delta.a}, by);
      return;
    case engine::Metric::finished_indexes:
      finished_indexes_.add({delta.a, delta.b}, by);
      return;
    case engine::Metric::pods_created:
      pods_created_.add({delta.a, delta.b}, by);
      return;
  }
}

void JobMetrics::synced(engine::CompletionMode mode, engine::SyncAction action, bool failed,
                        Duration took) {
  const std::string_view result = failed ? "error" : "success";
  syncs_.add({mode_label(mode), result, action_label(action)});
  sync_durations_.observe({mode_label(mode), result, action_label(action)},
                          std::chrono::duration<double>(took).count());
}

}  // namespace windlass::controllers::job
