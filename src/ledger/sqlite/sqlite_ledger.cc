#include "ledger/sqlite/sqlite_ledger.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace windlass::ledger {
namespace {

using sqlite::SqliteResult;

Status no_room(const std::string& why) {
  return {507, "InsufficientStorage", "the ledger has no room: " + why, {}};
}

Status not_recorded(const std::string& why) {
  return internal_error("the ledger cannot record: " + why);
}

Status too_many(std::string_view what) {
  return {429, "TooManyRequests", fmt::format("the ledger has too many {} waiting", what), {}};
}

}  // namespace

RetentionClock::RetentionClock(env::Clock& clock, Duration keep)
    : clock_(clock), keep_(keep), began_(clock.now()), began_monotonic_(clock.monotonic()) {}

Time RetentionClock::oldest() {
  const Duration elapsed = clock_.monotonic() - began_monotonic_;
  if (elapsed < kSettle) {
    return Time::min();
  }
  return std::min(clock_.now(), began_ + elapsed) - keep_;
}

SqliteLedger::SqliteLedger(env::Executor& core, env::Executor& worker, env::Clock& clock,
                           env::Log& log, MetricRegistry& metrics, std::unique_ptr<LedgerFile> file,
                           Duration keep)
    : core_(core),
      worker_(worker),
      clock_(clock),
      log_(log),
      records_(metrics.counter("windlass_ledger_records_total",
                               "Attempts given to the ledger, by what became of them.",
                               {"result"})),
      removed_(metrics.counter("windlass_ledger_removed_total",
                               "Attempts that retention removed from the ledger.", {"reason"})),
      bytes_(metrics.gauge("windlass_ledger_bytes", "Bytes in use in the ledger's file.")),
      write_seconds_(metrics.histogram("windlass_ledger_write_seconds",
                                       "How long a group of attempts took to become durable.",
                                       exponential_bounds(0.0005, 2, 14))),
      file_(std::move(file)),
      retention_(std::make_shared<RetentionClock>(clock, keep)) {
  for (const std::string& notice : file_->take_notices()) {
    log_.warning(notice);
  }
  schedule_maintenance();
}

SqliteLedger::~SqliteLedger() {
  core_.cancel(maintenance_);
  worker_.post([file = std::move(file_)]() mutable { file.reset(); });
}

void SqliteLedger::record(AttemptPtr attempt, std::function<void(Result<void>)> done) {
  if (queue_.size() >= kMaxWaiting) {
    records_.add({"refused"});
    core_.post([done = std::move(done)] { done(fail(too_many("records"))); });
    return;
  }
  queue_.push_back({std::move(attempt), std::move(done)});
  request_group();
}

void SqliteLedger::request_group() {
  if (requested_ || under_way_ || queue_.empty()) {
    return;
  }
  requested_ = true;
  // Not at once: what the tasks already waiting on this executor record comes along.
  core_.post(self_.bind([](SqliteLedger& self) {
    self.requested_ = false;
    self.start_group();
  }));
}

void SqliteLedger::start_group() {
  if (under_way_ || queue_.empty()) {
    return;
  }
  auto group = std::make_shared<Entries>();
  while (!queue_.empty() && group->size() < kMaxGroup) {
    group->push_back(std::move(queue_.front()));
    queue_.pop_front();
  }
  under_way_ = true;
  worker_.post([finish = self_.bind(&SqliteLedger::finish_group), file = file_,
                retention = retention_, group = std::move(group), &core = core_,
                &clock = clock_]() mutable {
    std::vector<AttemptPtr> attempts;
    for (const Entry& entry : *group) {
      attempts.push_back(entry.attempt);
    }
    GroupReport report;
    const MonotonicTime began = clock.monotonic();
    report.outcome = file->append(attempts, retention->now());
    report.took = clock.monotonic() - began;
    report.why = report.outcome == SqliteResult::done ? "" : file->why();
    report.notices = file->take_notices();
    core.post([finish, report = std::move(report), group = std::move(group)]() mutable {
      finish(report, *group);
    });
  });
}

void SqliteLedger::finish_group(const GroupReport& report, Entries& group) {
  under_way_ = false;
  const bool done = report.outcome == SqliteResult::done;
  for (const std::string& notice : report.notices) {
    log_.warning(notice);
  }
  if (!done && trouble_.empty()) {
    log_.warning("the ledger cannot record attempts", {{"reason", report.why}});
  } else if (done && !trouble_.empty()) {
    log_.info("the ledger records attempts again");
  }
  trouble_ = report.why;
  const bool full = report.outcome == SqliteResult::full;
  records_.add({done ? "recorded" : full ? "full" : "failed"}, static_cast<double>(group.size()));
  write_seconds_.observe({}, std::chrono::duration<double>(report.took).count());
  // The next group is on its way before callers hear of this one.
  start_group();
  request_maintenance();
  const auto alive = self_.lifetime();
  for (Entry& entry : group) {
    if (alive.expired()) {
      return;
    }
    entry.done(done   ? Result<void>()
               : full ? fail(no_room(report.why))
                      : fail(not_recorded(report.why)));
  }
}

void SqliteLedger::oldest(size_t most, size_t bytes,
                          std::function<void(Result<std::vector<StoredAttempt>>)> done) {
  auto finish = self_.bind(
      [done = std::move(done)](SqliteLedger&, Result<std::vector<StoredAttempt>>& found) {
        done(std::move(found));
      });
  worker_.post([finish, file = file_, most, bytes, &core = core_]() mutable {
    core.post([finish, found = file->oldest(most, bytes)]() mutable { finish(found); });
  });
}

void SqliteLedger::remove(std::vector<StoredAttempt> attempts,
                          std::function<void(Result<void>)> done) {
  auto finish = self_.bind(
      [done = std::move(done)](SqliteLedger&, const Result<void>& removed) { done(removed); });
  worker_.post([finish, file = file_, attempts = std::move(attempts), &core = core_]() mutable {
    Result<void> removed;
    if (file->remove(attempts) != SqliteResult::done) {
      removed = fail(plain_error(file->why()));
    }
    core.post([finish, removed = std::move(removed)]() mutable { finish(removed); });
  });
}

void SqliteLedger::count(std::function<void(uint64_t)> done) {
  auto finish =
      self_.bind([done = std::move(done)](SqliteLedger&, uint64_t number) { done(number); });
  worker_.post([finish, file = file_, &core = core_]() mutable {
    core.post([finish, number = file->count()]() mutable { finish(number); });
  });
}

SqliteLedger::FileReport SqliteLedger::maintain(LedgerFile& file, RetentionClock& clock) {
  FileReport report;
  report.more = file.maintain(clock.oldest());
  report.bytes = file.bytes();
  report.removed_by_age = file.removed_by_age();
  report.removed_by_size = file.removed_by_size();
  return report;
}

void SqliteLedger::request_maintenance() {
  if (std::exchange(maintaining_, true)) {
    return;
  }
  worker_.post([finish = self_.bind(&SqliteLedger::finish_maintenance), file = file_,
                retention = retention_, &core = core_]() mutable {
    core.post([finish, report = maintain(*file, *retention)]() mutable { finish(report); });
  });
}

void SqliteLedger::finish_maintenance(const FileReport& report) {
  maintaining_ = false;
  bytes_.set({}, static_cast<double>(report.bytes));
  removed_.add({"age"}, static_cast<double>(report.removed_by_age - last_.removed_by_age));
  removed_.add({"size"}, static_cast<double>(report.removed_by_size - last_.removed_by_size));
  last_ = report;
  if (report.more) {
    request_maintenance();  // behind the group that came in meanwhile
  }
}

void SqliteLedger::schedule_maintenance() {
  maintenance_ = core_.schedule(kMaintainPeriod, self_.bind([](SqliteLedger& self) {
    self.request_maintenance();
    self.schedule_maintenance();
  }));
}

SqliteAttemptSource::~SqliteAttemptSource() {
  worker_.post([reader = std::move(reader_)]() mutable { reader.reset(); });
}

void SqliteAttemptSource::find(const AttemptFilter& filter, size_t limit,
                               const std::string& continue_token,
                               std::function<void(Result<AttemptPage>)> done) {
  if (searches_ >= kMaxSearches) {
    core_.post([done = std::move(done)] { done(fail(too_many("searches"))); });
    return;
  }
  ++searches_;
  auto finish =
      self_.bind([done = std::move(done)](SqliteAttemptSource& self, Result<AttemptPage>& page) {
        --self.searches_;
        done(std::move(page));
      });
  worker_.post([finish, reader = reader_, filter, limit, continue_token, &core = core_]() mutable {
    core.post(
        [finish, page = reader->find(filter, limit, continue_token)]() mutable { finish(page); });
  });
}

}  // namespace windlass::ledger
