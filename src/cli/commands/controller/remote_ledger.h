// What `windlass controller` and `windlass ledger record` need to record attempts of a cluster's
// Jobs: the file of the ledger, and the logs, which the API server reads from its nodes.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "base/metrics.h"
#include "client/reflector.h"
#include "env/env.h"
#include "evidence/attempt_recorder.h"
#include "ledger/sqlite/sqlite_ledger.h"
#include "plane/attempt_ledger.h"
#include "posix/worker_thread.h"
#include "remote/remote_client.h"

namespace windlass::cli {

// FILE of `sqlite:FILE`, the value of --ledger.
Result<std::string> ledger_file_of(const std::string& text);

// The last lines of a log, by GET pods/NAME/log. `client` outlives it.
evidence::ReadLogTail remote_log_tails(remote::RemoteClient& client);

// On the event loop of `env`; the client and the registry outlive it.
class RemoteLedger {
 public:
  static Result<std::unique_ptr<RemoteLedger>> open(env::Env env, remote::RemoteClient& client,
                                                    const std::string& file,
                                                    const plane::LedgerSettings& settings,
                                                    const std::shared_ptr<MetricRegistry>& metrics);

  evidence::AttemptRecorder& attempts() { return *attempts_; }

 private:
  RemoteLedger() = default;

  std::optional<posix::WorkerThread> worker_;
  std::unique_ptr<ledger::SqliteLedger> ledger_;
  std::optional<evidence::AttemptRecorder> attempts_;
};

}  // namespace windlass::cli
