// The file of the ledger as its one writer has it: records come in groups, one transaction and one
// sync for each. What is too old, or more than the file may hold, goes a step at a time. Blocks:
// belongs to the ledger's worker thread.
//
// Evidence must not stop the work that it is about, so the file is opened anew after an error, and
// one that turns out to be damaged is set aside under another name and a new one begun. Nothing of
// it is deleted, and readers can still look at it.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "env/data_directory.h"
#include "ledger/ledger.h"
#include "ledger/sqlite/ledger_schema.h"
#include "sqlite/database.h"

namespace windlass::ledger {

struct LedgerOptions {
  LedgerPlace place = {};
  // Records are kept so long after they were made, as long as the file stays below keep_bytes.
  Duration keep = hours(90 * 24);
  uint64_t keep_bytes = uint64_t{1} << 30;
  // The write-ahead log is copied into the file when it has as many pages.
  int copy_pages = 1'000;
  // Records that one step of retention removes.
  size_t remove_rows = 1'000;
  // Free pages that may lie in the file; more go back to the file system, a step at a time.
  int64_t free_pages = 4'096;
};

// A record as the file has it.
struct StoredAttempt {
  int64_t id = 0;
  Time recorded;
  std::string body;  // an Attempt in protobuf
};

class LedgerFile {
 public:
  // Every reason why records cannot be kept in this place is an error here, except for damage.
  static Result<std::unique_ptr<LedgerFile>> open(std::unique_ptr<env::DataDirectory> directory,
                                                  const LedgerOptions& options);
  // Copies the log into the file.
  ~LedgerFile();
  LedgerFile(const LedgerFile&) = delete;
  LedgerFile& operator=(const LedgerFile&) = delete;

  // All of them or none; `now` is when they come in. Success means durable. After an error the
  // file is opened anew at the next call.
  sqlite::SqliteResult append(std::span<const AttemptPtr> attempts, Time now);

  // One step of what is due: removes what was recorded before `oldest`, or is too much; copies the
  // log; gives pages back. True when there is more to do at once.
  bool maintain(Time oldest);

  // For a file that is a spool. The records that came in first: at most so many, and no more once
  // they have so many bytes together.
  Result<std::vector<StoredAttempt>> oldest(size_t most, size_t bytes);
  // Removes those that have not been replaced since.
  sqlite::SqliteResult remove(std::span<const StoredAttempt> attempts);
  // How many there are. Looks at all of an index.
  uint64_t count();

  // Of the last append() or remove() that was not `done`.
  const std::string& why() const { return why_; }
  // What the user has to know, once: `took ledger.db aside …`.
  std::vector<std::string> take_notices() { return std::exchange(notices_, {}); }
  uint64_t removed_by_age() const { return removed_by_age_; }
  uint64_t removed_by_size() const { return removed_by_size_; }
  // In use, without free pages.
  uint64_t bytes() const { return bytes_; }

 private:
  // Statements go before their database.
  struct Connection {
    sqlite::Database database;
    sqlite::Statement insert_name;
    sqlite::Statement find_name;
    sqlite::Statement insert_job;
    sqlite::Statement find_job;
    sqlite::Statement upsert;
    sqlite::Statement oldest;
    sqlite::Statement remove;
    sqlite::Statement remove_job;
    sqlite::Statement first;
    sqlite::Statement remove_same;
    env::FileIdentity identity;
    std::map<std::string, int64_t, std::less<>> names = {};  // those never change
    bool broken = false;                                     // to be opened anew
  };

  LedgerFile(std::unique_ptr<env::DataDirectory> directory, LedgerOptions options)
      : directory_(std::move(directory)), options_(std::move(options)) {}

  std::string path() const { return directory_->path() + "/" + options_.place.file; }
  // Opens the file, sets it aside if it is damaged, makes it if it is not there.
  Result<void> connect();
  Result<void> try_connect(bool& damaged);
  // Opens it anew after an error.
  Result<void> reconnect();
  Result<void> prepare(Connection& made);
  Result<void> load(Connection& made);
  Result<void> set_aside(const std::string& why);
  // That the file is still the one of this name.
  Result<void> check_file();

  sqlite::SqliteResult append_all(std::span<const AttemptPtr> attempts, int64_t now);
  sqlite::SqliteResult insert(const api::ledger::v1::Attempt& attempt, int64_t now);
  sqlite::SqliteResult job_id(const api::ledger::v1::Attempt& attempt, int64_t& id);
  sqlite::SqliteResult name_id(std::string_view name, int64_t& id);
  sqlite::SqliteResult remove_step(int64_t oldest, bool too_large, size_t& removed);
  sqlite::SqliteResult finish(sqlite::SqliteResult outcome);
  // After an error: rolls back, and sets a damaged file aside.
  void give_up_connection();
  sqlite::SqliteResult remove_same(std::span<const StoredAttempt> attempts);
  // Reads how large the file is.
  bool measure();
  void give_pages_back();

  std::unique_ptr<env::DataDirectory> directory_;
  LedgerOptions options_;
  std::unique_ptr<Connection> connection_;
  int64_t newest_recorded_ = 0;
  int64_t page_bytes_ = 0;
  int64_t free_pages_ = 0;
  uint64_t bytes_ = 0;
  uint64_t removed_by_age_ = 0;
  uint64_t removed_by_size_ = 0;
  std::string body_;  // kept for its memory
  std::string why_;
  std::vector<std::string> notices_;
};

}  // namespace windlass::ledger
