// The indexes of an Indexed Job: which have completed or failed, as found out and as stored, which
// are taken by pods, which wait out a back-off, and which is the next to start. Owned by State,
// which tells it of changes; O(1) each.
//
// What is found of an index is a function of what is stored, what is in the status write under way,
// what its pods show now, and what pods had shown that were taken away before they were stored. It
// follows each of them both ways: nothing sticks (rule 5.9).
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/time.h"
#include "engine/state/index_bits.h"

namespace windlass::engine {

// One of the two sets. `found` is what is known now, `stored` what the API server has acknowledged;
// finalizers go by the latter.
class StoredSet {
 public:
  const IndexBits& found() const { return found_; }
  const IndexBits& stored() const { return stored_; }
  // Stored, or in the write under way: pods no longer change it.
  bool settled(int64_t index) const { return stored_.contains(index) || sent_.contains(index); }
  // Puts into found, or takes out of it, what is not settled. Whether found changed.
  bool set(int64_t index, bool in);
  // The stored text as read from the Job, without `other`. reset() must follow.
  void load(std::string_view text, int64_t bound, const IndexBits* other);
  // What was loaded is in no stored text yet (12.2): it is to be written.
  void set_unwritten() { dirty_ = true; }
  // Found is what is settled and below the bound; all else has to be told anew.
  void reset(int64_t bound);
  // The stored text differs from found().text().
  bool dirty() const { return dirty_ || !fresh_.empty(); }

  // What a status write that carries found().text() will store. Exactly one of the other two
  // follows.
  void begin_write();
  // found().text() for that write; `stored` is the text of the stored Job.
  std::string write_text(std::string_view stored) const;
  int64_t commit_write();              // how many indexes are newly stored
  std::vector<int64_t> abort_write();  // which are no longer settled, and have to be told anew

 private:
  friend class Fingerprint;

  IndexBits found_;
  IndexBits stored_;
  IndexBits fresh_;     // in found, neither in stored nor being written
  IndexBits sent_;      // being written
  bool dirty_ = false;  // stored text is not canonical or goes beyond the bound
  bool sent_dirty_ = false;
};

// What pods show of their index.
struct IndexEvidence {
  bool succeeded = false;
  bool failed = false;  // a failure that is the end of the index

  void add(IndexEvidence other) {
    succeeded = succeeded || other.succeeded;
    failed = failed || other.failed;
  }
};

class Indexes {
 public:
  StoredSet completed;
  StoredSet failed;

  int64_t bound() const { return bound_; }
  // It has neither completed nor failed.
  bool is_open(int64_t index) const {
    return !completed.found().contains(index) && !failed.found().contains(index);
  }
  // Forgets what pods have told; remembers what is stored, being written or was taken away.
  void reset(int64_t bound);
  // All that the pods of an index show now. Completed wins over failed, what is settled over both
  // (C4). How the number of completed indexes changes: -1, 0 or 1.
  int judge(int64_t index, IndexEvidence pods);
  // A pod showed this and is no longer there to show it (10.79). judge() must follow.
  void remember(int64_t index, IndexEvidence gone);
  void set_busy(int64_t index, bool busy);
  bool is_busy(int64_t index) const { return busy_.contains(index); }
  // Not before `ready_at`; nullopt: nothing stands against it.
  void set_ready_at(int64_t index, std::optional<Time> ready_at);

  // Lets indexes go whose back-off is over. `ready_at` answers for an index, as of now.
  template <class ReadyAt>
  void cool(Time now, ReadyAt ready_at) {
    while (!waiting_.empty() && waiting_.front().first <= now) {
      const int64_t index = pop_waiting();
      const std::optional<Time> at = ready_at(index);
      if (!cooling_.contains(index)) {
        continue;
      }
      if (at && *at > now) {
        set_ready_at(index, at);  // more has become known of it since
      } else {
        cooling_.erase(index);
        look_from(index);
      }
    }
  }
  std::optional<Time> next_ready() const;
  // How many wait out a back-off.
  int64_t cooling() const { return cooling_.size(); }
  // The lowest `limit` indexes to start: neither completed, failed, taken nor waiting
  // (3.17, 10.67). Without `fresh` none above all that were taken or have waited.
  std::vector<int64_t> pending(int64_t limit, bool fresh = true);

 private:
  friend class Fingerprint;

  int64_t pop_waiting();
  // It may have become pending.
  void look_from(int64_t index);

  int64_t bound_ = 0;
  IndexBits lost_completed_;
  IndexBits lost_failed_;
  IndexBits busy_;
  IndexBits cooling_;
  std::vector<std::pair<Time, int64_t>> waiting_;  // min-heap; entries may be out of date
  int64_t hint_ = 0;                               // nothing is pending below
  int64_t frontier_ = 0;                           // all that were taken or have waited are below
};

}  // namespace windlass::engine
