// What keeps the file small: checkpoints, compaction, giving pages back, and regaining room.
#include <algorithm>
#include <tuple>
#include <vector>

#include "store/sqlite/revision_log.h"
#include "store/sqlite/row.h"
#include "store/sqlite/schema.h"

namespace windlass::store {
namespace {

constexpr const char* kGiveBack = "PRAGMA incremental_vacuum(512)";
// Steps of compaction after one group: as many rows as a group can have, so that it keeps up.
constexpr int kMaxSteps = 8;
// Steps of compaction and of giving pages back in one regain(), and the rows of each: few, because
// what a step changes must find room before it makes any.
constexpr int kRegainSteps = 64;
constexpr size_t kRegainRows = 64;

}  // namespace

Outcome RevisionLog::maintain() {
  if (failed_) {
    return Outcome::failed;
  }
  if (full_) {
    return regain();
  }
  Outcome outcome = Outcome::done;
  for (int step = 0; step < kMaxSteps && outcome == Outcome::done &&
                     compaction_target() - compacted_ >= options_.compact_rows;
       ++step) {
    outcome = compact_step(target_, options_.compact_rows);
    outcome = outcome == Outcome::done ? give_pages_back(options_.free_pages) : outcome;
  }
  if (outcome == Outcome::done && database_.log_pages() >= options_.checkpoint_pages) {
    outcome = checkpoint(false);
  }
  if (outcome == Outcome::full) {
    full_ = true;
    directory_->release_reserve();
  }
  return settle(outcome);
}

Outcome RevisionLog::regain() {
  if (failed_) {
    return Outcome::failed;
  }
  // The kept history goes: room is worth more now.
  target_ = newest_;
  kept_.clear();
  kept_rows_ = kept_bytes_ = 0;
  // Copying the log makes room in it; if there is no room for the copy, removing rows may need
  // none.
  Outcome outcome = checkpoint(false);
  for (int step = 0; step < kRegainSteps && outcome != Outcome::failed; ++step) {
    outcome = compacted_ < target_ ? compact_step(target_, kRegainRows) : Outcome::done;
    outcome = outcome == Outcome::done ? give_pages_back(0) : outcome;
    outcome = outcome == Outcome::done ? checkpoint(false) : outcome;
    if (outcome == Outcome::full || (compacted_ == target_ && free_pages_ == 0)) {
      break;
    }
  }
  outcome = outcome == Outcome::done ? checkpoint(true) : outcome;
  if (outcome != Outcome::failed && directory_->hold_reserve(options_.reserve_bytes)) {
    full_ = false;
    return Outcome::done;
  }
  return settle(outcome == Outcome::failed ? outcome : Outcome::full);
}

Outcome RevisionLog::checkpoint(bool truncate) {
  const Outcome outcome = database_.checkpoint(truncate);
  if (outcome != Outcome::done) {
    why_ = database_.error();
    return outcome;
  }
  // Pages that were given back make the file shorter now.
  files_.expect_bytes(kLogFile, 0);
  if (auto measured = files_.expect_present_bytes(kDatabaseFile); !measured) {
    why_ = measured.error().message;
    return Outcome::failed;
  }
  return outcome;
}

Outcome RevisionLog::compact_step(Revision target, size_t rows) {
  const auto before = std::tuple(compacted_, row_count_, checksum_sum_);
  Outcome outcome = database_.run("BEGIN");
  outcome = outcome == Outcome::done ? compact(target, rows) : outcome;
  outcome = finish(outcome == Outcome::done ? save_state() : outcome);
  if (outcome != Outcome::done) {
    std::tie(compacted_, row_count_, checksum_sum_) = before;
  }
  return outcome;
}

Outcome RevisionLog::compact(Revision target, size_t rows) {
  // Read first: rows are removed from the table that the scan goes through.
  std::vector<Revision> gone;
  Revision reached = target;
  size_t seen = 0;
  statements_.scan.bind(1, static_cast<int64_t>(compacted_))
      .bind(2, static_cast<int64_t>(target))
      .bind(3, static_cast<int64_t>(rows));
  Outcome outcome = statements_.scan.step();
  for (; outcome == Outcome::row; outcome = statements_.scan.step()) {
    const auto revision = static_cast<Revision>(statements_.scan.integer(0));
    if (const auto previous = static_cast<Revision>(statements_.scan.integer(1)); previous != 0) {
      gone.push_back(previous);
    }
    if (statements_.scan.text(2) == name_of(Change::deleted)) {
      gone.push_back(revision);
    }
    if (++seen == rows) {
      reached = revision;
    }
  }
  std::sort(gone.begin(), gone.end());
  for (const Revision revision : gone) {
    outcome = outcome == Outcome::done ? remove_row(revision) : outcome;
  }
  compacted_ = reached;
  return outcome;
}

Outcome RevisionLog::remove_row(Revision revision) {
  Outcome outcome = statements_.remove.bind(1, static_cast<int64_t>(revision)).step();
  if (outcome == Outcome::row) {
    --row_count_;
    checksum_sum_ -= static_cast<uint64_t>(statements_.remove.integer(0));
    outcome = statements_.remove.step();
  }
  return outcome;
}

Outcome RevisionLog::give_pages_back(int64_t keep_free) {
  const Outcome outcome = statements_.free_pages.step();
  if (outcome != Outcome::row) {
    why_ = database_.error();
    return outcome;
  }
  free_pages_ = statements_.free_pages.integer(0);
  statements_.free_pages.reset();
  if (free_pages_ <= keep_free) {
    return Outcome::done;
  }
  const Outcome given = database_.run(kGiveBack);
  if (given != Outcome::done) {
    why_ = database_.error();
  }
  return given;
}

}  // namespace windlass::store
