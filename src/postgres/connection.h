// A connection to a PostgreSQL server: libpq, which is opened when it is first needed
// (docs/decisions/0060). Every call blocks, but no longer than it is allowed to, and ends at once
// when another thread interrupts.
//
// One thread at a time; interrupts are for any thread. No SQL of its own.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "base/result.h"
#include "base/time.h"
#include "env/clock.h"
#include "posix/files/file_descriptor.h"

struct pg_conn;
struct pg_result;

namespace windlass::postgres {

// Ends calls that block. Once it has happened it stays so. Outlives what waits for it.
class Interrupt {
 public:
  Interrupt();
  void happen();
  bool happened() const;
  int fd() const { return event_.get(); }

 private:
  posix::FileDescriptor event_;
};

// A value for $1, $2, ... of a statement. Bytes are not copied: they live until it has run.
struct SqlParameter {
  enum class Type : uint8_t { text, bytes, number };

  static SqlParameter of_text(std::string_view text) { return {Type::text, text}; }
  static SqlParameter of_bytes(std::string_view bytes) { return {Type::bytes, bytes}; }
  static SqlParameter of_number(int64_t number) { return {Type::number, {}, number}; }
  static SqlParameter null_text() { return {Type::text, {}, 0, true}; }
  static SqlParameter null_number() { return {Type::number, {}, 0, true}; }

  Type type = Type::text;
  std::string_view value = {};
  int64_t number = 0;
  bool is_null = false;
};

// What a statement answered. Rows and columns count from 0; views live as long as it does.
class Rows {
 public:
  size_t count() const;
  bool is_null(size_t row, int column) const;
  // Of a column of type text or bytea.
  std::string_view bytes(size_t row, int column) const;
  // Of a column of type bigint.
  int64_t number(size_t row, int column) const;
  // Rows that the statement inserted, changed or deleted.
  int64_t changed() const;

 private:
  friend class Connection;
  explicit Rows(pg_result* result);

  std::shared_ptr<pg_result> result_;
};

// How an error answers whether another try can help.
inline bool is_rejected(const Status& status) {
  return status.reason == "Invalid";
}

class Connection {
 public:
  static constexpr Duration kConnectTimeout = seconds(30);
  static constexpr size_t kMaxParameters = 65'535;

  // That libpq is there, and the address has the form of one: `postgresql://...`.
  static Result<void> check(const std::string& address);

  // `address` may hold a password; no error shows it. Both others outlive the connection.
  static Result<std::unique_ptr<Connection>> open(const std::string& address, env::Clock& clock,
                                                  const Interrupt& interrupt,
                                                  Duration timeout = kConnectTimeout);
  ~Connection();
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  // One statement; one round trip. The columns of its answer are of type text, bytea or bigint.
  Result<Rows> run(const std::string& sql, std::span<const SqlParameter> parameters,
                   Duration timeout);
  // Several statements without parameters or answers.
  Result<void> run_all(const std::string& sql, Duration timeout);

  // After an error: whether the connection can still be used.
  bool is_usable() const { return usable_; }

 private:
  Connection(pg_conn* connection, env::Clock& clock, const Interrupt& interrupt)
      : connection_(connection), clock_(clock), interrupt_(interrupt) {}

  Result<void> finish_connect(MonotonicTime until);
  Result<void> send_all(MonotonicTime until);
  Result<Rows> receive(MonotonicTime until);
  Result<void> wait(bool to_read, bool to_write, MonotonicTime until);
  Failure lost(const std::string& why);

  pg_conn* connection_;
  env::Clock& clock_;
  const Interrupt& interrupt_;
  bool usable_ = true;
};

}  // namespace windlass::postgres
