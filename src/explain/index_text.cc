#include "explain/index_text.h"

namespace windlass::explain {

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
