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

SqliteResult RevisionLog::maintain() {
  if (failed_) {
    return SqliteResult::failed;
  }
  if (full_) {
    return regain();
  }
  SqliteResult outcome = SqliteResult::done;
  for (int step = 0; step < kMaxSteps && outcome == SqliteResult::done &&
                     compaction_target() - compacted_ >= options_.compact_rows;
       ++step) {
    outcome = compact_step(target_, options_.compact_rows);
    outcome = outcome == SqliteResult::done ? give_pages_back(options_.free_pages) : outcome;
  }
  if (outcome == SqliteResult::done && database_.log_pages() >= options_.checkpoint_pages) {
    outcome = checkpoint(false);
  }
  if (outcome == SqliteResult::full) {
    full_ = true;
    directory_->release_reserve();
  }
  return settle(outcome);
}

SqliteResult RevisionLog::regain() {
  if (failed_) {
    return SqliteResult::failed;
  }
  // The kept history goes: room is worth more now.
  target_ = newest_;
  kept_.clear();
  kept_rows_ = kept_bytes_ = 0;
  // Copying the log makes room in it; if there is no room for the copy, removing rows may need
  // none.
  SqliteResult outcome = checkpoint(false);
  for (int step = 0; step < kRegainSteps && outcome != SqliteResult::failed; ++step) {
    outcome = compacted_ < target_ ? compact_step(target_, kRegainRows) : SqliteResult::done;
    outcome = outcome == SqliteResult::done ? give_pages_back(0) : outcome;
    outcome = outcome == SqliteResult::done ? checkpoint(false) : outcome;
    if (outcome == SqliteResult::full || (compacted_ == target_ && free_pages_ == 0)) {
      break;
    }
  }
  outcome = outcome == SqliteResult::done ? checkpoint(true) : outcome;
  if (outcome != SqliteResult::failed && directory_->hold_reserve(options_.reserve_bytes)) {
    full_ = false;
    return SqliteResult::done;
  }
  return settle(outcome == SqliteResult::failed ? outcome : SqliteResult::full);
}

SqliteResult RevisionLog::checkpoint(bool truncate) {
  const SqliteResult outcome = database_.checkpoint(truncate);
  if (outcome != SqliteResult::done) {
    why_ = database_.error();
    return outcome;
  }
  // Pages that were given back make the file shorter now.
  files_.expect_bytes(kLogFile, 0);
  if (auto measured = files_.expect_present_bytes(kDatabaseFile); !measured) {
    why_ = measured.error().message;
    return SqliteResult::failed;
  }
  return outcome;
}

SqliteResult RevisionLog::compact_step(Revision target, size_t rows) {
  const auto before = std::tuple(compacted_, row_count_, checksum_sum_);
  SqliteResult outcome = database_.run("BEGIN");
  outcome = outcome == SqliteResult::done ? compact(target, rows) : outcome;
  outcome = finish(outcome == SqliteResult::done ? save_state() : outcome);
  if (outcome != SqliteResult::done) {
    std::tie(compacted_, row_count_, checksum_sum_) = before;
  }
  return outcome;
}

SqliteResult RevisionLog::compact(Revision target, size_t rows) {
  // Read first: rows are removed from the table that the scan goes through.
  std::vector<Revision> gone;
  Revision reached = target;
  size_t seen = 0;
  statements_.scan.bind(1, static_cast<int64_t>(compacted_))
      .bind(2, static_cast<int64_t>(target))
      .bind(3, static_cast<int64_t>(rows));
  SqliteResult outcome = statements_.scan.step();
  for (; outcome == SqliteResult::row; outcome = statements_.scan.step()) {
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
    outcome = outcome == SqliteResult::done ? remove_row(revision) : outcome;
  }
  compacted_ = reached;
  return outcome;
}

SqliteResult RevisionLog::remove_row(Revision revision) {
  SqliteResult outcome = statements_.remove.bind(1, static_cast<int64_t>(revision)).step();
  if (outcome == SqliteResult::row) {
    --row_count_;
    checksum_sum_ -= static_cast<uint64_t>(statements_.remove.integer(0));
    outcome = statements_.remove.step();
  }
  return outcome;
}

SqliteResult RevisionLog::give_pages_back(int64_t keep_free) {
  const SqliteResult outcome = statements_.free_pages.step();
  if (outcome != SqliteResult::row) {
    why_ = database_.error();
    return outcome;
  }
  free_pages_ = statements_.free_pages.integer(0);
  statements_.free_pages.reset();
  if (free_pages_ <= keep_free) {
    return SqliteResult::done;
  }
  const SqliteResult given = database_.run(kGiveBack);
  if (given != SqliteResult::done) {
    why_ = database_.error();
  }
  return given;
}

}  // namespace windlass::store
