// The half of State that looks after the failures of an index when the pod that carries them goes.
// Stored before the pod is released or removed, they come back with the next pod of the index
// (KEP-3850, "Tracking the number of failures per index").
#include <algorithm>
#include <utility>
#include <vector>

#include "job/record_time.h"
#include "job/state.h"

namespace windlass::job {

bool State::is_open(int64_t index) const {
  return !indexes_.completed.found().contains(index) && !indexes_.failed.found().contains(index);
}

// What a pod says of its index: its annotations, and its own failure.
IndexFailures State::carried(const PodRecord& record) const {
  const IndexFailures before{record.failures, record.ignored_failures};
  if (!record.has_finalizer || !counts_as_failed(record, facts_)) {
    return before;
  }
  return record.action == Action::ignore
             ? IndexFailures{before.counted, next_count(before.ignored)}
             : IndexFailures{next_count(before.counted), before.ignored};
}

// Nothing is about to take it away.
bool State::stays(const PodRecord& record) const {
  const bool active = record.is_active() && !record.dropped && !record.condemned &&
                      !record.duplicate && !job_.spec.suspend;
  return record.has_finalizer && record.accounted == Accounted::no && (active || record.held) &&
         has_valid_index(record, facts_);
}

bool State::has_staying(int32_t index, IndexFailures failures) const {
  for (Slot slot = pods_.head(index); slot != kNoSlot; slot = pods_.at(slot).next) {
    const PodRecord& pod = pods_.at(slot);
    if (stays(pod) && covers(carried(pod), failures)) {
      return true;
    }
  }
  return false;
}

bool State::must_record(const PodRecord& record) const {
  // What is accounted for was carried on by another pod, or was the end of its index.
  if (!facts_.per_index || !facts_.scaling() || record.index < 0 ||
      record.phase == Phase::succeeded || record.accounted != Accounted::no ||
      !is_open(record.index)) {
    return false;
  }
  const IndexFailures failures = carried(record);
  // 3.30: beyond the completions the end of an index is forgotten, and so is what led to it.
  const bool ended = failures.counted > facts_.index_limit ||
                     (record.action == Action::fail_index && counts_as_failed(record, facts_));
  // Its own failure may have been stored when it was seen to end earlier.
  const bool fails = failures != IndexFailures{record.failures, record.ignored_failures};
  const bool stored = covers(stored_counts_.find(record.index), failures) &&
                      (!fails || stored_counts_.last(record.index) >= as_recorded(record.stamp));
  return !ended && !stored && !forgotten_.contains(record.index) &&
         !has_staying(record.index, failures);
}

void State::note_count(const PodRecord& record) {
  if (!facts_.per_index || record.index < 0) {
    return;
  }
  const bool failed = record.has_finalizer && counts_as_failed(record, facts_);
  record_.counts.raise(record.index, carried(record), failed ? record.stamp : Time());
  counts_grew_ = true;
  wait_for_count(record.index);
}

size_t State::gather_counts() {
  std::vector<Slot> going;
  for (Slot slot = to_record_.front(); slot != kNoSlot; slot = pods_.at(slot).queue_next) {
    going.push_back(slot);
  }
  for (const Slot slot : going) {
    note_count(pods_.at(slot));
  }
  const std::vector<int32_t> dropped =
      std::exchange(counts_grew_, false) ? record_.counts.fit() : std::vector<int32_t>();
  forgotten_.insert(dropped.begin(), dropped.end());
  for (const Slot slot : going) {
    refresh(slot);
  }
  return dropped.size();
}

IndexCounts State::needed_counts() const {
  IndexCounts needed;
  if (facts_.decided()) {
    return needed;
  }
  for (const auto& [index, entry] : record_.counts.entries()) {
    const bool over =
        index < facts_.bound && (!is_open(index) || has_staying(index, entry.failures));
    if (!over) {
      needed.raise(index, entry.failures, entry.last);
    }
  }
  return needed;
}

bool State::lacks(const IndexCounts& needed) const {
  return std::any_of(needed.entries().begin(), needed.entries().end(), [this](const auto& each) {
    return !covers(stored_counts_.find(each.first), each.second.failures) &&
           !forgotten_.contains(each.first);
  });
}

void State::adopt_record(const Record& record, const IndexCounts& dropped) {
  IndexCounts counts = std::move(record_.counts);
  for (const auto& [index, entry] : dropped.entries()) {
    const auto known = counts.entries().find(index);
    if (known != counts.entries().end() && known->second == entry) {  // no more since
      counts.erase(index);
    }
  }
  record_ = record;
  record_.counts = std::move(counts);
}

size_t State::give_up_unstored(const IndexCounts& sent) {
  size_t given_up = 0;
  for (const auto& [index, entry] : sent.entries()) {
    if (!covers(stored_counts_.find(index), entry.failures)) {
      given_up += forgotten_.insert(index).second ? 1U : 0U;
    }
  }
  return given_up;
}

void State::wait_for_count(int32_t index) {
  if (record_.counts.last(index) != Time() && index < facts_.bound && facts_.per_index &&
      facts_.scaling() && is_open(index)) {
    indexes_.set_ready_at(index, held_until(index));
  }
}

void State::wait_for_counts() {
  for (const auto& [index, entry] : record_.counts.entries()) {
    wait_for_count(index);
  }
}

}  // namespace windlass::job
