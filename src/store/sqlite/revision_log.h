// The file of the store: one row per revision, appended in groups, with one transaction and one
// sync for each group. Rows that newer ones have replaced go once the kept history has moved past
// them, a step at a time. Blocks: after open() and replay() it belongs to the journal's thread.
//
// An error of a write or a sync is final (safety.md V2): everything after it fails the same way
// until the file is opened anew. A full disk is not: the group is taken back as a whole, what was
// reserved is given up for it, and maintain() finds out when there is room again.
#pragma once

#include <deque>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "env/data_directory.h"
#include "sqlite/database.h"
#include "store/journal.h"
#include "store/sqlite/held_files.h"
#include "store/sqlite/newest_mark.h"

namespace windlass::store {

using sqlite::Database;
using sqlite::SqliteResult;
using sqlite::Statement;

struct LogOptions {
  std::string vfs = {};  // SQLite's file layer; "" for its own
  // Of replaced states: as many revisions, or as many bytes, as a watch may want after a restart.
  size_t keep_revisions = 10'000;
  size_t keep_bytes = size_t{64} << 20;
  // Given up when the disk is full, so that deletions still have room. More than a group needs.
  uint64_t reserve_bytes = uint64_t{16} << 20;
  // The write-ahead log is copied into the file when it has as many pages.
  int checkpoint_pages = 1'000;
  // Goes on although acknowledged revisions are missing; what is left starts behind them.
  bool accept_lost_writes = false;
  // Rows that one step of compaction looks at.
  size_t compact_rows = 500;
  // Pages that may lie free in the file; more go back to the file system, a step at a time.
  int64_t free_pages = 1'024;
};

struct LogEntry {
  std::string resource;
  VersionPtr version;
  Revision previous = 0;  // the state it replaces; 0 for a new object
};

class RevisionLog {
 public:
  static Result<std::unique_ptr<RevisionLog>> open(std::unique_ptr<env::DataDirectory> directory,
                                                   const LogOptions& options);
  // Checkpoints, unless it has failed.
  ~RevisionLog();
  RevisionLog(const RevisionLog&) = delete;
  RevisionLog& operator=(const RevisionLog&) = delete;

  // Reads and checks every row; a wrong one is an error, and the store must not be used then.
  Result<void> replay(ReplayListener& listener);

  // All of them or none. With `full` none is there, and they may be given up.
  SqliteResult append(std::span<const LogEntry> entries);
  // What is due of checkpoint, compaction and giving pages back; a bounded step of each. While
  // full() it makes what room there is to make, and takes the reserve again if there is enough.
  SqliteResult maintain();

  // Makes the mark of the newest revision durable, if it is not yet.
  SqliteResult sync_mark();

  // The reserve is in use, or was.
  bool full() const { return full_; }
  // The revisions that are missing: only with LogOptions::accept_lost_writes. Without a mark the
  // last one is not known, and there may be none.
  struct Loss {
    Revision first = 0;
    std::optional<Revision> last = {};
  };
  const std::optional<Loss>& loss() const { return loss_; }
  // Of the last call that was not `done`.
  const std::string& why() const { return why_; }
  // What the user can do about a failure.
  const std::string& advice() const { return advice_; }

  Revision compacted() const { return compacted_; }
  uint64_t row_count() const { return row_count_; }

 private:
  struct Statements {
    Statement insert;
    Statement update_state;
    Statement scan;
    Statement remove;
    Statement free_pages;
  };
  // A run of revisions and what they weigh, for the decision how much history to keep.
  struct Mark {
    Revision last = 0;
    size_t rows = 0;
    size_t bytes = 0;
  };

  RevisionLog(std::unique_ptr<env::DataDirectory> directory, LogOptions options, Database database);
  Result<void> prepare();
  Result<void> load_state();
  // Copies the log into the file, and brings the mark up to date.
  Result<void> make_durable();
  Result<void> note_marked();
  Result<void> hold_files();
  // Makes a store of what is left, whose next revision was never given before.
  Result<void> start_behind(std::optional<Revision> acknowledged);

  SqliteResult insert_all(std::span<const LogEntry> entries);
  SqliteResult save_state();
  // That they are still those of the directory.
  SqliteResult check_files();
  SqliteResult write_mark();
  SqliteResult compact_step(Revision target, size_t rows);
  SqliteResult compact(Revision target, size_t rows);
  SqliteResult remove_row(Revision revision);
  // Ends the open transaction, one way or the other.
  SqliteResult finish(SqliteResult outcome);
  // Remembers why, and whether it is final.
  SqliteResult settle(SqliteResult outcome);
  void note_kept(Revision revision, size_t bytes);
  // The newest revision whose history is no longer kept.
  Revision compaction_target();
  SqliteResult regain();
  SqliteResult checkpoint(bool truncate);
  // A step of it, if more than so many pages are free.
  SqliteResult give_pages_back(int64_t keep_free);

  std::unique_ptr<env::DataDirectory> directory_;
  LogOptions options_;
  Database database_;
  Statements statements_;
  HeldFiles files_;
  std::optional<NewestMark> mark_;
  bool was_marked_ = false;  // an earlier start has made a mark
  uint64_t page_bytes_ = 0;

  // As in the row of `state`.
  Revision newest_ = 0;
  Revision compacted_ = 0;
  uint64_t row_count_ = 0;
  uint64_t checksum_sum_ = 0;

  std::deque<Mark> kept_;
  size_t kept_rows_ = 0;
  size_t kept_bytes_ = 0;
  Revision target_ = 0;
  int64_t free_pages_ = 0;  // when last looked
  bool full_ = false;
  bool failed_ = true;  // or not open yet
  std::string why_;
  std::string advice_;
  std::optional<Loss> loss_;
};

}  // namespace windlass::store
