#include "ledger/spool/spooled_ledger.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace windlass::ledger {

SpooledLedger::SpooledLedger(const Parts& parts, std::unique_ptr<SqliteLedger> spool,
                             std::unique_ptr<AttemptSink> sink, Duration keep)
    : parts_(parts),
      spool_(std::move(spool)),
      sink_(std::move(sink)),
      retention_(std::make_shared<RetentionClock>(parts.clock, keep)),
      keep_(keep),
      records_(parts.metrics.counter(
          "windlass_ledger_database_records_total",
          "Attempts that left the spool of the ledger, by what became of them.", {"result"})),
      waiting_metric_(parts.metrics.gauge("windlass_ledger_spool_records",
                                          "Attempts in the spool that wait for the database.")),
      oldest_metric_(parts.metrics.gauge(
          "windlass_ledger_spool_oldest_timestamp_seconds",
          "When the oldest attempt in the spool was recorded; 0 when none waits.")) {
  count_waiting();
  keep_house();
  pass_on();  // what an earlier process left
}

SpooledLedger::~SpooledLedger() {
  parts_.core.cancel(retry_);
  parts_.core.cancel(house_);
  sink_->interrupt();
  parts_.sender.post([sink = std::move(sink_)]() mutable { sink.reset(); });
}

void SpooledLedger::record(AttemptPtr attempt, std::function<void(Result<void>)> done) {
  spool_->record(std::move(attempt), [alive = self_.lifetime(), this,
                                      done = std::move(done)](const Result<void>& recorded) {
    if (recorded && !alive.expired()) {
      more_came_ = true;
      pass_on();
    }
    done(recorded);
  });
}

void SpooledLedger::pass_on() {
  if (!std::exchange(passing_, true)) {
    read_batch();
  }
}

void SpooledLedger::read_batch() {
  more_came_ = false;
  spool_->oldest(kMaxBatch, kMaxBatchBytes, self_.bind(&SpooledLedger::on_batch));
}

void SpooledLedger::on_batch(Result<Batch> batch) {
  if (!batch) {
    return fail_and_retry("the spool of the ledger cannot be read", batch.error().message);
  }
  if (batch->empty()) {
    waiting_ = 0;
    waiting_metric_.set({}, 0);
    oldest_metric_.set({}, 0);
    passing_ = !reached_;
    if (reached_ && more_came_) {
      pass_on();
    }
  } else {
    oldest_waiting_ = batch->front().recorded;
    oldest_metric_.set({}, static_cast<double>(unix_seconds(oldest_waiting_)));
    waiting_ = std::max<uint64_t>(waiting_, batch->size());
  }
  // The first may be empty: it tells whether the database is there.
  if (!batch->empty() || !reached_) {
    send(*std::move(batch));
  }
}

void SpooledLedger::send(Batch batch) {
  parts_.sender.post(
      [finish = self_.bind([](SpooledLedger& self, const Batch& sent, const Answer& answer) {
        self.on_stored(sent, answer);
      }),
       sink = sink_, batch = std::move(batch), &core = parts_.core]() mutable {
        Answer answer = sink->store(batch);
        core.post([finish, batch = std::move(batch), answer = std::move(answer)]() mutable {
          finish(batch, answer);
        });
      });
}

void SpooledLedger::on_stored(const Batch& batch, const Answer& answer) {
  if (!answer) {
    return fail_and_retry("the database of the ledger does not take attempts",
                          answer.error().message);
  }
  reached_ = true;
  end_failure();
  for (const AttemptSink::Rejected& rejected : *answer) {
    parts_.log.error("the database of the ledger rejects an attempt: it is left out",
                     {{"error", rejected.why}});
  }
  rejected_ += answer->size();
  records_.add({"rejected"}, static_cast<double>(answer->size()));
  records_.add({"stored"}, static_cast<double>(batch.size() - answer->size()));
  spool_->remove(
      batch, self_.bind([size = batch.size()](SpooledLedger& self, const Result<void>& removed) {
        self.on_removed(size, removed);
      }));
}

void SpooledLedger::on_removed(size_t batch, const Result<void>& removed) {
  if (!removed) {
    return fail_and_retry("attempts cannot be removed from the spool of the ledger",
                          removed.error().message);
  }
  waiting_ -= std::min<uint64_t>(waiting_, batch);
  waiting_metric_.set({}, static_cast<double>(waiting_));
  read_batch();
}

void SpooledLedger::fail_and_retry(const std::string& what, const std::string& why) {
  if (failure_.empty()) {
    parts_.log.warning(what + ": they wait in the spool", {{"error", why}});
  }
  failure_ = why;
  retry_ = parts_.core.schedule(retry_delay_, [this] {
    retry_ = env::TimerId::none;
    read_batch();
  });
  retry_delay_ = std::min(retry_delay_ * 2, kMaxRetry);
}

void SpooledLedger::end_failure() {
  if (!failure_.empty()) {
    parts_.log.info("the database of the ledger takes attempts again",
                    {{"waiting", std::to_string(waiting_)}});
  }
  failure_.clear();
  retry_delay_ = kFirstRetry;
}

void SpooledLedger::count_waiting() {
  spool_->count(self_.bind([](SpooledLedger& self, uint64_t number) {
    self.waiting_ = number;
    self.waiting_metric_.set({}, static_cast<double>(number));
  }));
}

void SpooledLedger::keep_house() {
  house_ = parts_.core.schedule(kCountPeriod, [this] { keep_house(); });
  tell_left_out();
  if (passing_) {
    count_waiting();
  }
  if (failure_.empty() && parts_.clock.monotonic() >= next_removal_) {
    next_removal_ = parts_.clock.monotonic() + kRetentionPeriod;
    remove_old();
  }
}

void SpooledLedger::remove_old() {
  parts_.sender.post([finish = self_.bind([](SpooledLedger& self, const Result<size_t>& removed) {
    if (removed && *removed == kRemoveRows) {
      self.remove_old();
    } else if (!removed) {
      self.parts_.log.warning("old attempts cannot be removed from the database of the ledger",
                              {{"error", removed.error().message}});
    }
  }),
                      sink = sink_, retention = retention_, keep = keep_,
                      &core = parts_.core]() mutable {
    const Time oldest = retention->oldest();
    Result<size_t> removed = 0;
    if (oldest != Time::min()) {
      removed = sink->remove_old(oldest, keep, kRemoveRows);
    }
    core.post([finish, removed = std::move(removed)]() mutable { finish(removed); });
  });
}

// The spool's own retention left them out.
void SpooledLedger::tell_left_out() {
  const uint64_t lost = spool_->removed_by_size() - told_left_out_;
  if (lost > 0) {
    told_left_out_ += lost;
    records_.add({"left_out"}, static_cast<double>(lost));
    parts_.log.error("the spool of the ledger is full: its oldest attempts are left out",
                     {{"left_out", std::to_string(lost)}, {"database", failure_}});
  }
}

std::string SpooledLedger::lag() const {
  if (failure_.empty() && waiting_ <= kMaxBatch) {
    return "";
  }
  std::string text = fmt::format("{} attempts wait in the spool", waiting_);
  if (waiting_ > 0) {
    text += fmt::format(", the oldest since {}", format_rfc3339(oldest_waiting_));
  }
  if (left_out() > 0) {
    text += fmt::format("; {} left out", left_out());
  }
  return failure_.empty()
             ? text
             : fmt::format("the database of the ledger does not take attempts: {} ({})", failure_,
                           text);
}

std::string SpooledLedger::trouble() const {
  return !failure_.empty() && left_out() > 0 ? lag() : "";
}

}  // namespace windlass::ledger
