// Failures of indexes whose pods are gone, of a Job with backoffLimitPerIndex. A pod carries the
// failures of its index in its annotations; when suspension or scale-down takes the pod away, the
// numbers are kept here, and travel in the Job's record (record.h) until another pod carries them.
//
// Text: `<counted>[/<ignored>][@<ms>]:<indexes>` for each pair of numbers, separated by `|`:
// `1:0-4,9|2/1@1800000000000:7`. The time is when the last of the failures ended, where its
// back-off may not be over. A value; bounded in size, whatever it is read from.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/time.h"
#include "engine/pods/pod_factory.h"

namespace windlass::engine {

// Each number at least as high as the other's.
bool covers(IndexFailures known, IndexFailures wanted);
IndexFailures highest(IndexFailures a, IndexFailures b);

class IndexCounts {
 public:
  // All annotations of an object together may take 256 KiB, and others write some, too.
  static constexpr size_t kMaxBytes = 64 * 1024;
  static constexpr size_t kMaxEntries = 100'000;

  struct Entry {
    IndexFailures failures;
    Time last;  // the epoch: the back-off was over

    bool operator==(const Entry&) const = default;
  };

  bool empty() const { return entries_.empty(); }
  const std::map<int32_t, Entry>& entries() const { return entries_; }
  IndexFailures find(int64_t index) const;  // zeros when there is nothing
  Time last(int64_t index) const;

  // Raises the numbers of an index; never lowers one. Nothing is kept for zeros.
  void raise(int32_t index, IndexFailures failures, Time last);
  void raise(const IndexCounts& other);
  void erase(int32_t index) { entries_.erase(index); }
  void clear() { entries_.clear(); }
  // Whether no number of `other` is higher than here.
  bool covers_all(const IndexCounts& other) const;

  // Drops the lowest numbers, those of high indexes first, until the text has at most `max_bytes`.
  // Which indexes were dropped.
  std::vector<int32_t> fit(size_t max_bytes = kMaxBytes);

  std::string text() const;
  // Adds what the text says. False when a part could not be read, or was too much.
  bool read(std::string_view text);

  bool operator==(const IndexCounts&) const = default;

 private:
  bool read_group(std::string_view group, size_t& room);

  std::map<int32_t, Entry> entries_;
};

}  // namespace windlass::engine
