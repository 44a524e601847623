#include "explain/index_text.h"

#include <fmt/format.h>

#include <limits>
#include <vector>

namespace windlass::explain {

std::string short_indexes(const IndexSet& indexes) {
  const std::vector<IndexSet::Interval> intervals = indexes.intervals();
  if (intervals.size() <= kMaxIntervalsShown) {
    return indexes.to_string();
  }
  IndexSet shown;
  for (size_t i = 0; i < kMaxIntervalsShown; ++i) {
    shown.insert(intervals[i]);
  }
  return fmt::format("{} and {} more", shown.to_string(), indexes.size() - shown.size());
}

std::string short_indexes(std::string_view stored) {
  return short_indexes(IndexSet::parse_stored(stored, std::numeric_limits<int32_t>::max()).set);
}

IndexSet remaining_indexes(int32_t completions, const IndexSet& completed, const IndexSet& failed) {
  IndexSet ended = completed;
  ended.insert(failed);
  ended.truncate(completions);
  IndexSet remaining;
  int32_t next = 0;
  for (const IndexSet::Interval& interval : ended.intervals()) {
    if (next < interval.first) {
      remaining.insert(IndexSet::Interval{next, interval.first - 1});
    }
    next = interval.last + 1;
  }
  if (next < completions) {
    remaining.insert(IndexSet::Interval{next, completions - 1});
  }
  return remaining;
}

}  // namespace windlass::explain
