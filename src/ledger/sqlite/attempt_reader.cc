#include "ledger/sqlite/attempt_reader.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <utility>

#include "schema/ledger/v1/attempt.pb.h"

namespace windlass::ledger {
namespace {

using api::ledger::v1::Attempt;
using sqlite::Database;
using sqlite::SqliteResult;
using sqlite::Statement;

constexpr Duration kReadLockWait = seconds(5);

bool parse_number(std::string_view text, int64_t& number) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && end == text.data() + text.size() && !text.empty();
}

std::string uid_text(const Statement& row, int text_column, int column) {
  if (row.integer(text_column) != 0) {
    return std::string(row.text(column));
  }
  std::string uid;
  for (const char byte : row.bytes(column)) {
    const size_t length = uid.size();
    if (length == 8 || length == 13 || length == 18 || length == 23) {
      uid += '-';
    }
    uid += fmt::format("{:02x}", static_cast<unsigned char>(byte));
  }
  return uid;
}

// What the columns tell of a record that cannot be read.
std::shared_ptr<Attempt> damaged_attempt(const Statement& row) {
  auto attempt = std::make_shared<Attempt>();
  attempt->mutable_metadata()->set_name(uid_text(row, 1, 2));
  attempt->mutable_metadata()->set_namespace_(std::string(row.text(3)));
  attempt->mutable_job()->set_name(std::string(row.text(4)));
  attempt->mutable_job()->set_uid(std::string(row.text(5)));
  if (!row.is_null(6)) {
    attempt->set_index(static_cast<int32_t>(row.integer(6)));
  }
  attempt->mutable_ended_at()->set_seconds(row.integer(7));
  attempt->mutable_verdict()->set_counted(std::string(row.text(8)));
  attempt->set_phase("Unknown");
  attempt->set_message("the rest of this record is damaged");
  return attempt;
}

// Several Jobs in the index by Job come out of order and have to be sorted, which more than these
// are not worth.
constexpr size_t kMaxSortedJobs = 1'000;

bool names_job(const AttemptFilter& filter) {
  return !filter.job.empty() || !filter.job_uid.empty();
}

// With the parameters ?2 to ?4.
std::string select_jobs(const AttemptFilter& filter) {
  std::string sql = "SELECT id FROM jobs WHERE 1";
  sql += filter.ns.empty() ? "" : " AND namespace = ?2";
  sql += filter.job.empty() ? "" : " AND name = ?3";
  sql += filter.job_uid.empty() ? "" : " AND uid = ?4";
  return sql;
}

void bind_jobs(Statement& statement, const AttemptFilter& filter) {
  for (const auto& [parameter, text] :
       {std::pair(2, &filter.ns), std::pair(3, &filter.job), std::pair(4, &filter.job_uid)}) {
    if (!text->empty()) {
      statement.bind_text(parameter, *text);
    }
  }
}

// The second column says whether the UID is text.
constexpr const char* kReadOne = R"(
SELECT a.body, typeof(a.uid) = 'text', a.uid, j.namespace, j.name, j.uid, a.job_index, a.at, n.name
FROM attempts AS a LEFT JOIN jobs AS j ON j.id = a.job LEFT JOIN names AS n ON n.id = a.counted
WHERE a.id = ?1)";

}  // namespace

struct AttemptReader::Plan {
  std::string conditions;
  bool by_job = false;
  bool selects_jobs = false;  // has the parameters of select_jobs()
};

Result<std::unique_ptr<AttemptReader>> AttemptReader::open(
    std::unique_ptr<env::DataDirectory> directory, const LedgerPlace& place) {
  std::unique_ptr<AttemptReader> reader(new AttemptReader(std::move(directory), place));
  TRY_VOID(reader->connect());
  return reader;
}

Result<void> AttemptReader::connect() {
  database_ = Database();
  TRY(const env::FileState state, directory_->look_at(place_.file));
  if (state.bytes == 0) {
    return fail(plain_error(path() + " is empty"));
  }
  if (place_.shared) {
    TRY(database_, Database::open_to_read(path(), place_.vfs));
  } else {
    TRY(database_, Database::open(path(), place_.vfs));
    TRY_VOID(database_.must_run("PRAGMA locking_mode = EXCLUSIVE"));
  }
  database_.wait_for_locks(kReadLockWait);
  TRY(const int version, ledger_version(database_, path()));
  TRY_VOID(check_ledger_version(version, path()));
  if (version != kLedgerVersion) {
    return fail(plain_error(fmt::format(
        "{} has the older layout version {}: start the server that writes it once, which brings it "
        "up to date",
        path(), version)));
  }
  identity_ = state.identity;
  return {};
}

Result<void> AttemptReader::follow_file() {
  const auto state = directory_->look_at(place_.file);
  return state && state->identity == identity_ ? Result<void>() : connect();
}

Result<std::optional<AttemptReader::Position>> AttemptReader::parse_token(
    const std::string& token) {
  if (token.empty()) {
    return std::optional<Position>();
  }
  const size_t dot = token.find('.');
  Position position;
  if (dot == std::string::npos ||
      !parse_number(std::string_view(token).substr(0, dot), position.at) ||
      !parse_number(std::string_view(token).substr(dot + 1), position.id)) {
    return fail(bad_request("the continue token is not valid"));
  }
  return std::optional(position);
}

Result<AttemptPage> AttemptReader::find(const AttemptFilter& filter, size_t limit,
                                        const std::string& continue_token) {
  TRY(const std::optional<Position> after, parse_token(continue_token));
  TRY_VOID(follow_file());
  // One state of the file for the whole page.
  TRY_VOID(database_.must_run("BEGIN"));
  const size_t most =
      limit == 0 ? AttemptSource::kDefaultPage : std::min(limit, AttemptSource::kMaxPage);
  auto page = find_page(filter, most, after);
  database_.rollback();
  return page;
}

Result<AttemptPage> AttemptReader::find_page(const AttemptFilter& filter, size_t limit,
                                             const std::optional<Position>& after) {
  AttemptPage page;
  TRY(const std::optional<Plan> planned, plan(filter, after));
  if (!planned) {
    return page;
  }
  TRY(const std::vector<Position> found, positions(filter, *planned, limit + 1));
  TRY(Statement statement, database_.prepare(kReadOne));
  size_t bytes = 0;
  for (size_t i = 0; i < found.size(); ++i) {
    if (page.items.size() == limit || bytes > kMaxPageBytes) {
      page.next = fmt::format("{}.{}", found[i - 1].at, found[i - 1].id);
      break;
    }
    TRY(AttemptPtr attempt, read(statement, found[i].id));
    bytes += attempt->ByteSizeLong();
    page.items.push_back(std::move(attempt));
  }
  return page;
}

Result<AttemptPtr> AttemptReader::read(Statement& statement, int64_t id) {
  if (statement.bind(1, id).step() != SqliteResult::row) {
    return failed();
  }
  auto attempt = std::make_shared<Attempt>();
  const std::string_view body = statement.bytes(0);
  if (!attempt->ParseFromArray(body.data(), static_cast<int>(body.size()))) {
    attempt = damaged_attempt(statement);
  }
  statement.reset();
  return attempt;
}

Result<std::optional<int64_t>> AttemptReader::name_id(const std::string& name) {
  TRY(Statement statement, database_.prepare("SELECT id FROM names WHERE name = ?1"));
  const SqliteResult outcome = statement.bind_text(1, name).step();
  if (outcome == SqliteResult::row) {
    return std::optional(statement.integer(0));
  }
  return outcome == SqliteResult::done ? Result<std::optional<int64_t>>(std::nullopt) : failed();
}

Result<std::vector<int64_t>> AttemptReader::job_ids(const AttemptFilter& filter) {
  TRY(Statement statement,
      database_.prepare(fmt::format("{} LIMIT {}", select_jobs(filter), kMaxSortedJobs + 1)));
  bind_jobs(statement, filter);
  std::vector<int64_t> ids;
  SqliteResult outcome = statement.step();
  for (; outcome == SqliteResult::row; outcome = statement.step()) {
    ids.push_back(statement.integer(0));
  }
  return outcome == SqliteResult::done ? Result<std::vector<int64_t>>(std::move(ids)) : failed();
}

Result<std::optional<AttemptReader::Plan>> AttemptReader::plan(
    const AttemptFilter& filter, const std::optional<Position>& after) {
  Plan plan;
  std::string& sql = plan.conditions;
  sql = "1";
  if (names_job(filter) || !filter.ns.empty()) {
    TRY(const std::vector<int64_t> ids, job_ids(filter));
    if (ids.empty()) {
      return std::optional<Plan>();
    }
    plan.by_job = ids.size() == 1 || (names_job(filter) && ids.size() <= kMaxSortedJobs);
    plan.selects_jobs = ids.size() > kMaxSortedJobs;
    sql += plan.selects_jobs ? fmt::format(" AND job IN ({})", select_jobs(filter))
                             : fmt::format(" AND job IN ({})", fmt::join(ids, ","));
  }
  for (const auto& [column, name] :
       {std::pair("node", &filter.node), std::pair("counted", &filter.counted),
        std::pair("rule_name", &filter.rule_name)}) {
    if (name->empty()) {
      continue;
    }
    TRY(const std::optional<int64_t> id, name_id(*name));
    if (!id) {
      return std::optional<Plan>();
    }
    sql += fmt::format(" AND {} = {}", column, *id);
  }
  if (filter.rule) {
    sql += fmt::format(" AND rule = {}", *filter.rule);
  }
  if (filter.exit_code) {
    sql += fmt::format(" AND exit_code = {}", *filter.exit_code);
  }
  if (filter.since) {
    sql += fmt::format(" AND at >= {}", unix_seconds(*filter.since));
  }
  if (filter.until) {
    sql += fmt::format(" AND at < {}", unix_seconds(*filter.until));
  }
  if (after) {
    sql += fmt::format(" AND (at, id) > ({}, {})", after->at, after->id);
  }
  return std::optional(std::move(plan));
}

Result<std::vector<AttemptReader::Position>> AttemptReader::positions(const AttemptFilter& filter,
                                                                      const Plan& plan,
                                                                      size_t most) {
  std::string from =
      fmt::format("attempts INDEXED BY attempts_by_{}", plan.by_job ? "job" : "time");
  std::string conditions = plan.conditions;
  StoredUid uid;
  if (!filter.pod_uid.empty()) {
    from = "attempts";
    conditions += " AND uid = ?1";
    uid = stored_uid(filter.pod_uid);
  }
  // The indexes of a Job may be many intervals; those are looked at here.
  const std::string limit = filter.indexes ? "" : fmt::format(" LIMIT {}", most);
  TRY(Statement statement,
      database_.prepare(fmt::format("SELECT at, id, job_index FROM {} WHERE {} ORDER BY at, id{}",
                                    from, conditions, limit)));
  if (!filter.pod_uid.empty()) {
    uid.is_text ? statement.bind_text(1, uid.bytes) : statement.bind_bytes(1, uid.bytes);
  }
  if (plan.selects_jobs) {
    bind_jobs(statement, filter);
  }
  std::vector<Position> found;
  SqliteResult outcome = statement.step();
  for (; outcome == SqliteResult::row && found.size() < most; outcome = statement.step()) {
    if (!filter.indexes || (!statement.is_null(2) &&
                            filter.indexes->contains(static_cast<int32_t>(statement.integer(2))))) {
      found.push_back({statement.integer(0), statement.integer(1)});
    }
  }
  if (outcome == SqliteResult::failed || outcome == SqliteResult::full) {
    return failed();
  }
  return found;
}

}  // namespace windlass::ledger
