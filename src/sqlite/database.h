// One SQLite connection and its prepared statements, with errors as values. No SQL of its own. Used
// by one thread at a time; statements must be gone before their database.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "base/result.h"
#include "base/time.h"

struct sqlite3;
struct sqlite3_stmt;

namespace windlass::sqlite {

// What a call to SQLite came to.
enum class SqliteResult {
  done,
  row,     // of step() only
  full,    // no room on the disk: rolled back, and may be tried again
  failed,  // nothing more can be trusted to reach the disk
};

class Database;

class Statement {
 public:
  Statement() = default;
  ~Statement();
  Statement(Statement&& other) noexcept;
  Statement& operator=(Statement&& other) noexcept;
  Statement(const Statement&) = delete;
  Statement& operator=(const Statement&) = delete;

  // Parameters count from 1. Text and bytes are not copied: they live until the statement has run.
  Statement& bind(int parameter, int64_t value);
  Statement& bind_null(int parameter);
  Statement& bind_text(int parameter, std::string_view text);
  Statement& bind_bytes(int parameter, std::string_view bytes);

  // After anything but `row` the statement is ready to be bound and run again.
  SqliteResult step();
  // Gives up the rows that are left.
  void reset();

  // Columns count from 0; views live until the next step().
  int64_t integer(int column) const;
  bool is_null(int column) const;
  std::string_view text(int column) const;
  std::string_view bytes(int column) const;

 private:
  friend class Database;
  explicit Statement(sqlite3_stmt* statement) : statement_(statement) {}

  sqlite3_stmt* statement_ = nullptr;
  int bind_error_ = 0;
};

class Database {
 public:
  Database() = default;
  // Without a checkpoint: what has to be written has been.
  ~Database();
  Database(Database&& other) noexcept;
  Database& operator=(Database&& other) noexcept;
  Database(const Database&) = delete;
  Database& operator=(const Database&) = delete;

  // The file must be there. `vfs` names a registered file layer; "" is SQLite's own.
  static Result<Database> open(const std::string& path, const std::string& vfs);
  // The same without ever changing it, also while another process writes.
  static Result<Database> open_to_read(const std::string& path, const std::string& vfs);

  Result<Statement> prepare(std::string_view sql);
  // Statements without results.
  SqliteResult run(const char* sql);
  Result<void> must_run(const char* sql);
  // The first column of the first row, as text; "" when there is none.
  Result<std::string> ask(const char* sql);

  // Copies the write-ahead log into the file; with `truncate` the log is empty afterwards.
  SqliteResult checkpoint(bool truncate);
  // As much of it as no reader still needs; the rest is for another time.
  SqliteResult copy_log();
  // Pages in the write-ahead log after the last commit.
  int log_pages() const { return log_pages_ == nullptr ? 0 : *log_pages_; }
  // Takes back what a failed transaction may have left.
  SqliteResult rollback();
  // Waits so long for a lock of another process before a call fails.
  void wait_for_locks(Duration at_most);
  // Rows that the last statement inserted, changed or deleted.
  int64_t changed_rows() const;

  // Of the last call that failed: `PATH: disk I/O error (1034, no space left on device)`.
  std::string error() const;
  // Whether the file is no database, or a damaged one, as that call found.
  bool is_damaged() const;

 private:
  explicit Database(sqlite3* connection, std::string path);
  static Result<Database> open_with(const std::string& path, const std::string& vfs, int flags);
  void watch_log();

  sqlite3* connection_ = nullptr;
  std::string path_;
  std::unique_ptr<int> log_pages_;
};

}  // namespace windlass::sqlite
