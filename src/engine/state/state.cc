#include "engine/state/state.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include "base/check.h"
#include "engine/state/record_time.h"
#include "engine/status/conditions.h"

namespace windlass::engine {
namespace {

const UncountedPods kNoneUncounted;

const UncountedPods& uncounted(const JobStatus& status) {
  return status.uncounted ? *status.uncounted : kNoneUncounted;
}

int64_t length(const std::vector<std::string>& list) {
  return static_cast<int64_t>(list.size());
}

Time second_of(Time time) {
  return std::chrono::floor<seconds>(time);
}

}  // namespace

void LostOutcomes::add(const LostOutcomes& other) {
  succeeded += other.succeeded;
  taken += other.taken;
  failed += other.failed;
  finished.insert(finished.end(), other.finished.begin(), other.finished.end());
}

State::State(const Options& options, const JobView& job) : options_(options), pods_(job.name) {
  job_ = job;
  load_status(job);
  facts_ = derive_facts(job_, options_);
  memory_.load(job_.record);
  rebuild();
  load_uncounted();
}

bool State::observe_job(JobView job) {
  if (job.uid != job_.uid || (job.rv != 0 && job_.rv != 0 && job.rv < job_.rv)) {
    return false;
  }
  const Facts facts = derive_facts(job, options_);
  const bool indexes_changed = job.status.completed_indexes != job_.status.completed_indexes ||
                               job.status.failed_indexes != job_.status.failed_indexes ||
                               job.completed_at_start != job_.completed_at_start;
  const bool rebuilds = facts != facts_ || indexes_changed || job.generation != job_.generation;
  const bool record_changed = job.record != job_.record;
  const bool lists_changed = job.status.uncounted != job_.status.uncounted || record_changed;
  if (indexes_changed || facts.bound != facts_.bound) {
    load_status(job);
  }
  job_ = std::move(job);
  facts_ = facts;
  if (record_changed) {
    memory_.load(job_.record);
  }
  if (rebuilds) {
    rebuild();
  } else if (record_changed) {
    wait_for_counts();
  }
  if (lists_changed) {
    load_uncounted();
  }
  return true;
}

// What the annotation lacks the pods tell: it may have been removed or edited while no controller
// ran. Pods that are yet to be accounted for enter the record then.
void State::learn_backoff() {
  if (!facts_.per_index) {  // 7.11
    memory_.learn(shown_record(pods_, facts_, job_.spec));
  }
}

void State::load_status(const JobView& job) {
  const Facts facts = derive_facts(job, options_);
  const SharedText completed =
      facts.inherits ? SharedText(*job.completed_at_start) : job.status.completed_indexes;
  indexes_.completed.load(facts.indexed ? completed : "", facts.bound, nullptr);
  if (facts.inherits) {
    indexes_.completed.set_unwritten();
  }
  indexes_.failed.load(facts.per_index ? job.status.failed_indexes.value_or("") : "", facts.bound,
                       &indexes_.completed.stored());
}

// Whether a pod is accounted for is what the stored lists say now, no more and no less.
void State::load_uncounted() {
  const StoredAccounts::Entries before = accounts_.clear();
  const auto take = [this](const std::vector<std::string>& uids, Accounted accounted) {
    for (const std::string& uid : uids) {
      accounts_.add(uids_.intern(uid), accounted);
    }
  };
  take(uncounted(job_.status).failed, Accounted::failed);  // failed wins over succeeded (5.9)
  take(uncounted(job_.status).succeeded, Accounted::succeeded);
  if (!facts_.per_index) {
    take(memory_.record().ignored, Accounted::ignored);
  }
  accounts_.sort();
  for (const auto& [uid, accounted] : before) {
    set_accounted(uid, accounts_.find(uid));
  }
  for (const auto& [uid, accounted] : accounts_.entries()) {
    set_accounted(uid, accounts_.find(uid));
  }
  lists_touched_ = true;
}

void State::set_accounted(Uid uid, Accounted accounted) {
  const Slot slot = pods_.find(uid);
  if (slot == kNoSlot) {
    if (accounted == Accounted::no) {
      uids_.forget(uid);
    }
  } else if (pods_.at(slot).accounted != accounted) {
    change(slot, [accounted](PodRecord& record) { record.accounted = accounted; });
  }
}

void State::rebuild() {
  indexes_.reset(facts_.bound);
  tally_ = Tally();
  queues_ = StepQueues();
  memory_.retry_given_up();
  for (Slot slot = 0; slot < pods_.end(); ++slot) {
    PodRecord& record = pods_.at(slot);
    if (!record.in_use) {
      continue;
    }
    record.held = false;
    record.queued = false;
    record.todo = Todo::nothing;
    record.condemned = record.condemned && !record.has_finalizer;
    add_pod(tally_, record, facts_, 1);
  }
  const auto for_each_chain = [this](auto use) {
    for (Slot slot = 0; slot < pods_.end(); ++slot) {
      if (pods_.at(slot).in_use && pods_.at(slot).previous == kNoSlot) {
        use(pods_.at(slot).index, slot);
      }
    }
  };
  // Before it is known which indexes are done nothing can be said about their pods.
  success_policy_ = SuccessPolicy();
  for_each_chain([this](int32_t index, Slot head) { judge_index(index, head); });
  const std::vector<SuccessRule> none;
  success_policy_ = SuccessPolicy(job_.spec.success_policy.value_or(none), facts_.bound,
                                  indexes_.completed.found());
  for_each_chain([this](int32_t, Slot head) { settle(head); });
  wait_for_counts();
}

template <class Change>
void State::change(Slot slot, Change change) {
  PodRecord& record = pods_.at(slot);
  const bool was_tracked = record.has_finalizer;
  add_pod(tally_, record, facts_, -1);
  change(record);
  add_pod(tally_, record, facts_, 1);
  lists_touched_ =
      lists_touched_ || (record.accounted != Accounted::no && was_tracked != record.has_finalizer);
  settle(slot);
}

void State::observe_pod(const PodView& pod, std::optional<Time> seen) {
  Uid uid = uids_.intern(pod.uid);
  const int32_t index =
      facts_.indexed ? static_cast<int32_t>(parse_index(pod.completion_index)) : -1;
  Slot slot = pods_.find(uid);
  if (slot != kNoSlot && pods_.at(slot).index != index) {
    erase(slot);  // its annotation was edited
    slot = kNoSlot;
    uid = uids_.intern(pod.uid);
  }
  if (slot == kNoSlot) {
    slot = insert(uid, index, pod);
  }
  const PodRecord before = pods_.at(slot);
  pods_.at(slot).listed = true;
  if (pod.rv != 0 && pod.rv < before.rv) {
    return;
  }
  change(slot, [&](PodRecord& record) {
    read_pod(record, pod, seen);
    judge(record, pod);
  });
  if (before.has_finalizer && !pods_.at(slot).has_finalizer) {
    note_lost(before);
  }
}

Slot State::insert(Uid uid, int32_t index, const PodView& pod) {
  const Slot slot = pods_.insert(uid);
  PodRecord& record = pods_.at(slot);
  record.index = index;
  record.phase = Phase::succeeded;  // counts for nothing until it is filled
  record.accounted = accounts_.find(uid);
  if (index >= 0) {
    pods_.link(slot);
  }
  pods_.set_name(slot, pod.name);
  return slot;
}

void State::judge(PodRecord& record, const PodView& pod) {
  record.action = Action::none;
  record.rule = -1;
  if (!facts_.policy) {
    return;
  }
  const RuleMatch verdict = match_failure_policy(*job_.spec.failure_policy, pod, facts_.per_index);
  record.action = verdict.action;
  record.rule = static_cast<int8_t>(verdict.rule < kMaxFailureRules ? verdict.rule : -1);
  // 2.30, 10.75: only pods that are tracked, and not those that scaling removed.
  if (verdict.action == Action::fail_job && record.has_finalizer &&
      counts_as_failed(record, facts_)) {
    note_fail_job(record, pod, verdict);
  }
}

void State::note_fail_job(const PodRecord& record, const PodView& pod, const RuleMatch& verdict) {
  FailJobMatch match{second_of(record.stamp), record.index, pod.uid, "", ""};
  if (fail_job_ && fail_job_->order() <= match.order()) {
    return;
  }
  match.reason = failure_reason(*job_.spec.failure_policy, verdict.rule,
                                options_.gates.pod_failure_policy_name);
  match.message = failure_message(verdict, job_.namespace_name, pod.name);
  fail_job_ = std::move(match);
}

void State::note_lost(const PodRecord& record) {
  // What is in a status write under way is settled when that write is answered. What was let
  // go without being counted counts for nothing, however it ended on the way (C1).
  if (record.accounted != Accounted::no || record.batched || record.let_go || facts_.finished) {
    return;
  }
  note_count(record);
  add_lost(record.index, evidence(record, facts_));
  LostOutcomes lost;
  if (is_new_success(record, facts_)) {
    lost.succeeded = 1;
    lost.taken = is_taken_success(record, facts_) ? 1 : 0;
  } else if (is_new_failure(record, facts_)) {
    lost.failed = 1;
  } else {
    return;
  }
  lost.finished.push_back({record.stamp, lost.succeeded > 0, record.rule});
  add_lost(lost);
}

void State::add_lost(int32_t index, IndexEvidence shown) {
  if (index >= 0 && index < facts_.bound && (shown.succeeded || shown.failed)) {
    indexes_.remember(index, shown);
    settle_index(index, pods_.head(index));
  }
}

void State::add_lost(const LostOutcomes& lost) {
  lost_.add(lost);
}

LostOutcomes State::take_lost() {
  return std::exchange(lost_, LostOutcomes());
}

void State::observe_gone(std::string_view uid) {
  const Slot slot = find(uid);
  if (slot == kNoSlot) {
    return;
  }
  const PodRecord before = pods_.at(slot);
  erase(slot);
  if (before.has_finalizer) {
    note_lost(before);
  }
}

void State::erase(Slot slot) {
  const PodRecord record = pods_.at(slot);
  add_pod(tally_, record, facts_, -1);
  lists_touched_ = lists_touched_ || record.accounted != Accounted::no;
  queues_.take_out(pods_, slot);
  if (record.index >= 0) {
    pods_.unlink(slot);
  }
  pods_.erase(slot);
  if (record.index >= 0) {
    if (record.held) {
      indexes_.set_ready_at(record.index, std::nullopt);
    }
    settle_index(record.index, pods_.head(record.index));
  }
  if (accounts_.find(record.uid) == Accounted::no) {
    uids_.forget(record.uid);
  }
}

void State::begin_list() {
  listing_ = true;
  for (Slot slot = 0; slot < pods_.end(); ++slot) {
    pods_.at(slot).listed = false;
  }
}

void State::end_list() {
  CHECK(listing_, "end_list() ends what begin_list() began");
  listing_ = false;
  for (Slot slot = 0; slot < pods_.end(); ++slot) {
    if (pods_.at(slot).in_use && !pods_.at(slot).listed) {
      observe_gone(uid_text(slot));
    }
  }
  if (!std::exchange(learned_, true)) {
    learn_backoff();
  }
}

Slot State::find(std::string_view uid) const {
  const auto found = uids_.find(uid);
  return found ? pods_.find(*found) : kNoSlot;
}

int64_t State::succeeded() const {
  if (facts_.indexed) {
    return indexes_.completed.found().size();
  }
  return job_.status.succeeded + length(uncounted(job_.status).succeeded) + tally_.new_succeeded +
         lost_.succeeded;
}

int64_t State::failed() const {
  return job_.status.failed + length(uncounted(job_.status).failed) + tally_.new_failed +
         lost_.failed;
}

int64_t State::succeeded_since_resume() const {
  const int64_t taken = memory_.record().baseline + tally_.new_taken + lost_.taken;
  return std::max<int64_t>(0, succeeded() - taken);
}

void State::set_deleted(Slot slot) {
  change(slot, [](PodRecord& record) { record.deleted = record.deleting = true; });
}

void State::set_dropped(Slot slot) {
  change(slot, [](PodRecord& record) { record.marked = record.dropped = true; });
}

void State::set_released(Slot slot) {
  change(slot, [](PodRecord& record) {
    record.released = true;
    record.has_finalizer = false;
  });
}

void State::set_in_flight(Slot slot, bool in_flight) {
  pods_.at(slot).in_flight = in_flight;
  refresh(slot);  // it bears on nothing else of its index
}

void State::set_batched(Slot slot, bool batched) {
  pods_.at(slot).batched = batched;
  settle(slot);
}

void State::condemn(Slot slot) {
  pods_.at(slot).condemned = true;
  settle(slot);
}

std::pair<int64_t, int64_t> State::commit_indexes(SharedText completed,
                                                  std::optional<SharedText> failed) {
  // So that observing the answer does not look like a change by another client.
  job_.status.completed_indexes = std::move(completed);
  job_.status.failed_indexes = std::move(failed);
  const int64_t newly_completed = indexes_.completed.commit_write();
  return {newly_completed, indexes_.failed.commit_write()};
}

void State::abort_indexes() {
  for (StoredSet* set : {&indexes_.completed, &indexes_.failed}) {
    for (const int64_t index : set->abort_write()) {
      settle_index(static_cast<int32_t>(index), pods_.head(static_cast<int32_t>(index)));
    }
  }
}

void State::judge_index(int32_t index, Slot head) {
  if (index < 0 || index >= facts_.bound || facts_.finished) {
    return;
  }
  IndexEvidence shown;
  for (Slot slot = head; slot != kNoSlot; slot = pods_.at(slot).next) {
    shown.add(evidence(pods_.at(slot), facts_));
  }
  if (const int change = indexes_.judge(index, shown); change != 0) {
    success_policy_.add_success(index, change);
  }
}

void State::settle(Slot slot) {
  const PodRecord& record = pods_.at(slot);
  if (record.index >= 0) {
    settle_index(record.index, pods_.head_of(slot));
  } else {
    refresh(slot);
  }
}

void State::settle_index(int32_t index, Slot head) {
  judge_index(index, head);
  int32_t active = 0;
  int32_t terminating = 0;
  for (Slot slot = head; slot != kNoSlot; slot = pods_.at(slot).next) {
    active += pods_.at(slot).is_active() ? 1 : 0;
    terminating += pods_.at(slot).is_terminating() ? 1 : 0;
  }
  if (index < facts_.bound) {
    indexes_.set_busy(index, active > 0 || (facts_.only_failed && terminating > 0));
  }
  if (facts_.per_index) {
    hold_last_failed_of(index, head, active > 0);
  }
  if (facts_.scaling()) {
    mark_duplicates(pods_, head, active);
  }
  for (Slot slot = head; slot != kNoSlot; slot = pods_.at(slot).next) {
    refresh(slot);
  }
}

void State::hold_last_failed_of(int32_t index, Slot head, bool active) {
  const bool open = facts_.scaling() && !active && index < facts_.bound && indexes_.is_open(index);
  if (hold_last_failed(pods_, head, open, facts_)) {
    indexes_.set_ready_at(index, std::nullopt);
    if (open) {
      indexes_.set_ready_at(index, held_until(index));
    }
  }
}

std::optional<Time> State::held_until(int64_t index) const {
  std::optional<Time> until;
  const auto wait = [&](Time last, IndexFailures failures) {  // 7.12
    const Time at = last + backoff_delay(int64_t{failures.counted} + failures.ignored, options_);
    until = std::max(until.value_or(at), at);
  };
  if (const Slot slot = held_pod(pods_, static_cast<int32_t>(index)); slot != kNoSlot) {
    wait(pods_.at(slot).stamp, index_failures(index));
  }
  if (const Time last = memory_.record().counts.last(index); last != Time()) {
    wait(last, memory_.record().counts.find(index));
  }
  return until;
}

IndexFailures State::index_failures(int64_t index) const {
  IndexFailures known = memory_.record().counts.find(index);
  // With more the index would have ended: a number that was edited ends none by itself.
  known.counted = std::min(known.counted, facts_.index_limit);
  const Slot slot = held_pod(pods_, static_cast<int32_t>(index));
  return slot == kNoSlot ? known : highest(known, carried(pods_.at(slot), facts_));
}

Todo State::todo_of(const PodRecord& record) const {
  const Todo todo = next_step(record, facts_, indexes_);
  const bool goes = todo == Todo::release || todo == Todo::remove;
  return goes && must_record(record) ? Todo::record : todo;
}

bool State::handle_ignored(Slot slot) {
  PodRecord& record = pods_.at(slot);
  const bool ignored = record.action == Action::ignore && record.phase == Phase::failed &&
                       record.accounted == Accounted::no && !facts_.finished &&
                       has_valid_index(record, facts_) && counts_as_failed(record, facts_);
  const bool is_first = ignored && !record.handled;
  record.handled = record.handled || ignored;
  return is_first;
}

void State::refresh(Slot slot) {
  ++visits_;
  const PodRecord& record = pods_.at(slot);
  const bool waits = record.in_flight || record.batched;
  queues_.place(pods_, slot, waits ? Todo::nothing : todo_of(record));
}

bool State::has(Todo todo) {
  for (Slot slot = queues_.front(todo); slot != kNoSlot; slot = queues_.front(todo)) {
    if (todo_of(pods_.at(slot)) == todo) {
      return true;
    }
    refresh(slot);  // its index was stored in the meantime
  }
  return false;
}

Slot State::pop(Todo todo) {
  if (!has(todo)) {
    return kNoSlot;
  }
  const Slot slot = queues_.front(todo);
  queues_.take_out(pods_, slot);
  return slot;
}

bool State::must_record(const PodRecord& record) const {
  // What is accounted for was carried on by another pod, or was the end of its index.
  if (!facts_.per_index || !facts_.scaling() || record.index < 0 ||
      record.phase == Phase::succeeded || record.accounted != Accounted::no ||
      !indexes_.is_open(record.index)) {
    return false;
  }
  const IndexFailures failures = carried(record, facts_);
  // 3.30: beyond the completions the end of an index is forgotten, and so is what led to it.
  const bool ended = failures.counted > facts_.index_limit ||
                     (record.action == Action::fail_index && counts_as_failed(record, facts_));
  // Its own failure may have been stored when it was seen to end earlier.
  const bool fails = failures != IndexFailures{record.failures, record.ignored_failures};
  const bool stored =
      memory_.is_stored(record.index, failures) &&
      (!fails || memory_.stored_counts().last(record.index) >= as_recorded(record.stamp));
  return !ended && !stored && !memory_.is_given_up(record.index) &&
         !has_carrier(pods_, record.index, failures, facts_);
}

void State::note_count(const PodRecord& record) {
  if (!facts_.per_index || record.index < 0) {
    return;
  }
  const bool failed = record.has_finalizer && counts_as_failed(record, facts_);
  memory_.raise(record.index, carried(record, facts_), failed ? record.stamp : Time());
  wait_for_count(record.index);
}

size_t State::gather_counts() {
  std::vector<Slot> going;
  for (Slot slot = queues_.front(Todo::record); slot != kNoSlot; slot = pods_.at(slot).queue_next) {
    going.push_back(slot);
  }
  for (const Slot slot : going) {
    note_count(pods_.at(slot));
  }
  const size_t dropped = memory_.fit();
  for (const Slot slot : going) {
    refresh(slot);
  }
  return dropped;
}

IndexCounts State::needed_counts() const {
  IndexCounts needed;
  if (facts_.decided()) {
    return needed;
  }
  for (const auto& [index, entry] : memory_.record().counts.entries()) {
    const bool over = index < facts_.bound && (!indexes_.is_open(index) ||
                                               has_carrier(pods_, index, entry.failures, facts_));
    if (!over) {
      needed.raise(index, entry.failures, entry.last);
    }
  }
  return needed;
}

void State::wait_for_count(int32_t index) {
  if (memory_.record().counts.last(index) != Time() && index < facts_.bound && facts_.per_index &&
      facts_.scaling() && indexes_.is_open(index)) {
    indexes_.set_ready_at(index, held_until(index));
  }
}

void State::wait_for_counts() {
  for (const auto& [index, entry] : memory_.record().counts.entries()) {
    wait_for_count(index);
  }
}

}  // namespace windlass::engine
