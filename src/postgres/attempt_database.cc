#include "postgres/attempt_database.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <deque>
#include <map>
#include <utility>

#include "base/utf8.h"
#include "ledger/attempt_facts.h"
#include "postgres/ledger_tables.h"
#include "schema/ledger/v1/attempt.pb.h"

namespace windlass::postgres {
namespace {

using api::ledger::v1::Attempt;
using ledger::AttemptSink;
using ledger::StoredAttempt;

// Where commits do not wait for the disk, those of records still do.
constexpr const char* kWriterSettings = R"(
SELECT set_config('synchronous_commit', 'on', false)
  WHERE current_setting('synchronous_commit') = 'off';
SET statement_timeout = '60s';
SET lock_timeout = '20s';
SET idle_in_transaction_session_timeout = '120s';
)";

constexpr size_t kColumns = 13;

constexpr const char* kInsert =
    "INSERT INTO windlass_attempts (uid, recorded, at, namespace, job, job_uid, job_index, "
    "exit_code, counted, rule, rule_name, node, body) VALUES ";

// A replica that was away must not put an older record in the place of a newer one.
constexpr const char* kOnConflict =
    " ON CONFLICT (uid) DO UPDATE SET recorded = excluded.recorded, at = excluded.at, "
    "namespace = excluded.namespace, job = excluded.job, job_uid = excluded.job_uid, "
    "job_index = excluded.job_index, exit_code = excluded.exit_code, counted = excluded.counted, "
    "rule = excluded.rule, rule_name = excluded.rule_name, node = excluded.node, "
    "body = excluded.body WHERE windlass_attempts.recorded <= excluded.recorded";

template <class Number>
SqlParameter optional_number(const std::optional<Number>& number) {
  return number ? SqlParameter::of_number(*number) : SqlParameter::null_number();
}

// The rows of one INSERT. Texts stay where they are.
class RowBuilder {
 public:
  // False for a record that cannot be read.
  bool add(const StoredAttempt& stored) {
    Attempt attempt;
    if (!attempt.ParseFromString(stored.body)) {
      return false;
    }
    const auto& verdict = attempt.verdict();
    const std::array<SqlParameter, kColumns> row = {
        text(attempt.metadata().name()),
        SqlParameter::of_number(unix_seconds(stored.recorded)),
        SqlParameter::of_number(ledger::time_of(attempt)),
        text(attempt.metadata().namespace_()),
        text(attempt.job().name()),
        text(attempt.job().uid()),
        attempt.has_index() ? SqlParameter::of_number(attempt.index())
                            : SqlParameter::null_number(),
        optional_number(ledger::exit_code_of(attempt)),
        text(verdict.counted()),
        verdict.has_rule() ? SqlParameter::of_number(verdict.rule()) : SqlParameter::null_number(),
        text(verdict.rule_name()),
        text(attempt.node_name()),
        SqlParameter::of_bytes(stored.body)};
    // A statement may change a row once.
    const auto [found, is_new] = row_of_.try_emplace(attempt.metadata().name(), row_of_.size());
    if (is_new) {
      parameters_.insert(parameters_.end(), row.begin(), row.end());
    } else {
      std::copy(row.begin(), row.end(),
                parameters_.begin() + static_cast<std::ptrdiff_t>(found->second * kColumns));
    }
    return true;
  }

  size_t rows() const { return row_of_.size(); }
  std::span<const SqlParameter> parameters() const { return parameters_; }
  std::string sql() const {
    std::string sql = kInsert;
    for (size_t row = 0; row < rows(); ++row) {
      const size_t first = row * kColumns;
      sql += row == 0 ? "(" : ", (";
      for (size_t i = 1; i <= kColumns; ++i) {
        const bool is_time = i == 2 || i == 3;
        sql += fmt::format(fmt::runtime(is_time ? "to_timestamp(${})" : "${}"), first + i);
        sql += i == kColumns ? ")" : ", ";
      }
    }
    return sql + kOnConflict;
  }

 private:
  // A text of PostgreSQL is UTF-8 without NUL.
  SqlParameter text(const std::string& text) {
    std::string clean = readable(text, text.size());
    std::replace(clean.begin(), clean.end(), '\0', '?');
    return SqlParameter::of_text(texts_.emplace_back(std::move(clean)));
  }

  std::deque<std::string> texts_;
  std::vector<SqlParameter> parameters_;
  std::map<std::string, size_t> row_of_;  // by UID of the pod
};

}  // namespace

Result<std::unique_ptr<AttemptDatabase>> AttemptDatabase::make(const std::string& address,
                                                               env::Clock& clock) {
  TRY_VOID(Connection::check(address));
  return std::unique_ptr<AttemptDatabase>(new AttemptDatabase(address, clock));
}

Result<void> AttemptDatabase::connect() {
  if (connection_ != nullptr && connection_->is_usable()) {
    return {};
  }
  connection_.reset();
  TRY(auto opened, Connection::open(address_, clock_, interrupt_));
  TRY_VOID(prepare_tables(*opened));
  TRY_VOID(opened->run_all(kWriterSettings, kTimeout));
  connection_ = std::move(opened);
  return {};
}

// An error that no other record would change: the next call begins with a new connection.
Result<Rows> AttemptDatabase::run(const std::string& sql,
                                  std::span<const SqlParameter> parameters) {
  TRY_VOID(connect());
  auto rows = connection_->run(sql, parameters, kTimeout);
  if (!rows && !is_rejected(rows.error())) {
    connection_.reset();
  }
  return rows;
}

Result<std::vector<AttemptSink::Rejected>> AttemptDatabase::store(
    std::span<const StoredAttempt> attempts) {
  TRY_VOID(connect());
  std::vector<Rejected> rejected;
  RowBuilder all;
  for (size_t i = 0; i < attempts.size(); ++i) {
    if (!all.add(attempts[i])) {
      rejected.push_back({i, "the record in the spool is damaged"});
    }
  }
  if (all.rows() == 0) {
    return rejected;
  }
  const auto stored = run(all.sql(), all.parameters());
  if (stored) {
    return rejected;
  }
  if (!is_rejected(stored.error())) {
    return fail(stored.error());
  }
  // One of them is the reason; the others must not wait for it for ever.
  rejected.clear();
  for (size_t i = 0; i < attempts.size(); ++i) {
    RowBuilder one;
    if (!one.add(attempts[i])) {
      rejected.push_back({i, "the record in the spool is damaged"});
      continue;
    }
    if (const auto alone = run(one.sql(), one.parameters()); !alone) {
      if (!is_rejected(alone.error())) {
        return fail(alone.error());
      }
      rejected.push_back({i, alone.error().message});
    }
  }
  return rejected;
}

Result<size_t> AttemptDatabase::remove_old(Time oldest, Duration keep, size_t most) {
  // Neither clock alone makes a record old. Replicas do not wait for each other.
  const std::array<SqlParameter, 3> parameters = {
      SqlParameter::of_number(unix_seconds(oldest)), SqlParameter::of_number(keep / seconds(1)),
      SqlParameter::of_number(static_cast<int64_t>(most))};
  TRY(const Rows removed,
      run("DELETE FROM windlass_attempts WHERE id IN (SELECT id FROM windlass_attempts WHERE "
          "recorded < least(to_timestamp($1), now() - make_interval(secs => $2)) LIMIT $3 FOR "
          "UPDATE SKIP LOCKED)",
          parameters));
  return static_cast<size_t>(removed.changed());
}

}  // namespace windlass::postgres
