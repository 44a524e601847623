// The indexes of an Indexed Job: which have completed or failed, as found out and as stored, which
// are taken by pods, which wait out a back-off, and which is the next to start. Owned by State,
// which tells it of changes; O(1) each.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/time.h"
#include "job/index_bits.h"

namespace windlass::job {

// A set that only grows, except when completions shrinks. `found` is what is known now, `stored`
// what the API server has acknowledged; finalizers go by the latter.
class StoredSet {
 public:
  const IndexBits& found() const { return found_; }
  const IndexBits& stored() const { return stored_; }
  bool insert(int64_t index);  // into found; whether it was new
  void erase(int64_t index);   // from found; only what is not settled
  // Stored, or in the write under way: no longer ours to change.
  bool settled(int64_t index) const;
  // The stored text as read from the Job.
  void load(const std::string& text, int64_t bound);
  void truncate(int64_t bound);
  // Takes out what is in `other`, stored or not.
  void subtract(const IndexBits& other);
  // The stored text differs from found().text().
  bool dirty() const { return dirty_ || !fresh_.empty(); }

  // What a status write that carries found().text() will store. Exactly one of the other two
  // follows.
  void begin_write();
  int64_t commit_write();  // how many indexes are newly stored
  void abort_write();

 private:
  friend class Fingerprint;
  IndexBits found_;
  IndexBits stored_;
  std::vector<int64_t> fresh_;  // in found, not in stored, not being written
  std::vector<int64_t> sent_;   // being written
  bool dirty_ = false;          // stored text is not canonical or goes beyond the bound
  bool sent_dirty_ = false;
};

class Indexes {
 public:
  StoredSet completed;
  StoredSet failed;

  int64_t bound() const { return bound_; }
  void set_bound(int64_t bound);
  void set_busy(int64_t index, bool busy);
  bool is_busy(int64_t index) const { return busy_.contains(index); }
  // Not before `ready_at`; nullopt: nothing stands against it.
  void set_ready_at(int64_t index, std::optional<Time> ready_at);
  // An index is found completed or failed: never both; a settled failure stays (C4).
  bool mark_completed(int64_t index);
  bool mark_failed(int64_t index);

  // Lets indexes go whose back-off is over. `ready_at` answers for an index, as of now.
  template <class ReadyAt>
  void cool(Time now, ReadyAt ready_at) {
    while (!waiting_.empty() && waiting_.front().first <= now) {
      const int64_t index = pop_waiting();
      const std::optional<Time> at = ready_at(index);
      if (cooling_.contains(index) && (!at || *at <= now)) {
        cooling_.erase(index);
        hint_ = std::min(hint_, index);
      }
    }
  }
  std::optional<Time> next_ready() const;
  // The lowest `limit` indexes to start: neither completed, failed, taken nor waiting
  // (3.17, 10.67).
  std::vector<int64_t> pending(int64_t limit);

 private:
  friend class Fingerprint;
  int64_t pop_waiting();

  int64_t bound_ = 0;
  IndexBits busy_;
  IndexBits cooling_;
  std::vector<std::pair<Time, int64_t>> waiting_;  // min-heap; entries may be out of date
  int64_t hint_ = 0;                               // nothing is pending below
};

}  // namespace windlass::job
