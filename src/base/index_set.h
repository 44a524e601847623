// A set of completion indexes of an Indexed Job, and its text form in Job status and success
// policy: ascending, comma-separated, runs of three or more as `a-b` (job-controller.md 3.32). Kept
// as disjoint intervals that never touch, so that `0-2147483646` costs what `7` costs. A value
// type; not safe for concurrent changes. Indexes are never negative.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace windlass {

class IndexSet {
 public:
  struct Interval {
    int32_t first = 0;
    int32_t last = 0;  // included

    bool operator==(const Interval&) const = default;
  };

  IndexSet() = default;
  IndexSet(std::initializer_list<int32_t> indexes);

  // What users write (api.md J79): strictly ascending, every index < completions. The message of an
  // error is the <E> of J76; callers put it into their field error.
  static Result<IndexSet> parse(std::string_view text, int32_t completions);

  // What a Job starts with as completed (job-controller.md 12.1): not empty, at most
  // kMaxExactBytes, and exactly as to_string() prints it. The message of an error follows the
  // text's name.
  static constexpr size_t kMaxExactBytes = 128 * 1024;
  static Result<IndexSet> parse_exact(std::string_view text, int32_t completions);

  // What a Job's status holds (job-controller.md 3.33): a bad interval is left out and named in
  // `skipped`; the first interval that starts at or above `bound` ends the parse; an end at or
  // above it is cut. Any order is accepted.
  struct Stored;
  static Stored parse_stored(std::string_view text, int32_t bound);

  // Empty for the empty set.
  std::string to_string() const;

  int64_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  bool contains(int32_t index) const;

  // True when it was not in the set yet.
  bool insert(int32_t index);
  void insert(Interval interval);
  void insert(const IndexSet& other);
  // Forgets the indexes >= bound, as a Job scaled down does (job-controller.md 3.29).
  void truncate(int32_t bound);

  // The smallest index >= from that is not in the set.
  int32_t first_missing(int32_t from = 0) const;
  // -1 for the empty set.
  int32_t last() const { return intervals_.empty() ? -1 : intervals_.rbegin()->second; }
  // How many indexes are in both sets.
  int64_t overlap(const IndexSet& other) const;

  // Ascending, neither overlapping nor adjacent.
  std::vector<Interval> intervals() const;

  // Calls `visit(int32_t)` for each index, ascending.
  template <class Visit>
  void for_each(Visit visit) const {
    for (const auto& [first, last] : intervals_) {
      for (int64_t index = first; index <= last; ++index) {
        visit(static_cast<int32_t>(index));
      }
    }
  }

  bool operator==(const IndexSet&) const = default;

 private:
  std::map<int32_t, int32_t> intervals_;  // first -> last
  int64_t size_ = 0;
};

struct IndexSet::Stored {
  IndexSet set;
  // Why intervals were left out; at most kMaxSkipped of them.
  static constexpr size_t kMaxSkipped = 10;
  std::vector<std::string> skipped;
};

}  // namespace windlass
