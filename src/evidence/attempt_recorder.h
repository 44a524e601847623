// The AttemptKeeper on a ledger: makes a record of each pod of a Job that ends, and lets its
// finalizer go when the ledger has it (safety.md F7).
//
// A ledger that fails holds pods up for at most Options::patience (F8). Until then records are
// tried again with growing delays; after it pods go on, and their records stay in memory until the
// ledger works again, within kMaxBacklogBytes. What does not fit is left out: counted, and
// said in the log and by trouble().
//
// Lives on the client's executor, as the ledger does, which outlives it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/metrics.h"
#include "base/weak_self.h"
#include "client/reflector.h"
#include "controllers/job/attempt_keeper.h"
#include "evidence/attempt_builder.h"
#include "evidence/evidence_collector.h"
#include "ledger/ledger.h"

namespace windlass::evidence {

class AttemptRecorder final : public controllers::job::AttemptKeeper {
 public:
  struct Options {
    EvidenceCollector::Options evidence = {};
    FindUsage find_usage = {};
    Duration patience = seconds(30);
    std::shared_ptr<MetricRegistry> metrics = {};  // null: nothing is counted
  };

  static constexpr size_t kMaxWriting = 1024;  // records that the ledger has been given
  static constexpr size_t kMaxBacklogBytes = 16 * 1024 * 1024;
  static constexpr Duration kFirstRetry = milliseconds(200);
  static constexpr Duration kMaxRetry = seconds(5);

  AttemptRecorder(client::ClientEnv env, ledger::Ledger& ledger, Options options);
  ~AttemptRecorder() override;
  AttemptRecorder(const AttemptRecorder&) = delete;
  AttemptRecorder& operator=(const AttemptRecorder&) = delete;

  void begin(const controllers::job::AttemptEnd& end) override;
  void keep(const controllers::job::AttemptEnd& end, std::function<void()> go) override;
  void lost(const controllers::job::AttemptEnd& end) override;
  bool awaits_end(const std::string& uid) const override;
  void forget(const std::string& uid) override;
  void forget_job(const std::string& job_uid) override { numbers_.erase(job_uid); }

  // What is wrong with the ledger, for /readyz; empty: nothing.
  std::string trouble() const;
  uint64_t left_out() const { return left_out_; }
  size_t pods() const { return entries_.size(); }

 private:
  enum class State : uint8_t { gathering, waiting, writing, durable };
  struct Entry {
    controllers::job::AttemptEnd end;  // without the pod once the record is made
    State state = State::gathering;
    int32_t number = 0;          // of the attempt
    bool ended = false;          // the record tells the pod's end
    bool again = false;          // something newer is known than what is being written
    bool forgotten = false;      // goes once it is durable
    ledger::AttemptPtr attempt;  // until it is durable
    std::vector<std::function<void()>> waiters;
  };
  using Entries = std::unordered_map<std::string, Entry>;

  static bool is_news(const Entry& entry, const controllers::job::AttemptEnd& end);
  int32_t next_number(const controllers::job::AttemptEnd& end);
  void make(const std::string& uid, Entry& entry);
  void on_evidence(const std::string& uid, const AttemptEvidence& evidence);
  void on_made(const std::string& uid, Entry& entry, const AttemptEvidence& evidence);
  void write_waiting();
  void write(const std::string& uid, Entry& entry);
  void on_written(const std::string& uid, const Result<void>& written);
  void on_durable(const std::string& uid, Entry& entry);
  void on_failed(const std::string& uid, const Status& why);
  void retry();
  void give_up_waiting();
  void end_trouble();
  void queue(const std::string& uid, Entry& entry);
  void drop_surplus();
  void count(const char* result);

  client::ClientEnv env_;
  ledger::Ledger& ledger_;
  Options options_;
  EvidenceCollector collector_;
  MetricFamily* records_ = nullptr;
  MetricFamily* backlog_ = nullptr;
  // By UID of the Job and index, -1 without: the last number that was given. Of Jobs at work.
  std::unordered_map<std::string, std::unordered_map<int64_t, int32_t>> numbers_;
  Entries entries_;                  // by UID of the pod
  std::deque<std::string> waiting_;  // UIDs in State::waiting, the oldest first
  size_t waiting_bytes_ = 0;
  size_t writing_ = 0;
  // While the ledger fails.
  std::string failure_;
  bool letting_go_ = false;  // for longer than patience
  Duration retry_delay_ = kFirstRetry;
  env::TimerId retry_timer_ = env::TimerId::none;
  env::TimerId patience_timer_ = env::TimerId::none;
  uint64_t left_out_ = 0;
  WeakSelf<AttemptRecorder> self_{this};
};

}  // namespace windlass::evidence
