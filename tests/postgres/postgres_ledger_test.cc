// Attempts on their way to a real PostgreSQL, and back.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <condition_variable>
#include <future>
#include <mutex>
#include <set>
#include <thread>

#include "base/sanitized_testing.h"
#include "ledger/spool/spooled_ledger.h"
#include "ledger/sqlite/ledger_testing.h"
#include "net/testing.h"
#include "plane/attempt_ledger.h"
#include "posix/event_loop.h"
#include "posix/files/data_directory.h"
#include "posix/files/posix_files.h"
#include "posix/posix_clock.h"
#include "posix/posix_random.h"
#include "posix/worker_thread.h"
#include "postgres/attempt_database.h"
#include "postgres/attempt_search.h"
#include "postgres_server.h"
#include "verify/ledgers/memory_ledger.h"
#include "virtual_world/world.h"

namespace windlass::postgres {
namespace {

using ledger::AttemptFilter;
using ledger::AttemptPtr;
using ledger::StoredAttempt;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr Duration kPatience = minutes(2);

// A ledger as `windlass controller` has it, on a thread of its own.
class Writer {
 public:
  Writer(const std::string& directory, const std::string& address,
         uint64_t spool_bytes = uint64_t{1} << 30)
      : directory_(directory), address_(address), spool_bytes_(spool_bytes) {
    thread_ = std::thread([this] { run(); });
  }
  ~Writer() {
    loop_.stop();
    thread_.join();
  }

  // Returns when it is durable in the spool.
  bool record(const AttemptPtr& attempt) {
    bool answered = false;
    bool recorded = false;
    loop_.post([&, attempt] {
      ledger_->record(attempt, [&](const Result<void>& result) {
        const std::lock_guard lock(mutex_);
        answered = true;
        recorded = result.has_value();
        changed_.notify_all();
      });
    });
    std::unique_lock lock(mutex_);
    return changed_.wait_for(lock, kPatience, [&] { return answered; }) && recorded;
  }
  std::string lag() {
    std::promise<std::string> lag;
    loop_.post([&] { lag.set_value(ledger_->lag()); });
    return lag.get_future().get();
  }
  uint64_t left_out() {
    std::promise<uint64_t> number;
    loop_.post([&] { number.set_value(ledger_->left_out()); });
    return number.get_future().get();
  }

 private:
  void run() {
    posix::WorkerThread spool_thread(clock_, "spool");
    posix::WorkerThread sender(clock_, "sender");
    posix::PosixFiles files;
    plane::LedgerSettings settings;
    settings.max_bytes = spool_bytes_;
    settings.max_age = hours(24 * 365 * 100);
    auto spool = plane::open_ledger({clock_, random_, loop_, log_, files}, spool_thread, metrics_,
                                    directory_, "spool.db", settings);
    ASSERT_TRUE(spool) << spool.error().message;
    ledger_ = std::make_unique<ledger::SpooledLedger>(
        ledger::SpooledLedger::Parts{loop_, sender, clock_, log_, metrics_}, *std::move(spool),
        AttemptDatabase::make(address_, clock_).value(), hours(24 * 90));
    loop_.run();
    ledger_.reset();
  }

  posix::PosixClock clock_;
  posix::PosixRandom random_;
  posix::EventLoop loop_{clock_};
  net::testing::TextLog log_;
  MetricRegistry metrics_;
  const std::string directory_;
  const std::string address_;
  const uint64_t spool_bytes_;
  std::unique_ptr<ledger::SpooledLedger> ledger_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::thread thread_;
};

class PostgresLedger : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!PostgresServer::is_installed()) {
      GTEST_SKIP() << "no PostgreSQL in /usr/lib/postgresql";
    }
    ASSERT_TRUE(server_.create());
  }

  std::vector<AttemptPtr> in_database(const AttemptFilter& filter = {}, size_t limit = 500) {
    std::vector<AttemptPtr> all;
    auto search = DatabaseSearch::open(server_.address(), clock_);
    if (!search) {
      return all;  // no writer has made the tables yet
    }
    std::string next;
    do {
      auto page = (*search)->find(filter, limit, next);
      EXPECT_TRUE(page) << page.error().message;
      if (!page) {
        return all;
      }
      all.insert(all.end(), page->items.begin(), page->items.end());
      next = page->next;
    } while (!next.empty());
    return all;
  }
  std::set<std::string> uids() {
    std::set<std::string> uids;
    for (const AttemptPtr& attempt : in_database()) {
      uids.insert(attempt->metadata().name());
    }
    return uids;
  }
  void wait_until(const std::function<bool()>& holds) {
    const MonotonicTime deadline = clock_.monotonic() + kPatience;
    while (!holds()) {
      ASSERT_LT(clock_.monotonic(), deadline);
      posix::EventLoop loop(clock_);
      loop.schedule(milliseconds(20), [&] { loop.stop(); });
      loop.run();
    }
  }
  void wait_for_all(const std::set<std::string>& expected) {
    wait_until([&] { return uids() == expected; });
  }
  StoredAttempt stored(const AttemptPtr& attempt, int64_t recorded) const {
    return {1, time_from_unix(recorded), attempt->SerializeAsString()};
  }
  void store_all(const std::vector<StoredAttempt>& attempts) {
    const auto result = AttemptDatabase::make(server_.address(), clock_).value()->store(attempts);
    ASSERT_TRUE(result) << result.error().message;
    EXPECT_TRUE(result->empty());
  }
  // Statements as a database administrator runs them.
  void administer(const std::string& sql) {
    const Interrupt never;
    auto connection = Connection::open(server_.address(), clock_, never);
    ASSERT_TRUE(connection) << connection.error().message;
    const auto done = (*connection)->run_all(sql, seconds(30));
    ASSERT_TRUE(done) << done.error().message;
  }

  posix::PosixClock clock_;
  PostgresServer server_;
  posix::TemporaryDirectory spool_;
};

TEST_F(PostgresLedger, ASearchFindsWhatALedgerInMemoryFinds) {
  virtual_world::VirtualWorld world(1);
  ledger::MemoryLedger memory(world.executor());
  Generator random(7);
  std::vector<StoredAttempt> attempts;
  for (int i = 0; i < 400; ++i) {
    const AttemptPtr attempt = ledger::random_attempt(random);
    memory.record(attempt, [](const Result<void>&) {});
    attempts.push_back(stored(attempt, 1'700'000'000 + i));
  }
  world.run_for(seconds(1));
  store_all({attempts.begin(), attempts.begin() + 150});
  store_all({attempts.begin() + 150, attempts.end()});
  for (int i = 0; i < 200; ++i) {
    SCOPED_TRACE(i);
    AttemptFilter filter;
    filter.ns = random.chance(0.3) ? "batch" : "";
    filter.job = random.chance(0.4) ? fmt::format("job-{}", random.uniform(5)) : "";
    filter.job_uid = random.chance(0.1) ? "second" : "";
    filter.pod_uid = random.chance(0.1) ? ledger::test_uid(random.uniform(200)) : "";
    filter.node = random.chance(0.2) ? fmt::format("node-{}", random.uniform(6)) : "";
    filter.counted = random.chance(0.2) ? "Failed" : "";
    filter.rule_name = random.chance(0.1) ? "oom" : "";
    if (random.chance(0.3)) {
      filter.indexes = IndexSet();
      const auto first = static_cast<int32_t>(random.uniform(90));
      filter.indexes->insert(
          IndexSet::Interval{first, first + static_cast<int32_t>(random.uniform(40))});
      filter.indexes->insert(2'147'483'646);
    }
    if (random.chance(0.2)) {
      filter.exit_code = static_cast<int32_t>(random.uniform(7));
    }
    if (random.chance(0.1)) {
      filter.rule = static_cast<int32_t>(random.uniform(3));
    }
    if (random.chance(0.2)) {
      filter.since = time_from_unix(1'700'000'002);
      filter.until = time_from_unix(1'700'000'006);
    }
    std::vector<std::string> expected;
    const auto page = memory.page(filter, 5'000, "").value();
    for (const AttemptPtr& attempt : page.items) {
      expected.push_back(attempt->SerializeAsString());
    }
    std::vector<std::string> found;
    const size_t limit = random.uniform(40) + 1;
    for (const AttemptPtr& attempt : in_database(filter, limit)) {
      found.push_back(attempt->SerializeAsString());
    }
    ASSERT_EQ(found, expected);
  }
}

TEST_F(PostgresLedger, TextOfOthersIsNoStatementAndBreaksNone) {
  auto hostile = ledger::test_attempt(1, "x'); DROP TABLE windlass_attempts; --");
  hostile->set_node_name(std::string("n\0\xff\x1b[31m", 8));
  hostile->mutable_verdict()->set_rule_name("$1 \\ %s {}");
  store_all({stored(hostile, 5), stored(ledger::test_attempt(2), 6)});
  EXPECT_EQ(in_database({.job = hostile->job().name()}).size(), 1u);
  EXPECT_EQ(in_database({.rule_name = "$1 \\ %s {}"}).size(), 1u);
  EXPECT_EQ(in_database({.node = "' OR true --"}).size(), 0u);
  EXPECT_EQ(in_database().front()->node_name(), hostile->node_name());
}

TEST_F(PostgresLedger, AnOlderRecordOfAnotherReplicaReplacesNone) {
  auto newer = ledger::test_attempt(1);
  newer->set_phase("Succeeded");
  store_all({stored(newer, 100)});
  store_all({stored(ledger::test_attempt(1), 99)});
  EXPECT_EQ(in_database().front()->phase(), "Succeeded");
  newer->set_reason("again");
  store_all({stored(newer, 100)});
  EXPECT_EQ(in_database().front()->reason(), "again");
  ASSERT_EQ(in_database().size(), 1u);
}

TEST_F(PostgresLedger, SeveralReplicasMakeTheTablesAtOnce) {
  std::vector<std::thread> replicas;
  for (uint64_t i = 0; i < 4; ++i) {
    replicas.emplace_back([&, i] { store_all({stored(ledger::test_attempt(i), 1)}); });
  }
  for (std::thread& replica : replicas) {
    replica.join();
  }
  EXPECT_EQ(in_database().size(), 4u);
}

TEST_F(PostgresLedger, ANewerLedgerIsRefusedAndLeftAlone) {
  EXPECT_THAT(DatabaseSearch::open(server_.address(), clock_).error().message,
              HasSubstr("has no ledger"));
  store_all({stored(ledger::test_attempt(1), 1)});
  administer("UPDATE windlass_ledger SET version = 99");
  const std::vector<StoredAttempt> more = {stored(ledger::test_attempt(2), 2)};
  const auto refused = AttemptDatabase::make(server_.address(), clock_).value()->store(more);
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().message, HasSubstr("layout version 99"));
  EXPECT_THAT(DatabaseSearch::open(server_.address(), clock_).error().message,
              HasSubstr("layout version 99"));
  administer("UPDATE windlass_ledger SET version = 1");
  EXPECT_EQ(in_database().size(), 1u);
}

TEST_F(PostgresLedger, OldRecordsGo) {
  const int64_t now = unix_seconds(clock_.now());
  store_all({stored(ledger::test_attempt(1), now - 1'000), stored(ledger::test_attempt(2), now)});
  auto database = AttemptDatabase::make(server_.address(), clock_).value();
  // One clock alone makes nothing old.
  EXPECT_EQ(database->remove_old(clock_.now() + hours(9), hours(1), 100).value(), 0u);
  EXPECT_EQ(database->remove_old(clock_.now() - hours(1), seconds(1), 100).value(), 0u);
  EXPECT_EQ(database->remove_old(clock_.now() - minutes(5), minutes(5), 100).value(), 1u);
  EXPECT_EQ(uids(), std::set<std::string>{ledger::test_uid(2)});
}

TEST_F(PostgresLedger, AServerThatIsStoppedLosesNothing) {
  Writer writer(spool_.path(), server_.address());
  std::set<std::string> expected;
  uint64_t number = 0;
  const auto record_some = [&] {
    for (int i = 0; i < 40; ++i) {
      ASSERT_TRUE(writer.record(ledger::test_attempt(number)));
      expected.insert(ledger::test_uid(number++));
    }
  };
  for (const char* mode : {"immediate", "fast"}) {
    record_some();
    ASSERT_TRUE(server_.stop(mode));
    record_some();
    wait_until([&] { return !writer.lag().empty(); });
    EXPECT_THAT(writer.lag(), HasSubstr("wait in the spool"));
    ASSERT_TRUE(server_.start());
    record_some();
  }
  wait_for_all(expected);
  wait_until([&] { return writer.lag().empty(); });
  EXPECT_EQ(writer.left_out(), 0u);
}

TEST_F(PostgresLedger, ASlowServerDelaysNoRecord) {
  Writer writer(spool_.path(), server_.address());
  ASSERT_TRUE(writer.record(ledger::test_attempt(0)));
  std::set<std::string> expected = {ledger::test_uid(0)};
  wait_for_all(expected);
  const Interrupt never;
  auto other = Connection::open(server_.address(), clock_, never).value();
  ASSERT_TRUE(other->run_all("BEGIN; LOCK TABLE windlass_attempts IN EXCLUSIVE MODE", seconds(30)));
  for (uint64_t i = 1; i < 30; ++i) {
    // Each answer comes while the table is locked.
    ASSERT_TRUE(writer.record(ledger::test_attempt(i)));
    expected.insert(ledger::test_uid(i));
  }
  EXPECT_EQ(uids().size(), 1u);
  ASSERT_TRUE(other->run_all("COMMIT", seconds(30)));
  wait_for_all(expected);
}

TEST_F(PostgresLedger, AFullSpoolKeepsTheNewestAndCountsTheRest) {
  ASSERT_TRUE(server_.stop());
  Writer writer(spool_.path(), server_.address(), 2 << 20);
  constexpr uint64_t kRecords = 600;
  for (uint64_t i = 0; i < kRecords; ++i) {
    auto large = ledger::test_attempt(i);
    large->mutable_log()->set_tail(std::string(15'000, 'x'));
    ASSERT_TRUE(writer.record(large));
  }
  wait_until([&] { return writer.left_out() > 0; });
  EXPECT_THAT(writer.lag(), HasSubstr("left out"));
  ASSERT_TRUE(server_.start());
  wait_until([&] { return writer.lag().empty(); });
  EXPECT_EQ(in_database().size(), kRecords - writer.left_out());
  EXPECT_TRUE(uids().contains(ledger::test_uid(kRecords - 1)));
}

// Records until it is killed, and writes the number of each that was acknowledged.
[[noreturn]] void record_until_killed(const std::string& directory, const std::string& address,
                                      uint64_t first, int acknowledged) {
  Writer writer(directory, address);
  for (uint64_t number = first;; ++number) {
    if (writer.record(ledger::test_attempt(number))) {
      if (::write(acknowledged, &number, sizeof(number)) != sizeof(number)) {
        ::_exit(1);
      }
    }
  }
}

TEST_F(PostgresLedger, AWriterThatIsKilledLosesNothingThatItAcknowledged) {
  std::set<std::string> expected;
  constexpr int kRounds = kSanitized ? 4 : 10;
  constexpr uint64_t kRecordsOfARound = 1'000'000;
  for (int round = 0; round < kRounds; ++round) {
    std::array<int, 2> ends = {};
    ASSERT_EQ(::pipe(ends.data()), 0);
    const uint64_t first = static_cast<uint64_t>(round) * kRecordsOfARound;
    const pid_t child = ::fork();
    if (child == 0) {
      ::close(ends[0]);
      record_until_killed(spool_.path(), server_.address(), first, ends[1]);
    }
    ::close(ends[1]);
    uint64_t number = 0;
    const int wanted = 20 + round * 17;
    for (int seen = 0; ::read(ends[0], &number, sizeof(number)) == sizeof(number);) {
      expected.insert(ledger::test_uid(number));
      if (++seen == wanted) {
        ::kill(child, SIGKILL);
      }
    }
    ::close(ends[0]);
    int status = 0;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    ASSERT_TRUE(WIFSIGNALED(status));
  }
  {
    // The next process takes what is left.
    Writer writer(spool_.path(), server_.address());
    wait_until([&] {
      const std::set<std::string> found = uids();
      return std::includes(found.begin(), found.end(), expected.begin(), expected.end());
    });
  }
  EXPECT_GT(expected.size(), 80u);
}

}  // namespace
}  // namespace windlass::postgres
