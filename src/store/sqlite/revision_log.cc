#include "store/sqlite/revision_log.h"

#include <fmt/format.h>

#include <tuple>
#include <utility>

#include "base/check.h"
#include "store/sqlite/row.h"
#include "store/sqlite/schema.h"

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
      database_(std::move(database)) {}

RevisionLog::~RevisionLog() {
  // Statements are declared after the database and so go first.
  if (!failed_) {
    database_.checkpoint(true);
  }
}

Result<std::unique_ptr<RevisionLog>> RevisionLog::open(
    std::unique_ptr<env::DataDirectory> directory, const LogOptions& options) {
  // A log that is full of what was committed last needs room to be copied.
  directory->release_reserve();
  TRY(OpenedDatabase opened, open_database(*directory, options.vfs));
  const bool is_new = opened.is_new;
  std::unique_ptr<RevisionLog> log(
      new RevisionLog(std::move(directory), options, std::move(opened.database)));
  TRY_VOID(log->prepare());
  TRY_VOID(log->load_state());
  if (auto held = log->directory_->hold_reserve(options.reserve_bytes); !held) {
    if (is_new) {
      return fail(std::move(held).error());
    }
    log->full_ = true;
    log->why_ = held.error().message;
  }
  return log;
}

Result<void> RevisionLog::prepare() {
  TRY(statements_.insert, database_.prepare("INSERT INTO log VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)"));
  TRY(statements_.update_state,
      database_.prepare("UPDATE state SET newest = ?1, compacted = ?2, row_count = ?3, "
                        "checksum_sum = ?4 WHERE id = 1"));
  TRY(statements_.scan,
      database_.prepare("SELECT revision, previous, change FROM log WHERE revision > ?1 AND "
                        "revision <= ?2 ORDER BY revision LIMIT ?3"));
  TRY(statements_.remove,
      database_.prepare("DELETE FROM log WHERE revision = ?1 RETURNING checksum"));
  TRY(statements_.free_pages, database_.prepare("PRAGMA freelist_count"));
  return {};
}

Result<void> RevisionLog::load_state() {
  TRY(Statement state, database_.prepare("SELECT newest, compacted, row_count, checksum_sum FROM "
                                         "state WHERE id = 1"));
  const Outcome outcome = state.step();
  if (outcome != Outcome::row) {
    return fail(plain_error(outcome == Outcome::done
                                ? directory_->path() + "/store.db has no row in table state"
                                : database_.error()));
  }
  newest_ = static_cast<Revision>(state.integer(0));
  compacted_ = static_cast<Revision>(state.integer(1));
  row_count_ = static_cast<uint64_t>(state.integer(2));
  checksum_sum_ = static_cast<uint64_t>(state.integer(3));
  target_ = compacted_;
  state.reset();
  return compacted_ >= 1 && compacted_ <= newest_
             ? Result<void>()
             : fail(plain_error(fmt::format("{}/store.db is damaged: revision {} is compacted, {} "
                                            "is the newest",
                                            directory_->path(), compacted_, newest_)));
}

Outcome RevisionLog::append(std::span<const LogEntry> entries) {
  if (failed_) {
    return Outcome::failed;
  }
  Outcome outcome = insert_all(entries);
  if (outcome == Outcome::full && !full_) {
    // The first to meet the full disk gets what was reserved: nothing is lost by the change.
    full_ = true;
    why_ = database_.error();
    directory_->release_reserve();
    outcome = insert_all(entries);
  }
  return settle(outcome);
}

Outcome RevisionLog::insert_all(std::span<const LogEntry> entries) {
  const auto before = std::tuple(newest_, row_count_, checksum_sum_);
  Outcome outcome = database_.run("BEGIN");
  for (const LogEntry& entry : entries) {
    if (outcome != Outcome::done) {
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
  outcome = finish(outcome == Outcome::done ? save_state() : outcome);
  if (outcome != Outcome::done) {
    std::tie(newest_, row_count_, checksum_sum_) = before;
    return outcome;
  }
  for (const LogEntry& entry : entries) {
    note_kept(entry.version->revision(), entry.version->bytes().size());
  }
  return outcome;
}

Outcome RevisionLog::save_state() {
  return statements_.update_state.bind(1, number(newest_))
      .bind(2, number(compacted_))
      .bind(3, number(row_count_))
      .bind(4, number(checksum_sum_))
      .step();
}

Outcome RevisionLog::finish(Outcome outcome) {
  if (outcome == Outcome::done) {
    outcome = database_.run("COMMIT");
  }
  if (outcome != Outcome::done) {
    // Taking back says its own error, which is not the one to report.
    why_ = database_.error();
    if (database_.rollback() != Outcome::done) {
      return Outcome::failed;
    }
  }
  return outcome;
}

Outcome RevisionLog::settle(Outcome outcome) {
  if (outcome == Outcome::failed) {
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
