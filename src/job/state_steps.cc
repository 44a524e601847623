// The half of State that works out what each pod needs next.
#include <algorithm>

#include "job/state.h"

namespace windlass::job {

IndexEvidence State::evidence(const PodRecord& record) const {
  if (!facts_.indexed || !record.has_finalizer) {
    return {};
  }
  // 5.9: a pod that is stored as failed stays failed.
  const bool succeeded = record.phase == Phase::succeeded && record.accounted != Accounted::failed;
  return {succeeded, !succeeded && ends_index(record, facts_)};
}

void State::judge_index(int32_t index, Slot head) {
  if (index < 0 || index >= facts_.bound || facts_.finished) {
    return;
  }
  IndexEvidence shown;
  for (Slot slot = head; slot != kNoSlot; slot = pods_.at(slot).next) {
    shown.add(evidence(pods_.at(slot)));
  }
  if (const int change = indexes_.judge(index, shown); change != 0) {
    success_policy_.add_success(index, change);
  }
}

void State::settle(Slot slot) {
  const PodRecord& record = pods_.at(slot);
  if (record.index >= 0) {
    settle_index(record.index, pods_.head_of(slot));
  } else {
    refresh(slot);
  }
}

void State::settle_index(int32_t index, Slot head) {
  judge_index(index, head);
  int32_t active = 0;
  int32_t terminating = 0;
  for (Slot slot = head; slot != kNoSlot; slot = pods_.at(slot).next) {
    active += pods_.at(slot).is_active() ? 1 : 0;
    terminating += pods_.at(slot).is_terminating() ? 1 : 0;
  }
  if (index < facts_.bound) {
    indexes_.set_busy(index, active > 0 || (facts_.only_failed && terminating > 0));
  }
  if (facts_.per_index) {
    hold_best(index, head, active > 0);
  }
  if (facts_.scaling()) {
    find_duplicates(head, active);
  }
  for (Slot slot = head; slot != kNoSlot; slot = pods_.at(slot).next) {
    refresh(slot);
  }
}

// KEP-3850: the finalizer of the last failed pod of an index stays until a replacement carries its
// failure count on, the index ends, or the Job does (5.21).
void State::hold_best(int32_t index, Slot head, bool active) {
  const bool open = facts_.scaling() && !active && index < facts_.bound && is_open(index);
  const auto weight = [](const PodRecord& record) {
    const int64_t count = int64_t{record.failures} + record.ignored_failures;
    return std::tuple(count, std::chrono::floor<seconds>(record.stamp), record.uid);
  };
  Slot best = kNoSlot;
  Slot before = kNoSlot;
  bool moved = false;
  for (Slot slot = head; slot != kNoSlot; slot = pods_.at(slot).next) {
    PodRecord& record = pods_.at(slot);
    before = record.held ? slot : before;
    const bool candidate = open && record.has_finalizer && record.accounted == Accounted::no &&
                           !record.batched && counts_as_failed(record, facts_);
    if (candidate && (best == kNoSlot || weight(pods_.at(best)) < weight(record))) {
      best = slot;
    }
    moved = moved || record.moved;
    record.held = record.moved = false;
  }
  if (best != kNoSlot) {
    pods_.at(best).held = true;
  }
  if (best != before || moved) {
    indexes_.set_ready_at(index, std::nullopt);
    if (open) {
      indexes_.set_ready_at(index, held_until(index));
    }
  }
}

Slot State::held_pod(int64_t index) const {
  for (Slot slot = pods_.head(static_cast<int32_t>(index)); slot != kNoSlot;
       slot = pods_.at(slot).next) {
    if (pods_.at(slot).held) {
      return slot;
    }
  }
  return kNoSlot;
}

std::optional<Time> State::held_until(int64_t index) const {
  std::optional<Time> until;
  const auto wait = [&](Time last, IndexFailures failures) {  // 7.12
    const Time at = last + backoff_delay(int64_t{failures.counted} + failures.ignored, options_);
    until = std::max(until.value_or(at), at);
  };
  if (const Slot slot = held_pod(index); slot != kNoSlot) {
    wait(pods_.at(slot).stamp, index_failures(index));
  }
  if (const Time last = record_.counts.last(index); last != Time()) {
    wait(last, record_.counts.find(index));
  }
  return until;
}

IndexFailures State::index_failures(int64_t index) const {
  IndexFailures known = record_.counts.find(index);
  // With more the index would have ended: a number that was edited ends none by itself.
  known.counted = std::min(known.counted, facts_.index_limit);
  const Slot slot = held_pod(index);
  return slot == kNoSlot ? known : highest(known, carried(pods_.at(slot)));
}

// 3.7: of several active pods of one index only the one that would be removed last stays.
void State::find_duplicates(Slot head, int32_t active) {
  Slot keep = kNoSlot;
  for (Slot slot = head; slot != kNoSlot; slot = pods_.at(slot).next) {
    PodRecord& record = pods_.at(slot);
    record.duplicate = record.is_active() && active > 1;
    const bool doomed = record.dropped || record.condemned;
    if (record.duplicate && !doomed && (keep == kNoSlot || remove_before(pods_.at(keep), record))) {
      keep = slot;
    }
  }
  if (keep != kNoSlot) {
    pods_.at(keep).duplicate = false;
  }
}

Todo State::todo_of(const PodRecord& record) const {
  const Todo todo = next_step(record);
  const bool goes = todo == Todo::release || todo == Todo::remove;
  return goes && must_record(record) ? Todo::record : todo;
}

Todo State::next_step(const PodRecord& record) const {
  if (record.is_active()) {
    if (facts_.finished || (facts_.deleting && !facts_.decided())) {
      return record.has_finalizer ? Todo::release : Todo::nothing;
    }
    const bool ended =
        facts_.indexed && (!has_valid_index(record, facts_) || !is_open(record.index));
    const bool remove = facts_.decided() || facts_.suspended || record.condemned ||
                        record.duplicate || record.dropped || ended;
    return remove ? Todo::remove : Todo::nothing;
  }
  if (!record.has_finalizer) {
    return Todo::nothing;
  }
  const bool stored = record.accounted != Accounted::no;
  if (facts_.finished || stored || !has_valid_index(record, facts_)) {
    return Todo::release;
  }
  if (record.phase == Phase::succeeded) {
    const bool settled = indexes_.completed.stored().contains(record.index) ||
                         indexes_.failed.stored().contains(record.index);
    return facts_.indexed && settled ? Todo::release : Todo::account;
  }
  if (!counts_as_failed(record, facts_)) {
    const bool over = facts_.deleting || facts_.decided() || record.phase == Phase::failed;
    return over ? Todo::release : Todo::nothing;
  }
  if (record.held) {
    return Todo::nothing;
  }
  if (record.action == Action::ignore) {
    if (!is_terminal(record.phase)) {
      return Todo::nothing;  // it may yet succeed, and the Job waits for its end anyway (10.79)
    }
    const bool remembered = !facts_.per_index && facts_.scaling();
    return remembered ? Todo::account : Todo::release;
  }
  return Todo::account;
}

bool State::handle_ignored(Slot slot) {
  PodRecord& record = pods_.at(slot);
  const bool ignored = record.action == Action::ignore && record.phase == Phase::failed &&
                       record.accounted == Accounted::no && !facts_.finished &&
                       has_valid_index(record, facts_) && counts_as_failed(record, facts_);
  const bool is_first = ignored && !record.handled;
  record.handled = record.handled || ignored;
  return is_first;
}

void State::refresh(Slot slot) {
  ++visits_;
  PodRecord& record = pods_.at(slot);
  const bool waits = record.in_flight || record.batched;
  const Todo todo = waits ? Todo::nothing : todo_of(record);
  if (todo != record.todo) {
    if (record.queued) {
      pods_.remove(queue(record.todo), slot);
    }
    record.todo = todo;
    record.queued = false;
  }
  if (todo != Todo::nothing && !record.queued) {
    record.queued = true;
    pods_.push_back(queue(todo), slot);
  }
}

SlotQueue& State::queue(Todo todo) {
  switch (todo) {
    case Todo::account:
      return to_account_;
    case Todo::release:
      return to_release_;
    case Todo::record:
      return to_record_;
    default:
      return to_remove_;
  }
}

bool State::has(Todo todo) {
  for (Slot slot = queue(todo).front(); slot != kNoSlot; slot = queue(todo).front()) {
    if (todo_of(pods_.at(slot)) == todo) {
      return true;
    }
    refresh(slot);  // its index was stored in the meantime
  }
  return false;
}

Slot State::pop(Todo todo) {
  if (!has(todo)) {
    return kNoSlot;
  }
  const Slot slot = queue(todo).front();
  pods_.remove(queue(todo), slot);
  pods_.at(slot).queued = false;
  return slot;
}

}  // namespace windlass::job
