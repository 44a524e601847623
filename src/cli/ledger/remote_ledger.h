// What `windlass controller` and `windlass ledger record` need to record attempts of a cluster's
// Jobs: the ledger, in a file or in a database, and the logs, which the API server reads from its
// nodes.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "base/metrics.h"
#include "cli/flags/flags.h"
#include "cli/ledger/trace_export.h"
#include "client/reflector.h"
#include "env/env.h"
#include "evidence/attempt_recorder.h"
#include "ledger/spool/spooled_ledger.h"
#include "plane/attempt_ledger.h"
#include "posix/worker_thread.h"
#include "remote/remote_client.h"

namespace windlass::cli {

struct RemoteLedgerOptions {
  std::string address = {};  // sqlite:FILE or postgresql://...; "": attempts are not recorded
  std::string spool = {};    // file; with a database
  uint64_t spool_bytes = uint64_t{256} << 20;
  plane::LedgerSettings limits = {};
  TraceOptions traces = {};
};

// --ledger and what belongs to it.
void declare_remote_ledger(Flags& flags, RemoteLedgerOptions& options);

// The last lines of a log, by GET pods/NAME/log. `client` outlives it.
evidence::ReadLogTail remote_log_tails(remote::RemoteClient& client);

// On the event loop of `env`; the client and the registry outlive it.
class RemoteLedger {
 public:
  static Result<std::unique_ptr<RemoteLedger>> open(env::Env env, posix::EventLoop& loop,
                                                    remote::RemoteClient& client,
                                                    const RemoteLedgerOptions& options,
                                                    const std::shared_ptr<MetricRegistry>& metrics);

  evidence::AttemptRecorder& attempts() { return *attempts_; }
  // Why attempts are or may be lost; "" when they are safe.
  std::string trouble() const;
  // How far behind the database is; "" when it is not.
  std::string lag() const { return spooled_ == nullptr ? "" : spooled_->lag(); }
  // Null without a receiver of traces.
  tracing::SpanExporter* spans() { return traces_ == nullptr ? nullptr : &traces_->spans(); }
  // Sends the rest of the traces, for a moment, then calls `done`.
  void finish(std::function<void()> done);

 private:
  RemoteLedger() = default;
  Result<void> open_file(env::Env env, const std::string& file, const plane::LedgerSettings& limits,
                         MetricRegistry& metrics);
  Result<void> open_database(env::Env env, const RemoteLedgerOptions& options,
                             MetricRegistry& metrics);

  std::optional<posix::WorkerThread> worker_;
  std::optional<posix::WorkerThread> sender_;  // to the database
  std::unique_ptr<ledger::SqliteLedger> file_;
  std::unique_ptr<ledger::SpooledLedger> spooled_;
  std::unique_ptr<TraceExport> traces_;
  std::optional<evidence::AttemptRecorder> attempts_;
};

}  // namespace windlass::cli
