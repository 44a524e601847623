// What the Job engine knows of a Job and its pods: plain values, filled by an adapter from API
// objects. Nothing here owns anything outside itself, and nothing here is protobuf. Field names are
// those of the Kubernetes API in snake_case; an absent optional is an absent field.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/time.h"
#include "engine/state/shared_text.h"

namespace windlass::engine {

inline constexpr std::string_view kTrackingFinalizer = "batch.kubernetes.io/job-tracking";
inline constexpr std::string_view kCompletionIndexKey = "batch.kubernetes.io/job-completion-index";
inline constexpr std::string_view kIndexFailureCountKey =
    "batch.kubernetes.io/job-index-failure-count";
inline constexpr std::string_view kIndexIgnoredFailureCountKey =
    "batch.kubernetes.io/job-index-ignored-failure-count";
// On a Job: what must survive a restart and has no field in the API (see record.h).
inline constexpr std::string_view kRecordKey = "windlass.dev/job-record";
// On an Indexed Job: the indexes that it starts with as completed (12.1).
inline constexpr std::string_view kCompletedIndexesKey = "windlass.dev/completed-indexes";
// On a Job: rules beyond those of its spec (13.1).
inline constexpr std::string_view kPolicyKey = "windlass.dev/policy";
// On a pod: removed by scale-down or suspension, so its failure is not the Job's (10.75, 10.79).
inline constexpr std::string_view kDroppedKey = "windlass.dev/dropped";

enum class CompletionMode : uint8_t { non_indexed, indexed, unknown };
enum class Action : uint8_t { none, fail_job, fail_index, ignore, count, unknown };
enum class Operator : uint8_t { in, not_in, unknown };
enum class ConditionStatus : uint8_t {
  is_true,
  is_false,
  unknown,  // the text "Unknown"
  other,    // none of the three; the API server lets it pass. Equal to nothing
};
enum class Phase : uint8_t { pending, running, succeeded, failed, unknown };

struct ExitCodes {
  std::optional<std::string> container_name;
  Operator op = Operator::in;
  std::vector<int32_t> values;
};

struct ConditionPattern {
  std::string type;
  ConditionStatus status = ConditionStatus::is_true;
};

// How often, and how soon, what fails by a rule is tried again (windlass.dev/policy; 13.1).
struct RuleLimits {
  struct Backoff {
    Duration base;
    Duration cap;

    bool operator==(const Backoff&) const = default;
  };
  std::optional<int32_t> budget;   // so many failures, and no more
  std::optional<Duration> window;  // only those count that end within it
  bool reset_on_success = false;   // only those count that end after the last success
  std::optional<Backoff> backoff;  // in place of the Job's delay

  bool operator==(const RuleLimits&) const = default;
};

struct FailureRule {
  Action action = Action::count;
  std::optional<std::string> name;  // KEP-4443
  std::optional<ExitCodes> on_exit_codes;
  std::vector<ConditionPattern> on_pod_conditions;
  std::optional<RuleLimits> limits = {};
};

struct SuccessRule {
  std::optional<std::string> succeeded_indexes;
  std::optional<int32_t> succeeded_count;
};

struct JobSpec {
  int32_t parallelism = 1;
  std::optional<int32_t> completions;  // absent: a work queue
  CompletionMode mode = CompletionMode::non_indexed;
  int32_t backoff_limit = 6;
  std::optional<int32_t> backoff_limit_per_index;
  std::optional<int32_t> max_failed_indexes;
  std::optional<int64_t> active_deadline_seconds;
  bool suspend = false;
  bool replace_only_failed = false;  // podReplacementPolicy: Failed
  bool restart_on_failure = false;   // the template's restartPolicy is OnFailure
  std::optional<std::vector<FailureRule>> failure_policy;
  std::optional<std::vector<SuccessRule>> success_policy;
  std::string managed_by;
};

struct Condition {
  std::string type;
  ConditionStatus status = ConditionStatus::is_true;
  Time last_probe;
  Time last_transition;
  std::string reason;
  std::string message;
  std::string other_status = {};  // the text, when the status is `other`

  bool operator==(const Condition&) const = default;
};

struct UncountedPods {
  std::vector<std::string> succeeded;
  std::vector<std::string> failed;

  bool operator==(const UncountedPods&) const = default;
};

struct JobStatus {
  std::vector<Condition> conditions;
  std::optional<Time> start_time;
  std::optional<Time> completion_time;
  int32_t active = 0;
  int32_t succeeded = 0;
  int32_t failed = 0;
  std::optional<int32_t> ready;
  std::optional<int32_t> terminating;
  SharedText completed_indexes;
  std::optional<SharedText> failed_indexes;
  std::optional<UncountedPods> uncounted;

  bool operator==(const JobStatus&) const = default;
};

struct JobView {
  std::string uid;
  std::string namespace_name;
  std::string name;
  uint64_t rv = 0;  // resourceVersion; 0 when it is not a number
  int64_t generation = 0;
  bool deleting = false;  // metadata.deletionTimestamp is set
  JobSpec spec;
  JobStatus status;
  std::string record;                                  // annotation kRecordKey; empty when absent
  std::optional<std::string> completed_at_start = {};  // annotation kCompletedIndexesKey
  std::optional<std::string> policy_error = {};        // why annotation kPolicyKey cannot be obeyed
};

struct ContainerView {
  std::string name;
  bool init = false;
  bool sidecar = false;  // an init container with restartPolicy Always
  bool terminated = false;
  int32_t exit_code = 0;
  std::optional<Time> finished_at;
  int32_t restarts = 0;
  bool operator==(const ContainerView&) const = default;
};

struct PodCondition {
  std::string type;
  ConditionStatus status = ConditionStatus::is_true;
  std::optional<Time> last_transition;
  bool operator==(const PodCondition&) const = default;
};

struct PodView {
  std::string uid;
  std::string name;
  uint64_t rv = 0;
  Phase phase = Phase::pending;
  Time created;
  std::optional<Time> deletion_time;  // metadata.deletionTimestamp
  int64_t deletion_grace_seconds = 0;
  bool has_finalizer = false;  // kTrackingFinalizer
  bool has_node = false;       // spec.nodeName is set
  // The annotations as they stand; absent ones are nullopt.
  std::optional<std::string> completion_index;
  std::optional<std::string> failure_count;
  std::optional<std::string> ignored_failure_count;
  bool dropped = false;  // annotation kDroppedKey is present
  std::vector<PodCondition> conditions;
  std::vector<ContainerView> containers;  // containerStatuses first, then initContainerStatuses
  bool operator==(const PodView&) const = default;
};

// Feature gates; each may differ from one life of the controller to the next (job-controller.md 9).
struct Gates {
  bool pod_failure_policy = true;
  bool backoff_limit_per_index = true;
  bool pod_replacement_policy = true;
  bool pod_failure_policy_name = true;
  bool success_policy = true;
  bool managed_by = true;
  bool clear_start_time_on_suspend = true;  // MutableSchedulingDirectivesForSuspendedJobs
};

// The manager of Jobs without spec.managedBy.
inline constexpr std::string_view kBuiltInManager = "kubernetes.io/job-controller";

struct Options {
  Gates gates;
  Duration backoff_base = seconds(10);  // 0.3
  Duration backoff_cap = minutes(10);   // 0.3
  Duration retry_base = seconds(1);     // 0.2: after a refused write
  Duration retry_cap = seconds(60);     // 0.2
  int32_t max_uncounted = 500;          // 0.4
  // Indexes that wait out a back-off at once before higher ones have to wait; parallelism, if that
  // is more. Each may be a gap in completedIndexes, and objects have a largest size.
  int32_t max_cooling_indexes = 10'000;
  int32_t max_pod_writes = 500;  // 0.5: of one kind in one decision, always (W7, W11)
  std::string manager = std::string(kBuiltInManager);  // 0.16: whose Jobs these are
};

inline bool is_terminal(Phase phase) {
  return phase == Phase::succeeded || phase == Phase::failed;
}

}  // namespace windlass::engine
