#include "base/short_indexes.h"

#include <fmt/format.h>

#include <limits>
#include <vector>

namespace windlass {

std::string short_indexes(const IndexSet& indexes, size_t most) {
  const std::vector<IndexSet::Interval> intervals = indexes.intervals();
  if (intervals.size() <= most) {
    return indexes.to_string();
  }
  IndexSet shown;
  for (size_t i = 0; i < most; ++i) {
    shown.insert(intervals[i]);
  }
  return fmt::format("{} and {} more", shown.to_string(), indexes.size() - shown.size());
}

std::string short_indexes(std::string_view stored, size_t most) {
  return short_indexes(IndexSet::parse_stored(stored, std::numeric_limits<int32_t>::max()).set,
                       most);
}

}  // namespace windlass
