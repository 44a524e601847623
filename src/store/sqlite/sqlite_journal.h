// The journal that survives: hands groups of writes to the revision log on a thread of its own and
// tells the store when they are on the disk. One group is under way at a time, and the next one is
// everything that came in meanwhile, so groups grow with the load and a lone writer waits for no
// one. Because nothing is handed over behind a group that may fail, a failed group takes back
// everything that was built on it.
//
// Lives on the core executor. The log, and with it the lock on the data directory, belongs to the
// worker executor once start() was called, and is closed there after the journal is gone.
#pragma once

#include <deque>
#include <memory>
#include <vector>

#include "base/weak_self.h"
#include "env/executor.h"
#include "env/log.h"
#include "store/journal.h"
#include "store/sqlite/revision_log.h"

namespace windlass::store {

class SqliteJournal final : public Journal {
 public:
  // One transaction: bounds the time a commit takes and the room it needs.
  static constexpr size_t kMaxGroupRows = 4'096;
  static constexpr size_t kMaxGroupBytes = size_t{4} << 20;
  // How often a full disk is looked at again.
  static constexpr Duration kRegainPeriod = seconds(1);
  // The mark of the newest revision is synced so long after a commit, once for all that follow.
  static constexpr Duration kMarkSyncDelay = milliseconds(100);

  // Both executors and the log writer outlive it; so does the worker what was posted to it.
  SqliteJournal(env::Executor& core, env::Executor& worker, env::Log& log,
                std::unique_ptr<RevisionLog> file);
  ~SqliteJournal() override;

  Result<void> replay(ReplayListener& listener) override { return file_->replay(listener); }
  void start(JournalListener& listener) override;
  void append(std::string_view resource, const VersionPtr& version) override;

  // Groups committed so far.
  uint64_t groups() const { return groups_; }

 private:
  using Group = std::vector<LogEntry>;
  // How the file is after some work on it.
  struct Report {
    SqliteResult outcome = SqliteResult::done;
    bool full = false;
    std::string why;
    std::string advice;
  };
  static Report report_of(const RevisionLog& file, SqliteResult outcome) {
    return {outcome, file.full(), file.why(), file.advice()};
  }

  void request_group();
  void start_group();
  void finish_group(const Report& report, Group& group);
  void finish_maintenance(const Report& report);
  // True when the journal goes on.
  bool take(const Report& report);
  void set_full(bool full, const std::string& why);
  void fail_all(const Report& report);
  void schedule_regain();
  void schedule_mark_sync();

  env::Executor& core_;
  env::Executor& worker_;
  env::Log& log_;
  std::shared_ptr<RevisionLog> file_;
  JournalListener* listener_ = nullptr;
  std::deque<LogEntry> queue_;
  bool requested_ = false;  // start_group() is on its way
  bool under_way_ = false;  // a group is on the worker
  bool full_ = false;
  bool failed_ = false;
  uint64_t groups_ = 0;
  env::TimerId regain_ = env::TimerId::none;
  env::TimerId mark_sync_ = env::TimerId::none;
  WeakSelf<SqliteJournal> self_{this};
};

}  // namespace windlass::store
