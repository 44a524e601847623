#include "store/sqlite/revision_log.h"

#include <fmt/format.h>

#include <tuple>
#include <utility>

#include "base/check.h"
#include "store/sqlite/row.h"
#include "store/sqlite/schema.h"
#include "store/sqlite/wal_check.h"

namespace windlass::store {
namespace {

// Marks are this part of what is kept, so that there are few of them.
constexpr size_t kMarks = 32;

int64_t number(uint64_t value) {
  return static_cast<int64_t>(value);
}

}  // namespace

RevisionLog::RevisionLog(std::unique_ptr<env::DataDirectory> directory, LogOptions options,
                         Database database)
    : directory_(std::move(directory)),
      options_(std::move(options)),
      database_(std::move(database)),
      files_(*directory_),
      advice_("all acknowledged writes are safe; restart the server to continue") {}

RevisionLog::~RevisionLog() {
  // Statements are declared after the database and so go first.
  if (!failed_) {
    database_.checkpoint(true);
    sync_mark();
  }
}

SqliteResult RevisionLog::append(std::span<const LogEntry> entries) {
  if (failed_) {
    return SqliteResult::failed;
  }
  // Before: a commit would make a log that was cut long enough again. After: nothing that went to a
  // removed file is acknowledged.
  SqliteResult outcome = check_files();
  outcome = outcome == SqliteResult::done ? insert_all(entries) : outcome;
  if (outcome == SqliteResult::full && !full_) {
    // The first to meet the full disk gets what was reserved: nothing is lost by the change.
    full_ = true;
    why_ = database_.error();
    directory_->release_reserve();
    outcome = insert_all(entries);
  }
  outcome = outcome == SqliteResult::done ? check_files() : outcome;
  return settle(outcome == SqliteResult::done ? write_mark() : outcome);
}

SqliteResult RevisionLog::check_files() {
  files_.expect_bytes(kLogFile, write_ahead_log_bytes(database_.log_pages(), page_bytes_));
  std::string wrong = files_.check();
  if (wrong.empty()) {
    return SqliteResult::done;
  }
  why_ = std::move(wrong);
  advice_ =
      "reads still work: save the lost objects with kubectl, then stop the server, and put "
      "the files back or restore the data directory from a copy";
  return SqliteResult::failed;
}

SqliteResult RevisionLog::write_mark() {
  SqliteResult outcome = mark_->write(newest_);
  if (outcome == SqliteResult::full) {
    // It overwrites what it has, but some file systems write that elsewhere.
    full_ = true;
    why_ = mark_->error();
    directory_->release_reserve();
    outcome = mark_->write(newest_);
  }
  if (outcome == SqliteResult::done) {
    return outcome;
  }
  // The group is committed, and cannot be taken back.
  why_ = mark_->error();
  return SqliteResult::failed;
}

SqliteResult RevisionLog::sync_mark() {
  if (failed_ || !mark_) {
    return failed_ ? SqliteResult::failed : SqliteResult::done;
  }
  const SqliteResult outcome = mark_->sync();
  if (outcome == SqliteResult::done) {
    return outcome;
  }
  why_ = mark_->error();
  return settle(SqliteResult::failed);
}

SqliteResult RevisionLog::insert_all(std::span<const LogEntry> entries) {
  const auto before = std::tuple(newest_, row_count_, checksum_sum_);
  SqliteResult outcome = database_.run("BEGIN");
  for (const LogEntry& entry : entries) {
    if (outcome != SqliteResult::done) {
      break;
    }
    const Version& version = *entry.version;
    CHECK(version.revision() > newest_, "revisions come in order");
    const Row row{version.revision(), entry.previous, version.change(),
                  entry.resource,     version.key(),  version.bytes()};
    const uint32_t checksum = checksum_of(row);
    outcome = statements_.insert.bind(1, number(row.revision))
                  .bind(2, number(row.previous))
                  .bind_text(3, name_of(row.change))
                  .bind(4, int64_t{checksum})
                  .bind_text(5, row.resource)
                  .bind_text(6, row.key)
                  .bind_bytes(7, row.object)
                  .step();
    newest_ = row.revision;
    ++row_count_;
    checksum_sum_ += checksum;
  }
  outcome = finish(outcome == SqliteResult::done ? save_state() : outcome);
  if (outcome != SqliteResult::done) {
    std::tie(newest_, row_count_, checksum_sum_) = before;
    return outcome;
  }
  for (const LogEntry& entry : entries) {
    note_kept(entry.version->revision(), entry.version->bytes().size());
  }
  return outcome;
}

SqliteResult RevisionLog::save_state() {
  return statements_.update_state.bind(1, number(newest_))
      .bind(2, number(compacted_))
      .bind(3, number(row_count_))
      .bind(4, number(checksum_sum_))
      .step();
}

SqliteResult RevisionLog::finish(SqliteResult outcome) {
  if (outcome == SqliteResult::done) {
    outcome = database_.run("COMMIT");
  }
  if (outcome != SqliteResult::done) {
    // Taking back says its own error, which is not the one to report.
    why_ = database_.error();
    if (database_.rollback() != SqliteResult::done) {
      return SqliteResult::failed;
    }
  }
  return outcome;
}

SqliteResult RevisionLog::settle(SqliteResult outcome) {
  if (outcome == SqliteResult::failed) {
    failed_ = true;
  }
  return outcome;
}

void RevisionLog::note_kept(Revision revision, size_t bytes) {
  if (kept_.empty() || kept_.back().rows > options_.keep_revisions / kMarks ||
      kept_.back().bytes > options_.keep_bytes / kMarks) {
    kept_.push_back({});
  }
  Mark& mark = kept_.back();
  mark.last = revision;
  ++mark.rows;
  mark.bytes += bytes;
  ++kept_rows_;
  kept_bytes_ += bytes;
}

Revision RevisionLog::compaction_target() {
  while (kept_.size() > 1 &&
         (kept_rows_ > options_.keep_revisions || kept_bytes_ > options_.keep_bytes)) {
    target_ = kept_.front().last;
    kept_rows_ -= kept_.front().rows;
    kept_bytes_ -= kept_.front().bytes;
    kept_.pop_front();
  }
  return target_;
}

}  // namespace windlass::store
