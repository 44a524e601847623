// The Job engine: tell it what happens to one Job, ask it what to do. Pure: no I/O, no clock, no
// threads, no API objects. One Engine per Job UID (a Job re-created under the same name gets a new
// one, O2); its owner, the shell, calls it from one thread.
//
//   Engine engine(options, job);                 // a Job was seen
//   engine.begin_list();                         // feed all of its pods once
//   for (pod of the Job) engine.observe_pod(pod, now);
//   engine.end_list();
//   loop: Decision d = engine.decide(now);
//     record d.events, d.metrics;
//     send d.status, d.creates, d.pod_writes, all at once;
//     answer each exactly once: status_written / status_failed, pod_created / create_failed,
//       pod_written / pod_write_failed;          // in any order, whenever they come
//     meanwhile feed observe_job, observe_pod, observe_pod_gone as the watch reports them;
//     if (d.refresh_job) GET the Job, observe_job; if (d.relist_pods) begin_list … end_list;
//     ask again after every answer or observation, and at d.wake_at.
//
// For a Job with one pod that fails once this gives: create the pod; [status: active 1, startTime];
// … pod seen Failed … [status: its UID in uncountedTerminatedPods]; release its finalizer; [status:
// failed 1]; … 10 s … create; and at the end [status: SuccessCriteriaMet, UID], release, [status:
// Complete].
//
// While any write of a decision is unanswered decide() answers with no writes: a decision is one
// round. So every write is decided from what is known to be stored, and a crash between any two of
// them is followed by a fresh decision from the API server's state alone.
//
// Answers carry the object the server returned; that is how the engine reads its own writes, and
// news with an older resourceVersion is dropped. An answer that never came (WriteError::unknown)
// asks for a fresh look at the server instead of a guess.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/decision.h"
#include "engine/policy/retry.h"
#include "engine/state/state.h"
#include "engine/status/kept_status.h"
#include "engine/status/tracking.h"
#include "engine/types.h"
#include "engine/writes_in_flight.h"

namespace windlass::engine {

class Engine {
 public:
  Engine(const Options& options, const JobView& job);

  // Observations. Any order, repeats and gaps are fine; older versions of an object are ignored.
  // Only pods whose controller is this Job (by UID) may be fed.
  void observe_job(const JobView& job);
  // `seen` is when this was seen: a back-off counts from the pod's end, which the API rounds down
  // to a whole second and which was over by then. Without it the end may be as late as the second
  // is.
  void observe_pod(const PodView& pod, std::optional<Time> seen = std::nullopt);
  void observe_pod_gone(std::string_view uid);  // deleted for good, or no longer this Job's
  void begin_list();
  void end_list();

  // What to do now. Nothing before the first end_list().
  Decision decide(Time now);
  // Whether writes of the last decision are unanswered.
  bool busy() const;

  // Answers to Decision::status.
  // False when `stored` has nothing of what was written: that counts as a refusal.
  bool status_written(JobView stored);
  void status_failed(WriteError error);
  // Answers to Decision::creates.
  void pod_created(uint32_t id, const PodView& pod);
  void create_failed(uint32_t id, WriteError error, std::string_view message);
  // Answers to Decision::pod_writes. `after` is the pod as the server returned it; null if that is
  // unknown.
  void pod_written(std::string_view uid, const PodView* after);
  void pod_write_failed(std::string_view uid, WriteError error, std::string_view message);

  const State& state() const { return state_; }
  // How the end of this pod counts, or none for one that is not known.
  Counted counted_as(std::string_view uid) const;
  // How many attempts came before this pod, at least: of its index, or of a Job without indexes the
  // pods that its status tells of.
  int64_t attempts_before(std::string_view uid) const;
  // The Job is finished, and every known pod is rid of its finalizer: nothing more will come.
  bool at_rest() const;

 private:
  friend class Fingerprint;
  // A newer version cures a conflict, and a look at the Job a lost answer: what fails more often in
  // a row is no such thing, and is waited for (0.2).
  static constexpr int kQuickRetries = 2;

  bool is_ours() const;
  void settle_retries(Time now);
  void plan(Decision& decision, Time now);
  void tell_bad_start();
  void tell_bad_policy();
  void plan_releases(Decision& decision, Time now);
  void plan_removals(Decision& decision, Time now);
  void plan_status_and_creates(Decision& decision, Time now);
  void plan_new_pods(Decision& decision, const StatusDraft* draft, const JobOutcome& outcome,
                     Time now);
  void send(Decision& decision, Slot slot, PodWrite write);
  void wake(Decision& decision, std::optional<Time> at) const;
  void note_status_failure(WriteError error);
  void refuse_status();
  Retry& retry_of(PodOp op) { return pod_retries_[static_cast<size_t>(op)]; }

  State state_;
  bool listed_ = false;
  bool refresh_job_ = false;
  bool relist_pods_ = false;
  bool put_off_ = false;  // the last decision left out a status write to save a request
  bool unknown_mode_told_ = false;
  std::optional<std::string> bad_start_told_;   // the annotation that a Warning was about
  std::optional<std::string> bad_policy_told_;  // likewise, what is wrong with the policy

  std::optional<StatusDraft> status_;  // being written, or lost on the way
  bool status_answered_ = true;
  KeptStatus kept_;
  WritesInFlight writes_;

  int64_t create_batch_ = 1;  // 3.22: doubles with success; 0: one failed in this round
  Retry status_retry_;
  int status_failures_ = 0;  // conflicts and lost answers in a row
  Retry create_retry_;
  Retry pod_retries_[3];

  std::vector<Event> events_;
  std::vector<MetricDelta> metrics_;
};

}  // namespace windlass::engine
