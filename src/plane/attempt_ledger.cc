#include "plane/attempt_ledger.h"

#include <utility>

#include "posix/files/data_directory.h"

namespace windlass::plane {

Result<std::unique_ptr<ledger::SqliteLedger>> open_ledger(env::Env env, env::Executor& worker,
                                                          MetricRegistry& metrics,
                                                          const std::string& directory,
                                                          const std::string& file,
                                                          const LedgerSettings& settings) {
  TRY(auto folder, posix::enter_directory(directory));
  ledger::LedgerOptions options;
  options.place.file = file;
  options.keep = settings.max_age;
  options.keep_bytes = settings.max_bytes;
  TRY(auto opened, ledger::LedgerFile::open(std::move(folder), options));
  return std::make_unique<ledger::SqliteLedger>(env.executor, worker, env.clock, env.log, metrics,
                                                std::move(opened), settings.max_age);
}

Result<std::unique_ptr<ledger::SqliteAttemptSource>> open_attempt_source(
    env::Env env, env::Executor& worker, const std::string& directory, const std::string& file) {
  TRY(auto folder, posix::enter_directory(directory));
  TRY(auto reader, ledger::AttemptReader::open(std::move(folder), {.file = file}));
  return std::make_unique<ledger::SqliteAttemptSource>(env.executor, worker, std::move(reader));
}

}  // namespace windlass::plane
