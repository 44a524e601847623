// A ledger that a command reads itself, without a server: a file, or a database. Lives on the event
// loop of the command.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "cli/flags/flags.h"
#include "client/api_client.h"
#include "env/clock.h"
#include "env/executor.h"
#include "ledger/api_attempts.h"
#include "ledger/ledger.h"
#include "posix/worker_thread.h"

namespace windlass::cli {

// --ledger of commands that read attempts.
void declare_ledger_source(Flags& flags, std::string& address);

class OpenedLedger {
 public:
  // A ledger that cannot be read is an error here. Both outlive it.
  static Result<std::unique_ptr<OpenedLedger>> open(env::Executor& core, env::Clock& clock,
                                                    const std::string& address);

  ledger::AttemptSource& attempts() { return *source_; }

 private:
  explicit OpenedLedger(env::Clock& clock) : worker_(clock, "ledger-reader") {}

  posix::WorkerThread worker_;
  std::unique_ptr<ledger::AttemptSource> source_;
};

// The attempts that a command about a Job reads: of the ledger that its flag names, or else of the
// server. Lives as long as the command.
class JobAttempts {
 public:
  // `address` may be "". An error says why the ledger cannot be read.
  static Result<std::unique_ptr<JobAttempts>> open(client::ApiClient& server, env::Executor& core,
                                                   env::Clock& clock, const std::string& address);

  ledger::AttemptSource& source() { return opened_ ? opened_->attempts() : server_; }

 private:
  explicit JobAttempts(client::ApiClient& server) : server_(server) {}

  ledger::ApiAttemptSource server_;
  std::unique_ptr<OpenedLedger> opened_;
};

}  // namespace windlass::cli
