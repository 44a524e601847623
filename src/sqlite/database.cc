#include "sqlite/database.h"

#include <fmt/format.h>
#include <sqlite3.h>

#include <cerrno>
#include <system_error>
#include <utility>

#include "base/check.h"

namespace windlass::sqlite {
namespace {

SqliteResult outcome_of(sqlite3* connection, int code) {
  switch (code & 0xFF) {
    case SQLITE_OK:
    case SQLITE_DONE:
      return SqliteResult::done;
    case SQLITE_ROW:
      return SqliteResult::row;
    case SQLITE_FULL:
      return SqliteResult::full;
    case SQLITE_IOERR:
      // A quota is a full disk too. Only of a write: after a failed sync it is unknown what is
      // there.
      return code == SQLITE_IOERR_WRITE && sqlite3_system_errno(connection) == EDQUOT
                 ? SqliteResult::full
                 : SqliteResult::failed;
    default:
      return SqliteResult::failed;
  }
}

}  // namespace

Statement::~Statement() {
  sqlite3_finalize(statement_);
}

Statement::Statement(Statement&& other) noexcept
    : statement_(std::exchange(other.statement_, nullptr)),
      bind_error_(std::exchange(other.bind_error_, SQLITE_OK)) {}

Statement& Statement::operator=(Statement&& other) noexcept {
  std::swap(statement_, other.statement_);
  std::swap(bind_error_, other.bind_error_);
  return *this;
}

Statement& Statement::bind(int parameter, int64_t value) {
  bind_error_ |= sqlite3_bind_int64(statement_, parameter, value);
  return *this;
}

Statement& Statement::bind_null(int parameter) {
  bind_error_ |= sqlite3_bind_null(statement_, parameter);
  return *this;
}

Statement& Statement::bind_text(int parameter, std::string_view text) {
  bind_error_ |= sqlite3_bind_text64(statement_, parameter, text.data(), text.size(), SQLITE_STATIC,
                                     SQLITE_UTF8);
  return *this;
}

Statement& Statement::bind_bytes(int parameter, std::string_view bytes) {
  // A null pointer would be NULL, not zero bytes.
  const char* data = bytes.data() == nullptr ? "" : bytes.data();
  bind_error_ |= sqlite3_bind_blob64(statement_, parameter, data, bytes.size(), SQLITE_STATIC);
  return *this;
}

SqliteResult Statement::step() {
  if (std::exchange(bind_error_, SQLITE_OK) != SQLITE_OK) {
    return SqliteResult::failed;
  }
  const int code = sqlite3_step(statement_);
  const SqliteResult outcome = outcome_of(sqlite3_db_handle(statement_), code);
  if (outcome != SqliteResult::row) {
    reset();
  }
  return outcome;
}

void Statement::reset() {
  sqlite3_reset(statement_);
}

int64_t Statement::integer(int column) const {
  return sqlite3_column_int64(statement_, column);
}

bool Statement::is_null(int column) const {
  return sqlite3_column_type(statement_, column) == SQLITE_NULL;
}

std::string_view Statement::text(int column) const {
  return bytes(column);
}

std::string_view Statement::bytes(int column) const {
  const void* data = sqlite3_column_blob(statement_, column);
  const int size = sqlite3_column_bytes(statement_, column);
  return {static_cast<const char*>(data), data == nullptr ? 0 : static_cast<size_t>(size)};
}

Database::Database(sqlite3* connection, std::string path)
    : connection_(connection), path_(std::move(path)) {}

Database::~Database() {
  CHECK(sqlite3_close(connection_) == SQLITE_OK, "statements go before their database");
}

Database::Database(Database&& other) noexcept
    : connection_(std::exchange(other.connection_, nullptr)),
      path_(std::move(other.path_)),
      log_pages_(std::move(other.log_pages_)) {}

Database& Database::operator=(Database&& other) noexcept {
  std::swap(connection_, other.connection_);
  std::swap(path_, other.path_);
  std::swap(log_pages_, other.log_pages_);
  return *this;
}

Result<Database> Database::open(const std::string& path, const std::string& vfs) {
  return open_with(path, vfs, SQLITE_OPEN_READWRITE);
}

Result<Database> Database::open_to_read(const std::string& path, const std::string& vfs) {
  return open_with(path, vfs, SQLITE_OPEN_READONLY);
}

Result<Database> Database::open_with(const std::string& path, const std::string& vfs, int flags) {
  sqlite3* connection = nullptr;
  // One thread at a time is ours to see to; the shared cache of a process is not used.
  const int code = sqlite3_open_v2(path.c_str(), &connection,
                                   flags | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_PRIVATECACHE,
                                   vfs.empty() ? nullptr : vfs.c_str());
  Database database(connection, path);
  if (code != SQLITE_OK) {
    return fail(plain_error(database.error()));
  }
  sqlite3_extended_result_codes(connection, 1);
  sqlite3_db_config(connection, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, nullptr);
  // A file that was tampered with must not run code that it carries.
  sqlite3_db_config(connection, SQLITE_DBCONFIG_DEFENSIVE, 1, nullptr);
  sqlite3_db_config(connection, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, nullptr);
  database.watch_log();
  return database;
}

void Database::watch_log() {
  log_pages_ = std::make_unique<int>(0);
  // Also turns SQLite's own checkpoints off, which would come in the middle of a commit.
  sqlite3_wal_hook(
      connection_,
      [](void* pages, sqlite3* /*connection*/, const char* /*database*/, int count) {
        *static_cast<int*>(pages) = count;
        return SQLITE_OK;
      },
      log_pages_.get());
}

Result<Statement> Database::prepare(std::string_view sql) {
  sqlite3_stmt* statement = nullptr;
  if (sqlite3_prepare_v3(connection_, sql.data(), static_cast<int>(sql.size()),
                         SQLITE_PREPARE_PERSISTENT, &statement, nullptr) != SQLITE_OK) {
    return fail(plain_error(error()));
  }
  return Statement(statement);
}

SqliteResult Database::run(const char* sql) {
  return outcome_of(connection_, sqlite3_exec(connection_, sql, nullptr, nullptr, nullptr));
}

Result<void> Database::must_run(const char* sql) {
  return run(sql) == SqliteResult::done ? Result<void>() : fail(plain_error(error()));
}

Result<std::string> Database::ask(const char* sql) {
  TRY(Statement statement, prepare(sql));
  const SqliteResult outcome = statement.step();
  if (outcome == SqliteResult::row) {
    return std::string(statement.text(0));
  }
  return outcome == SqliteResult::done ? Result<std::string>(std::string())
                                       : fail(plain_error(error()));
}

SqliteResult Database::checkpoint(bool truncate) {
  const int code = sqlite3_wal_checkpoint_v2(
      connection_, nullptr, truncate ? SQLITE_CHECKPOINT_TRUNCATE : SQLITE_CHECKPOINT_RESTART,
      nullptr, nullptr);
  if (code == SQLITE_OK) {
    *log_pages_ = 0;
  }
  return outcome_of(connection_, code);
}

SqliteResult Database::copy_log() {
  const int code =
      sqlite3_wal_checkpoint_v2(connection_, nullptr, SQLITE_CHECKPOINT_PASSIVE, nullptr, nullptr);
  return code == SQLITE_BUSY ? SqliteResult::done : outcome_of(connection_, code);
}

void Database::wait_for_locks(Duration at_most) {
  sqlite3_busy_timeout(connection_, static_cast<int>(at_most / milliseconds(1)));
}

int64_t Database::changed_rows() const {
  return sqlite3_changes64(connection_);
}

bool Database::is_damaged() const {
  const int code = sqlite3_extended_errcode(connection_) & 0xFF;
  return code == SQLITE_CORRUPT || code == SQLITE_NOTADB;
}

SqliteResult Database::rollback() {
  return sqlite3_get_autocommit(connection_) != 0 ? SqliteResult::done : run("ROLLBACK");
}

std::string Database::error() const {
  const int code = sqlite3_extended_errcode(connection_);
  const int system = sqlite3_system_errno(connection_);
  // What the system said last is about this error only when it is one of input and output.
  const bool is_system = (code & 0xFF) == SQLITE_IOERR || (code & 0xFF) == SQLITE_CANTOPEN;
  return fmt::format(
      "{}: {} ({}{})", path_, sqlite3_errmsg(connection_), code,
      is_system && system != 0 ? ", " + std::generic_category().message(system) : std::string());
}

}  // namespace windlass::sqlite
