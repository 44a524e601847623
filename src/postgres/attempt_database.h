// The ledger's tables in PostgreSQL, as the one who writes them has them: an AttemptSink. Connects
// when it is first used, and again after an error. Blocks: belongs to a worker thread.
#pragma once

#include <memory>
#include <string>

#include "env/clock.h"
#include "ledger/spool/attempt_sink.h"
#include "postgres/connection.h"

namespace windlass::postgres {

class AttemptDatabase final : public ledger::AttemptSink {
 public:
  static constexpr Duration kTimeout = seconds(30);

  // Fails for an address that never works. Does not connect yet: a database that is gone stops
  // nothing.
  static Result<std::unique_ptr<AttemptDatabase>> make(const std::string& address,
                                                       env::Clock& clock);

  Result<std::vector<Rejected>> store(std::span<const ledger::StoredAttempt> attempts) override;
  Result<size_t> remove_old(Time oldest, Duration keep, size_t most) override;
  void interrupt() override { interrupt_.happen(); }

 private:
  AttemptDatabase(std::string address, env::Clock& clock)
      : address_(std::move(address)), clock_(clock) {}

  Result<void> connect();
  Result<Rows> run(const std::string& sql, std::span<const SqlParameter> parameters);

  const std::string address_;
  env::Clock& clock_;
  Interrupt interrupt_;
  std::unique_ptr<Connection> connection_;
};

}  // namespace windlass::postgres
