#include "engine/state/pod_record.h"

#include <algorithm>
#include <limits>
#include <tuple>

#include "base/time.h"
#include "engine/policy/backoff.h"

namespace windlass::engine {
namespace {

// When the pod finished at the latest. Once seen to have ended, it has not ended later.
Time finished_at(const PodRecord& before, const PodView& pod, std::optional<Time> seen) {
  const Time told = finish_time(pod);
  const Time latest = latest_instant(told, seen.value_or(Time::max()));
  const bool is_known = before.phase == pod.phase &&
                        std::chrono::floor<seconds>(before.stamp) == told &&
                        (before.deleting || !pod.deletion_time);
  return is_known ? std::min(before.stamp, latest) : latest;
}

int phase_rank(Phase phase) {
  return phase == Phase::running ? 2 : phase == Phase::unknown ? 1 : 0;
}

}  // namespace

void read_pod(PodRecord& record, const PodView& pod, std::optional<Time> seen) {
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
}

IndexEvidence evidence(const PodRecord& record, const Facts& facts) {
  if (!facts.indexed || !record.has_finalizer) {
    return {};
  }
  // 5.9: a pod that is stored as failed stays failed.
  const bool succeeded = record.phase == Phase::succeeded && record.accounted != Accounted::failed;
  return {succeeded, !succeeded && ends_index(record, facts)};
}

IndexFailures carried(const PodRecord& record, const Facts& facts) {
  const IndexFailures before{record.failures, record.ignored_failures};
  if (!record.has_finalizer || !counts_as_failed(record, facts)) {
    return before;
  }
  return record.action == Action::ignore
             ? IndexFailures{before.counted, next_count(before.ignored)}
             : IndexFailures{next_count(before.counted), before.ignored};
}

Counted counted_as(const PodRecord& record, const Facts& facts, const Indexes& indexes) {
  switch (record.accounted) {
    case Accounted::succeeded:
      return Counted::succeeded;
    case Accounted::failed:
      return Counted::failed;
    case Accounted::ignored:
      return Counted::ignored;
    case Accounted::no:
      break;
  }
  if (!has_valid_index(record, facts)) {
    return Counted::none;
  }
  if (record.phase == Phase::succeeded && facts.indexed) {
    return indexes.failed.stored().contains(record.index) ? Counted::none : Counted::succeeded;
  }
  if (facts.finished) {
    return Counted::none;
  }
  if (record.phase == Phase::succeeded) {
    return Counted::succeeded;
  }
  if (!counts_as_failed(record, facts)) {
    return Counted::none;
  }
  return record.action == Action::ignore ? Counted::ignored : Counted::failed;
}

Todo next_step(const PodRecord& record, const Facts& facts, const Indexes& indexes) {
  if (record.is_active()) {
    if (facts.finished || (facts.deleting && !facts.decided())) {
      return record.has_finalizer ? Todo::release : Todo::nothing;
    }
    const bool ended =
        facts.indexed && (!has_valid_index(record, facts) || !indexes.is_open(record.index));
    const bool remove = facts.decided() || facts.suspended || record.condemned ||
                        record.duplicate || record.dropped || ended;
    return remove ? Todo::remove : Todo::nothing;
  }
  if (!record.has_finalizer) {
    return Todo::nothing;
  }
  const bool stored = record.accounted != Accounted::no;
  if (facts.finished || stored || !has_valid_index(record, facts)) {
    return Todo::release;
  }
  if (record.phase == Phase::succeeded) {
    const bool settled = indexes.completed.stored().contains(record.index) ||
                         indexes.failed.stored().contains(record.index);
    return facts.indexed && settled ? Todo::release : Todo::account;
  }
  if (!counts_as_failed(record, facts)) {
    const bool over = facts.deleting || facts.decided() || record.phase == Phase::failed;
    return over ? Todo::release : Todo::nothing;
  }
  if (record.held) {
    return Todo::nothing;
  }
  if (record.action == Action::ignore) {
    if (!is_terminal(record.phase)) {
      return Todo::nothing;  // it may yet succeed, and the Job waits for its end anyway (10.79)
    }
    const bool remembered = !facts.per_index && facts.scaling();
    return remembered ? Todo::account : Todo::release;
  }
  return Todo::account;
}

JobRecord shown_record(const PodTable& pods, const Facts& facts, const JobSpec& spec) {
  JobRecord shown;
  for (Slot slot = 0; slot < pods.end(); ++slot) {
    const PodRecord& pod = pods.at(slot);
    const bool waits = pod.has_finalizer && pod.accounted == Accounted::no;
    if (!pod.in_use || waits || pod.deleting || !has_valid_index(pod, facts)) {
      continue;
    }
    if (pod.phase == Phase::succeeded) {
      shown.backoff.add_success(pod.stamp);
    } else if (pod.phase == Phase::failed && !pod.dropped) {
      shown.add_failure(spec, pod.rule, pod.stamp);
    }
  }
  return shown;
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

}  // namespace windlass::engine
