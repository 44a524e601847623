// The ledger of a run: hands records on to its file, if it has one, and groups the failures by
// cause as they come. Both classes live on the executor.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <unordered_set>
#include <vector>

#include "base/metrics.h"
#include "cli/output/output.h"
#include "cli/output/progress.h"
#include "cli/runs/run_store.h"
#include "env/env.h"
#include "ledger/causes/failure_cause.h"
#include "ledger/ledger.h"
#include "plane/attempt_ledger.h"
#include "posix/worker_thread.h"

namespace windlass::cli {

class RunLedger final : public ledger::Ledger {
 public:
  // `file` may be null; both outlive this.
  RunLedger(env::Executor& executor, ledger::Ledger* file) : executor_(executor), file_(file) {}

  void record(ledger::AttemptPtr attempt, std::function<void(Result<void>)> done) override;

  // Of a Job, by its UID; null before its first attempt.
  const ledger::CauseGroups* causes_of(const std::string& job_uid) const;
  // Of all Jobs, by their titles; those with the most failures first.
  std::vector<CauseCount> most_frequent() const;
  // A list; "" for no failures.
  std::string causes_json(const std::string& job_uid) const;

 private:
  env::Executor& executor_;
  ledger::Ledger* const file_;
  std::map<std::string, ledger::CauseGroups> causes_;  // by UID of the Job
  std::unordered_set<std::string> grouped_;            // UIDs of pods
};

// The file of the ledger, in the folder of the run, with the thread that writes it.
class RunLedgerFile {
 public:
  // Starts the thread.
  explicit RunLedgerFile(env::Env env);

  // Null, with a warning on `output`, where it cannot be opened.
  ledger::Ledger* open(const RunFolder& folder, const plane::LedgerSettings& settings,
                       Output& output);

 private:
  env::Env env_;
  MetricRegistry metrics_;  // not shown
  posix::WorkerThread worker_;
  std::unique_ptr<ledger::SqliteLedger> ledger_;  // first to go: its file is closed on the thread
};

}  // namespace windlass::cli
