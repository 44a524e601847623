#include "job/indexes.h"

#include <algorithm>
#include <functional>

namespace windlass::job {

bool StoredSet::insert(int64_t index) {
  if (!found_.insert(index)) {
    return false;
  }
  if (!stored_.contains(index)) {
    fresh_.push_back(index);
  } else {
    dirty_ = true;
  }
  return true;
}

void StoredSet::erase(int64_t index) {
  if (!settled(index) && found_.erase(index)) {
    std::erase(fresh_, index);
  }
}

bool StoredSet::settled(int64_t index) const {
  return stored_.contains(index) ||
         (found_.contains(index) && std::find(sent_.begin(), sent_.end(), index) != sent_.end());
}

void StoredSet::load(const std::string& text, int64_t bound) {
  stored_ = IndexBits::parse(text, bound);
  dirty_ = stored_.text() != text;
  fresh_.clear();
  // What pods have shown is kept even when the status was edited by someone else.
  IndexBits found = stored_;
  for (int64_t i = found_.next_in(0, bound); i < bound; i = found_.next_in(i + 1, bound)) {
    if (found.insert(i)) {
      fresh_.push_back(i);
    }
  }
  found_ = std::move(found);
}

void StoredSet::truncate(int64_t bound) {
  const int64_t before = stored_.size();
  found_.truncate(bound);
  stored_.truncate(bound);
  dirty_ = dirty_ || stored_.size() != before;
  std::erase_if(fresh_, [bound](int64_t index) { return index >= bound; });
  std::erase_if(sent_, [bound](int64_t index) { return index >= bound; });
}

void StoredSet::subtract(const IndexBits& other) {
  if (found_.overlap(other) == 0) {
    return;
  }
  for (int64_t i = found_.next_in(0, IndexBits::kMaxIndex); i < IndexBits::kMaxIndex;
       i = found_.next_in(i + 1, IndexBits::kMaxIndex)) {
    if (other.contains(i)) {
      found_.erase(i);
      dirty_ = stored_.erase(i) || dirty_;
      std::erase(fresh_, i);
    }
  }
}

void StoredSet::begin_write() {
  sent_.swap(fresh_);
  fresh_.clear();
  sent_dirty_ = dirty_;
  dirty_ = false;
}

int64_t StoredSet::commit_write() {
  int64_t added = 0;
  for (const int64_t index : sent_) {
    added += stored_.insert(index) ? 1 : 0;
  }
  sent_.clear();
  sent_dirty_ = false;
  return added;
}

void StoredSet::abort_write() {
  fresh_.insert(fresh_.end(), sent_.begin(), sent_.end());
  sent_.clear();
  dirty_ = dirty_ || sent_dirty_;
  sent_dirty_ = false;
}

void Indexes::set_bound(int64_t bound) {
  bound_ = bound;
  completed.truncate(bound);
  failed.truncate(bound);
  busy_.clear();
  cooling_.clear();
  waiting_.clear();
  hint_ = 0;
}

void Indexes::set_busy(int64_t index, bool busy) {
  if (busy) {
    busy_.insert(index);
  } else if (busy_.erase(index)) {
    hint_ = std::min(hint_, index);
  }
}

void Indexes::set_ready_at(int64_t index, std::optional<Time> ready_at) {
  if (ready_at) {
    cooling_.insert(index);
    waiting_.emplace_back(*ready_at, index);
    std::push_heap(waiting_.begin(), waiting_.end(), std::greater<>());
  } else if (cooling_.erase(index)) {
    hint_ = std::min(hint_, index);
  }
}

bool Indexes::mark_completed(int64_t index) {
  if (failed.settled(index)) {
    return false;
  }
  failed.erase(index);
  return completed.insert(index);
}

bool Indexes::mark_failed(int64_t index) {
  return !completed.found().contains(index) && failed.insert(index);
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

std::vector<int64_t> Indexes::pending(int64_t limit) {
  const std::vector<const IndexBits*> taken = {&completed.found(), &failed.found(), &busy_,
                                               &cooling_};
  std::vector<int64_t> chosen;
  hint_ = IndexBits::next_in_none(taken, hint_, bound_);
  for (int64_t i = hint_; i < bound_ && static_cast<int64_t>(chosen.size()) < limit;
       i = IndexBits::next_in_none(taken, i + 1, bound_)) {
    chosen.push_back(i);
  }
  return chosen;
}

}  // namespace windlass::job
