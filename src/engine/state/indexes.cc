#include "engine/state/indexes.h"

#include <algorithm>
#include <functional>
#include <utility>

#include "engine/status/index_text.h"

namespace windlass::engine {

bool StoredSet::set(int64_t index, bool in) {
  if (found_.contains(index) == in || settled(index)) {
    return false;
  }
  if (in) {
    fresh_.insert(index);
    return found_.insert(index);
  }
  fresh_.erase(index);
  return found_.erase(index);
}

void StoredSet::load(std::string_view text, int64_t bound, const IndexBits* other) {
  stored_ = IndexBits::parse(text, bound);
  dirty_ = stored_.text() != text;
  if (other != nullptr && stored_.subtract(*other)) {
    dirty_ = true;
  }
}

void StoredSet::reset(int64_t bound) {
  const int64_t before = stored_.size();
  stored_.truncate(bound);
  sent_.truncate(bound);
  dirty_ = dirty_ || stored_.size() != before;
  fresh_.clear();
  found_ = stored_;
  for (int64_t i = sent_.next_in(0, bound); i < bound; i = sent_.next_in(i + 1, bound)) {
    found_.insert(i);
  }
}

void StoredSet::begin_write() {
  sent_ = std::exchange(fresh_, IndexBits());
  sent_dirty_ = std::exchange(dirty_, false);
}

std::string StoredSet::write_text(std::string_view stored) const {
  // With more new ones than this, printing all is quicker.
  constexpr size_t kBytesPerNew = 64;
  const bool few = stored.size() > static_cast<size_t>(sent_.size()) * kBytesPerNew;
  return sent_dirty_ || !few ? found_.text() : add_to_text(stored, sent_);
}

int64_t StoredSet::commit_write() {
  const IndexBits sent = std::exchange(sent_, IndexBits());
  int64_t added = 0;
  const int64_t end = IndexBits::kMaxIndex + 1;
  for (int64_t i = sent.next_in(0, end); i < end; i = sent.next_in(i + 1, end)) {
    added += stored_.insert(i) ? 1 : 0;
  }
  sent_dirty_ = false;
  return added;
}

std::vector<int64_t> StoredSet::abort_write() {
  const IndexBits sent = std::exchange(sent_, IndexBits());
  std::vector<int64_t> open;
  const int64_t end = IndexBits::kMaxIndex + 1;
  for (int64_t i = sent.next_in(0, end); i < end; i = sent.next_in(i + 1, end)) {
    if (!stored_.contains(i)) {  // it may have been stored by another's hand
      fresh_.insert(i);
      open.push_back(i);
    }
  }
  dirty_ = dirty_ || std::exchange(sent_dirty_, false);
  return open;
}

void Indexes::reset(int64_t bound) {
  bound_ = bound;
  lost_completed_.truncate(bound);
  lost_failed_.truncate(bound);
  completed.reset(bound);
  failed.reset(bound);
  busy_.clear();
  cooling_.clear();
  waiting_.clear();
  hint_ = frontier_ = 0;
  for (const IndexBits* lost : {&lost_completed_, &lost_failed_}) {
    for (int64_t i = lost->next_in(0, bound); i < bound; i = lost->next_in(i + 1, bound)) {
      judge(i, {});
    }
  }
}

int Indexes::judge(int64_t index, IndexEvidence pods) {
  bool done = completed.settled(index);
  bool over = !done && failed.settled(index);
  if (!done && !over) {
    done = pods.succeeded || lost_completed_.contains(index);
    over = !done && (pods.failed || lost_failed_.contains(index));
  }
  const bool changed = completed.set(index, done);
  if (failed.set(index, over) || changed) {
    look_from(index);
  }
  return !changed ? 0 : done ? 1 : -1;
}

void Indexes::remember(int64_t index, IndexEvidence gone) {
  if (gone.succeeded) {
    lost_completed_.insert(index);
  }
  if (gone.failed) {
    lost_failed_.insert(index);
  }
}

void Indexes::set_busy(int64_t index, bool busy) {
  if (busy) {
    busy_.insert(index);
    frontier_ = std::max(frontier_, index + 1);
  } else if (busy_.erase(index)) {
    look_from(index);
  }
}

void Indexes::set_ready_at(int64_t index, std::optional<Time> ready_at) {
  if (ready_at) {
    cooling_.insert(index);
    frontier_ = std::max(frontier_, index + 1);
    waiting_.emplace_back(*ready_at, index);
    std::push_heap(waiting_.begin(), waiting_.end(), std::greater<>());
  } else if (cooling_.erase(index)) {
    look_from(index);
  }
}

// Not for an index that is over: a Job whose pods end in any order would look at all that are over
// again and again.
void Indexes::look_from(int64_t index) {
  if (index < hint_ && !completed.found().contains(index) && !failed.found().contains(index)) {
    hint_ = index;
  }
}

int64_t Indexes::pop_waiting() {
  std::pop_heap(waiting_.begin(), waiting_.end(), std::greater<>());
  const int64_t index = waiting_.back().second;
  waiting_.pop_back();
  return index;
}

std::optional<Time> Indexes::next_ready() const {
  if (waiting_.empty()) {
    return std::nullopt;
  }
  return waiting_.front().first;
}

std::vector<int64_t> Indexes::pending(int64_t limit, bool fresh) {
  const std::vector<const IndexBits*> taken = {&completed.found(), &failed.found(), &busy_,
                                               &cooling_};
  std::vector<int64_t> chosen;
  hint_ = IndexBits::next_in_none(taken, hint_, bound_);
  const int64_t end = fresh ? bound_ : std::min(bound_, frontier_);
  for (int64_t i = hint_; i < end && static_cast<int64_t>(chosen.size()) < limit;
       i = IndexBits::next_in_none(taken, i + 1, bound_)) {
    chosen.push_back(i);
  }
  return chosen;
}

}  // namespace windlass::engine
