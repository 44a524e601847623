// A ledger that a command reads itself, without a server: a file, or a database. Lives on the event
// loop of the command.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "cli/flags/flags.h"
#include "env/clock.h"
#include "env/executor.h"
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

}  // namespace windlass::cli
