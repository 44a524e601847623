// Finds attempts in the ledger's tables in PostgreSQL. `DatabaseSearch` blocks; `PostgresAttempts`
// is the AttemptSource that has one on a thread of its own.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "base/weak_self.h"
#include "env/clock.h"
#include "env/executor.h"
#include "ledger/ledger.h"
#include "postgres/connection.h"

namespace windlass::postgres {

class DatabaseSearch {
 public:
  static constexpr Duration kTimeout = minutes(2);

  static Result<std::unique_ptr<DatabaseSearch>> open(const std::string& address,
                                                      env::Clock& clock);

  // As AttemptSource::find() has it.
  Result<ledger::AttemptPage> find(const ledger::AttemptFilter& filter, size_t limit,
                                   const std::string& continue_token);
  // Any thread: ends what blocks.
  void interrupt() { interrupt_.happen(); }

 private:
  DatabaseSearch(std::string address, env::Clock& clock)
      : address_(std::move(address)), clock_(clock) {}
  Result<void> connect();

  const std::string address_;
  env::Clock& clock_;
  Interrupt interrupt_;
  std::unique_ptr<Connection> connection_;
};

// Lives on the core executor. Both executors outlive it, and the worker what was posted to it.
class PostgresAttempts final : public ledger::AttemptSource {
 public:
  PostgresAttempts(env::Executor& core, env::Executor& worker,
                   std::unique_ptr<DatabaseSearch> search)
      : core_(core), worker_(worker), search_(std::move(search)) {}
  ~PostgresAttempts() override;

  void find(const ledger::AttemptFilter& filter, size_t limit, const std::string& continue_token,
            std::function<void(Result<ledger::AttemptPage>)> done) override;

 private:
  env::Executor& core_;
  env::Executor& worker_;
  std::shared_ptr<DatabaseSearch> search_;
  WeakSelf<PostgresAttempts> self_{this};
};

}  // namespace windlass::postgres
