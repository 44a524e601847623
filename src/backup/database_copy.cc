#include "backup/database_copy.h"

#include <fmt/format.h>

#include <filesystem>
#include <system_error>

#include "posix/files/private_file.h"

namespace windlass::backup {
namespace {

// Magic number, salts and checksums: other ones each time that the log begins anew.
constexpr size_t kLogHeaderBytes = 32;

// Two equal ones: the log between them is one log.
struct LogState {
  std::string header;  // "" without a log
  // Then nothing but a checkpoint of a log that came and went writes to the database.
  std::filesystem::file_time_type database_time;

  bool operator==(const LogState& other) const {
    return header == other.header && (!header.empty() || database_time == other.database_time);
  }
};

Result<LogState> log_state(env::Files& files, const std::string& database, const std::string& log) {
  LogState state;
  if (files.type(log)) {
    // It may be gone by now.
    state.header = files.read_from(log, 0, kLogHeaderBytes).value_or("");
  }
  std::error_code error;
  state.database_time = std::filesystem::last_write_time(database, error);
  return error ? fail(plain_error(fmt::format("stat {}: {}", database, error.message())))
               : Result<LogState>(state);
}

}  // namespace

Result<void> copy_database(env::Files& files, const DatabaseCopy& copy) {
  const std::string database = copy.from + '/' + copy.name;
  const std::string log = database + "-wal";
  const std::string target = copy.to + '/' + copy.name;
  for (int tries = 0; tries < DatabaseCopy::kMaxTries; ++tries) {
    TRY(const LogState before, log_state(files, database, log));
    TRY_VOID(posix::copy_private_file(database, target));
    if (copy.between_files) {
      copy.between_files();
    }
    TRY_VOID(files.remove_tree(target + "-wal"));
    const bool has_log = files.type(log).has_value();
    const Result<void> copied =
        has_log ? posix::copy_private_file(log, target + "-wal") : Result<void>();
    if (!copied && files.type(log)) {
      return copied;
    }
    TRY(const LogState after, log_state(files, database, log));
    if (copied && before == after) {
      return {};
    }
  }
  return fail(plain_error(fmt::format(
      "{} changes too fast to be copied: try again when there are fewer writes", database)));
}

}  // namespace windlass::backup
