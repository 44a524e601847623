#include "job/engine.h"

#include <algorithm>
#include <utility>

#include "base/check.h"
#include "job/conditions.h"
#include "job/failure_policy.h"
#include "job/outcome.h"
#include "job/scaling.h"

namespace windlass::job {
namespace {

constexpr std::string_view kUnreadableRecord =
    "Parts of annotation windlass.dev/job-record cannot be read and are ignored; delays and "
    "failures are taken from the pods. Do not edit this annotation";

}  // namespace

Engine::Engine(const Options& options, const JobView& job) : state_(options, job) {}

bool Engine::is_ours() const {
  return is_managed(state_.job(), state_.options());
}

bool Engine::busy() const {
  return !status_answered_ || !creates_.empty() || !writes_.empty();
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
      if (state_.take_unreadable()) {
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
  note_forgotten(state_.gather_counts(), events_);  // what is stored by now may go
  plan_releases(decision, now);
  if (state_.facts().finished) {
    return;
  }
  decision.is_sync = true;
  state_.indexes().cool(now, [this](int64_t index) { return state_.held_until(index); });
  plan_status_and_creates(decision, now);
}

void Engine::send(Decision& decision, Slot slot, PodWrite write) {
  if (write.op == PodOp::release && state_.handle_ignored(slot)) {
    count_metric(metrics_, Metric::failures_handled, action_name(Action::ignore), "");
  }
  state_.set_in_flight(slot, true);
  state_.set_let_go(slot, write.op == PodOp::release);
  writes_[write.uid] = {write.op, state_.pods().at(slot).uid, slot,
                        write.op == PodOp::delete_pod ? write.name : ""};
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
  const Outcome outcome = evaluate_outcome(state_, now);
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
  status_ = std::move(draft);
  status_answered_ = false;
}

void Engine::plan_new_pods(Decision& decision, const StatusDraft* draft, const Outcome& outcome,
                           Time now) {
  const bool flips = draft != nullptr ? draft->suspends || draft->resumes : is_resuming(state_);
  // 3.11: no creation beside removals. Every outcome known must be on its way into the status, or
  // the back-off would be judged from half the story.
  if (outcome.exists() || flips || !state_.facts().scaling() || state_.facts().suspended ||
      state_.job().spec.suspend || state_.has(Todo::remove) || state_.has(Todo::record) ||
      decision.action == SyncAction::pods_deleted || state_.has(Todo::account) ||
      !state_.lost().empty() || (draft != nullptr && !draft->lost.empty())) {
    return;
  }
  const Record& record = draft != nullptr && draft->record ? *draft->record : state_.record();
  const int64_t limit = std::min<int64_t>(create_batch_, state_.options().max_pod_writes);
  CreatePlan plan = plan_creates(state_, record.backoff, now, limit);
  wake(decision, plan.wake_at);
  decision.action = plan.wanted ? SyncAction::pods_created : SyncAction::tracking;
  if (!create_retry_.open(now)) {
    wake(decision, plan.wanted ? create_retry_.not_before() : std::nullopt);
    return;
  }
  decision.creates.reserve(plan.pods.size());
  for (PodPlan& pod : plan.pods) {
    const auto id = static_cast<uint32_t>(first_create_ + creates_.size());
    creates_.push_back(pod.index);
    decision.creates.push_back({id, std::move(pod)});
  }
  unanswered_creates_ = creates_.size();
}

}  // namespace windlass::job
