#include "cli/ledger/opened_ledger.h"

#include <utility>

#include "cli/ledger/ledger_address.h"
#include "ledger/sqlite/sqlite_ledger.h"
#include "posix/files/data_directory.h"
#include "postgres/attempt_search.h"

namespace windlass::cli {

void declare_ledger_source(Flags& flags, std::string& address) {
  flags.text("--ledger ADDRESS", address,
             "Read attempts from this ledger: sqlite:FILE, or "
             "postgresql://USER@HOST:PORT/DATABASE");
  flags.check([&address]() -> Result<void> {
    if (!address.empty() && !is_database_address(address)) {
      TRY_VOID(ledger_file_of(address));
    }
    return {};
  });
}

Result<std::unique_ptr<OpenedLedger>> OpenedLedger::open(env::Executor& core, env::Clock& clock,
                                                         const std::string& address) {
  std::unique_ptr<OpenedLedger> opened(new OpenedLedger(clock));
  if (is_database_address(address)) {
    TRY(auto search, postgres::DatabaseSearch::open(address, clock));
    opened->source_ =
        std::make_unique<postgres::PostgresAttempts>(core, opened->worker_, std::move(search));
    return opened;
  }
  TRY(const std::string file, ledger_file_of(address));
  const FilePlace place = split_path(file);
  TRY(auto directory, posix::enter_directory(place.directory));
  TRY(auto reader, ledger::AttemptReader::open(std::move(directory), {.file = place.name}));
  opened->source_ =
      std::make_unique<ledger::SqliteAttemptSource>(core, opened->worker_, std::move(reader));
  return opened;
}

Result<std::unique_ptr<JobAttempts>> JobAttempts::open(client::ApiClient& server,
                                                       env::Executor& core, env::Clock& clock,
                                                       const std::string& address) {
  std::unique_ptr<JobAttempts> attempts(new JobAttempts(server));
  if (!address.empty()) {
    TRY(attempts->opened_, OpenedLedger::open(core, clock, address));
  }
  return attempts;
}

}  // namespace windlass::cli
