// What spec, gates and stored status say about how pods are to be treated. Everything here applies
// to all pods of the Job at once, so when it changes the state is rebuilt, and otherwise it is
// constant.
#pragma once

#include <cstdint>

#include "base/index_set.h"
#include "base/result.h"
#include "engine/state/pod_table.h"
#include "engine/types.h"

namespace windlass::engine {

struct Facts {
  bool indexed = false;
  bool per_index = false;      // backoffLimitPerIndex applies
  bool only_failed = false;    // podReplacementPolicy Failed applies (0.25)
  bool policy = false;         // podFailurePolicy applies
  bool rule_limits = false;    // rules have budgets or delays of their own (13.1)
  bool on_failure = false;     // restartPolicy OnFailure
  int32_t index_limit = 0;     // backoffLimitPerIndex
  int64_t bound = 0;           // Indexed: valid indexes are below it
  bool deleting = false;       // the Job has a deletionTimestamp
  bool finished = false;       // Complete or Failed is stored
  bool failing = false;        // FailureTarget is stored
  bool succeeding = false;     // SuccessCriteriaMet is stored; stronger than failing (2.27)
  bool suspend_asked = false;  // spec.suspend
  bool suspended = false;      // pods are to go; of a work queue once that is stored (10.73)
  bool inherits = false;       // no status is stored, and an annotation says how it starts (12.2)
  bool bad_start = false;      // that annotation cannot be used (12.5)
  bool bad_policy = false;     // no status is stored, and the policy cannot be obeyed (13.6)

  bool decided() const { return failing || succeeding || finished; }
  // Pods are created and removed to fit parallelism and completions.
  bool scaling() const { return !decided() && !deleting; }

  bool operator==(const Facts&) const = default;
};

Facts derive_facts(const JobView& job, const Options& options);

// 12.1: the indexes that the Job starts with as completed, by its annotation; an error says why
// that cannot be used.
Result<IndexSet> completed_at_start(const JobView& job);

// 0.16: whether the Job is this controller's to look after.
bool is_managed(const JobView& job, const Options& options);

// Indexed: its index is known and in range. Otherwise always.
bool has_valid_index(const PodRecord& pod, const Facts& facts);
// 0.26, with two differences: a pod removed by scaling is never the Job's failure (10.75), and pods
// deleted because the Job has failed count at once (5.7).
bool counts_as_failed(const PodRecord& pod, const Facts& facts);
// Finished, tracked, and not yet in the stored status. NonIndexed only: Indexed Jobs count indexes.
bool is_new_success(const PodRecord& pod, const Facts& facts);
// Such a success of a pod that the Job had taken away: it counts, but it does not say that the work
// of a work queue is done (10.73).
bool is_taken_success(const PodRecord& pod, const Facts& facts);
// A failure that raises status.failed and is not yet stored (2.24).
bool is_new_failure(const PodRecord& pod, const Facts& facts);
// KEP-3850: this failure is the end of its index (3.34).
bool ends_index(const PodRecord& pod, const Facts& facts);

// Numbers over all pods; each pod adds its part, so a change of one pod costs O(1).
struct Tally {
  int64_t active = 0;
  int64_t ready = 0;
  int64_t terminating = 0;
  int64_t tracked = 0;  // pods that hold the finalizer
  int64_t new_succeeded = 0;
  int64_t new_taken = 0;  // of new_succeeded: of pods that the Job had taken away
  int64_t new_failed = 0;
  int64_t restarts = 0;  // 2.37

  bool operator==(const Tally&) const = default;
};

void add_pod(Tally& tally, const PodRecord& pod, const Facts& facts, int64_t sign);

}  // namespace windlass::engine
