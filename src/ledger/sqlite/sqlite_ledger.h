// The ledger in a file: hands groups of records to the file on a thread of its own and answers when
// they are on the disk. One group is under way at a time, and the next one is everything that came
// in meanwhile. An error answers the records of its group and nothing else: the next group tries
// again, with the file opened anew.
//
// Lives on the core executor. The file belongs to the worker executor and is closed there after the
// ledger is gone; records that wait then are never answered.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <vector>

#include "base/metrics.h"
#include "base/weak_self.h"
#include "env/clock.h"
#include "env/executor.h"
#include "env/log.h"
#include "ledger/ledger.h"
#include "ledger/sqlite/attempt_reader.h"
#include "ledger/sqlite/ledger_file.h"

namespace windlass::ledger {

// Which records are too old, by a clock that may be wrong. Nothing is in the first minutes of a
// process, in which a wrong clock is usually set; and a clock that jumps forward later ages
// nothing. Any thread.
class RetentionClock {
 public:
  static constexpr Duration kSettle = minutes(10);

  RetentionClock(env::Clock& clock, Duration keep);
  Time now() { return clock_.now(); }
  // What was recorded before is too old.
  Time oldest();

 private:
  env::Clock& clock_;
  Duration keep_;
  Time began_;
  MonotonicTime began_monotonic_;
};

class SqliteLedger final : public Ledger {
 public:
  // One transaction.
  static constexpr size_t kMaxGroup = 4'096;
  // Records that wait for a group; one more is refused with 429.
  static constexpr size_t kMaxWaiting = 100'000;
  // How often retention looks for old records while none come in.
  static constexpr Duration kMaintainPeriod = minutes(1);

  // All but the file outlive it, and the clock and the worker what was posted to the worker.
  SqliteLedger(env::Executor& core, env::Executor& worker, env::Clock& clock, env::Log& log,
               MetricRegistry& metrics, std::unique_ptr<LedgerFile> file, Duration keep);
  ~SqliteLedger() override;

  void record(AttemptPtr attempt, std::function<void(Result<void>)> done) override;

  // For a file that is a spool: LedgerFile::oldest() and remove(), behind what the worker has to do
  // already.
  void oldest(size_t most, size_t bytes,
              std::function<void(Result<std::vector<StoredAttempt>>)> done);
  void remove(std::vector<StoredAttempt> attempts, std::function<void(Result<void>)> done);
  void count(std::function<void(uint64_t)> done);
  // Records that retention removed because the file was too large.
  uint64_t removed_by_size() const { return last_.removed_by_size; }

  // Why the last group could not be recorded; "" when it was.
  const std::string& trouble() const { return trouble_; }

 private:
  struct Entry {
    AttemptPtr attempt;
    std::function<void(Result<void>)> done;
  };
  using Entries = std::vector<Entry>;
  // What became of a group, or of a step of retention.
  struct GroupReport {
    sqlite::SqliteResult outcome = sqlite::SqliteResult::done;
    std::string why = {};
    std::vector<std::string> notices = {};
    Duration took = {};
  };
  // How the file is after retention.
  struct FileReport {
    bool more = false;
    uint64_t bytes = 0;
    uint64_t removed_by_age = 0;
    uint64_t removed_by_size = 0;
  };

  void request_group();
  void start_group();
  void finish_group(const GroupReport& report, Entries& group);
  void request_maintenance();
  void finish_maintenance(const FileReport& report);
  void schedule_maintenance();
  static FileReport maintain(LedgerFile& file, RetentionClock& clock);

  env::Executor& core_;
  env::Executor& worker_;
  env::Clock& clock_;
  env::Log& log_;
  MetricFamily& records_;
  MetricFamily& removed_;
  MetricFamily& bytes_;
  MetricFamily& write_seconds_;
  std::shared_ptr<LedgerFile> file_;
  std::shared_ptr<RetentionClock> retention_;
  std::deque<Entry> queue_;
  bool requested_ = false;  // start_group() is on its way
  bool under_way_ = false;  // a group is on the worker
  bool maintaining_ = false;
  std::string trouble_;
  FileReport last_;
  env::TimerId maintenance_ = env::TimerId::none;
  WeakSelf<SqliteLedger> self_{this};
};

// Attempts of a file, found on a thread of its own. Lives on the core executor; the reader belongs
// to the worker.
class SqliteAttemptSource final : public AttemptSource {
 public:
  // Searches that wait; one more is refused with 429.
  static constexpr size_t kMaxSearches = 1'000;

  // Both executors outlive it, and the worker what was posted to it.
  SqliteAttemptSource(env::Executor& core, env::Executor& worker,
                      std::unique_ptr<AttemptReader> reader)
      : core_(core), worker_(worker), reader_(std::move(reader)) {}
  ~SqliteAttemptSource() override;

  void find(const AttemptFilter& filter, size_t limit, const std::string& continue_token,
            std::function<void(Result<AttemptPage>)> done) override;

 private:
  env::Executor& core_;
  env::Executor& worker_;
  std::shared_ptr<AttemptReader> reader_;
  size_t searches_ = 0;
  WeakSelf<SqliteAttemptSource> self_{this};
};

}  // namespace windlass::ledger
