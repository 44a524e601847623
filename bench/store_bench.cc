// What durability costs over bare SQLite, and what many objects cost, in one run so that ratios
// mean something on any disk: `./dev bench store`. Prints a table; the limits are in
// docs/reference/performance.md.
#include <fmt/format.h>
#include <sqlite3.h>

#include <algorithm>
#include <chrono>
#include <ctime>
#include <fstream>
#include <string>
#include <vector>

#include "base/check.h"
#include "posix/event_loop.h"
#include "posix/files/data_directory.h"
#include "posix/posix_clock.h"
#include "posix/testing.h"
#include "posix/worker_thread.h"
#include "store/sqlite/sqlite_journal.h"
#include "store/store.h"
#include "virtual_world/virtual_log.h"

namespace windlass::store {
namespace {

constexpr size_t kObjectBytes = 2'200;  // a pod as protobuf
constexpr size_t kWriters = 64;
constexpr size_t kGroups = 400;
constexpr size_t kSingleWrites = 2'000;
constexpr size_t kObjects = 100'000;
constexpr int kRounds = 3;

using BenchClock = std::chrono::steady_clock;

double seconds_since(BenchClock::time_point start) {
  return std::chrono::duration<double>(BenchClock::now() - start).count();
}

// Not all the same, so that no layer can take a short way.
std::string object(size_t number) {
  std::string bytes(kObjectBytes, 'x');
  for (size_t i = 0; i < bytes.size(); ++i) {
    bytes[i] = static_cast<char>((i * 131 + number * 7'919) >> 3);
  }
  return bytes;
}

// SQLite as a journal with nothing around it: a revision, a key and a value, a transaction for each
// group, the same durability.
class BareSqlite {
 public:
  explicit BareSqlite(const std::string& path) {
    CHECK(sqlite3_open(path.c_str(), &connection_) == SQLITE_OK, "open");
    run("PRAGMA locking_mode = EXCLUSIVE; PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;"
        "CREATE TABLE log(revision INTEGER PRIMARY KEY, key TEXT, object BLOB)");
    sqlite3_prepare_v2(connection_, "INSERT INTO log VALUES (?, ?, ?)", -1, &insert_, nullptr);
  }
  ~BareSqlite() {
    sqlite3_finalize(insert_);
    sqlite3_close(connection_);
  }
  BareSqlite(const BareSqlite&) = delete;
  BareSqlite& operator=(const BareSqlite&) = delete;

  void commit(size_t group) {
    run("BEGIN");
    for (size_t i = 0; i < group; ++i) {
      const std::string key = fmt::format("default/pod-{}", i);
      const std::string bytes = object(static_cast<size_t>(revision_));
      sqlite3_bind_int64(insert_, 1, ++revision_);
      sqlite3_bind_text(insert_, 2, key.data(), static_cast<int>(key.size()), SQLITE_STATIC);
      sqlite3_bind_blob(insert_, 3, bytes.data(), static_cast<int>(bytes.size()), SQLITE_STATIC);
      CHECK(sqlite3_step(insert_) == SQLITE_DONE, "insert");
      sqlite3_reset(insert_);
    }
    run("COMMIT");
  }

 private:
  void run(const char* sql) {
    CHECK(sqlite3_exec(connection_, sql, nullptr, nullptr, nullptr) == SQLITE_OK, "sqlite");
  }

  sqlite3* connection_ = nullptr;
  sqlite3_stmt* insert_ = nullptr;
  int64_t revision_ = 0;
};

// The store as a server has it: a core loop, a journal thread.
class DurableStore {
 public:
  explicit DurableStore(const std::string& path) : core_(clock_), worker_(clock_, "journal") {
    auto directory = posix::open_data_directory(path);
    CHECK(directory.has_value(), "data directory");
    auto file = RevisionLog::open(*std::move(directory), {});
    CHECK(file.has_value(), "store");
    journal_ = std::make_unique<SqliteJournal>(core_, worker_, log_, *std::move(file));
    store_ = std::make_unique<Store>(journal_.get());
    CHECK(store_->load().has_value(), "load");
  }
  ~DurableStore() {
    store_.reset();
    journal_.reset();
  }

  Store& store() { return *store_; }
  uint64_t groups() const { return journal_->groups(); }

  // Each writer goes on when its write is acknowledged. The latency of each write.
  std::vector<double> write(size_t writers, size_t count) {
    left_ = count;
    open_ = writers;
    latencies_.clear();
    for (size_t i = 0; i < writers; ++i) {
      core_.post([this, i] { next(i); });
    }
    core_.run();
    return std::move(latencies_);
  }
  // As fast as the store takes them.
  void fill(size_t count) {
    for (size_t i = 0; i < count; ++i) {
      const std::string name = fmt::format("pod-{:06}-abcde", i);
      CHECK(store_->put({"pods", "default", name}, 0, object(i), nullptr).has_value(), "put");
      if ((i + 1) % 1'000 == 0 || i + 1 == count) {
        store_->when_committed(store_->head_revision(), [this](const auto&) { core_.stop(); });
        core_.run();
      }
    }
  }

 private:
  void next(size_t writer) {
    if (left_ == 0) {
      if (--open_ == 0) {
        core_.stop();
      }
      return;
    }
    --left_;
    const std::string name = fmt::format("pod-{}", writer);
    const ObjectKey key{"pods", "default", name};
    const VersionPtr head = store_->head(key);
    const auto start = BenchClock::now();
    const auto taken =
        store_->put(key, head ? head->revision() : 0, object(store_->next_revision()), nullptr);
    CHECK(taken.has_value(), "put");
    store_->when_committed((*taken)->revision(), [this, writer, start](const auto&) {
      latencies_.push_back(seconds_since(start));
      core_.post([this, writer] { next(writer); });
    });
  }

  posix::PosixClock clock_;
  posix::EventLoop core_;
  posix::WorkerThread worker_;
  virtual_world::VirtualLog log_;
  std::unique_ptr<SqliteJournal> journal_;
  std::unique_ptr<Store> store_;
  size_t left_ = 0;
  size_t open_ = 0;
  std::vector<double> latencies_;
};

double median(std::vector<double> values) {
  std::nth_element(values.begin(), values.begin() + static_cast<ptrdiff_t>(values.size() / 2),
                   values.end());
  return values[values.size() / 2];
}

// Median time of a bare commit of so many rows.
std::vector<double> bare(size_t group, size_t count) {
  const posix::TemporaryDirectory folder;
  BareSqlite sqlite(folder / "bare.db");
  std::vector<double> times;
  for (size_t i = 0; i < count; ++i) {
    const auto start = BenchClock::now();
    sqlite.commit(group);
    times.push_back(seconds_since(start));
  }
  return times;
}

size_t resident_megabytes() {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with("VmRSS:")) {
      return std::stoul(line.substr(6)) / 1024;
    }
  }
  return 0;
}

double sum(const std::vector<double>& values) {
  double total = 0;
  for (const double value : values) {
    total += value;
  }
  return total;
}

void measure_throughput() {
  std::vector<double> ratios;
  for (int round = 0; round < kRounds; ++round) {
    const posix::TemporaryDirectory folder;
    double ours = 0;
    double group = 0;
    {
      DurableStore durable(folder.path());
      const auto start = BenchClock::now();
      durable.write(kWriters, kWriters * kGroups);
      ours = static_cast<double>(kWriters * kGroups) / seconds_since(start);
      group = static_cast<double>(kWriters * kGroups) / static_cast<double>(durable.groups());
    }
    const auto rows = static_cast<size_t>(group + 0.5);
    const double sqlite = static_cast<double>(rows * kGroups) / sum(bare(rows, kGroups));
    ratios.push_back(ours / sqlite);
    fmt::print(
        "64 writers: {:.0f} writes/s in groups of {:.1f}; bare SQLite {:.0f}/s; ratio "
        "{:.2f}\n",
        ours, group, sqlite, ratios.back());
  }
  fmt::print("64 writers: median ratio {:.2f} (limit: at least 0.5)\n", median(ratios));
}

void measure_latency() {
  std::vector<double> ratios;
  for (int round = 0; round < kRounds; ++round) {
    const posix::TemporaryDirectory folder;
    DurableStore durable(folder.path());
    const double ours = median(durable.write(1, kSingleWrites)) * 1e6;
    const double sqlite = median(bare(1, kSingleWrites)) * 1e6;
    ratios.push_back(ours / sqlite);
    fmt::print("1 writer: {:.0f} us; bare commit {:.0f} us; ratio {:.2f}\n", ours, sqlite,
               ratios.back());
  }
  fmt::print("1 writer: median ratio {:.2f} (limit: at most 2)\n", median(ratios));
}

double processor_seconds() {
  return static_cast<double>(std::clock()) / CLOCKS_PER_SEC;
}

void measure_many_objects() {
  const posix::TemporaryDirectory folder;
  const size_t before = resident_megabytes();
  {
    DurableStore durable(folder.path());
    const auto start = BenchClock::now();
    durable.fill(kObjects);
    fmt::print("{} objects of {} bytes: written in {:.2f} s, {} MB resident ({} before)\n",
               kObjects, kObjectBytes, seconds_since(start), resident_megabytes(), before);
  }
  const auto start = BenchClock::now();
  const double used = processor_seconds();
  DurableStore durable(folder.path());
  CHECK(durable.store().revision() == kObjects + 1, "all are there");
  fmt::print(
      "{} objects: restart to ready in {:.2f} s (limit 5; {:.2f} s of processor time), "
      "{} MB resident (limit 500)\n",
      kObjects, seconds_since(start), processor_seconds() - used, resident_megabytes());
}

}  // namespace
}  // namespace windlass::store

int main() {
  windlass::store::measure_latency();
  windlass::store::measure_throughput();
  windlass::store::measure_many_objects();
  return 0;
}
