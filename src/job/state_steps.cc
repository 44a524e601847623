// The half of State that works out what each pod needs next.
#include <algorithm>

#include "job/state.h"

namespace windlass::job {

void State::note_index(const PodRecord& record) {
  if (!facts_.indexed || !record.has_finalizer || !has_valid_index(record, facts_) ||
      facts_.finished) {
    return;
  }
  if (record.phase == Phase::succeeded && record.accounted != Accounted::failed) {
    if (indexes_.mark_completed(record.index)) {
      success_policy_.add_success(record.index);
    }
    success_refused_ = success_refused_ || (!indexes_.completed.found().contains(record.index) &&
                                            !indexes_.failed.stored().contains(record.index));
  } else if (ends_index(record, facts_)) {
    indexes_.mark_failed(record.index);
  }
}

void State::settle(Slot slot) {
  const PodRecord& record = pods_.at(slot);
  if (record.index >= 0) {
    settle_index(record.index);
  } else {
    refresh(slot);
  }
}

void State::settle_index(int32_t index) {
  const IndexEntry* entry = pods_.entry(index);
  const bool valid = index < facts_.bound;
  const bool busy = valid && entry != nullptr &&
                    (entry->active > 0 || (facts_.only_failed && entry->terminating > 0));
  if (valid) {
    indexes_.set_busy(index, busy);
  }
  if (entry == nullptr) {
    return;
  }
  if (facts_.per_index) {
    hold_best(index);
  }
  if (facts_.scaling()) {
    find_duplicates(index);
  }
  for (Slot slot = entry->head; slot != kNoSlot; slot = pods_.at(slot).next) {
    refresh(slot);
  }
}

// KEP-3850: the finalizer of the last failed pod of an index stays until a replacement carries its
// failure count on, the index ends, or the Job does (5.21).
void State::hold_best(int32_t index) {
  const IndexEntry& entry = *pods_.entry(index);
  const bool open = facts_.scaling() && entry.active == 0 && index < facts_.bound &&
                    !indexes_.completed.found().contains(index) &&
                    !indexes_.failed.found().contains(index);
  const auto weight = [](const PodRecord& record) {
    const int64_t count = int64_t{record.failures} + record.ignored_failures;
    return std::tuple(count, record.stamp, record.uid);
  };
  Slot best = kNoSlot;
  Slot before = kNoSlot;
  for (Slot slot = entry.head; slot != kNoSlot; slot = pods_.at(slot).next) {
    PodRecord& record = pods_.at(slot);
    before = record.held ? slot : before;
    const bool candidate = open && record.has_finalizer && record.accounted == Accounted::no &&
                           !record.batched && counts_as_failed(record, facts_);
    if (candidate && (best == kNoSlot || weight(pods_.at(best)) < weight(record))) {
      best = slot;
    }
    record.held = false;
  }
  if (best != kNoSlot) {
    pods_.at(best).held = true;
  }
  if (best != before) {
    indexes_.set_ready_at(index, std::nullopt);
    if (best != kNoSlot) {
      indexes_.set_ready_at(index, held_until(index));
    }
  }
}

Slot State::held_pod(int64_t index) const {
  const IndexEntry* entry = pods_.entry(static_cast<int32_t>(index));
  for (Slot slot = entry == nullptr ? kNoSlot : entry->head; slot != kNoSlot;
       slot = pods_.at(slot).next) {
    if (pods_.at(slot).held) {
      return slot;
    }
  }
  return kNoSlot;
}

std::optional<Time> State::held_until(int64_t index) const {
  const Slot slot = held_pod(index);
  if (slot == kNoSlot) {
    return std::nullopt;
  }
  const PodRecord& record = pods_.at(slot);
  const int64_t failures = int64_t{record.failures} + record.ignored_failures + 1;  // 7.12
  return record.stamp + backoff_delay(failures, options_);
}

IndexFailures State::index_failures(int64_t index) const {
  const Slot slot = held_pod(index);
  if (slot == kNoSlot) {
    return {};
  }
  const PodRecord& record = pods_.at(slot);
  if (record.action == Action::ignore) {
    return {record.failures, next_count(record.ignored_failures)};
  }
  return {next_count(record.failures), record.ignored_failures};
}

// 3.7: of several active pods of one index only the one that would be removed last stays.
void State::find_duplicates(int32_t index) {
  const IndexEntry& entry = *pods_.entry(index);
  Slot keep = kNoSlot;
  for (Slot slot = entry.head; slot != kNoSlot; slot = pods_.at(slot).next) {
    PodRecord& record = pods_.at(slot);
    record.duplicate = record.is_active() && entry.active > 1;
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
  if (record.is_active()) {
    if (facts_.finished || (facts_.deleting && !facts_.decided())) {
      return record.has_finalizer ? Todo::release : Todo::nothing;
    }
    const bool ended = facts_.indexed && (!has_valid_index(record, facts_) ||
                                          indexes_.completed.found().contains(record.index) ||
                                          indexes_.failed.found().contains(record.index));
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
    const bool remembered = !facts_.per_index && facts_.scaling();
    return remembered ? Todo::account : Todo::release;
  }
  return Todo::account;
}

void State::refresh(Slot slot) {
  PodRecord& record = pods_.at(slot);
  const bool waits = record.in_flight || record.batched;
  const Todo todo = waits ? Todo::nothing : todo_of(record);
  if (todo != record.todo) {
    record.todo = todo;
    record.queued = false;
  }
  if (todo != Todo::nothing && !record.queued) {
    record.queued = true;
    queue(todo).push_back(slot);
  }
}

std::deque<Slot>& State::queue(Todo todo) {
  return todo == Todo::account ? to_account_ : todo == Todo::release ? to_release_ : to_remove_;
}

bool State::has(Todo todo) {
  std::deque<Slot>& waiting = queue(todo);
  while (!waiting.empty()) {
    const Slot slot = waiting.front();
    PodRecord& record = pods_.at(slot);
    if (record.in_use && record.todo == todo && record.queued) {
      if (todo_of(record) == todo) {
        return true;
      }
      refresh(slot);  // its index was stored in the meantime
    }
    waiting.pop_front();
  }
  return false;
}

Slot State::pop(Todo todo) {
  if (!has(todo)) {
    return kNoSlot;
  }
  const Slot slot = queue(todo).front();
  queue(todo).pop_front();
  pods_.at(slot).queued = false;
  return slot;
}

}  // namespace windlass::job
