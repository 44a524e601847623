// How the file is opened: what is there must be all that was acknowledged.
#include <fmt/format.h>

#include <cstdlib>
#include <utility>

#include "store/sqlite/revision_log.h"
#include "store/sqlite/schema.h"

namespace windlass::store {
namespace {

// The state of a new file (schema.cc).
constexpr Revision kFirstRevision = 1;
// More than are acknowledged until the mark is synced: after a power loss it may be as much behind.
constexpr Revision kMarkSlack = 100'000;

Status lost(const std::string& directory, Revision found, Revision acknowledged) {
  return plain_error(fmt::format(
      "{}/store.db {}, but revision {} was acknowledged: store.db or store.db-wal was removed, "
      "truncated, or replaced by an older copy. Put the files back, or restore the whole data "
      "directory from a copy. To continue without the missing writes, start once with "
      "--accept-lost-writes",
      directory, found == 0 ? "is gone" : fmt::format("ends at revision {}", found), acknowledged));
}

Status unmarked(const std::string& directory) {
  return plain_error(fmt::format(
      "{}/{} is gone, so it cannot be known whether store.db has everything that was acknowledged. "
      "Put it back, or restore the whole data directory from a copy. To continue with what "
      "store.db "
      "has, start once with --accept-lost-writes",
      directory, kMarkFile));
}

}  // namespace

Result<std::unique_ptr<RevisionLog>> RevisionLog::open(
    std::unique_ptr<env::DataDirectory> directory, const LogOptions& options) {
  // A log that is full of what was committed last needs room to be copied.
  directory->release_reserve();
  TRY(std::optional<NewestMark> mark, NewestMark::open(*directory, options.vfs));
  const Revision acknowledged = mark ? mark->revision() : 0;
  TRY(const bool there, directory->has(kDatabaseFile));
  TRY(const bool log_there, directory->has(kLogFile));
  if (!there && !log_there && acknowledged > kFirstRevision && !options.accept_lost_writes) {
    return fail(lost(directory->path(), 0, acknowledged));
  }
  // Until make_durable() nothing is changed: what is missing may be put back.
  TRY(OpenedDatabase opened, open_database(*directory, options.vfs));
  const bool is_new = opened.is_new;
  std::unique_ptr<RevisionLog> log(
      new RevisionLog(std::move(directory), options, std::move(opened.database)));
  log->mark_ = std::move(mark);
  TRY_VOID(log->prepare());
  TRY_VOID(log->load_state());
  if (log->newest_ < acknowledged && !options.accept_lost_writes) {
    return fail(lost(log->directory_->path(), log->newest_, acknowledged));
  }
  log->was_marked_ = opened.was_marked;
  if (!log->mark_ && log->was_marked_ && !options.accept_lost_writes) {
    return fail(unmarked(log->directory_->path()));
  }
  TRY_VOID(log->make_durable());
  TRY_VOID(log->hold_files());
  if (auto held = log->directory_->hold_reserve(options.reserve_bytes); !held) {
    if (is_new) {
      return fail(std::move(held).error());
    }
    log->full_ = true;
    log->why_ = held.error().message;
  }
  log->failed_ = false;
  return log;
}

Result<void> RevisionLog::make_durable() {
  // What an earlier process wrote to the log and could not sync is only in memory now, and no sync
  // would write it again: copying it makes it durable before anything is built on it.
  if (database_.checkpoint(true) != SqliteResult::done) {
    return fail(plain_error(database_.error()));
  }
  if (!mark_) {
    if (was_marked_) {
      TRY_VOID(start_behind(std::nullopt));
    }
    TRY(mark_, NewestMark::make(*directory_, options_.vfs, newest_));
  }
  if (newest_ < mark_->revision()) {
    TRY_VOID(start_behind(mark_->revision()));
  }
  const bool is_behind = mark_->revision() < newest_;
  if ((is_behind && mark_->write(newest_) != SqliteResult::done) ||
      mark_->sync() != SqliteResult::done) {
    return fail(plain_error(mark_->error()));
  }
  return was_marked_ ? Result<void>() : note_marked();
}

// In the file itself: the log may be removed together with the mark.
Result<void> RevisionLog::note_marked() {
  TRY_VOID(note_mark(database_));
  return database_.checkpoint(true) == SqliteResult::done ? Result<void>()
                                                          : fail(plain_error(database_.error()));
}

Result<void> RevisionLog::start_behind(std::optional<Revision> acknowledged) {
  // Watchers from before must not go on as if nothing had happened, so no history is kept, and no
  // revision means two states.
  loss_ = Loss{newest_ + 1, acknowledged};
  SqliteResult outcome = SqliteResult::done;
  while (outcome == SqliteResult::done && compacted_ < newest_) {
    outcome = compact_step(newest_, options_.compact_rows);
  }
  if (outcome == SqliteResult::done) {
    newest_ = compacted_ = target_ = acknowledged.value_or(newest_) + kMarkSlack;
    outcome = database_.run("BEGIN");
    outcome = finish(outcome == SqliteResult::done ? save_state() : outcome);
  }
  return outcome == SqliteResult::done ? Result<void>() : fail(plain_error(why_));
}

Result<void> RevisionLog::hold_files() {
  for (const char* name : {kDatabaseFile, kLogFile, kMarkFile}) {
    TRY_VOID(files_.add(name));
  }
  return files_.expect_present_bytes(kDatabaseFile);
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
  TRY(const std::string page_bytes, database_.ask("PRAGMA page_size"));
  page_bytes_ = std::strtoull(page_bytes.c_str(), nullptr, 10);
  return {};
}

Result<void> RevisionLog::load_state() {
  TRY(Statement state, database_.prepare("SELECT newest, compacted, row_count, checksum_sum FROM "
                                         "state WHERE id = 1"));
  const SqliteResult outcome = state.step();
  if (outcome != SqliteResult::row) {
    return fail(plain_error(outcome == SqliteResult::done
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

}  // namespace windlass::store
