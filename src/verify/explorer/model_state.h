// One state of the exploration: what the API server stores, what is on its way (writes, answers,
// watch events), the real Engine with its memory, and the history that the invariants speak of.
// A value: exploring branches by copying. Knows what exists, not what may happen next: steps.h.
//
// Resource versions count per object, so that equal histories of one object give equal numbers
// whatever happened to the others; the engine compares them per object only.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/engine.h"
#include "engine/types.h"
#include "verify/engine/invariants.h"
#include "verify/explorer/config.h"

namespace windlass::verify::explorer {

using JobPointer = std::shared_ptr<const engine::JobView>;

// A pod at one resourceVersion.
struct PodVersion {
  uint64_t rv = 1;
  engine::Phase phase = engine::Phase::pending;
  bool has_node = false;
  bool has_finalizer = true;
  bool dropped = false;
  bool deleting = false;
  bool disrupted = false;
  bool has_container = false;  // the container's end is reported
  bool gone = false;           // the last word of the watch
  int32_t exit_code = 0;
  int32_t restarts = 0;
  Time finished;
  Time deleted_at;
};

// How a pod's end counts, as the engine was told of it.
enum class ReportedEnd : uint8_t { nothing, succeeded, failed, ignored };

struct Pod {
  uint32_t serial = 0;
  int64_t index = engine::kNoIndex;
  std::optional<int32_t> failures;  // annotations
  std::optional<int32_t> ignored_failures;
  Time created;
  PodVersion now;
  std::vector<PodVersion> unseen;  // oldest first; what the watch has yet to tell
  uint64_t told_rv = 0;            // newest version the running engine was told of
  // History.
  ReportedEnd told = ReportedEnd::nothing;  // by any life of the controller
  Time told_finished;
  bool told_fail_index = false;
  bool told_fail_job = false;
  int8_t told_rule = -1;       // that its failure matched
  bool listed_failed = false;  // has ever been in uncountedTerminatedPods
  bool listed_succeeded = false;
  bool robbed = false;     // lost its finalizer by another's hand
  bool given_up = false;   // marked as dropped before it ended
  bool settled = false;    // what was told of it is final: let go beyond the completions
  bool forgotten = false;  // of an index that was over and cut off since (3.30)

  bool in_store() const { return !now.gone; }
};

// A pod that left the store, as far as it matters for what comes after.
struct Ended {
  int64_t index = engine::kNoIndex;
  ReportedEnd told = ReportedEnd::nothing;
  bool fail_index = false;
  Time finished;
  bool forgotten = false;
  int8_t rule = -1;

  bool operator==(const Ended&) const = default;
};

enum class WriteKind : uint8_t { status, create, pod };
enum class ServerAnswer : uint8_t { none, stored, conflict, not_found };

// A write of the last decision that the engine has no answer to yet.
struct Write {
  WriteKind kind = WriteKind::status;
  std::shared_ptr<const engine::StatusWrite> status;
  std::shared_ptr<const engine::CreatePod> create;
  std::shared_ptr<const engine::PodWrite> pod;
  JobPointer decided_on;                     // the Job as the engine knew it when it decided
  ServerAnswer answer = ServerAnswer::none;  // not none: the server has done its part
  JobPointer stored_job;
  PodVersion stored_pod;
  uint32_t serial = 0;  // of the pod created or written
  // A pod: how it had ended, as far as the engine knew when it decided.
  ReportedEnd told = ReportedEnd::nothing;
  Time told_finished;
  bool told_fail_index = false;
  // A status: when the pods had ended that it lists as failed, as far as the engine knew.
  std::vector<std::pair<uint32_t, Time>> drafted;
};

struct ModelState {
  explicit ModelState(const ExplorerConfig& configuration);

  const ExplorerConfig* config;
  Time now;
  JobPointer job;
  std::vector<JobPointer> unseen_job;
  std::vector<Pod> pods;  // in the store, or not yet told to be gone; in order of creation
  uint32_t next_serial = 1;
  std::vector<Write> writes;
  std::optional<Time> wake_at;
  bool looked_again = false;  // the last decision asked for the Job or the pods anew
  engine::Engine engine;
  FaultBudget budget;

  // History.
  std::vector<Ended> ended;
  int32_t robbed_failures = 0;  // outcomes of robbed pods that may yet be counted
  int32_t robbed_successes = 0;
  bool robbed = false;
  uint8_t finished_told = 0;  // jobs_finished metrics of this life (T8)
  uint64_t witnessed = 0;     // indexes with a pod that succeeded
  bool worked = false;        // since the last resume a worker's success is stored that the Job had
                              // not given up

  Pod* find(uint32_t serial);
  const Pod* find(uint32_t serial) const;
  bool is_per_index() const;
  bool replaces_only_failed() const;
};

// Limits of what a model can hold; more is a fault of the configuration.
inline constexpr size_t kMaxPods = 24;
// A watch that lags further coalesces.
inline constexpr size_t kMaxUnseen = 2;

// The first rule of the policy that a version of a pod matches, by the plain reading of KEP-3329
// and without the engine's help (P1, P2).
struct Match {
  engine::Action action = engine::Action::none;
  size_t rule = 0;
  bool by_condition = false;
};
Match first_match(const ModelState& model, const PodVersion& version);

// Everything that the controller was told has ended, in the store or not.
std::vector<Ended> told_endings(const ModelState& model);
// 13.4, the plain way: whether more of these failures match the rule than its budget.
bool is_past_budget(const ModelState& model, size_t rule, const std::vector<Ended>& endings);

std::string pod_uid(uint32_t serial);
uint32_t pod_serial(std::string_view uid);  // 0 when it is none of ours
std::string pod_name(const ModelState& model, const Pod& pod);
engine::PodView pod_view(const ModelState& model, const Pod& pod, const PodVersion& version);
engine::testing::Pods stored_pods(const ModelState& model);

// The store changes a pod: a new version, which the watch will tell.
void store_pod(ModelState& model, Pod& pod, const PodVersion& changed);
void store_job(ModelState& model, engine::JobView changed);
// The engine is told of a version: notes it in the history.
void note_told(ModelState& model, Pod& pod, const PodVersion& version);
// 3.30: an index that is over and beyond the completions begins anew; its failures need not be
// remembered.
void forget_index(ModelState& model, int64_t index);
// Forgets pods that are gone and known to be.
void sweep(ModelState& model);

}  // namespace windlass::verify::explorer
