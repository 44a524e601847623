#include "job/state.h"

#include <algorithm>
#include <limits>
#include <tuple>
#include <utility>

#include "base/check.h"
#include "base/whole_second.h"
#include "job/conditions.h"

namespace windlass::job {
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

// When the pod finished at the latest. Once seen to have ended, it has not ended later.
Time finished_at(const PodRecord& before, const PodView& pod, std::optional<Time> seen) {
  const Time told = finish_time(pod);
  const Time latest = latest_instant(told, seen.value_or(Time::max()));
  const bool is_known = before.phase == pod.phase && second_of(before.stamp) == told &&
                        (before.deleting || !pod.deletion_time);
  return is_known ? std::min(before.stamp, latest) : latest;
}

int phase_rank(Phase phase) {
  return phase == Phase::running ? 2 : phase == Phase::unknown ? 1 : 0;
}

}  // namespace

void LostOutcomes::add(const LostOutcomes& other) {
  succeeded += other.succeeded;
  taken += other.taken;
  failed += other.failed;
  finished.insert(finished.end(), other.finished.begin(), other.finished.end());
}

bool remove_before(const PodRecord& a, const PodRecord& b) {
  const auto early = [](const PodRecord& pod) {
    return std::tuple(pod.has_node, phase_rank(pod.phase), bool{pod.ready});
  };
  if (early(a) != early(b)) {
    return early(a) < early(b);
  }
  if (a.ready && a.stamp != b.stamp) {
    const bool unknown = a.stamp == Time() || b.stamp == Time();
    return unknown ? a.stamp == Time() : a.stamp > b.stamp;
  }
  if (a.max_restarts != b.max_restarts) {
    return a.max_restarts > b.max_restarts;
  }
  if (a.max_sidecar_restarts != b.max_sidecar_restarts) {
    return a.max_sidecar_restarts > b.max_sidecar_restarts;
  }
  if (a.created != b.created) {
    const bool unknown = a.created == Time() || b.created == Time();
    return unknown ? a.created == Time() : a.created > b.created;
  }
  return a.uid < b.uid;
}

State::State(const Options& options, const JobView& job) : options_(options), pods_(job.name) {
  job_ = job;
  load_status(job);
  facts_ = derive_facts(job_, options_);
  load_record();
  rebuild();
  load_uncounted();
}

bool State::observe_job(JobView job) {
  if (job.uid != job_.uid || (job.rv != 0 && job_.rv != 0 && job.rv < job_.rv)) {
    return false;
  }
  const Facts facts = derive_facts(job, options_);
  const bool indexes_changed = job.status.completed_indexes != job_.status.completed_indexes ||
                               job.status.failed_indexes != job_.status.failed_indexes;
  const bool rebuilds = facts != facts_ || indexes_changed || job.generation != job_.generation;
  const bool record_changed = job.record != job_.record;
  const bool lists_changed = job.status.uncounted != job_.status.uncounted || record_changed;
  if (indexes_changed || facts.bound != facts_.bound) {
    load_status(job);
  }
  job_ = std::move(job);
  facts_ = facts;
  if (record_changed) {
    load_record();
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

void State::load_record() {
  bool readable = true;
  const Record read = parse_record(job_.record, &readable);
  unreadable_ = unreadable_ || !readable;
  stored_counts_ = read.counts;
  record_ = merge_record(record_, read);
}

// What the annotation lacks the pods tell: it may have been removed or edited while no controller
// ran. Pods that are yet to be accounted for enter the record then.
void State::learn_backoff() {
  if (facts_.per_index) {
    return;  // 7.11
  }
  Record shown;
  for (Slot slot = 0; slot < pods_.end(); ++slot) {
    const PodRecord& pod = pods_.at(slot);
    const bool waits = pod.has_finalizer && pod.accounted == Accounted::no;
    if (!pod.in_use || waits || pod.deleting || !has_valid_index(pod, facts_)) {
      continue;
    }
    if (pod.phase == Phase::succeeded) {
      shown.backoff.add_success(pod.stamp);
    } else if (pod.phase == Phase::failed && !pod.dropped) {
      shown.backoff.add_failure(pod.stamp);
    }
  }
  // Of a pod that ended before this life began only the second is known.
  record_ = merge_record(shown, record_, true);
}

void State::load_status(const JobView& job) {
  const Facts facts = derive_facts(job, options_);
  indexes_.completed.load(facts.indexed ? job.status.completed_indexes : "", facts.bound, nullptr);
  indexes_.failed.load(facts.per_index ? job.status.failed_indexes.value_or("") : "", facts.bound,
                       &indexes_.completed.stored());
}

// Whether a pod is accounted for is what the stored lists say now, no more and no less.
void State::load_uncounted() {
  const std::vector<std::pair<Uid, Accounted>> before = std::exchange(accounted_, {});
  const auto take = [this](const std::vector<std::string>& uids, Accounted accounted) {
    for (const std::string& uid : uids) {
      accounted_.emplace_back(uids_.intern(uid), accounted);
    }
  };
  take(uncounted(job_.status).failed, Accounted::failed);  // failed wins over succeeded (5.9)
  take(uncounted(job_.status).succeeded, Accounted::succeeded);
  if (!facts_.per_index) {
    take(record_.ignored, Accounted::ignored);
  }
  const auto by_uid = [](const auto& a, const auto& b) { return a.first < b.first; };
  std::stable_sort(accounted_.begin(), accounted_.end(), by_uid);
  for (const auto& [uid, accounted] : before) {
    set_accounted(uid, stored_account(uid));
  }
  for (const auto& [uid, accounted] : accounted_) {
    set_accounted(uid, stored_account(uid));
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

Accounted State::stored_account(Uid uid) const {
  const auto before = [](const auto& entry, Uid wanted) { return entry.first < wanted; };
  const auto found = std::lower_bound(accounted_.begin(), accounted_.end(), uid, before);
  return found != accounted_.end() && found->first == uid ? found->second : Accounted::no;
}

void State::rebuild() {
  indexes_.reset(facts_.bound);
  tally_ = Tally();
  to_account_ = to_release_ = to_remove_ = to_record_ = SlotQueue();
  forgotten_.clear();
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
    erase(slot);  // someone edited the annotation
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
  change(slot, [&](PodRecord& record) { fill(record, pod, seen); });
  if (before.has_finalizer && !pods_.at(slot).has_finalizer) {
    note_lost(before);
  }
}

Slot State::insert(Uid uid, int32_t index, const PodView& pod) {
  const Slot slot = pods_.insert(uid);
  PodRecord& record = pods_.at(slot);
  record.index = index;
  record.phase = Phase::succeeded;  // counts for nothing until it is filled
  record.accounted = stored_account(uid);
  if (index >= 0) {
    pods_.link(slot);
  }
  pods_.set_name(slot, pod.name);
  return slot;
}

void State::fill(PodRecord& record, const PodView& pod, std::optional<Time> seen) {
  const Time finished = finished_at(record, pod, seen);
  record.rv = std::max(record.rv, pod.rv);
  record.phase = pod.phase;
  record.created = pod.created;
  record.has_node = pod.has_node;
  record.has_finalizer = pod.has_finalizer && !record.released;
  record.deleting = pod.deletion_time.has_value() || record.deleted;
  record.dropped = pod.dropped || record.marked;
  record.failures = parse_failure_count(pod.failure_count);
  record.ignored_failures = parse_failure_count(pod.ignored_failure_count);
  record.ready = false;
  record.moved = record.held && record.stamp != finished;
  record.stamp = finished;
  for (const PodCondition& condition : pod.conditions) {
    if (condition.type == "Ready" && condition.status == ConditionStatus::is_true) {
      record.ready = true;
      record.stamp = record.is_active() ? condition.last_transition.value_or(Time()) : record.stamp;
    }
  }
  int64_t sum = 0;
  int32_t regular = 0;
  int32_t sidecar = 0;
  for (const ContainerView& container : pod.containers) {
    const int32_t restarts = std::max(container.restarts, 0);
    sum += restarts;
    regular = container.init ? regular : std::max(regular, restarts);
    sidecar = container.sidecar ? std::max(sidecar, restarts) : sidecar;
  }
  constexpr int32_t kMaxShort = std::numeric_limits<uint16_t>::max();
  record.restarts =
      static_cast<int32_t>(std::min<int64_t>(sum, std::numeric_limits<int32_t>::max()));
  record.max_restarts = static_cast<uint16_t>(std::min(regular, kMaxShort));
  record.max_sidecar_restarts = static_cast<uint16_t>(std::min(sidecar, kMaxShort));
  judge(record, pod);
}

void State::judge(PodRecord& record, const PodView& pod) {
  record.action = Action::none;
  if (!facts_.policy) {
    return;
  }
  const Verdict verdict = match_failure_policy(*job_.spec.failure_policy, pod, facts_.per_index);
  record.action = verdict.action;
  // 2.30, 10.75: only pods that are tracked, and not those that scaling removed.
  if (verdict.action == Action::fail_job && record.has_finalizer &&
      counts_as_failed(record, facts_)) {
    note_fail_job(record, pod, verdict);
  }
}

void State::note_fail_job(const PodRecord& record, const PodView& pod, const Verdict& verdict) {
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
  // What is in a status write under way is looked after by whoever ends that write. What was let
  // go without being counted counts for nothing, however it ended on the way (C1).
  if (record.accounted != Accounted::no || record.batched || record.let_go || facts_.finished) {
    return;
  }
  note_count(record);
  add_lost(record.index, evidence(record));
  LostOutcomes lost;
  if (is_new_success(record, facts_)) {
    lost.succeeded = 1;
    lost.taken = is_taken_success(record, facts_) ? 1 : 0;
  } else if (is_new_failure(record, facts_)) {
    lost.failed = 1;
  } else {
    return;
  }
  lost.finished.emplace_back(record.stamp, lost.succeeded > 0);
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
  if (record.queued) {
    pods_.remove(queue(record.todo), slot);
  }
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
  if (stored_account(record.uid) == Accounted::no) {
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
  const int64_t taken = record_.baseline + tally_.new_taken + lost_.taken;
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
  // So that observing the answer does not look like a change by someone else.
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

}  // namespace windlass::job
