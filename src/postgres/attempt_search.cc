#include "postgres/attempt_search.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <deque>
#include <utility>
#include <vector>

#include "postgres/ledger_tables.h"
#include "schema/ledger/v1/attempt.pb.h"

namespace windlass::postgres {
namespace {

using api::ledger::v1::Attempt;
using ledger::AttemptFilter;
using ledger::AttemptPage;

// Of bodies in one answer: libpq holds all of it in memory.
constexpr size_t kMostRows = 500;

constexpr const char* kReaderSettings =
    "SET default_transaction_read_only = on; SET statement_timeout = '120s'";

struct TablePosition {
  int64_t at = 0;
  int64_t id = 0;
};

bool whole_number(std::string_view text, int64_t& number) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && end == text.data() + text.size() && !text.empty();
}

Result<std::optional<TablePosition>> parse_position(const std::string& token) {
  if (token.empty()) {
    return std::optional<TablePosition>();
  }
  const size_t dot = token.find('.');
  TablePosition position;
  if (dot == std::string::npos ||
      !whole_number(std::string_view(token).substr(0, dot), position.at) ||
      !whole_number(std::string_view(token).substr(dot + 1), position.id)) {
    return fail(bad_request("the continue token is not valid"));
  }
  return std::optional(position);
}

// A multirange of PostgreSQL: {[3,4),[7,10)}
std::string multirange(const IndexSet& indexes) {
  std::string text = "{";
  for (const IndexSet::Interval& interval : indexes.intervals()) {
    text += fmt::format("{}[{},{}]", text.size() == 1 ? "" : ",", interval.first, interval.last);
  }
  return text + "}";
}

// WHERE and its parameters.
class WhereClause {
 public:
  void text(const char* condition, std::string value) {
    add(condition, SqlParameter::of_text(texts_.emplace_back(std::move(value))));
  }
  void number(const char* condition, int64_t value) {
    add(condition, SqlParameter::of_number(value));
  }
  // `{}` in the condition is the place of the value.
  void add(const char* condition, SqlParameter value) {
    parameters_.push_back(value);
    sql_ += sql_.empty() ? " WHERE " : " AND ";
    sql_ += fmt::format(fmt::runtime(condition), fmt::format("${}", parameters_.size()));
  }
  void after(const TablePosition& position) {
    parameters_.push_back(SqlParameter::of_number(position.at));
    parameters_.push_back(SqlParameter::of_number(position.id));
    sql_ += sql_.empty() ? " WHERE " : " AND ";
    sql_ += fmt::format("(at, id) > (to_timestamp(${}), ${})", parameters_.size() - 1,
                        parameters_.size());
  }
  const std::string& sql() const { return sql_; }
  std::span<const SqlParameter> parameters() const { return parameters_; }

 private:
  std::string sql_;
  std::deque<std::string> texts_;
  std::vector<SqlParameter> parameters_;
};

void add_conditions(const AttemptFilter& filter, WhereClause& conditions) {
  for (const auto& [condition, value] :
       {std::pair("namespace = {}", &filter.ns), std::pair("uid = {}", &filter.pod_uid),
        std::pair("job = {}", &filter.job), std::pair("job_uid = {}", &filter.job_uid),
        std::pair("rule_name = {}", &filter.rule_name), std::pair("node = {}", &filter.node),
        std::pair("counted = {}", &filter.counted)}) {
    if (!value->empty()) {
      conditions.text(condition, *value);
    }
  }
  if (filter.indexes) {
    conditions.text("job_index <@ {}::text::int4multirange", multirange(*filter.indexes));
  }
  if (filter.rule) {
    conditions.number("rule = {}", *filter.rule);
  }
  if (filter.exit_code) {
    conditions.number("exit_code = {}", *filter.exit_code);
  }
  if (filter.since) {
    conditions.number("at >= to_timestamp({})", unix_seconds(*filter.since));
  }
  if (filter.until) {
    conditions.number("at < to_timestamp({})", unix_seconds(*filter.until));
  }
}

ledger::AttemptPtr attempt_of(const Rows& rows, size_t row) {
  auto attempt = std::make_shared<Attempt>();
  const std::string_view body = rows.bytes(row, 2);
  if (!attempt->ParseFromArray(body.data(), static_cast<int>(body.size()))) {
    attempt->Clear();
    attempt->mutable_metadata()->set_name(std::string(rows.bytes(row, 3)));
    attempt->mutable_metadata()->set_namespace_(std::string(rows.bytes(row, 4)));
    attempt->mutable_job()->set_name(std::string(rows.bytes(row, 5)));
    attempt->set_phase("Unknown");
    attempt->set_message("the rest of this record is damaged");
  }
  return attempt;
}

}  // namespace

Result<std::unique_ptr<DatabaseSearch>> DatabaseSearch::open(const std::string& address,
                                                             env::Clock& clock) {
  std::unique_ptr<DatabaseSearch> search(new DatabaseSearch(address, clock));
  TRY_VOID(search->connect());
  return search;
}

Result<void> DatabaseSearch::connect() {
  if (connection_ != nullptr && connection_->is_usable()) {
    return {};
  }
  connection_.reset();
  TRY(auto opened, Connection::open(address_, clock_, interrupt_));
  TRY_VOID(check_tables(*opened));
  TRY_VOID(opened->run_all(kReaderSettings, kTimeout));
  connection_ = std::move(opened);
  return {};
}

Result<AttemptPage> DatabaseSearch::find(const AttemptFilter& filter, size_t limit,
                                         const std::string& continue_token) {
  TRY(const auto after, parse_position(continue_token));
  TRY_VOID(connect());
  const size_t most = limit == 0 ? kMostRows : std::min(limit, kMostRows);
  WhereClause conditions;
  add_conditions(filter, conditions);
  if (after) {
    conditions.after(*after);
  }
  const std::string sql = fmt::format(
      "SELECT extract(epoch FROM at)::bigint, id, body, uid, namespace, job FROM "
      "windlass_attempts{} ORDER BY windlass_attempts.at, windlass_attempts.id LIMIT {}",
      conditions.sql(), most + 1);
  TRY(const Rows rows, connection_->run(sql, conditions.parameters(), kTimeout));
  AttemptPage page;
  for (size_t row = 0; row < std::min(rows.count(), most); ++row) {
    page.items.push_back(attempt_of(rows, row));
  }
  if (rows.count() > most) {
    page.next = fmt::format("{}.{}", rows.number(most - 1, 0), rows.number(most - 1, 1));
  }
  return page;
}

PostgresAttempts::~PostgresAttempts() {
  search_->interrupt();
  worker_.post([search = std::move(search_)]() mutable { search.reset(); });
}

void PostgresAttempts::find(const AttemptFilter& filter, size_t limit,
                            const std::string& continue_token,
                            std::function<void(Result<AttemptPage>)> done) {
  auto finish = self_.bind([done = std::move(done)](PostgresAttempts&, Result<AttemptPage>& page) {
    done(std::move(page));
  });
  worker_.post([finish, search = search_, filter, limit, continue_token, &core = core_]() mutable {
    core.post(
        [finish, page = search->find(filter, limit, continue_token)]() mutable { finish(page); });
  });
}

}  // namespace windlass::postgres
