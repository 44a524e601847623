// The ledger in a database: a record goes to a file on this machine first, the spool, and success
// means that it is durable there. From the spool records go to the database in batches, in the
// order in which they came. A database that is slow or gone delays no record; the spool grows. When
// it is full, its oldest records are left out, which trouble(), the log and a metric say.
//
// Lives on the core executor. The sink belongs to the sender executor and is closed there.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/metrics.h"
#include "base/weak_self.h"
#include "env/clock.h"
#include "env/executor.h"
#include "env/log.h"
#include "ledger/ledger.h"
#include "ledger/spool/attempt_sink.h"
#include "ledger/sqlite/sqlite_ledger.h"

namespace windlass::ledger {

class SpooledLedger final : public Ledger {
 public:
  // One batch.
  static constexpr size_t kMaxBatch = 500;
  static constexpr size_t kMaxBatchBytes = size_t{4} << 20;
  static constexpr Duration kFirstRetry = milliseconds(500);
  static constexpr Duration kMaxRetry = seconds(15);
  // How often the waiting records are counted, and what is too old is removed.
  static constexpr Duration kCountPeriod = seconds(10);
  static constexpr Duration kRetentionPeriod = minutes(10);
  static constexpr size_t kRemoveRows = 10'000;

  struct Parts {
    env::Executor& core;
    env::Executor& sender;  // outlives the ledger, and what was posted to it
    env::Clock& clock;
    env::Log& log;
    MetricRegistry& metrics;
  };

  // `keep`: how long the database keeps records.
  SpooledLedger(const Parts& parts, std::unique_ptr<SqliteLedger> spool,
                std::unique_ptr<AttemptSink> sink, Duration keep);
  ~SpooledLedger() override;

  void record(AttemptPtr attempt, std::function<void(Result<void>)> done) override;

  // How far the database is behind, for people; "" when it takes what comes.
  std::string lag() const;
  // What was lost, and why, for as long as the database does not take records; "" otherwise.
  std::string trouble() const;
  // Since the process started.
  uint64_t left_out() const { return spool_->removed_by_size() + rejected_; }

 private:
  using Batch = std::vector<StoredAttempt>;
  using Answer = Result<std::vector<AttemptSink::Rejected>>;

  void pass_on();
  void read_batch();
  void on_batch(Result<Batch> batch);
  void send(Batch batch);
  void on_stored(const Batch& batch, const Answer& answer);
  void on_removed(size_t batch, const Result<void>& removed);
  void fail_and_retry(const std::string& what, const std::string& why);
  void end_failure();
  void count_waiting();
  void keep_house();
  void remove_old();
  void tell_left_out();

  Parts parts_;
  std::unique_ptr<SqliteLedger> spool_;
  std::shared_ptr<AttemptSink> sink_;
  std::shared_ptr<RetentionClock> retention_;
  Duration keep_;
  MetricFamily& records_;
  MetricFamily& waiting_metric_;
  MetricFamily& oldest_metric_;
  bool passing_ = false;    // a batch is being read, stored or removed, or a retry is due
  bool more_came_ = false;  // since that batch was read
  bool reached_ = false;    // the database answered well since the start
  std::string failure_;
  Duration retry_delay_ = kFirstRetry;
  uint64_t waiting_ = 0;  // as last counted
  Time oldest_waiting_;   // when waiting_ is not 0
  uint64_t rejected_ = 0;
  uint64_t told_left_out_ = 0;
  MonotonicTime next_removal_;
  env::TimerId retry_ = env::TimerId::none;
  env::TimerId house_ = env::TimerId::none;
  WeakSelf<SpooledLedger> self_{this};
};

}  // namespace windlass::ledger
