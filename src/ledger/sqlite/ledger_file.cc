#include "ledger/sqlite/ledger_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <set>
#include <utility>

#include "ledger/attempt_facts.h"
#include "schema/ledger/v1/attempt.pb.h"

namespace windlass::ledger {
namespace {

using api::ledger::v1::Attempt;
using sqlite::SqliteResult;
using sqlite::Statement;

void bind_uid(Statement& statement, int parameter, const StoredUid& uid) {
  if (uid.is_text) {
    statement.bind_text(parameter, uid.bytes);
  } else {
    statement.bind_bytes(parameter, uid.bytes);
  }
}

// 0 for none.
void bind_id(Statement& statement, int parameter, int64_t id) {
  if (id == 0) {
    statement.bind_null(parameter);
  } else {
    statement.bind(parameter, id);
  }
}

template <class Number>
void bind_optional(Statement& statement, int parameter, const std::optional<Number>& number) {
  if (number) {
    statement.bind(parameter, *number);
  } else {
    statement.bind_null(parameter);
  }
}

}  // namespace

LedgerFile::~LedgerFile() {
  if (connection_ != nullptr && !connection_->broken) {
    connection_->database.copy_log();
  }
}

SqliteResult LedgerFile::append(std::span<const AttemptPtr> attempts, Time now) {
  // A damaged file is found at most once: the one in its place is new.
  for (int tries = 1;; ++tries) {
    if (auto ready = reconnect(); !ready) {
      why_ = ready.error().message;
      return SqliteResult::failed;
    }
    // The clock may go back; what came later is not to be removed earlier.
    const int64_t recorded = std::max(newest_recorded_, unix_seconds(now));
    const SqliteResult outcome = append_all(attempts, recorded);
    if (outcome == SqliteResult::done) {
      newest_recorded_ = recorded;
      return outcome;
    }
    why_ = connection_->database.error();
    const bool damaged = connection_->database.is_damaged();
    connection_->database.rollback();
    if (outcome == SqliteResult::full) {
      return outcome;
    }
    connection_->broken = true;
    if (!damaged || tries > 1) {
      return outcome;
    }
    connection_.reset();
    if (auto aside = set_aside(why_); !aside) {
      why_ = aside.error().message;
      return SqliteResult::failed;
    }
  }
}

Result<void> LedgerFile::reconnect() {
  if (connection_ == nullptr || connection_->broken) {
    TRY_VOID(connect());
  }
  auto present = check_file();
  connection_->broken = !present;
  return present;
}

Result<void> LedgerFile::check_file() {
  TRY(const env::FileState state, directory_->look_at(options_.place.file));
  return state.identity == connection_->identity
             ? Result<void>()
             : fail(plain_error(path() + " was replaced by another file while it was open"));
}

SqliteResult LedgerFile::append_all(std::span<const AttemptPtr> attempts, int64_t now) {
  SqliteResult outcome = connection_->database.run("BEGIN IMMEDIATE");
  for (const AttemptPtr& attempt : attempts) {
    if (outcome != SqliteResult::done) {
      break;
    }
    outcome = insert(*attempt, now);
  }
  if (outcome == SqliteResult::done) {
    outcome = connection_->database.run("COMMIT");
  }
  if (outcome != SqliteResult::done) {
    connection_->names.clear();  // some of them are taken back
  }
  return outcome;
}

SqliteResult LedgerFile::insert(const Attempt& attempt, int64_t now) {
  int64_t job = 0;
  int64_t counted = 0;
  int64_t rule_name = 0;
  int64_t node = 0;
  const auto& verdict = attempt.verdict();
  SqliteResult outcome = job_id(attempt, job);
  for (const auto& [name, id] :
       {std::pair(&verdict.counted(), &counted), std::pair(&verdict.rule_name(), &rule_name),
        std::pair(&attempt.node_name(), &node)}) {
    if (outcome == SqliteResult::done) {
      outcome = name_id(*name, *id);
    }
  }
  if (outcome != SqliteResult::done) {
    return outcome;
  }
  const StoredUid uid = stored_uid(attempt.metadata().name());
  body_.clear();
  if (!attempt.SerializeToString(&body_)) {
    return SqliteResult::failed;
  }
  Statement& upsert = connection_->upsert;
  bind_uid(upsert, 1, uid);
  upsert.bind(2, now).bind(3, time_of(attempt)).bind(4, job);
  bind_optional(upsert, 5,
                attempt.has_index() ? std::optional(attempt.index()) : std::optional<int32_t>());
  bind_optional(upsert, 6, exit_code_of(attempt));
  bind_id(upsert, 7, counted);
  bind_optional(upsert, 8,
                verdict.has_rule() ? std::optional(verdict.rule()) : std::optional<int32_t>());
  bind_id(upsert, 9, rule_name);
  bind_id(upsert, 10, node);
  upsert.bind_bytes(11, body_);
  return upsert.step();
}

SqliteResult LedgerFile::job_id(const Attempt& attempt, int64_t& id) {
  const auto find = [&] {
    Statement& statement = connection_->find_job;
    statement.bind_text(1, attempt.metadata().namespace_());
    statement.bind_text(2, attempt.job().name()).bind_text(3, attempt.job().uid());
    const SqliteResult outcome = statement.step();
    id = outcome == SqliteResult::row ? statement.integer(0) : 0;
    statement.reset();
    return outcome;
  };
  SqliteResult outcome = find();
  if (outcome == SqliteResult::done) {
    Statement& statement = connection_->insert_job;
    statement.bind_text(1, attempt.metadata().namespace_());
    statement.bind_text(2, attempt.job().name()).bind_text(3, attempt.job().uid());
    outcome = statement.step();
    outcome = outcome == SqliteResult::done ? find() : outcome;
  }
  return outcome == SqliteResult::row ? SqliteResult::done : outcome;
}

SqliteResult LedgerFile::name_id(std::string_view name, int64_t& id) {
  if (name.empty()) {
    return SqliteResult::done;
  }
  if (const auto known = connection_->names.find(name); known != connection_->names.end()) {
    id = known->second;
    return SqliteResult::done;
  }
  const SqliteResult inserted = connection_->insert_name.bind_text(1, name).step();
  if (inserted != SqliteResult::done) {
    return inserted;
  }
  Statement& find = connection_->find_name;
  const SqliteResult outcome = find.bind_text(1, name).step();
  if (outcome != SqliteResult::row) {
    return SqliteResult::failed;
  }
  id = find.integer(0);
  find.reset();
  // More than these are looked up each time.
  constexpr size_t kMaxNames = 10'000;
  if (connection_->names.size() < kMaxNames) {
    connection_->names.emplace(name, id);
  }
  return SqliteResult::done;
}

bool LedgerFile::measure() {
  const auto number = [this](const char* sql) -> int64_t {
    return std::strtoll(connection_->database.ask(sql).value_or("0").c_str(), nullptr, 10);
  };
  const int64_t pages = number("PRAGMA page_count");
  free_pages_ = number("PRAGMA freelist_count");
  bytes_ = static_cast<uint64_t>(std::max<int64_t>(pages - free_pages_, 0) * page_bytes_);
  return bytes_ > options_.keep_bytes;
}

bool LedgerFile::maintain(Time oldest) {
  if (connection_ == nullptr || connection_->broken || !check_file()) {
    return false;
  }
  const bool too_large = measure();
  size_t removed = 0;
  const SqliteResult outcome = remove_step(unix_seconds(oldest), too_large, removed);
  if (outcome != SqliteResult::done) {
    return false;  // a write will find out what is wrong
  }
  if (removed > 0) {
    (too_large ? removed_by_size_ : removed_by_age_) += removed;
    measure();
  }
  give_pages_back();
  if (connection_->database.log_pages() >= options_.copy_pages) {
    connection_->database.copy_log();
  }
  return removed == options_.remove_rows;
}

SqliteResult LedgerFile::remove_step(int64_t oldest, bool too_large, size_t& removed) {
  // In the order in which they were recorded, and that is by time.
  Statement& statement = connection_->oldest;
  statement.bind(1, static_cast<int64_t>(options_.remove_rows));
  int64_t last = 0;
  std::vector<int64_t> jobs;
  SqliteResult outcome = statement.step();
  while (outcome == SqliteResult::row && (too_large || statement.integer(1) < oldest)) {
    last = statement.integer(0);
    jobs.push_back(statement.integer(2));
    ++removed;
    outcome = statement.step();
  }
  statement.reset();
  if (outcome == SqliteResult::row) {
    outcome = SqliteResult::done;
  }
  if (removed == 0 || outcome != SqliteResult::done) {
    return outcome;
  }
  outcome = connection_->database.run("BEGIN IMMEDIATE");
  if (outcome == SqliteResult::done) {
    outcome = connection_->remove.bind(1, last).step();
  }
  std::sort(jobs.begin(), jobs.end());
  jobs.erase(std::unique(jobs.begin(), jobs.end()), jobs.end());
  for (const int64_t job : jobs) {
    if (outcome == SqliteResult::done) {
      outcome = connection_->remove_job.bind(1, job).step();
    }
  }
  return finish(outcome);
}

Result<std::vector<StoredAttempt>> LedgerFile::oldest(size_t most, size_t bytes) {
  TRY_VOID(reconnect());
  Statement& statement = connection_->first;
  statement.bind(1, static_cast<int64_t>(most));
  std::vector<StoredAttempt> found;
  size_t size = 0;
  SqliteResult outcome = statement.step();
  for (; outcome == SqliteResult::row && size < bytes; outcome = statement.step()) {
    found.push_back({statement.integer(0), time_from_unix(statement.integer(1)),
                     std::string(statement.bytes(2))});
    size += found.back().body.size();
  }
  statement.reset();
  if (outcome == SqliteResult::row || outcome == SqliteResult::done) {
    return found;
  }
  why_ = connection_->database.error();
  give_up_connection();
  return fail(plain_error(why_));
}

SqliteResult LedgerFile::remove(std::span<const StoredAttempt> attempts) {
  if (auto ready = reconnect(); !ready) {
    why_ = ready.error().message;
    return SqliteResult::failed;
  }
  const SqliteResult outcome = remove_same(attempts);
  if (outcome != SqliteResult::done) {
    why_ = connection_->database.error();
    give_up_connection();
  }
  return outcome;
}

SqliteResult LedgerFile::remove_same(std::span<const StoredAttempt> attempts) {
  SqliteResult outcome = connection_->database.run("BEGIN IMMEDIATE");
  std::set<int64_t> jobs;
  for (const StoredAttempt& attempt : attempts) {
    if (outcome != SqliteResult::done) {
      return outcome;
    }
    Statement& statement = connection_->remove_same;
    outcome = statement.bind(1, attempt.id).bind_bytes(2, attempt.body).step();
    if (outcome == SqliteResult::row) {
      jobs.insert(statement.integer(0));
      statement.reset();
      outcome = SqliteResult::done;
    }
  }
  for (const int64_t job : jobs) {
    if (outcome == SqliteResult::done) {
      outcome = connection_->remove_job.bind(1, job).step();
    }
  }
  return outcome == SqliteResult::done ? connection_->database.run("COMMIT") : outcome;
}

void LedgerFile::give_up_connection() {
  const bool damaged = connection_->database.is_damaged();
  connection_->database.rollback();
  connection_->broken = true;
  if (damaged) {
    connection_.reset();
    if (auto aside = set_aside(why_); !aside) {
      notices_.push_back(aside.error().message);
    }
  }
}

uint64_t LedgerFile::count() {
  if (connection_ == nullptr || connection_->broken) {
    return 0;
  }
  const auto text = connection_->database.ask("SELECT count(*) FROM attempts").value_or("0");
  return std::strtoull(text.c_str(), nullptr, 10);
}

void LedgerFile::give_pages_back() {
  if (free_pages_ > options_.free_pages) {
    const std::string sql = fmt::format("PRAGMA incremental_vacuum({})",
                                        std::min<int64_t>(free_pages_ - options_.free_pages, 256));
    connection_->database.run(sql.c_str());
  }
}

SqliteResult LedgerFile::finish(SqliteResult outcome) {
  if (outcome == SqliteResult::done) {
    outcome = connection_->database.run("COMMIT");
  }
  if (outcome != SqliteResult::done) {
    connection_->database.rollback();
  }
  return outcome;
}

}  // namespace windlass::ledger
