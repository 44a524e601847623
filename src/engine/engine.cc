#include "engine/engine.h"

#include <algorithm>
#include <utility>

#include "base/check.h"
#include "engine/pods/scaling.h"
#include "engine/policy/failure_policy.h"
#include "engine/policy/outcome.h"
#include "engine/status/conditions.h"

namespace windlass::engine {
namespace {

constexpr std::string_view kUnreadableRecord =
    "Parts of annotation windlass.dev/job-record cannot be read and are ignored; delays and "
    "failures are taken from the pods. Do not edit this annotation";
constexpr std::string_view kStatusNotKept =
    "The API server does not keep the Job's status: it answers the write with success, and then "
    "shows the status from before. Look for an admission webhook or a proxy that undoes it";

}  // namespace

Engine::Engine(const Options& options, const JobView& job) : state_(options, job) {}

bool Engine::is_ours() const {
  return is_managed(state_.job(), state_.options());
}

bool Engine::busy() const {
  return !status_answered_ || !writes_.empty();
}

bool Engine::at_rest() const {
  return state_.facts().finished && state_.tally().tracked == 0 && !busy();
}

void Engine::wake(Decision& decision, std::optional<Time> at) const {
  if (at && (!decision.wake_at || *at < *decision.wake_at)) {
    decision.wake_at = at;
  }
}

void Engine::settle_retries(Time now) {
  if (kept_.trust_after(std::max(status_retry_.wait(), state_.options().retry_base), now)) {
    status_retry_.succeeded();
  }
  status_retry_.settle(now, state_.options());
  create_retry_.settle(now, state_.options());
  create_batch_ = std::max<int64_t>(create_batch_, 1);
  for (Retry& retry : pod_retries_) {
    retry.settle(now, state_.options());
  }
}

Decision Engine::decide(Time now) {
  Decision decision;
  if (listed_ && !busy()) {
    decision.refresh_job = refresh_job_;
    decision.relist_pods = relist_pods_;
    if (!refresh_job_ && !relist_pods_ && is_ours()) {
      settle_retries(now);
      if (state_.memory().take_unreadable()) {
        events_.push_back({true, "JobRecordUnreadable", std::string(kUnreadableRecord)});
      }
      plan(decision, now);
    }
  }
  decision.events = std::exchange(events_, {});
  decision.metrics = std::exchange(metrics_, {});
  return decision;
}

void Engine::plan(Decision& decision, Time now) {
  if (state_.job().spec.mode == CompletionMode::unknown && !state_.facts().finished) {
    if (!std::exchange(unknown_mode_told_, true)) {
      events_.push_back({true, "UnknownCompletionMode",
                         "Skipped Job sync because completion mode is unknown", true});
    }
    return;
  }
  tell_bad_policy();
  if (state_.facts().bad_start && !state_.facts().deleting) {
    tell_bad_start();
    return;
  }
  if (state_.facts().bad_policy && !state_.facts().deleting) {
    return;
  }
  note_forgotten(state_.gather_counts(), events_);  // what is stored by now may go
  plan_releases(decision, now);
  if (state_.facts().finished) {
    return;
  }
  decision.is_sync = true;
  state_.indexes().cool(now, [this](int64_t index) { return state_.held_until(index); });
  plan_status_and_creates(decision, now);
}

// 12.5: once for each text of the annotation.
void Engine::tell_bad_start() {
  const std::optional<std::string>& text = state_.job().completed_at_start;
  if (std::exchange(bad_start_told_, text) == text) {
    return;
  }
  events_.push_back({true, "InvalidCompletedIndexes",
                     "The Job does not start: annotation " + std::string(kCompletedIndexesKey) +
                         " " + completed_at_start(state_.job()).error().message,
                     true});
}

// 13.6: once for each mistake.
void Engine::tell_bad_policy() {
  const std::optional<std::string>& error = state_.job().policy_error;
  if (error == bad_policy_told_ || state_.facts().finished || state_.facts().deleting) {
    return;
  }
  bad_policy_told_ = error;
  if (error) {
    const char* effect =
        state_.facts().bad_policy ? "The Job does not start" : "No rule is limited";
    events_.push_back({true, "InvalidPolicy", std::string(effect) + ": " + *error, true});
  }
}

void Engine::send(Decision& decision, Slot slot, PodWrite write) {
  if (write.op == PodOp::release && state_.handle_ignored(slot)) {
    count_metric(metrics_, Metric::failures_handled, action_name(Action::ignore), "");
  }
  state_.set_in_flight(slot, true);
  state_.set_let_go(slot, write.op == PodOp::release);
  writes_.add_change(write, state_.pods().at(slot).uid, slot);
  decision.pod_writes.push_back(std::move(write));
}

void Engine::plan_releases(Decision& decision, Time now) {
  const Retry& retry = retry_of(PodOp::release);
  if (!retry.open(now)) {
    wake(decision, retry.not_before());
    return;
  }
  for (int32_t n = 0; n < state_.options().max_pod_writes; ++n) {
    const Slot slot = state_.pop(Todo::release);
    if (slot == kNoSlot) {
      return;
    }
    send(decision, slot, {PodOp::release, state_.uid_text(slot), state_.pods().name(slot), 0});
  }
}

void Engine::plan_removals(Decision& decision, Time now) {
  if (state_.facts().scaling()) {
    condemn_surplus(state_);
  }
  note_forgotten(state_.gather_counts(), events_);
  // One refused kind of removal does not hold up the others for longer than its own wait.
  for (const PodOp op : {PodOp::delete_pod, PodOp::release, PodOp::drop}) {
    if (!retry_of(op).open(now)) {
      wake(decision, retry_of(op).not_before());
      return;
    }
  }
  for (int32_t n = 0; n < state_.options().max_pod_writes; ++n) {
    const Slot slot = state_.pop(Todo::remove);
    if (slot == kNoSlot) {
      break;
    }
    PodWrite write = removal_step(state_, slot);
    state_.condemn(slot);  // once begun it is carried through
    send(decision, slot, std::move(write));
    decision.action = SyncAction::pods_deleted;
  }
}

void Engine::plan_status_and_creates(Decision& decision, Time now) {
  const JobOutcome outcome = evaluate_outcome(state_, now);
  if (!outcome.exists() || outcome.stored) {
    plan_removals(decision, now);
  }
  if (!outcome.exists()) {
    wake(decision, deadline_at(state_, now));
  }
  if (!status_retry_.open(now)) {
    wake(decision, status_retry_.not_before());
    plan_new_pods(decision, nullptr, outcome, now);
    return;
  }
  StatusDraft draft = draft_status(state_, outcome, now);
  plan_new_pods(decision, &draft, outcome, now);
  // 2.53: numbers alone wait for the pods that are being written, once, to save a request.
  const bool others = !decision.creates.empty() || !decision.pod_writes.empty();
  if (!draft.changed || (!draft.urgent && others && !put_off_)) {
    put_off_ = draft.changed;
    abort_status(state_, draft);
    return;
  }
  put_off_ = false;
  complete_draft(state_, draft);
  decision.status = draft.write;
  kept_.send(draft.write, state_.job().status);
  status_ = std::move(draft);
  status_answered_ = false;
}

void Engine::plan_new_pods(Decision& decision, const StatusDraft* draft, const JobOutcome& outcome,
                           Time now) {
  if (state_.facts().inherits) {
    return;  // 12.3: what the Job starts with is stored before its first pod
  }
  const bool flips = draft != nullptr ? draft->suspends || draft->resumes : is_resuming(state_);
  // 3.11: no creation beside removals. Every outcome known must be on its way into the status, or
  // the back-off would be judged from half the story.
  if (outcome.exists() || flips || !state_.facts().scaling() || state_.facts().suspended ||
      state_.job().spec.suspend || state_.has(Todo::remove) || state_.has(Todo::record) ||
      decision.action == SyncAction::pods_deleted || state_.has(Todo::account) ||
      !state_.lost().empty() || (draft != nullptr && !draft->lost.empty())) {
    return;
  }
  const JobRecord& record = draft != nullptr && draft->record ? *draft->record : state_.record();
  const int64_t limit = std::min<int64_t>(create_batch_, state_.options().max_pod_writes);
  CreatePlan plan = plan_creates(state_, record, now, limit);
  wake(decision, plan.wake_at);
  decision.action = plan.wanted ? SyncAction::pods_created : SyncAction::tracking;
  if (!create_retry_.open(now)) {
    wake(decision, plan.wanted ? create_retry_.not_before() : std::nullopt);
    return;
  }
  decision.creates.reserve(plan.pods.size());
  for (PodPlan& pod : plan.pods) {
    const uint32_t id = writes_.add_create(pod.index);
    decision.creates.push_back({id, std::move(pod)});
  }
}

void Engine::observe_job(const JobView& job) {
  // A failure that is ignored changes the record alone: then the status tells nothing.
  if (status_ && job.uid == state_.job().uid && job.rv > status_->write->base_rv &&
      job.status == status_->write->status &&
      job.record == status_->write->record.value_or(job.record)) {
    // Our own write, seen before its answer, or although the answer was lost.
    commit_status(state_, *std::exchange(status_, std::nullopt), job, events_, metrics_);
    kept_.confirm(job.rv);
    status_failures_ = 0;
    refresh_job_ = false;
    return;
  }
  if (!state_.observe_job(job)) {
    return;
  }
  if (kept_.is_undone_by(job)) {
    refuse_status();
  }
  if (status_answered_) {
    if (status_) {
      const StatusDraft draft = *std::exchange(status_, std::nullopt);
      abort_status(state_, draft);
    }
    refresh_job_ = false;
  }
}

void Engine::observe_pod(const PodView& pod, std::optional<Time> seen) {
  state_.observe_pod(pod, seen);
}

void Engine::observe_pod_gone(std::string_view uid) {
  writes_.note_gone(uid);
  state_.observe_gone(uid);
}

Counted Engine::counted_as(std::string_view uid) const {
  const Slot slot = state_.find(uid);
  return slot == kNoSlot
             ? Counted::none
             : engine::counted_as(state_.pods().at(slot), state_.facts(), state_.indexes());
}

int64_t Engine::attempts_before(std::string_view uid) const {
  const Slot slot = state_.find(uid);
  if (slot == kNoSlot) {
    return 0;
  }
  const PodRecord& pod = state_.pods().at(slot);
  if (pod.index < 0) {
    const JobStatus& status = state_.job().status;
    const size_t listed =
        status.uncounted ? status.uncounted->succeeded.size() + status.uncounted->failed.size() : 0;
    return int64_t{status.succeeded} + status.failed + static_cast<int64_t>(listed) -
           (pod.accounted == Accounted::no ? 0 : 1);
  }
  int64_t older = 0;
  for (Slot each = state_.pods().head(pod.index); each != kNoSlot;
       each = state_.pods().at(each).next) {
    older += state_.pods().at(each).created < pod.created ? 1 : 0;
  }
  return std::max(older, int64_t{pod.failures} + pod.ignored_failures);
}

void Engine::begin_list() {
  state_.begin_list();
}

void Engine::end_list() {
  state_.end_list();
  listed_ = true;
  relist_pods_ = false;
}

// The server says that it has stored a status, and does not have it.
void Engine::refuse_status() {
  events_.push_back({true, std::string(kReasonStatusRefused), std::string(kStatusNotKept)});
  note_status_failure(WriteError::rejected);
}

bool Engine::status_written(JobView stored) {
  CHECK(!status_answered_, "an answer belongs to a write under way");
  status_answered_ = true;
  if (status_ && !kept_.is_kept(stored)) {
    const StatusDraft draft = *std::exchange(status_, std::nullopt);
    state_.observe_job(std::move(stored));
    abort_status(state_, draft);
    if (draft.record) {  // pods that wait for it do not wait for ever
      note_forgotten(state_.memory().give_up_unstored(draft.record->counts), events_);
    }
    refuse_status();
    return false;
  }
  if (!kept_.doubtful()) {
    status_retry_.succeeded();
  }
  kept_.confirm(stored.rv);
  status_failures_ = 0;
  if (status_) {
    commit_status(state_, *std::exchange(status_, std::nullopt), std::move(stored), events_,
                  metrics_);
  }
  return true;
}

void Engine::note_status_failure(WriteError error) {
  ++status_failures_;
  if (error == WriteError::rejected || status_failures_ > kQuickRetries) {
    status_retry_.failed();
  }
}

void Engine::status_failed(WriteError error) {
  CHECK(!status_answered_, "an answer belongs to a write under way");
  status_answered_ = true;
  if (!status_) {
    return;  // it was seen to have happened
  }
  note_status_failure(error);
  refresh_job_ = error != WriteError::rejected;
  if (error == WriteError::unknown) {
    return;  // the next sight of the Job tells whether it was applied
  }
  const StatusDraft draft = *std::exchange(status_, std::nullopt);
  const bool stale = draft.write->base_rv < state_.job().rv;
  abort_status(state_, draft);
  if (stale) {
    refresh_job_ = false;  // what it conflicted with has been seen already
  }
}

void Engine::pod_created(uint32_t id, const PodView& pod) {
  const bool is_gone = writes_.is_gone(pod.uid);
  const bool is_last = writes_.answer_create(id);
  create_retry_.succeeded();
  std::string created;
  created.reserve(std::string_view("Created pod: ").size() + pod.name.size());
  created.append("Created pod: ").append(pod.name);
  events_.push_back({false, "SuccessfulCreate", std::move(created)});
  count_metric(metrics_, Metric::pods_created, creation_reason(state_), "succeeded");
  if (!is_gone) {
    state_.observe_pod(pod);
  }
  if (is_last) {
    create_batch_ = std::min<int64_t>(create_batch_ * 2, state_.options().max_pod_writes);
  }
}

void Engine::create_failed(uint32_t id, WriteError error, std::string_view message) {
  writes_.answer_create(id);
  create_retry_.failed();
  create_batch_ = 0;
  if (error != WriteError::namespace_terminating) {
    events_.push_back({true, "FailedCreate", "Error creating: " + std::string(message)});
    count_metric(metrics_, Metric::pods_created, creation_reason(state_), "failed");
  }
  relist_pods_ = relist_pods_ || error == WriteError::unknown;
}

void Engine::pod_written(std::string_view uid, const PodView* after) {
  const WritesInFlight::PodChange write = writes_.answer_change(uid);
  retry_of(write.op).succeeded();
  if (write.op == PodOp::delete_pod) {
    events_.push_back({false, "SuccessfulDelete", "Deleted pod: " + write.name});
  }
  const Slot slot = state_.find(write.uid, write.slot);
  if (slot == kNoSlot) {
    return;
  }
  if (after != nullptr) {
    state_.observe_pod(*after);
  }
  const bool is_known = after != nullptr && after->rv != 0;
  if (write.op == PodOp::release) {
    state_.set_released(slot);
  } else if (!is_known && write.op == PodOp::delete_pod) {
    state_.set_deleted(slot);
  } else if (!is_known) {
    state_.set_dropped(slot);
  }
  state_.set_in_flight(slot, false);
}

void Engine::pod_write_failed(std::string_view uid, WriteError error, std::string_view message) {
  const WritesInFlight::PodChange write = writes_.answer_change(uid);
  const Slot slot = state_.find(write.uid, write.slot);
  if (slot != kNoSlot) {
    state_.set_in_flight(slot, false);
    // C9: let go without being counted, it must not be counted if it is gone; with other
    // completions it might be.
    const bool uncounted = state_.pods().at(slot).accounted == Accounted::no;
    if (error != WriteError::unknown && error != WriteError::not_found) {
      state_.set_let_go(slot, false);
    }
    relist_pods_ =
        relist_pods_ || (error == WriteError::unknown && write.op == PodOp::release && uncounted);
  }
  if (error == WriteError::not_found) {
    retry_of(write.op).succeeded();
    state_.observe_gone(uid);
    return;
  }
  retry_of(write.op).failed();
  if (write.op == PodOp::delete_pod) {
    events_.push_back({true, "FailedDelete", "Error deleting: " + std::string(message)});
  }
}

}  // namespace windlass::engine
