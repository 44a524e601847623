#include "evidence/attempt_recorder.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "api/object.h"
#include "engine/pods/pod_factory.h"
#include "schema/core/v1/pod.pb.h"
#include "schema/ledger/v1/attempt.pb.h"

namespace windlass::evidence {
namespace {

using controllers::job::AttemptEnd;

constexpr int32_t kMaxNumber = 1'000'000'000;

bool has_ended(const AttemptEnd& end) {
  const std::string& phase = static_cast<const api::core::v1::Pod&>(*end.pod).status().phase();
  return phase == "Succeeded" || phase == "Failed";
}

int64_t index_of(const api::Message& pod) {
  const auto& annotations = api::metadata_of(pod).annotations();
  const auto found = annotations.find(std::string(engine::kCompletionIndexKey));
  return found == annotations.end() ? engine::kNoIndex : engine::parse_index(found->second);
}

}  // namespace

AttemptRecorder::AttemptRecorder(client::ClientEnv env, ledger::Ledger& ledger, Options options)
    : env_(env), ledger_(ledger), options_(std::move(options)), collector_(env, options_.evidence) {
  if (options_.metrics) {
    records_ = &options_.metrics->counter("windlass_ledger_attempts_total",
                                          "Attempts that were recorded or left out.", {"result"});
    backlog_ = &options_.metrics->gauge("windlass_ledger_backlog",
                                        "Attempts that wait for a ledger that fails.");
  }
}

AttemptRecorder::~AttemptRecorder() {
  env_.executor.cancel(retry_timer_);
  env_.executor.cancel(patience_timer_);
}

bool AttemptRecorder::is_news(const Entry& entry, const AttemptEnd& end) {
  return (!entry.ended && has_ended(end)) || (end.verdict && end.verdict != entry.end.verdict);
}

void AttemptRecorder::begin(const AttemptEnd& end) {
  const auto [found, is_new] = entries_.try_emplace(end.uid);
  Entry& entry = found->second;
  if (!is_new && !is_news(entry, end)) {
    return;
  }
  entry.ended = entry.ended || has_ended(end);
  std::optional<controllers::job::AttemptVerdict> known = std::move(entry.end.verdict);
  entry.end = end;
  if (!end.verdict) {
    entry.end.verdict = std::move(known);
  }
  if (is_new) {
    entry.number = next_number(end);
  }
  if (is_new || entry.state == State::durable) {
    make(end.uid, entry);
  } else {
    entry.again = true;
  }
}

// The API server may know nothing any more of attempts that came before.
int32_t AttemptRecorder::next_number(const AttemptEnd& end) {
  int32_t& last = numbers_[end.job_uid][index_of(*end.pod)];
  last = std::max(
      last, static_cast<int32_t>(std::clamp<int64_t>(end.attempts_before, 0, kMaxNumber - 1)));
  last = std::min(last + 1, kMaxNumber);
  return last;
}

void AttemptRecorder::keep(const AttemptEnd& end, std::function<void()> go) {
  begin(end);
  const auto found = entries_.find(end.uid);
  // It may have been left out at once.
  if (found == entries_.end() || found->second.state == State::durable || letting_go_) {
    go();
  } else {
    found->second.waiters.push_back(std::move(go));
  }
}

void AttemptRecorder::lost(const AttemptEnd& end) {
  if (!entries_.contains(end.uid) || awaits_end(end.uid)) {
    begin(end);
  }
  if (has_ended(end)) {
    forget(end.uid);
  }
}

bool AttemptRecorder::awaits_end(const std::string& uid) const {
  const auto found = entries_.find(uid);
  return found != entries_.end() && !found->second.ended;
}

void AttemptRecorder::forget(const std::string& uid) {
  const auto found = entries_.find(uid);
  if (found == entries_.end()) {
    return;
  }
  if (found->second.state == State::durable) {
    entries_.erase(found);
  } else {
    found->second.forgotten = true;
  }
}

void AttemptRecorder::make(const std::string& uid, Entry& entry) {
  entry.state = State::gathering;
  entry.again = false;
  if (!collector_.has_work(entry.end)) {
    on_made(uid, entry, {.number = entry.number});
    return;
  }
  collector_.collect(entry.end,
                     [this, uid](const AttemptEvidence& evidence) { on_evidence(uid, evidence); });
}

void AttemptRecorder::on_evidence(const std::string& uid, const AttemptEvidence& evidence) {
  const auto found = entries_.find(uid);
  if (found == entries_.end() || found->second.state != State::gathering) {
    return;
  }
  if (found->second.again) {
    make(uid, found->second);
    return;
  }
  AttemptEvidence numbered = evidence;
  numbered.number = found->second.number;
  on_made(uid, found->second, numbered);
}

void AttemptRecorder::on_made(const std::string& uid, Entry& entry,
                              const AttemptEvidence& evidence) {
  entry.attempt = build_attempt(entry.end, evidence, options_.find_usage);
  entry.end.pod = nullptr;
  if (failure_.empty() && writing_ < kMaxWriting) {
    write(uid, entry);
    return;
  }
  queue(uid, entry);
}

void AttemptRecorder::queue(const std::string& uid, Entry& entry) {
  entry.state = State::waiting;
  waiting_.push_back(uid);
  waiting_bytes_ += entry.attempt->ByteSizeLong();
  std::vector<std::function<void()>> waiters;
  if (letting_go_) {
    waiters = std::exchange(entry.waiters, {});
  }
  drop_surplus();
  for (const auto& go : waiters) {
    go();
  }
}

void AttemptRecorder::write(const std::string& uid, Entry& entry) {
  entry.state = State::writing;
  ++writing_;
  ledger_.record(entry.attempt,
                 self_.bind([uid](AttemptRecorder& self, const Result<void>& written) {
                   self.on_written(uid, written);
                 }));
}

void AttemptRecorder::write_waiting() {
  while (writing_ < kMaxWriting && !waiting_.empty()) {
    const std::string uid = std::move(waiting_.front());
    waiting_.pop_front();
    Entry& entry = entries_.at(uid);
    waiting_bytes_ -= entry.attempt->ByteSizeLong();
    write(uid, entry);
    if (!failure_.empty()) {
      return;  // one tells whether the ledger works again
    }
  }
}

void AttemptRecorder::on_written(const std::string& uid, const Result<void>& written) {
  --writing_;
  Entry& entry = entries_.at(uid);
  if (!written) {
    on_failed(uid, written.error());
    queue(uid, entry);
    return;
  }
  count("recorded");
  end_trouble();
  on_durable(uid, entry);
  write_waiting();
}

void AttemptRecorder::on_durable(const std::string& uid, Entry& entry) {
  entry.attempt = nullptr;
  entry.state = State::durable;
  if (entry.again && entry.end.pod) {
    make(uid, entry);
    return;
  }
  const std::vector<std::function<void()>> waiters = std::exchange(entry.waiters, {});
  if (entry.forgotten) {
    entries_.erase(uid);
  }
  for (const auto& go : waiters) {
    go();
  }
}

void AttemptRecorder::on_failed(const std::string& uid, const Status& why) {
  if (failure_.empty()) {
    env_.log.warning("the ledger does not take attempts: their pods wait",
                     {{"pod_uid", uid}, {"error", why.message}});
    patience_timer_ = env_.executor.schedule(options_.patience, [this] { give_up_waiting(); });
    retry_delay_ = kFirstRetry;
    retry_timer_ = env_.executor.schedule(retry_delay_, [this] { retry(); });
  } else if (writing_ == 0 && retry_timer_ == env::TimerId::none) {
    retry_delay_ = std::min(retry_delay_ * 2, kMaxRetry);
    retry_timer_ = env_.executor.schedule(retry_delay_, [this] { retry(); });
  }
  failure_ = why.message;
}

void AttemptRecorder::retry() {
  retry_timer_ = env::TimerId::none;
  if (writing_ == 0) {
    write_waiting();
  } else {
    // Answers to what was written before the failure are still to come.
    retry_timer_ = env_.executor.schedule(retry_delay_, [this] { retry(); });
  }
}

void AttemptRecorder::give_up_waiting() {
  patience_timer_ = env::TimerId::none;
  letting_go_ = true;
  env_.log.error("the ledger still does not take attempts: pods continue without a durable record",
                 {{"error", failure_}});
  std::vector<std::function<void()>> waiters;
  for (const std::string& uid : waiting_) {
    auto& own = entries_.at(uid).waiters;
    std::move(own.begin(), own.end(), std::back_inserter(waiters));
    own.clear();
  }
  drop_surplus();
  for (const auto& go : waiters) {
    go();
  }
}

void AttemptRecorder::end_trouble() {
  if (failure_.empty()) {
    return;
  }
  env_.executor.cancel(std::exchange(retry_timer_, env::TimerId::none));
  env_.executor.cancel(std::exchange(patience_timer_, env::TimerId::none));
  failure_.clear();
  letting_go_ = false;
  env_.log.info("the ledger takes attempts again", {{"waiting", std::to_string(waiting_.size())},
                                                    {"left_out", std::to_string(left_out_)}});
}

// While pods wait for their records, there are no more than pods; afterwards the oldest go.
void AttemptRecorder::drop_surplus() {
  if (backlog_ != nullptr) {
    backlog_->set({}, static_cast<double>(failure_.empty() ? 0 : waiting_.size()));
  }
  while (letting_go_ && waiting_bytes_ > kMaxBacklogBytes && !waiting_.empty()) {
    const auto dropped = entries_.find(waiting_.front());
    waiting_.pop_front();
    waiting_bytes_ -= dropped->second.attempt->ByteSizeLong();
    const std::vector<std::function<void()>> waiters = std::move(dropped->second.waiters);
    entries_.erase(dropped);
    ++left_out_;
    count("left_out");
    for (const auto& go : waiters) {
      go();
    }
  }
}

void AttemptRecorder::count(const char* result) {
  if (records_ != nullptr) {
    records_->add({result});
  }
}

std::string AttemptRecorder::trouble() const {
  if (failure_.empty()) {
    return "";
  }
  return fmt::format("the ledger fails: {} ({} attempts wait, {} left out)", failure_,
                     waiting_.size(), left_out_);
}

}  // namespace windlass::evidence
