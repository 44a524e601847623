#include "engine/status/tracking.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "engine/status/conditions.h"

namespace windlass::engine {
namespace {

int32_t narrow(int64_t count) {
  return static_cast<int32_t>(std::clamp<int64_t>(count, 0, std::numeric_limits<int32_t>::max()));
}

template <class T>
void assign(T& field, T value, bool& changed) {
  if (!(field == value)) {
    field = std::move(value);
    changed = true;
  }
}

bool holds_finalizer(const State& state, const std::string& uid) {
  const Slot slot = state.find(uid);
  return slot != kNoSlot && state.pods().at(slot).has_finalizer;
}

// 5.3: a listed pod that no longer holds the finalizer moves to the counter.
int64_t purge(const State& state, std::vector<std::string>& uids) {
  return static_cast<int64_t>(
      std::erase_if(uids, [&](const std::string& uid) { return !holds_finalizer(state, uid); }));
}

// What is short, whatever the size of the Job.
JobStatus short_part(const JobStatus& status) {
  JobStatus out;
  out.conditions = status.conditions;
  out.start_time = status.start_time;
  out.completion_time = status.completion_time;
  out.active = status.active;
  out.succeeded = status.succeeded;
  out.failed = status.failed;
  out.ready = status.ready;
  out.terminating = status.terminating;
  return out;
}

class Drafter {
 public:
  Drafter(State& state, const JobOutcome& outcome, Time now)
      : state_(state),
        outcome_(outcome),
        // The API keeps whole seconds; so do we, or our own write would look like another's.
        now_(std::chrono::floor<seconds>(now)) {
    draft_.write->base_rv = state.job().rv;
    draft_.write->status = short_part(state.job().status);
  }

  StatusDraft draft() {
    move_counted();
    account();
    take_lost();
    write_indexes();
    write_counts();
    if (state_.facts().scaling()) {
      suspend_or_resume();
    } else if (is_resuming(state_)) {
      set_suspended(false);  // 2.62a: the condition must not outlive the suspension
    }
    start();
    decide();
    finish();
    write_index_counts();
    write_record();
    return std::move(draft_);
  }

 private:
  JobStatus& next() { return draft_.write->status; }
  const JobStatus& stored() const { return state_.job().status; }

  // The lists of the draft; copied from the stored status when first asked for.
  UncountedPods& lists() {
    if (!next().uncounted) {
      next().uncounted = stored().uncounted.value_or(UncountedPods());
    }
    return *next().uncounted;
  }
  const UncountedPods* lists_now() const {
    const auto& drafted = draft_.write->status.uncounted;
    const auto& old = stored().uncounted;
    return drafted ? &*drafted : old ? &*old : nullptr;
  }
  JobRecord& record() {
    if (!draft_.record) {
      draft_.record = state_.record();
    }
    return *draft_.record;
  }
  const JobRecord& record_now() const { return draft_.record ? *draft_.record : state_.record(); }

  void move_counted() {
    if (!stored().uncounted) {
      lists();
      draft_.changed = true;
    }
    if (!state_.lists_touched()) {
      return;
    }
    const int64_t succeeded = purge(state_, lists().succeeded);
    const int64_t failed = purge(state_, lists().failed);
    if (!state_.facts().indexed) {
      next().succeeded = narrow(next().succeeded + succeeded);
    }
    next().failed = narrow(next().failed + failed);
    const size_t ignored = record_now().ignored.size();
    if (ignored > 0) {
      purge(state_, record().ignored);
    }
    if (succeeded + failed > 0) {
      draft_.changed = true;
    } else if (record_now().ignored.size() == ignored) {
      state_.settle_lists();
    }
  }

  // 5.5, 5.6, with room for max_uncounted pods in all (5.10).
  void account() {
    const bool has_held = decides_success() && state_.facts().per_index;
    if (!has_held && !state_.has(Todo::account)) {
      return;
    }
    size_t used = lists().succeeded.size() + lists().failed.size() + record_now().ignored.size();
    const auto most = static_cast<size_t>(state_.options().max_uncounted);
    for (; used < most && state_.has(Todo::account); ++used) {
      account_pod(state_.pop(Todo::account));
    }
    // 5.22: with the outcome nothing is kept for its index any longer.
    for (Slot slot = 0; has_held && used < most && slot < state_.pods().end(); ++slot) {
      const PodRecord& pod = state_.pods().at(slot);
      if (pod.in_use && pod.held && is_new_failure(pod, state_.facts())) {
        account_pod(slot);
        ++used;
      }
    }
  }

  void account_pod(Slot slot) {
    add_item(slot);
    state_.set_batched(slot, true);
    draft_.changed = draft_.urgent = true;
  }

  void add_item(Slot slot) {
    const PodRecord& pod = state_.pods().at(slot);
    StatusDraft::Item item{pod.uid,
                           slot,
                           Accounted::failed,
                           pod.action,
                           pod.stamp,
                           pod.index,
                           pod.rule,
                           ends_index(pod, state_.facts()),
                           is_taken_success(pod, state_.facts())};
    if (pod.phase == Phase::succeeded) {
      item.as = Accounted::succeeded;
      item.action = Action::none;
      if (!state_.facts().indexed) {
        lists().succeeded.push_back(state_.uid_text(slot));
      }
    } else if (pod.action == Action::ignore) {
      item.as = Accounted::ignored;
      record().ignored.push_back(state_.uid_text(slot));
    } else {
      lists().failed.push_back(state_.uid_text(slot));
    }
    remember({item.finished, item.as == Accounted::succeeded, item.rule});
    set_aside(item.taken ? 1 : 0);
    draft_.items.push_back(item);
  }

  // 10.73: these successes do not end a work queue.
  void set_aside(int64_t taken) {
    if (taken > 0 && !state_.job().spec.completions) {
      record().baseline += taken;
    }
  }

  void remember(const LostOutcomes::End& end) {
    if (state_.facts().per_index) {
      return;  // 7.11
    }
    if (end.succeeded) {
      record().backoff.add_success(end.at);
    } else {
      record().add_failure(state_.job().spec, end.rule, end.at);
    }
  }

  void take_lost() {
    if (state_.lost().empty()) {
      return;
    }
    draft_.lost = state_.take_lost();
    next().succeeded = narrow(next().succeeded + draft_.lost.succeeded);
    next().failed = narrow(next().failed + draft_.lost.failed);
    for (const LostOutcomes::End& end : draft_.lost.finished) {
      remember(end);
    }
    set_aside(draft_.lost.taken);
    draft_.changed = draft_.urgent = true;
  }

  void write_indexes() {
    Indexes& indexes = state_.indexes();
    const auto& failed_text = stored().failed_indexes;
    const bool dirty = indexes.completed.dirty() || indexes.failed.dirty();
    // nil without limits per index, and not nil with them (3.32).
    const bool appears = failed_text.has_value() != state_.facts().per_index;
    draft_.prints_indexes = dirty || appears;
    draft_.changed = draft_.changed || dirty || appears;
    draft_.urgent = draft_.urgent || dirty;
    indexes.completed.begin_write();
    indexes.failed.begin_write();
    if (state_.facts().indexed) {
      write_succeeded(narrow(indexes.completed.found().size()));
    }
  }

  // The server lets the counter fall only for elastic Jobs (api.md J125); a status that a user
  // made inconsistent by hand must not become one that is refused for ever.
  void write_succeeded(int32_t succeeded) {
    const JobSpec& spec = state_.job().spec;
    if (succeeded >= next().succeeded || spec.completions == spec.parallelism) {
      assign(next().succeeded, succeeded, draft_.changed);
    }
  }

  void write_counts() {
    const Tally& tally = state_.tally();
    const bool counts_terminating = state_.options().gates.pod_replacement_policy;
    assign(next().active, narrow(tally.active), draft_.changed);
    assign(next().ready, std::optional(narrow(tally.ready)), draft_.changed);
    assign(next().terminating,
           counts_terminating ? std::optional(narrow(tally.terminating)) : std::nullopt,
           draft_.changed);
  }

  // 2.48-2.50: a Job that ends now gets no change here.
  void suspend_or_resume() {
    if (outcome_.exists()) {
      return;
    }
    const bool work_queue = !state_.job().spec.completions;
    if (state_.job().spec.suspend) {
      // 9.4: a client that sees the condition may change the template, without active pods only.
      if (state_.tally().active == 0) {
        set_suspended(true);
      } else if (work_queue && !has_true(stored(), kTypeSuspended)) {
        set_suspending(true);
      }
      return;
    }
    const bool resumes = is_resuming(state_);
    if (resumes) {
      set_suspended(false);
      next().start_time = now_;
    }
    if (work_queue && (resumes || record_now().suspending)) {
      record().baseline = successes_so_far();
    }
    set_suspending(false);
  }

  void set_suspending(bool suspending) {
    if (record_now().suspending != suspending) {
      record().suspending = suspending;
      draft_.changed = draft_.urgent = true;
    }
  }

  // Without those that set_aside() has yet to add, when there is room for them.
  int64_t successes_so_far() const {
    int64_t waiting = state_.tally().new_taken;
    for (const StatusDraft::Item& item : draft_.items) {
      waiting -= item.taken ? 1 : 0;
    }
    return state_.succeeded() + draft_.lost.succeeded - waiting;
  }

  void set_suspended(bool suspended) {
    const bool changed = suspended
                             ? set_condition(next(), kTypeSuspended, ConditionStatus::is_true,
                                             "JobSuspended", "Job suspended", now_)
                             : set_condition(next(), kTypeSuspended, ConditionStatus::is_false,
                                             "JobResumed", "Job resumed", now_);
    if (!changed) {
      return;
    }
    draft_.changed = draft_.urgent = true;
    (suspended ? draft_.suspends : draft_.resumes) = true;
    if (suspended && state_.options().gates.clear_start_time_on_suspend) {
      next().start_time.reset();
    }
    set_suspending(false);
  }

  void start() {
    if (!next().start_time && !state_.job().spec.suspend) {
      next().start_time = now_;
      draft_.changed = true;
    }
  }

  bool succeeds() const { return outcome_.kind == JobOutcome::Kind::success; }
  bool decides_success() const { return succeeds() && !outcome_.stored; }

  // Once success is stored, nothing tells a pod that failed before from one that it stopped, if
  // both are being deleted (5.7): failures that this draft has no room for come first.
  bool would_forget() const {
    if (!decides_success() || !state_.has(Todo::account)) {
      return false;
    }
    const int64_t taken =
        std::count_if(draft_.items.begin(), draft_.items.end(),
                      [](const StatusDraft::Item& item) { return item.as == Accounted::failed; });
    return state_.tally().new_failed > taken;
  }

  // 2.56: the interim condition is stored before anything that witnessed it may go (W1).
  void decide() {
    if (!outcome_.exists() || would_forget()) {
      return;
    }
    // Also when it is stored already: duplicates made by hand become one (10.60).
    const bool changed =
        set_condition(next(), succeeds() ? kTypeSuccessCriteriaMet : kTypeFailureTarget,
                      ConditionStatus::is_true, outcome_.reason, outcome_.message, now_);
    draft_.decides = !outcome_.stored;
    draft_.changed = draft_.changed || changed;
    draft_.urgent = draft_.urgent || changed;
  }

  // 2.57: nothing of the Job is left, and everything is counted.
  void finish() {
    const Tally& tally = state_.tally();
    const UncountedPods* lists = lists_now();
    const bool counted = lists == nullptr || (lists->succeeded.empty() && lists->failed.empty());
    const bool quiet = tally.active == 0 && tally.terminating == 0 && tally.tracked == 0;
    if (!outcome_.stored || !counted || !quiet || !draft_.items.empty()) {
      return;
    }
    const bool nothing_to_do = state_.job().spec.suspend && state_.job().spec.completions == 0;
    if (!next().start_time && !nothing_to_do) {
      next().start_time = now_;  // 10.74: the server refuses a finished Job without it
    }
    if (succeeds() && !next().completion_time) {
      next().completion_time = std::max(now_, next().start_time.value_or(now_));
    }
    set_condition(next(), succeeds() ? kTypeComplete : kTypeFailed, ConditionStatus::is_true,
                  outcome_.reason, outcome_.message, now_);
    draft_.changed = draft_.urgent = draft_.finishes = true;
  }

  // KEP-3850: stored before the pods that carried them may go. What is no longer needed leaves with
  // a write that is made anyway.
  void write_index_counts() {
    const IndexCounts& stored = state_.memory().stored_counts();
    if (!state_.facts().per_index || (state_.record().counts.empty() && stored.empty())) {
      return;
    }
    IndexCounts needed = state_.needed_counts();
    if (state_.has(Todo::record) || state_.memory().lacks(needed)) {
      draft_.changed = draft_.urgent = true;
    }
    if (!draft_.changed || (needed == stored && needed == state_.record().counts)) {
      return;
    }
    draft_.dropped_counts = state_.record().counts;
    for (const auto& [index, entry] : needed.entries()) {
      draft_.dropped_counts.erase(index);
    }
    record().counts = std::move(needed);
  }

  void write_record() {
    if (!draft_.record) {
      return;
    }
    std::string text = format_record(*draft_.record);
    if (text != state_.job().record) {
      draft_.write->record = std::move(text);
    }
  }

  State& state_;
  const JobOutcome& outcome_;
  Time now_;
  StatusDraft draft_;
};

void count_pods(const StatusDraft& draft, int64_t succeeded, int64_t failed,
                std::vector<MetricDelta>& metrics) {
  if (succeeded > 0) {
    metrics.push_back({Metric::pods_finished, "succeeded", "", succeeded});
  }
  if (failed > 0) {
    metrics.push_back({Metric::pods_finished, "failed", "", failed});
  }
  for (const StatusDraft::Item& item : draft.items) {
    if (item.action != Action::none) {
      count_metric(metrics, Metric::failures_handled, action_name(item.action), "");
    }
  }
}

void announce_end(const JobView& stored, std::vector<Event>& events,
                  std::vector<MetricDelta>& metrics) {
  if (const Condition* failed = true_condition(stored.status, kTypeFailed)) {
    events.push_back({true, failed->reason, failed->message, true});
    metrics.push_back(
        {Metric::jobs_finished, "failed", std::string(finished_reason_label(failed->reason)), 1});
  } else if (const Condition* complete = true_condition(stored.status, kTypeComplete)) {
    if (stored.spec.completions && stored.status.succeeded > *stored.spec.completions) {
      events.push_back({true, "TooManySucceededPods",
                        "Too many succeeded pods running after completion count reached", true});
    }
    events.push_back({false, "Completed", "Job completed", true});
    metrics.push_back({Metric::jobs_finished, "succeeded",
                       std::string(finished_reason_label(complete->reason)), 1});
  }
}

}  // namespace

StatusDraft draft_status(State& state, const JobOutcome& outcome, Time now) {
  return Drafter(state, outcome, now).draft();
}

void complete_draft(const State& state, StatusDraft& draft) {
  const JobStatus& stored = state.job().status;
  JobStatus& next = draft.write->status;
  if (!next.uncounted) {
    next.uncounted = stored.uncounted;
  }
  if (!draft.prints_indexes) {
    next.completed_indexes = stored.completed_indexes;
    next.failed_indexes = stored.failed_indexes;
    return;
  }
  next.completed_indexes = state.indexes().completed.write_text(stored.completed_indexes);
  if (state.facts().per_index) {
    next.failed_indexes = state.indexes().failed.write_text(stored.failed_indexes.value_or(""));
  }
}

void note_forgotten(size_t indexes, std::vector<Event>& events) {
  if (indexes > 0) {
    events.push_back({true, "IndexFailuresForgotten",
                      "Annotation windlass.dev/job-record cannot keep the failures of " +
                          std::to_string(indexes) +
                          " indexes whose pods are removed; they may fail that often again"});
  }
}

void abort_status(State& state, const StatusDraft& draft) {
  LostOutcomes lost = draft.lost;
  for (const StatusDraft::Item& item : draft.items) {
    const Slot slot = state.find(item.uid, item.slot);
    if (slot != kNoSlot) {
      state.set_batched(slot, false);
    }
    if (slot == kNoSlot || !state.pods().at(slot).has_finalizer) {
      const bool succeeded = item.as == Accounted::succeeded;
      lost.succeeded += succeeded && !state.facts().indexed ? 1 : 0;
      lost.taken += item.taken ? 1 : 0;
      lost.failed += item.as == Accounted::failed ? 1 : 0;
      lost.finished.push_back({item.finished, succeeded, item.rule});
      state.add_lost(item.index, {succeeded, item.ends_index});
    }
  }
  if (!lost.empty()) {
    state.add_lost(lost);
  }
  state.abort_indexes();
}

void commit_status(State& state, StatusDraft draft, JobView stored, std::vector<Event>& events,
                   std::vector<MetricDelta>& metrics) {
  const JobStatus& written = draft.write->status;
  const int64_t more_succeeded = written.succeeded - state.job().status.succeeded;
  const int64_t more_failed = written.failed - state.job().status.failed;
  const char* limit = state.facts().per_index ? "perIndex" : "global";
  const auto [completed, failed] =
      state.commit_indexes(written.completed_indexes, written.failed_indexes);
  if (draft.record) {
    state.memory().adopt(*draft.record, draft.dropped_counts);
  }
  state.observe_job(std::move(stored));
  if (draft.record) {
    note_forgotten(state.memory().give_up_unstored(draft.record->counts), events);
  }
  for (const StatusDraft::Item& item : draft.items) {
    if (const Slot slot = state.find(item.uid, item.slot); slot != kNoSlot) {
      state.set_batched(slot, false);
    }
  }
  count_pods(draft, state.facts().indexed ? completed : more_succeeded, more_failed, metrics);
  if (completed > 0) {
    metrics.push_back({Metric::finished_indexes, "succeeded", limit, completed});
  }
  if (failed > 0) {
    metrics.push_back({Metric::finished_indexes, "failed", limit, failed});
  }
  if (draft.suspends || draft.resumes) {
    const char* reason = draft.suspends ? "Suspended" : "Resumed";
    events.push_back({false, reason, draft.suspends ? "Job suspended" : "Job resumed", true});
  }
  if (draft.finishes) {
    announce_end(state.job(), events, metrics);
  }
}

}  // namespace windlass::engine
