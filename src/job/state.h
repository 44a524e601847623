// Everything one Job's engine knows: the stored Job, its pods, and what follows from the two, kept
// up to date one observation at a time (reliability.md 5.2). Deciding reads it; only observations,
// and the answers to our own writes, change it. One thread; no clock: whatever needs the time gets
// it as argument.
//
// A pod's next step (`Todo`) is a function of its record and the facts of the Job. Whenever either
// changes the step is worked out anew and the pod stands in that step's queue, so a decision takes
// from the queues and never scans.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "job/backoff.h"
#include "job/facts.h"
#include "job/failure_policy.h"
#include "job/indexes.h"
#include "job/pod_factory.h"
#include "job/pod_table.h"
#include "job/record.h"
#include "job/success_policy.h"
#include "job/types.h"

namespace windlass::job {

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
  std::vector<std::pair<Time, bool>> finished;  // time, succeeded: for the back-off

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
  // Whether some of these have to be stored, and are not.
  bool lacks(const IndexCounts& needed) const;
  // A status write with this record was accepted. `dropped` is what it no longer says of indexes.
  void adopt_record(const Record& record, const IndexCounts& dropped);
  // What of these failures is not stored although the server accepted them: the pods that carry
  // them may go all the same. How many indexes.
  size_t give_up_unstored(const IndexCounts& sent);
  const IndexCounts& stored_counts() const { return stored_counts_; }
  // Whether a part of the record could not be read; once for each text.
  bool take_unreadable() { return std::exchange(unreadable_, false); }
  // Whether pods may have left the uncounted lists since settle_lists().
  bool lists_touched() const { return lists_touched_; }
  void settle_lists() { lists_touched_ = false; }

  const JobView& job() const { return job_; }
  const Options& options() const { return options_; }
  const Facts& facts() const { return facts_; }
  const Tally& tally() const { return tally_; }
  // What the stored record says, and what is known beside it.
  const Record& record() const { return record_; }
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

  // The pod that keeps the failure count of an index, with per-index limits (5.21).
  Slot held_pod(int64_t index) const;
  std::optional<Time> held_until(int64_t index) const;
  // Failures of an index so far, for the annotations of its next pod (4.13).
  IndexFailures index_failures(int64_t index) const;

  // Pods looked at so far: what the cost of the engine is measured by.
  uint64_t visits() const { return visits_; }

 private:
  friend class Fingerprint;
  void load_status(const JobView& job);
  void load_uncounted();
  void load_record();
  void learn_backoff();
  void rebuild();
  template <class Change>
  void change(Slot slot, Change change);
  Accounted stored_account(Uid uid) const;
  Slot insert(Uid uid, int32_t index, const PodView& pod);
  void fill(PodRecord& record, const PodView& pod, std::optional<Time> seen);
  void judge(PodRecord& record, const PodView& pod);
  void note_fail_job(const PodRecord& record, const PodView& pod, const Verdict& verdict);
  void set_accounted(Uid uid, Accounted accounted);
  void note_lost(const PodRecord& record);
  IndexEvidence evidence(const PodRecord& record) const;
  void judge_index(int32_t index, Slot head);
  void settle(Slot slot);
  void settle_index(int32_t index, Slot head);
  void hold_best(int32_t index, Slot head, bool active);
  void find_duplicates(Slot head, int32_t active);
  void refresh(Slot slot);
  Todo next_step(const PodRecord& record) const;
  Todo todo_of(const PodRecord& record) const;
  bool is_open(int64_t index) const;
  IndexFailures carried(const PodRecord& record) const;
  bool stays(const PodRecord& record) const;
  bool has_staying(int32_t index, IndexFailures failures) const;
  bool must_record(const PodRecord& record) const;
  void note_count(const PodRecord& record);
  void wait_for_count(int32_t index);
  void wait_for_counts();
  void erase(Slot slot);
  SlotQueue& queue(Todo todo);

  Options options_;
  JobView job_;
  Facts facts_;
  Record record_;
  IndexCounts stored_counts_;    // of record_: what the API server has
  std::set<int32_t> forgotten_;  // indexes whose failures cannot be stored
  bool counts_grew_ = false;     // since they were last held against the room for them
  UidNames uids_;
  std::vector<std::pair<Uid, Accounted>> accounted_;  // what the stored Job lists, by UID
  PodTable pods_;
  Tally tally_;
  Indexes indexes_;
  SuccessPolicy success_policy_;
  std::optional<FailJobMatch> fail_job_;
  LostOutcomes lost_;
  SlotQueue to_account_;
  SlotQueue to_release_;
  SlotQueue to_remove_;
  SlotQueue to_record_;
  uint64_t visits_ = 0;
  bool lists_touched_ = true;
  bool listing_ = false;
  bool learned_ = false;  // the first listing is over
  bool unreadable_ = false;
};

// Orders active pods: what comes first is removed first (3.9); ties are broken by UID (W9).
bool remove_before(const PodRecord& a, const PodRecord& b);

}  // namespace windlass::job
