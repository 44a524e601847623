// What the monitors look at in a Job and a pod, read straight from the API objects: not with the
// code that the controllers use, so that a mistake there is not made here again. Plain values.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/job/job_policy.h"
#include "api/object.h"
#include "base/index_set.h"
#include "base/time.h"

namespace windlass::verify::simulation {

struct ConditionSnapshot {
  std::string type = {};
  std::string status = {};
  std::string reason = {};
  std::string message = {};
  Time since = {};

  bool operator==(const ConditionSnapshot&) const = default;
};

const ConditionSnapshot* find_condition(const std::vector<ConditionSnapshot>& conditions,
                                        std::string_view type);
bool has_true(const std::vector<ConditionSnapshot>& conditions, std::string_view type);

struct JobSnapshot {
  api::ObjectPtr object = {};
  std::string uid = {};
  std::string key = {};
  uint64_t version = 0;
  int64_t generation = 0;
  bool deleting = false;

  int32_t parallelism = 1;
  std::optional<int32_t> completions = {};
  bool indexed = false;
  int32_t backoff_limit = 6;
  std::optional<int32_t> per_index = {};
  std::optional<int32_t> max_failed_indexes = {};
  std::optional<int64_t> deadline = {};
  std::optional<int32_t> ttl = {};
  bool suspend = false;
  bool has_policy = false;
  bool restarts = false;  // restartPolicy OnFailure
  bool replace_failed = false;
  std::string managed_by = {};
  std::optional<std::string> completed_at_start = {};  // the annotation
  api::JobPolicy policy = {};                          // the annotation

  std::vector<ConditionSnapshot> conditions = {};
  std::optional<Time> start = {};
  std::optional<Time> completion = {};
  int32_t active = 0;
  int32_t ready = 0;
  int32_t terminating = 0;
  int32_t succeeded = 0;
  int32_t failed = 0;
  std::string completed_text = {};
  std::string failed_text = {};
  IndexSet completed_indexes = {};
  IndexSet failed_indexes = {};
  std::vector<std::string> uncounted_succeeded = {};
  std::vector<std::string> uncounted_failed = {};

  bool is(std::string_view condition) const { return has_true(conditions, condition); }
  bool finished() const { return is("Complete") || is("Failed"); }
  // A verdict is stored: the end is settled.
  bool decided() const { return is("FailureTarget") || is("SuccessCriteriaMet") || finished(); }
};

struct PodSnapshot {
  api::ObjectPtr object = {};
  std::string uid = {};
  std::string key = {};
  std::string job = {};  // UID of the controlling Job
  uint64_t version = 0;
  std::string phase = {};
  std::string node = {};
  bool deleting = false;
  bool finalizer = false;
  bool dropped = false;
  std::optional<int32_t> index = {};
  int64_t failure_count = 0;
  int64_t ignored_count = 0;
  int32_t restarts = 0;
  int64_t milli_cpu = 0;  // that its containers ask for
  std::vector<ConditionSnapshot> conditions = {};
  std::optional<Time> finished_at = {};  // the last container's end

  bool terminal() const { return phase == "Succeeded" || phase == "Failed"; }
  bool active() const { return !terminal() && !deleting; }
};

struct NodeSnapshot {
  std::string name = {};
  std::string ready = {};   // status of its Ready condition
  bool evicts = false;      // has a NoExecute taint
  bool life_taint = false;  // not-ready or unreachable, whatever the effect
  int64_t milli_cpu = 0;    // that pods may have
};

JobSnapshot read_job_snapshot(const api::ObjectPtr& job);
PodSnapshot read_pod_snapshot(const api::ObjectPtr& pod);
NodeSnapshot read_node_snapshot(const api::Message& node);

// Of the first rule that matches a failed pod: FailJob, FailIndex, Ignore or Count; "" when none
// does.
std::string matching_action(const api::Message& job, const api::Message& pod);
// The index of that rule; none when no rule matches.
std::optional<size_t> matching_rule(const api::Message& job, const api::Message& pod);

}  // namespace windlass::verify::simulation
