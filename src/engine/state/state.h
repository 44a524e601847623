// Everything one Job's engine knows: the stored Job, its pods, and what follows from the two, kept
// up to date one observation at a time (safety.md Z1). Deciding reads it; only observations,
// and the answers to our own writes, change it. One thread; no clock: whatever needs the time gets
// it as argument.
//
// A pod's next step (`Todo`) is a function of its record and the facts of the Job. Whenever either
// changes the step is worked out anew and the pod stands in that step's queue, so a decision takes
// from the queues and never scans.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "engine/pods/pod_factory.h"
#include "engine/policy/backoff.h"
#include "engine/policy/failure_policy.h"
#include "engine/policy/success_policy.h"
#include "engine/state/facts.h"
#include "engine/state/index_pods.h"
#include "engine/state/indexes.h"
#include "engine/state/pod_record.h"
#include "engine/state/pod_table.h"
#include "engine/state/record_memory.h"
#include "engine/state/step_queues.h"
#include "engine/state/stored_accounts.h"
#include "engine/types.h"

namespace windlass::engine {

// A FailJob match that is not yet stored. The first by (finish time, index, UID) speaks for the Job
// (W9).
struct FailJobMatch {
  Time finished;
  int32_t index = -1;
  std::string uid;
  std::string reason;
  std::string message;

  auto order() const { return std::tie(finished, index, uid); }
};

// Outcomes of pods that lost their finalizer by another's hand before they were accounted for:
// seen, so counted, although nothing in the API shows them any more (10.79).
struct LostOutcomes {
  int64_t succeeded = 0;
  int64_t taken = 0;  // of these: of pods that the Job had taken away
  int64_t failed = 0;
  struct End {
    Time at;
    bool succeeded = false;
    int8_t rule = -1;
  };
  std::vector<End> finished;  // for the back-off and the budgets

  bool empty() const { return succeeded == 0 && failed == 0 && finished.empty(); }
  void add(const LostOutcomes& other);
};

class State {
 public:
  State(const Options& options, const JobView& job);

  // True if this is news: not older than what is known.
  bool observe_job(JobView job);
  void observe_pod(const PodView& pod, std::optional<Time> seen = std::nullopt);
  void observe_gone(std::string_view uid);
  // A complete listing is fed by observe_pod() between the two; pods not in it are gone.
  void begin_list();
  void end_list();

  // Our own write of a pod was accepted, but its new version is not known: what it did stays true
  // whatever older news arrives.
  void set_deleted(Slot slot);
  void set_dropped(Slot slot);
  void set_let_go(Slot slot, bool let_go) { pods_.at(slot).let_go = let_go; }
  // It is about to be let go: whether this is, for the first time, an ignored failure that no
  // status tells of.
  bool handle_ignored(Slot slot);
  void set_released(Slot slot);
  void set_in_flight(Slot slot, bool in_flight);
  void set_batched(Slot slot, bool batched);
  // Chosen for removal by scaling. Taken back by itself when the facts change.
  void condemn(Slot slot);
  // The status write under way was stored, with these index texts: how many indexes are newly
  // {completed, failed} in it.
  std::pair<int64_t, int64_t> commit_indexes(SharedText completed,
                                             std::optional<SharedText> failed);
  void abort_indexes();
  void add_lost(const LostOutcomes& lost);
  // A pod showed this and is gone (10.79).
  void add_lost(int32_t index, IndexEvidence shown);
  // KEP-3850: the failures that pods carry which are to go become known to the record. How many
  // indexes it has no room for: their pods may go all the same.
  size_t gather_counts();
  // Known failures of indexes, less those that are no longer needed: of indexes that are over, or
  // that a pod carries which stays.
  IndexCounts needed_counts() const;
  // Whether pods may have left the uncounted lists since settle_lists().
  bool lists_touched() const { return lists_touched_; }
  void settle_lists() { lists_touched_ = false; }

  const JobView& job() const { return job_; }
  const Options& options() const { return options_; }
  const Facts& facts() const { return facts_; }
  const Tally& tally() const { return tally_; }
  RecordMemory& memory() { return memory_; }
  const RecordMemory& memory() const { return memory_; }
  const JobRecord& record() const { return memory_.record(); }
  const PodTable& pods() const { return pods_; }
  Indexes& indexes() { return indexes_; }
  const Indexes& indexes() const { return indexes_; }
  const SuccessPolicy& success_policy() const { return success_policy_; }
  const std::optional<FailJobMatch>& fail_job() const { return fail_job_; }
  const LostOutcomes& lost() const { return lost_; }
  LostOutcomes take_lost();

  std::string uid_text(Slot slot) const { return uids_.text(pods_.at(slot).uid); }
  std::string uid_text(Uid uid) const { return uids_.text(uid); }
  Slot find(std::string_view uid) const;
  // Where it was last seen is looked at first.
  Slot find(Uid uid, Slot last) const {
    const bool there = last < pods_.end() && pods_.at(last).in_use && pods_.at(last).uid == uid;
    return there ? last : pods_.find(uid);
  }

  // 2.23, 2.24: stored, in the uncounted lists, and newly found.
  int64_t succeeded() const;
  int64_t failed() const;
  // 10.73: successes that stop a work queue from getting new workers: those of this run's workers
  // that were left to end by themselves.
  int64_t succeeded_since_resume() const;

  // The next pod that waits for this step, or kNoSlot. It leaves the queue, and comes back by
  // itself when its step is still due after set_in_flight(false) or set_batched(false).
  Slot pop(Todo todo);
  // Whether any pod waits for this step.
  bool has(Todo todo);
  // The first pod that waits for this step; the others follow it by their `queue_next`.
  Slot first(Todo todo) const { return queues_.front(todo); }

  // With per-index limits: when the back-off of an index ends, as far as it is known (7.12).
  std::optional<Time> held_until(int64_t index) const;
  // Failures of an index so far, for the annotations of its next pod (4.13).
  IndexFailures index_failures(int64_t index) const;

  // Pods looked at so far: what the cost of the engine is measured by.
  uint64_t visits() const { return visits_; }

 private:
  friend class Fingerprint;
  void load_status(const JobView& job);
  void load_uncounted();
  void learn_backoff();
  void rebuild();
  template <class Change>
  void change(Slot slot, Change change);
  Slot insert(Uid uid, int32_t index, const PodView& pod);
  void judge(PodRecord& record, const PodView& pod);
  void note_fail_job(const PodRecord& record, const PodView& pod, const RuleMatch& verdict);
  void set_accounted(Uid uid, Accounted accounted);
  void note_lost(const PodRecord& record);
  void judge_index(int32_t index, Slot head);
  void settle(Slot slot);
  void settle_index(int32_t index, Slot head);
  void hold_last_failed_of(int32_t index, Slot head, bool active);
  void refresh(Slot slot);
  Todo todo_of(const PodRecord& record) const;
  bool must_record(const PodRecord& record) const;
  void note_count(const PodRecord& record);
  void wait_for_count(int32_t index);
  void wait_for_counts();
  void erase(Slot slot);

  Options options_;
  JobView job_;
  Facts facts_;
  RecordMemory memory_;
  UidNames uids_;
  StoredAccounts accounts_;
  PodTable pods_;
  Tally tally_;
  Indexes indexes_;
  SuccessPolicy success_policy_;
  std::optional<FailJobMatch> fail_job_;
  LostOutcomes lost_;
  StepQueues queues_;
  uint64_t visits_ = 0;
  bool lists_touched_ = true;
  bool listing_ = false;
  bool learned_ = false;  // the first listing is over
};

}  // namespace windlass::engine
