#include "verify/engine/fingerprint.h"

#include <algorithm>
#include <string>
#include <vector>

#include "engine/state/record.h"

namespace windlass::engine {
namespace {

// Indexes of explored Jobs are below this, and fit a word.
constexpr int64_t kMaxIndexes = 64;

uint64_t bits(const IndexBits& set) {
  uint64_t word = 0;
  for (int64_t i = set.next_in(0, kMaxIndexes); i < kMaxIndexes;
       i = set.next_in(i + 1, kMaxIndexes)) {
    word |= uint64_t{1} << i;
  }
  return word;
}

uint64_t number(int64_t value) {
  return static_cast<uint64_t>(value);
}

// As a set: the order of UIDs in a list decides nothing.
void add_pods(const std::vector<std::string>& uids, const Frame& frame, Digest& out) {
  std::vector<uint64_t> names;
  for (const std::string& uid : uids) {
    names.push_back(frame.pod(uid));
  }
  std::sort(names.begin(), names.end());
  out.add(names.size());
  for (const uint64_t name : names) {
    out.add(name);
  }
}

}  // namespace

void Digest::add_text(std::string_view text) {
  add(text.size());
  for (const char c : text) {
    add(static_cast<unsigned char>(c));
  }
}

uint64_t Frame::age(Time time) const {
  if (time == Time()) {
    return ~uint64_t{0};
  }
  // The future (a deletion's end) is told apart from the past.
  const Duration ago = std::clamp(now - time, -horizon, horizon);
  return number(ago.count());
}

uint64_t Frame::left(std::optional<Time> time) const {
  return time && *time > now ? number((*time - now).count()) : 0;
}

void Fingerprint::status(const JobStatus& status, const Frame& frame, Digest& out) {
  out.add(status.conditions.size());
  for (const Condition& condition : status.conditions) {
    out.add_text(condition.type);
    out.add(static_cast<uint64_t>(condition.status));
    out.add_text(condition.reason);
  }
  const Time start = frame.start_time_matters ? status.start_time.value_or(Time()) : Time();
  out.add(status.start_time ? frame.age(start) : 1);
  out.add(status.completion_time ? 1 : 0);
  out.add(number(status.active));
  out.add(number(status.succeeded));
  out.add(number(status.failed));
  out.add(number(status.ready.value_or(-1)));
  out.add(number(status.terminating.value_or(-1)));
  out.add_text(status.completed_indexes);
  out.add_text(status.failed_indexes.value_or("-"));
  if (status.uncounted) {
    add_pods(status.uncounted->succeeded, frame, out);
    add_pods(status.uncounted->failed, frame, out);
  }
}

void Fingerprint::record(const JobRecord& record, const Frame& frame, Digest& out) {
  out.add(record.backoff.last_success() ? frame.age(*record.backoff.last_success()) : 1);
  out.add(number(record.backoff.failures()));
  for (const Time time : record.backoff.failure_times()) {
    out.add(frame.age(time));
  }
  add_pods(record.ignored, frame, out);
  out.add(number(record.baseline));
  out.add(record.suspending ? 1 : 0);
  out.add(record.counts.entries().size());
  for (const auto& [index, entry] : record.counts.entries()) {
    out.add(number(index));
    out.add(number(entry.failures.counted));
    out.add(number(entry.failures.ignored));
    out.add(frame.age(entry.last));
  }
  out.add(record.rules.size());
  for (const auto& [rule, known] : record.rules) {
    out.add(number(rule));
    out.add(number(known.failures));
    for (const Time time : known.recent.failure_times()) {
      out.add(frame.age(time));
    }
  }
}

void Fingerprint::job(const JobView& job, const Frame& frame, Digest& out) {
  out.add(frame.job_version - job.rv);
  out.add(number(frame.generation - job.generation));
  out.add(job.deleting ? 1 : 0);
  out.add(job.spec.suspend ? 1 : 0);
  out.add(number(job.spec.parallelism));
  out.add(number(job.spec.completions.value_or(-1)));
  out.add_text(job.completed_at_start.value_or("-"));
  status(job.status, frame, out);
  record(parse_record(job.record), frame, out);
}

void Fingerprint::lost(const LostOutcomes& lost, const Frame& frame, Digest& out) {
  out.add(number(lost.succeeded));
  out.add(number(lost.taken));
  out.add(number(lost.failed));
  for (const LostOutcomes::End& end : lost.finished) {
    out.add(frame.age(end.at) * 2 + (end.succeeded ? 1 : 0));
    out.add(number(end.rule));
  }
}

void Fingerprint::draft(const State& state, const StatusDraft& draft, const Frame& frame,
                        Digest& out) {
  out.add(frame.job_version - draft.write->base_rv);
  status(draft.write->status, frame, out);
  record(draft.record ? *draft.record : state.record(), frame, out);
  std::vector<std::pair<uint64_t, uint64_t>> items;
  for (const StatusDraft::Item& item : draft.items) {
    items.emplace_back(frame.pod(state.uids_.text(item.uid)),
                       static_cast<uint64_t>(item.as) * 2 + (item.taken ? 1 : 0));
  }
  std::sort(items.begin(), items.end());
  for (const auto& [pod, as] : items) {
    out.add(pod);
    out.add(as);
  }
  lost(draft.lost, frame, out);
}

void Fingerprint::queue(const State& state, const SlotQueue& slots, const Frame& frame,
                        Digest& out) {
  for (Slot slot = slots.front(); slot != kNoSlot; slot = state.pods_.at(slot).queue_next) {
    out.add(frame.pod(state.uid_text(slot)));
  }
  out.add(0);
}

void Fingerprint::set(const StoredSet& set, Digest& out) {
  out.add(bits(set.found_));
  out.add(bits(set.stored_));
  out.add(bits(set.fresh_));
  out.add(bits(set.sent_));
  out.add((set.dirty_ ? 1 : 0) | (set.sent_dirty_ ? 2 : 0));
}

void Fingerprint::indexes(const Indexes& indexes, const Frame& frame, Digest& out) {
  set(indexes.completed, out);
  set(indexes.failed, out);
  out.add(bits(indexes.lost_completed_));
  out.add(bits(indexes.lost_failed_));
  out.add(bits(indexes.busy_));
  out.add(bits(indexes.cooling_));
  out.add(number(indexes.hint_));
  out.add(number(indexes.frontier_));
  std::vector<std::pair<uint64_t, int64_t>> waiting;
  for (const auto& [time, index] : indexes.waiting_) {
    waiting.emplace_back(frame.left(time), index);
  }
  std::sort(waiting.begin(), waiting.end());
  waiting.erase(std::unique(waiting.begin(), waiting.end()), waiting.end());
  out.add(waiting.size());
  for (const auto& [left, index] : waiting) {
    out.add(left);
    out.add(number(index));
  }
}

void Fingerprint::retry(const Retry& retry, const Frame& frame, Digest& out) {
  out.add((retry.failed_ ? 1 : 0) | (retry.succeeded_ ? 2 : 0));
  out.add(number(retry.wait_.count()));
  out.add(frame.left(retry.not_before_));
}

uint64_t Fingerprint::pod(const Engine& engine, std::string_view uid, const Frame& frame) {
  const State& state = engine.state_;
  const Slot slot = state.find(uid);
  if (slot == kNoSlot) {
    return 0;
  }
  const PodRecord& pod = state.pods_.at(slot);
  Digest out;
  out.add(frame.pod_version(uid) - pod.rv);
  out.add(frame.age(pod.created));
  out.add(frame.age(pod.stamp));
  for (const int32_t value :
       {pod.index, pod.failures, pod.ignored_failures, pod.restarts, int32_t{pod.rule}}) {
    out.add(number(value));
  }
  out.add(static_cast<uint64_t>(pod.phase) << 24 | static_cast<uint64_t>(pod.action) << 16 |
          static_cast<uint64_t>(pod.accounted) << 8 | static_cast<uint64_t>(pod.todo));
  uint64_t flags = 0;
  for (const bool flag :
       {bool{pod.ready}, bool{pod.has_node}, bool{pod.has_finalizer}, bool{pod.deleting},
        bool{pod.dropped}, bool{pod.condemned}, bool{pod.duplicate}, bool{pod.held},
        bool{pod.moved}, bool{pod.batched}, bool{pod.queued}, bool{pod.in_flight}, bool{pod.let_go},
        bool{pod.released}, bool{pod.marked}, bool{pod.deleted}}) {
    flags = flags << 1 | (flag ? 1 : 0);
  }
  out.add(flags);
  return out.value() | 1;
}

void Fingerprint::engine(const Engine& engine, const Frame& frame, Digest& out) {
  const State& state = engine.state_;
  job(state.job_, frame, out);
  for (const SlotQueue& slots : state.queues_.queues_) {
    queue(state, slots, frame, out);
  }
  record(state.memory_.record_, frame, out);
  for (const int32_t index : state.memory_.given_up_) {
    out.add(number(index));
  }
  indexes(state.indexes_, frame, out);
  const auto met = state.success_policy_.first_met();
  out.add(met ? *met + 1 : 0);
  if (state.fail_job_) {
    out.add(frame.pod(state.fail_job_->uid));
    out.add_text(state.fail_job_->reason);
  }
  lost(state.lost_, frame, out);
  uint64_t flags = 0;
  for (const bool flag :
       {state.lists_touched_, engine.listed_, engine.refresh_job_, engine.relist_pods_,
        engine.put_off_, engine.unknown_mode_told_, engine.bad_start_told_.has_value(),
        engine.status_answered_, engine.status_.has_value(), engine.kept_.doubtful_}) {
    flags = flags << 1 | (flag ? 1 : 0);
  }
  out.add(flags);
  if (engine.status_) {
    draft(state, *engine.status_, frame, out);
  }
  for (const int64_t index : engine.writes_.creates_) {
    if (index != WritesInFlight::kAnswered) {
      out.add(number(index));
    }
  }
  std::vector<uint64_t> writes;
  for (const auto& [uid, write] : engine.writes_.changes_) {
    writes.push_back(frame.pod(uid) * 4 + static_cast<uint64_t>(write.op));
  }
  std::sort(writes.begin(), writes.end());
  for (const uint64_t write : writes) {
    out.add(write);
  }
  add_pods({engine.writes_.gone_.begin(), engine.writes_.gone_.end()}, frame, out);
  out.add(number(engine.create_batch_));
  retry(engine.status_retry_, frame, out);
  out.add(number(engine.status_failures_));
  retry(engine.create_retry_, frame, out);
  for (const Retry& each : engine.pod_retries_) {
    retry(each, frame, out);
  }
}

}  // namespace windlass::engine
