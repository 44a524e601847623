// The half of Engine that takes observations and the answers to its writes.
#include <utility>

#include "base/check.h"
#include "job/engine.h"
#include "job/scaling.h"

namespace windlass::job {

void Engine::observe_job(const JobView& job) {
  if (status_ && job.uid == state_.job().uid && job.rv > status_->write->base_rv &&
      job.status == status_->write->status) {
    // Our own write, seen before its answer, or although the answer was lost.
    commit_status(state_, *std::exchange(status_, std::nullopt), job, events_, metrics_);
    status_failures_ = 0;
    refresh_job_ = false;
    return;
  }
  if (!state_.observe_job(job)) {
    return;
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
  if (!creates_.empty()) {
    gone_.emplace(uid);
  }
  state_.observe_gone(uid);
}

void Engine::begin_list() {
  state_.begin_list();
}

void Engine::end_list() {
  state_.end_list();
  listed_ = true;
  relist_pods_ = false;
}

// A server may drop single fields that it does not know: then the rest counts. One that keeps
// nothing would be written to again at once, for ever.
bool Engine::is_kept(const JobView& stored) const {
  const StatusWrite& write = *status_->write;
  const JobStatus& before = state_.job().status;
  const bool has_record = !write.record || stored.record == *write.record;
  if (stored.status == write.status && has_record) {
    return true;
  }
  return stored.status != before || (write.record && has_record);
}

bool Engine::status_written(JobView stored) {
  CHECK(!status_answered_, "an answer belongs to a write under way");
  status_answered_ = true;
  if (status_ && !is_kept(stored)) {
    const StatusDraft draft = *std::exchange(status_, std::nullopt);
    state_.observe_job(std::move(stored));
    abort_status(state_, draft);
    if (draft.record) {  // pods that wait for it do not wait for ever
      note_forgotten(state_.give_up_unstored(draft.record->counts), events_);
    }
    note_status_failure(WriteError::rejected);
    return false;
  }
  status_retry_.succeeded();
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

void Engine::answer_create(uint32_t id) {
  const size_t at = id - first_create_;
  CHECK(at < creates_.size() && creates_[at] != kAnswered,
        "an answer belongs to a write under way");
  creates_[at] = kAnswered;
  if (--unanswered_creates_ == 0) {
    first_create_ += static_cast<uint32_t>(creates_.size());
    creates_.clear();
  }
}

void Engine::pod_created(uint32_t id, const PodView& pod) {
  answer_create(id);
  create_retry_.succeeded();
  std::string created;
  created.reserve(std::string_view("Created pod: ").size() + pod.name.size());
  created.append("Created pod: ").append(pod.name);
  events_.push_back({false, "SuccessfulCreate", std::move(created)});
  count_metric(metrics_, Metric::pods_created, creation_reason(state_), "succeeded");
  if (!gone_.contains(pod.uid)) {
    state_.observe_pod(pod);
  }
  if (creates_.empty()) {
    gone_.clear();
    create_batch_ = std::min<int64_t>(create_batch_ * 2, state_.options().max_pod_writes);
  }
}

void Engine::create_failed(uint32_t id, WriteError error, std::string_view message) {
  answer_create(id);
  create_retry_.failed();
  create_batch_ = 0;
  if (error != WriteError::namespace_terminating) {
    events_.push_back({true, "FailedCreate", "Error creating: " + std::string(message)});
    count_metric(metrics_, Metric::pods_created, creation_reason(state_), "failed");
  }
  relist_pods_ = relist_pods_ || error == WriteError::unknown;
  if (creates_.empty()) {
    gone_.clear();
  }
}

void Engine::pod_written(std::string_view uid, const PodView* after) {
  const auto found = writes_.find(uid);
  CHECK(found != writes_.end(), "an answer belongs to a write under way");
  const PendingWrite write = std::move(found->second);
  writes_.erase(found);
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
  if (write.op == PodOp::release) {
    state_.set_released(slot);
  } else if (after == nullptr || after->rv == 0) {
    switch (write.op) {
      case PodOp::delete_pod:
        state_.set_deleted(slot);
        break;
      case PodOp::release:
        state_.set_released(slot);
        break;
      case PodOp::drop:
        state_.set_dropped(slot);
        break;
    }
  }
  state_.set_in_flight(slot, false);
}

void Engine::pod_write_failed(std::string_view uid, WriteError error, std::string_view message) {
  const auto found = writes_.find(uid);
  CHECK(found != writes_.end(), "an answer belongs to a write under way");
  const PendingWrite write = std::move(found->second);
  writes_.erase(found);
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

}  // namespace windlass::job
