#include "postgres/connection.h"

#include <dlfcn.h>
#include <fmt/format.h>
#include <libpq-fe.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include "base/check.h"

namespace windlass::postgres {
namespace {

constexpr const char* kPqLibrary = "libpq.so.5";

// What is used of the library.
struct PqLibrary {
  void* handle = nullptr;
  std::string problem;  // a function that is not there
#define WINDLASS_PQ(name) decltype(&::PQ##name) name = load<decltype(&::PQ##name)>("PQ" #name)
  template <class Function>
  Function load(const char* name) {
    void* found = handle == nullptr ? nullptr : ::dlsym(handle, name);
    if (found == nullptr && problem.empty()) {
      problem = name;
    }
    return reinterpret_cast<Function>(found);
  }

  explicit PqLibrary(void* opened) : handle(opened) {}

  WINDLASS_PQ(conninfoParse);
  WINDLASS_PQ(conninfoFree);
  WINDLASS_PQ(freemem);
  WINDLASS_PQ(connectStartParams);
  WINDLASS_PQ(connectPoll);
  WINDLASS_PQ(status);
  WINDLASS_PQ(socket);
  WINDLASS_PQ(errorMessage);
  WINDLASS_PQ(finish);
  WINDLASS_PQ(setnonblocking);
  WINDLASS_PQ(setNoticeReceiver);
  WINDLASS_PQ(sendQueryParams);
  WINDLASS_PQ(sendQuery);
  WINDLASS_PQ(flush);
  WINDLASS_PQ(consumeInput);
  WINDLASS_PQ(isBusy);
  WINDLASS_PQ(getResult);
  WINDLASS_PQ(resultStatus);
  WINDLASS_PQ(resultErrorField);
  WINDLASS_PQ(clear);
  WINDLASS_PQ(ntuples);
  WINDLASS_PQ(getvalue);
  WINDLASS_PQ(getlength);
  WINDLASS_PQ(getisnull);
  WINDLASS_PQ(cmdTuples);
#undef WINDLASS_PQ
};

const PqLibrary& pq() {
  // Never closed: its connections have no end that it tells.
  static const PqLibrary loaded(::dlopen(kPqLibrary, RTLD_NOW | RTLD_LOCAL));
  return loaded;
}

Result<void> check_library() {
  if (pq().handle == nullptr) {
    return fail(
        plain_error(std::string(kPqLibrary) + " is not installed. Install it (Debian: libpq5)"));
  }
  if (!pq().problem.empty()) {
    return fail(plain_error(std::string(kPqLibrary) + " is too old: it has no " + pq().problem));
  }
  return {};
}

// The library's texts have several lines and end with one.
std::string line_of(const char* text) {
  std::string line = text == nullptr ? "" : text;
  while (!line.empty() && (line.back() == '\n' || line.back() == ' ')) {
    line.pop_back();
  }
  std::replace(line.begin(), line.end(), '\n', ' ');
  std::replace(line.begin(), line.end(), '\t', ' ');
  return line;
}

// Types of pg_type.dat, which never change.
constexpr Oid kBytea = 17;
constexpr Oid kBigint = 20;
constexpr Oid kText = 25;

// Data that the server will never take: classes 22 (data exception), 23 (constraint violation) and
// 54 (program limit exceeded).
bool is_data_error(std::string_view sqlstate) {
  return sqlstate.starts_with("22") || sqlstate.starts_with("23") || sqlstate.starts_with("54");
}

Status database_error(const PGresult* result) {
  const char* sqlstate = pq().resultErrorField(result, PG_DIAG_SQLSTATE);
  const char* primary = pq().resultErrorField(result, PG_DIAG_MESSAGE_PRIMARY);
  const std::string code = sqlstate == nullptr ? "" : sqlstate;
  Status status = plain_error(
      fmt::format("{} ({})", primary == nullptr ? "no answer" : line_of(primary), code));
  if (is_data_error(code)) {
    status.code = 422;
    status.reason = "Invalid";
  }
  return status;
}

// Numbers are eight bytes, the highest first.
std::array<char, 8> network_order(int64_t number) {
  std::array<char, 8> bytes{};
  auto rest = static_cast<uint64_t>(number);
  for (size_t i = bytes.size(); i-- > 0; rest >>= 8U) {
    bytes[i] = static_cast<char>(rest & 0xFFU);
  }
  return bytes;
}

}  // namespace

Interrupt::Interrupt() : event_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
  CHECK(event_.valid(), "eventfd");
}

void Interrupt::happen() {
  const uint64_t one = 1;
  CHECK(::write(event_.get(), &one, sizeof(one)) == sizeof(one), "eventfd");
}

bool Interrupt::happened() const {
  pollfd look{event_.get(), POLLIN, 0};
  return ::poll(&look, 1, 0) == 1;
}

Rows::Rows(pg_result* result) : result_(result, [](pg_result* given) { pq().clear(given); }) {}

size_t Rows::count() const {
  return static_cast<size_t>(pq().ntuples(result_.get()));
}

bool Rows::is_null(size_t row, int column) const {
  return pq().getisnull(result_.get(), static_cast<int>(row), column) != 0;
}

std::string_view Rows::bytes(size_t row, int column) const {
  const int at = static_cast<int>(row);
  return {pq().getvalue(result_.get(), at, column),
          static_cast<size_t>(pq().getlength(result_.get(), at, column))};
}

int64_t Rows::number(size_t row, int column) const {
  uint64_t number = 0;
  for (const char byte : bytes(row, column)) {
    number = (number << 8U) | static_cast<unsigned char>(byte);
  }
  return static_cast<int64_t>(number);
}

int64_t Rows::changed() const {
  const std::string_view text = pq().cmdTuples(result_.get());
  int64_t number = 0;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

Result<void> Connection::check(const std::string& address) {
  TRY_VOID(check_library());
  char* why = nullptr;
  PQconninfoOption* parsed = pq().conninfoParse(address.c_str(), &why);
  if (parsed != nullptr) {
    pq().conninfoFree(parsed);
    return {};
  }
  pq().freemem(why);  // it may quote the password
  return fail(
      plain_error("the address of the database is not valid: must be "
                  "postgresql://USER@HOST:PORT/DATABASE, with "
                  "special characters as %XX"));
}

Result<std::unique_ptr<Connection>> Connection::open(const std::string& address, env::Clock& clock,
                                                     const Interrupt& interrupt, Duration timeout) {
  TRY_VOID(check(address));
  const MonotonicTime until = clock.monotonic() + timeout;
  // What the address says itself comes first, but for the encoding.
  const std::array<const char*, 4> names = {"fallback_application_name", "dbname",
                                            "client_encoding", nullptr};
  const std::array<const char*, 4> values = {"windlass", address.c_str(), "UTF8", nullptr};
  PGconn* started = pq().connectStartParams(names.data(), values.data(), 1);
  CHECK(started != nullptr, "out of memory");
  std::unique_ptr<Connection> connection(new Connection(started, clock, interrupt));
  pq().setNoticeReceiver(
      started, [](void*, const PGresult*) {}, nullptr);
  TRY_VOID(connection->finish_connect(until));
  return connection;
}

Connection::~Connection() {
  pq().finish(connection_);
}

Result<void> Connection::finish_connect(MonotonicTime until) {
  PostgresPollingStatusType next = PGRES_POLLING_WRITING;
  if (pq().status(connection_) == CONNECTION_BAD) {
    return lost(line_of(pq().errorMessage(connection_)));
  }
  while (next != PGRES_POLLING_OK) {
    TRY_VOID(wait(next == PGRES_POLLING_READING, next == PGRES_POLLING_WRITING, until));
    next = pq().connectPoll(connection_);
    if (next == PGRES_POLLING_FAILED) {
      return lost(line_of(pq().errorMessage(connection_)));
    }
  }
  pq().setnonblocking(connection_, 1);
  return {};
}

Failure Connection::lost(const std::string& why) {
  usable_ = false;
  return fail(plain_error(why.empty() ? "the connection to the database is lost" : why));
}

Result<void> Connection::wait(bool to_read, bool to_write, MonotonicTime until) {
  for (;;) {
    const Duration left = until - clock_.monotonic();
    if (left <= Duration::zero()) {
      return lost("the database does not answer in time");
    }
    short events = 0;
    events = static_cast<short>(events | (to_read ? POLLIN : 0) | (to_write ? POLLOUT : 0));
    std::array<pollfd, 2> fds = {pollfd{pq().socket(connection_), events, 0},
                                 pollfd{interrupt_.fd(), POLLIN, 0}};
    const int64_t rounded_up = std::chrono::ceil<std::chrono::milliseconds>(left).count();
    const int ready =
        ::poll(fds.data(), fds.size(),
               static_cast<int>(std::min<int64_t>(rounded_up, std::numeric_limits<int>::max())));
    if (fds[1].revents != 0) {
      return lost("stopped while waiting for the database");
    }
    if (ready > 0) {
      return {};
    }
  }
}

Result<void> Connection::send_all(MonotonicTime until) {
  for (;;) {
    const int left = pq().flush(connection_);
    if (left < 0) {
      return lost(line_of(pq().errorMessage(connection_)));
    }
    if (left == 0) {
      return {};
    }
    TRY_VOID(wait(true, true, until));
    // The server may have to be listened to before it goes on reading.
    if (pq().consumeInput(connection_) == 0) {
      return lost(line_of(pq().errorMessage(connection_)));
    }
  }
}

// All that the server answers; of several results the first error, or else the last.
Result<Rows> Connection::receive(MonotonicTime until) {
  std::optional<Rows> last;
  std::optional<Status> error;
  for (;;) {
    while (pq().isBusy(connection_) != 0) {
      TRY_VOID(wait(true, false, until));
      if (pq().consumeInput(connection_) == 0) {
        return lost(line_of(pq().errorMessage(connection_)));
      }
    }
    PGresult* result = pq().getResult(connection_);
    if (result == nullptr) {
      break;
    }
    last = Rows(result);
    const ExecStatusType status = pq().resultStatus(result);
    if (status != PGRES_TUPLES_OK && status != PGRES_COMMAND_OK && !error) {
      error = database_error(result);
    }
  }
  if (pq().status(connection_) == CONNECTION_BAD) {
    return lost(error ? error->message : line_of(pq().errorMessage(connection_)));
  }
  if (error) {
    return fail(*std::move(error));
  }
  if (!last) {
    return lost("the database answered nothing");
  }
  return *std::move(last);
}

Result<Rows> Connection::run(const std::string& sql, std::span<const SqlParameter> parameters,
                             Duration timeout) {
  CHECK(parameters.size() <= kMaxParameters, "too many parameters");
  const size_t count = parameters.size();
  std::vector<Oid> types(count);
  std::vector<const char*> values(count);
  std::vector<int> lengths(count);
  const std::vector<int> formats(count, 1);
  std::vector<std::array<char, 8>> numbers(count);
  for (size_t i = 0; i < count; ++i) {
    const SqlParameter& parameter = parameters[i];
    const bool is_number = parameter.type == SqlParameter::Type::number;
    types[i] = is_number ? kBigint : parameter.type == SqlParameter::Type::bytes ? kBytea : kText;
    numbers[i] = network_order(parameter.number);
    const std::string_view value =
        is_number ? std::string_view(numbers[i].data(), numbers[i].size()) : parameter.value;
    // An empty view may have no address, which would say NULL.
    values[i] = parameter.is_null ? nullptr : value.empty() ? "" : value.data();
    lengths[i] = static_cast<int>(value.size());
  }
  const MonotonicTime until = clock_.monotonic() + timeout;
  if (pq().sendQueryParams(connection_, sql.c_str(), static_cast<int>(count), types.data(),
                           values.data(), lengths.data(), formats.data(), 1) == 0) {
    return lost(line_of(pq().errorMessage(connection_)));
  }
  TRY_VOID(send_all(until));
  return receive(until);
}

Result<void> Connection::run_all(const std::string& sql, Duration timeout) {
  const MonotonicTime until = clock_.monotonic() + timeout;
  if (pq().sendQuery(connection_, sql.c_str()) == 0) {
    return lost(line_of(pq().errorMessage(connection_)));
  }
  TRY_VOID(send_all(until));
  TRY_VOID(receive(until));
  return {};
}

}  // namespace windlass::postgres
