// What the engine asks of its shell. Everything in one Decision is safe to send at once and in any
// order: what has to wait for something else is simply not in it yet. Each write is answered to the
// engine exactly once; then decide() is asked again, and answers with what has become safe.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/time.h"
#include "engine/pods/pod_factory.h"
#include "engine/types.h"

namespace windlass::engine {

// PUT .../status with `base_rv` as resourceVersion; the record goes into the Job's annotations in
// the same request (api.md J120).
struct StatusWrite {
  uint64_t base_rv = 0;
  JobStatus status;
  std::optional<std::string> record;  // new value of annotation kRecordKey, when it changed
};

struct CreatePod {
  uint32_t id = 0;  // to answer with
  PodPlan plan;
};

enum class PodOp : uint8_t {
  delete_pod,  // DELETE with the pod's UID as precondition
  release,     // remove kTrackingFinalizer, nothing else, with the UID as precondition
  drop,        // add annotation kDroppedKey=true, with the UID and the version as preconditions
};

struct PodWrite {
  PodOp op = PodOp::delete_pod;
  std::string uid;
  std::string name;
  uint64_t required_rv = 0;  // when not 0: also a precondition
};

// Reason of the event that says why the API server does not take a Job's status.
inline constexpr std::string_view kReasonStatusRefused = "StatusRefused";

struct Event {
  bool warning = false;
  std::string reason;
  std::string message;
  bool essential = false;  // must not fall to an event budget (10.81)
};

enum class Metric : uint8_t {
  jobs_finished,     // label a: succeeded|failed, b: reason (bounded, 6.24)
  pods_finished,     // a: succeeded|failed
  failures_handled,  // a: action
  finished_indexes,  // a: succeeded|failed, b: perIndex|global
  pods_created,      // a: reason, b: succeeded|failed
};

struct MetricDelta {
  Metric metric = Metric::jobs_finished;
  std::string a;
  std::string b;
  int64_t by = 1;
};

// Adds one to the delta of this metric, or begins it: one entry however many pods.
inline void count_metric(std::vector<MetricDelta>& deltas, Metric metric, std::string_view a,
                         std::string_view b) {
  for (MetricDelta& delta : deltas) {
    if (delta.metric == metric && delta.a == a && delta.b == b) {
      ++delta.by;
      return;
    }
  }
  deltas.push_back({metric, std::string(a), std::string(b), 1});
}

// The `action` label of job_controller_job_syncs_total (8.5).
enum class SyncAction : uint8_t { reconciling, tracking, pods_created, pods_deleted };

struct Decision {
  std::shared_ptr<const StatusWrite> status;  // shared with the engine, which waits for its answer
  std::vector<CreatePod> creates;
  std::vector<PodWrite> pod_writes;
  bool refresh_job = false;     // GET the Job (or wait for its newer version) and observe_job() it
  bool relist_pods = false;     // an answer was lost: list the Job's pods anew
  std::optional<Time> wake_at;  // ask again then, if nothing happens before
  SyncAction action = SyncAction::reconciling;
  bool is_sync = false;       // of an own Job of known mode that has not ended: counted (2.10)
  std::vector<Event> events;  // to record, of what has happened since the last decision
  std::vector<MetricDelta> metrics;

  bool has_writes() const { return status != nullptr || !creates.empty() || !pod_writes.empty(); }
};

// Why a write did not happen, as far as it matters for what comes next.
enum class WriteError : uint8_t {
  rejected,               // certainly not applied: quota, admission, validation, server error
  conflict,               // resourceVersion is stale
  not_found,              // the object (or one with this UID) is gone
  namespace_terminating,  // creates only; neither an event nor an error (3.24)
  unknown,                // no answer: it may have been applied
};

}  // namespace windlass::engine
