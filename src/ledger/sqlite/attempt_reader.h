// Finds attempts in the file of a ledger, also while another thread or process writes to it. Never
// changes it. Blocks: one thread at a time.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "env/data_directory.h"
#include "ledger/ledger.h"
#include "ledger/sqlite/ledger_schema.h"
#include "sqlite/database.h"

namespace windlass::ledger {

class AttemptReader {
 public:
  // A page ends before its records have more bytes than this.
  static constexpr size_t kMaxPageBytes = size_t{32} << 20;

  static Result<std::unique_ptr<AttemptReader>> open(std::unique_ptr<env::DataDirectory> directory,
                                                     const LedgerPlace& place);

  // As AttemptSource::find() has it.
  Result<AttemptPage> find(const AttemptFilter& filter, size_t limit,
                           const std::string& continue_token);

 private:
  // Where a page ends.
  struct Position {
    int64_t at = 0;
    int64_t id = 0;
  };
  // A filter in the terms of the file.
  struct Plan;

  AttemptReader(std::unique_ptr<env::DataDirectory> directory, LedgerPlace place)
      : directory_(std::move(directory)), place_(std::move(place)) {}

  std::string path() const { return directory_->path() + "/" + place_.file; }
  Result<void> connect();
  // Opens the file anew when another one has its name now.
  Result<void> follow_file();

  static Result<std::optional<Position>> parse_token(const std::string& token);
  Result<AttemptPage> find_page(const AttemptFilter& filter, size_t limit,
                                const std::optional<Position>& after);
  // Nothing when no attempt can match.
  Result<std::optional<Plan>> plan(const AttemptFilter& filter,
                                   const std::optional<Position>& after);
  Result<std::optional<int64_t>> name_id(const std::string& name);
  Result<std::vector<int64_t>> job_ids(const AttemptFilter& filter);
  Result<std::vector<Position>> positions(const AttemptFilter& filter, const Plan& plan,
                                          size_t most);
  Result<AttemptPtr> read(sqlite::Statement& statement, int64_t id);
  Failure failed() const { return fail(plain_error(database_.error())); }

  std::unique_ptr<env::DataDirectory> directory_;
  LedgerPlace place_;
  env::FileIdentity identity_;
  sqlite::Database database_;
};

}  // namespace windlass::ledger
