#include "store/sqlite/sqlite_journal.h"

#include <fmt/format.h>

#include <utility>

#include "base/check.h"

namespace windlass::store {
namespace {

Status full_status(const std::string& why) {
  Status status;
  status.code = 507;
  status.reason = "InsufficientStorage";
  status.message = fmt::format(
      "the store has no room, only deletions are accepted until there is some: {}", why);
  return status;
}

Status failed_status(const std::string& why, const std::string& advice) {
  return internal_error(
      fmt::format("the store no longer accepts writes, because one could not be made safe: {}; {}",
                  why, advice));
}

}  // namespace

SqliteJournal::SqliteJournal(env::Executor& core, env::Executor& worker, env::Log& log,
                             std::unique_ptr<RevisionLog> file)
    : core_(core), worker_(worker), log_(log), file_(std::move(file)) {}

SqliteJournal::~SqliteJournal() {
  core_.cancel(regain_);
  core_.cancel(mark_sync_);
  // Closed behind everything that is still to be done with it.
  worker_.post([file = std::move(file_)]() mutable { file.reset(); });
}

void SqliteJournal::start(JournalListener& listener) {
  listener_ = &listener;
  if (const auto& loss = file_->loss()) {
    log_.warning("the store continues without some acknowledged writes",
                 {{"firstRevision", std::to_string(loss->first)},
                  {"lastRevision", loss->last ? std::to_string(*loss->last) : "unknown"}});
  }
  set_full(file_->full(), file_->why());
}

void SqliteJournal::append(std::string_view resource, const VersionPtr& version) {
  CHECK(listener_ != nullptr, "start() comes first");
  const VersionPtr& before = version->previous();
  const Revision previous =
      version->change() == Change::created || !before ? 0 : before->revision();
  queue_.push_back({std::string(resource), version, previous});
  request_group();
}

void SqliteJournal::request_group() {
  if (requested_ || under_way_ || failed_ || queue_.empty()) {
    return;
  }
  requested_ = true;
  // Not at once: what the tasks already waiting on this executor write comes along.
  core_.post(self_.bind([](SqliteJournal& self) {
    self.requested_ = false;
    self.start_group();
  }));
}

void SqliteJournal::start_group() {
  if (under_way_ || failed_ || queue_.empty()) {
    return;
  }
  auto group = std::make_shared<Group>();
  size_t bytes = 0;
  while (!queue_.empty() && group->size() < kMaxGroupRows &&
         (group->empty() || bytes + queue_.front().version->bytes().size() <= kMaxGroupBytes)) {
    bytes += queue_.front().version->bytes().size();
    group->push_back(std::move(queue_.front()));
    queue_.pop_front();
  }
  under_way_ = true;
  worker_.post([finish_group = self_.bind(&SqliteJournal::finish_group),
                finish_maintenance = self_.bind(&SqliteJournal::finish_maintenance), file = file_,
                group = std::move(group), &core = core_]() mutable {
    const Report committed = report_of(*file, file->append(*group));
    // The versions go back to the thread that owns what hangs on them.
    core.post([finish_group, committed, group = std::move(group)]() mutable {
      finish_group(committed, *group);
    });
    const Report maintained = report_of(*file, file->maintain());
    if (maintained.outcome != SqliteResult::done || maintained.full != committed.full) {
      core.post([finish_maintenance, maintained]() mutable { finish_maintenance(maintained); });
    }
  });
}

void SqliteJournal::finish_group(const Report& report, Group& group) {
  under_way_ = false;
  if (report.outcome == SqliteResult::done) {
    ++groups_;
    schedule_mark_sync();
    const Revision last = group.back().version->revision();
    set_full(report.full, report.why);
    // The next group is on its way before the store hears of this one.
    start_group();
    listener_->on_durable(last);
    request_group();
  } else if (take(report)) {
    // What came in meanwhile may be based on what has just been refused.
    queue_.clear();
    listener_->on_refused(full_status(report.why));
  }
  // From the newest on: each version holds the one before it.
  while (!group.empty()) {
    group.pop_back();
  }
}

void SqliteJournal::finish_maintenance(const Report& report) {
  take(report);
}

bool SqliteJournal::take(const Report& report) {
  if (report.outcome == SqliteResult::failed) {
    fail_all(report);
    return false;
  }
  set_full(report.full, report.why);
  return true;
}

void SqliteJournal::set_full(bool full, const std::string& why) {
  if (full && !full_) {
    log_.warning("the store has no room left; only deletions are accepted", {{"reason", why}});
    listener_->on_full(full_status(why));
  } else if (!full && full_) {
    log_.info("the store has room again");
    listener_->on_room();
  }
  full_ = full;
  if (full_) {
    schedule_regain();
  }
}

void SqliteJournal::fail_all(const Report& report) {
  if (!std::exchange(failed_, true)) {
    log_.error("the store no longer accepts writes",
               {{"reason", report.why}, {"advice", report.advice}});
    queue_.clear();
    listener_->on_failure(failed_status(report.why, report.advice));
  }
}

void SqliteJournal::schedule_regain() {
  if (regain_ != env::TimerId::none) {
    return;
  }
  regain_ = core_.schedule(kRegainPeriod, self_.bind([](SqliteJournal& self) {
    self.regain_ = env::TimerId::none;
    auto finish = self.self_.bind(&SqliteJournal::finish_maintenance);
    self.worker_.post([finish, file = self.file_, &core = self.core_] {
      const SqliteResult outcome = file->full() ? file->maintain() : SqliteResult::done;
      core.post([finish, report = report_of(*file, outcome)]() mutable { finish(report); });
    });
  }));
}

void SqliteJournal::schedule_mark_sync() {
  if (mark_sync_ != env::TimerId::none) {
    return;
  }
  mark_sync_ = core_.schedule(kMarkSyncDelay, self_.bind([](SqliteJournal& self) {
    self.mark_sync_ = env::TimerId::none;
    auto take = self.self_.bind(&SqliteJournal::take);
    self.worker_.post([take, file = self.file_, &core = self.core_] {
      const SqliteResult outcome = file->sync_mark();
      if (outcome == SqliteResult::done) {
        return;
      }
      core.post([take, report = report_of(*file, outcome)]() mutable { take(report); });
    });
  }));
}

}  // namespace windlass::store
