// Ways for a pod to fail, and what the pod then looks like: KEP-3329's table of failures as seen on
// real nodes (disruption.md ). A Failure says what happens, in the words of a cases
// file; `end_pod` turns it into the pod that the Job controller gets to see. Pure values and
// functions.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/time.h"
#include "engine/types.h"
#include "policy/subject.h"

namespace windlass::policy {

inline constexpr std::string_view kDisruptionTarget = "DisruptionTarget";
inline constexpr int32_t kSigtermCode = 143;
inline constexpr int32_t kSigkillCode = 137;

struct Failure {
  enum class Cause : uint8_t {
    exit,                   // a container ends with exit_code
    signal,                 // the same, said as a signal
    oom_killed,             // beyond its memory limit
    storage_limit,          // beyond its ephemeral-storage limit: evicted, but no disruption
    preemption,             // DisruptionTarget: PreemptionByScheduler
    api_eviction,           // DisruptionTarget: EvictionByEvictionAPI
    taint,                  // DisruptionTarget: DeletionByTaintManager
    node_lost,              // DisruptionTarget: DeletionByPodGC
    node_shutdown,          // DisruptionTarget: TerminationByKubelet
    node_pressure,          // DisruptionTarget: TerminationByKubelet
    admission,              // the node refuses the pod: no container ever existed
    deleted_while_pending,  // by a user, before it had a node
    deleted,                // by a user, while it ran
    condition,              // fails with a condition that another component has set
  };

  Cause cause = Cause::exit;
  std::string container;             // which one ends with exit_code; "": every app container
  std::optional<int32_t> exit_code;  // absent: what the cause usually brings
  std::vector<engine::ConditionPattern> conditions;  // further ones
  bool other_code = false;                           // stands for all codes that no rule names
  std::string sidecar;  // a sidecar that SIGTERM ends, when the pod is over
};

struct CauseInfo {
  Failure::Cause cause = Failure::Cause::exit;
  std::string_view name;    // in cases files and JSON
  std::string_view text;    // in tables
  std::string_view reason;  // of DisruptionTarget; "" when it is no disruption
};

// By name of a cases file (`PreemptionByScheduler`); null when there is none.
const CauseInfo* find_cause(std::string_view name);
const CauseInfo& cause_info(Failure::Cause cause);
// The names that a cases file may use, in the order of the table.
std::vector<std::string_view> cause_names();

// `exit 42 in main`
std::string failure_text(const Failure& failure);
// The same for several that differ in exit code alone: `exit 40-42 in main`.
std::string failures_text(const std::vector<Failure>& failures);

// The pod is marked for deletion first, and ends within its grace period.
bool is_deleted_first(Failure::Cause cause);
void begin_deletion(engine::PodView& pod, const Failure& failure, const Subject& subject, Time now);
// What the pod looks like at its end.
void end_pod(engine::PodView& pod, const Failure& failure, const Subject& subject, Time now);
// The container is started again in its pod, which goes on: restartPolicy OnFailure, its own policy
// and rules (KEP-5307), and sidecars. Decided by the code that the node decides by.
bool restarts_in_place(const Failure& failure, const Subject& subject);
bool restarts_in_place(const ContainerInfo& container, int32_t exit_code, const Subject& subject);
void restart_container(engine::PodView& pod, const Failure& failure, const Subject& subject);

// The set that `windlass policy test` tries without a cases file: every exit code that the policy
// names and one that it does not, for every container, and every other way of the list above.
std::vector<Failure> built_in_failures(const Subject& subject);

}  // namespace windlass::policy
