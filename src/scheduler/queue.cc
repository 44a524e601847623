#include "scheduler/queue.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "base/check.h"

namespace windlass::scheduler {

using Place = QueuedPod::Place;
using Patience = QueuedPod::Patience;

SchedulingQueue::SchedulingQueue(env::Executor& executor, env::Clock& clock, QueueOptions options,
                                 std::function<void()> on_ready)
    : executor_(executor), clock_(clock), options_(options), on_ready_(std::move(on_ready)) {}

SchedulingQueue::~SchedulingQueue() {
  executor_.cancel(backoff_timer_);
  executor_.cancel(check_timer_);
}

SchedulingQueue::Turn SchedulingQueue::turn(const QueuedPod& queued) {
  return {-int64_t{queued.pod->priority()}, queued.entered, queued.pod->uid};
}

QueuedPod& SchedulingQueue::add(PodPtr pod) {
  const auto [entry, added] = pods_.try_emplace(pod->uid);
  CHECK(added, "a pod waits once");
  QueuedPod& queued = entry->second;
  queued.told = pod->unscheduled;
  queued.pod = std::move(pod);
  queued.entered = ++entries_;
  attach(queued, Place::active);
  return queued;
}

QueuedPod* SchedulingQueue::find(const std::string& uid) {
  const auto found = pods_.find(uid);
  return found == pods_.end() ? nullptr : &found->second;
}

void SchedulingQueue::remove(const std::string& uid) {
  QueuedPod* queued = find(uid);
  if (queued == nullptr) {
    return;
  }
  // It may have been woken in place of all of its group.
  const bool passes_on = queued->place == Place::active || queued->place == Place::backoff;
  detach(*queued);
  const std::string group = queued->group;
  pods_.erase(uid);
  if (passes_on) {
    wake_next(group);
  }
}

void SchedulingQueue::replace(QueuedPod& queued, PodPtr pod) {
  const Place place = queued.place;
  const bool listens = alert_.contains(queued.pod->uid);
  detach(queued);
  queued.pod = std::move(pod);
  attach(queued, place);
  if (listens) {
    alert_.insert(queued.pod->uid);
  }
}

void SchedulingQueue::detach(QueuedPod& queued) {
  switch (queued.place) {
    case Place::active:
      active_.erase(turn(queued));
      break;
    case Place::backoff:
      by_due_.erase({queued.not_before, queued.pod->uid});
      eager_.erase(turn(queued));
      break;
    case Place::unschedulable: {
      const auto group = unschedulable_.find(queued.group);
      queued.reasons = group->second.reasons;
      group->second.members.erase(turn(queued));
      if (group->second.members.empty()) {
        unschedulable_.erase(group);
      }
      --unschedulable_count_;
      break;
    }
    case Place::in_work:
    case Place::skipped:
      break;
  }
  alert_.erase(queued.pod->uid);
}

void SchedulingQueue::attach(QueuedPod& queued, Place place) {
  queued.place = place;
  switch (place) {
    case Place::active:
      active_.insert(turn(queued));
      on_ready_();
      break;
    case Place::backoff:
      by_due_.emplace(queued.not_before, queued.pod->uid);
      if (queued.patience == Patience::none) {
        eager_.insert(turn(queued));
        on_ready_();
      } else if (queued.patience == Patience::until_event) {
        alert_.insert(queued.pod->uid);
      }
      arm_backoff_timer();
      break;
    case Place::unschedulable: {
      Group& group = unschedulable_[queued.group];
      group.members.insert(turn(queued));
      group.reasons = queued.reasons;
      ++unschedulable_count_;
      arm_check_timer();
      break;
    }
    case Place::in_work:
    case Place::skipped:
      break;
  }
}

QueuedPod* SchedulingQueue::take() {
  if (!has_ready()) {
    return nullptr;
  }
  QueuedPod& queued = at(active_.empty() ? *eager_.begin() : *active_.begin());
  detach(queued);
  queued.woken_at_work = false;
  attach(queued, Place::in_work);
  return &queued;
}

void SchedulingQueue::set_backoff(QueuedPod& queued) {
  // Doubled until it reaches the maximum, never beyond what fits in a Duration.
  Duration backoff = options_.first_backoff;
  for (int i = 0; i < queued.failures && backoff < options_.max_backoff; ++i) {
    backoff *= 2;
  }
  ++queued.failures;
  queued.not_before = clock_.monotonic() + std::min(backoff, options_.max_backoff);
  queued.entered = ++entries_;
}

void SchedulingQueue::park(QueuedPod& queued, std::string group, uint64_t reasons) {
  CHECK(queued.place == Place::in_work, "only what was taken can be given back");
  const bool again = queued.woken_at_work;
  detach(queued);
  set_backoff(queued);
  queued.group = std::move(group);
  queued.reasons = reasons;
  queued.since = clock_.monotonic();
  queued.patience = Patience::none;
  attach(queued, again ? Place::backoff : Place::unschedulable);
}

void SchedulingQueue::back_off(QueuedPod& queued, Patience patience) {
  CHECK(queued.place == Place::in_work, "only what was taken can be given back");
  detach(queued);
  set_backoff(queued);
  queued.patience =
      patience == Patience::until_event && queued.woken_at_work ? Patience::none : patience;
  attach(queued, Place::backoff);
}

void SchedulingQueue::skip(QueuedPod& queued) {
  detach(queued);
  attach(queued, Place::skipped);
}

void SchedulingQueue::wake(QueuedPod& queued) {
  if (queued.place == Place::in_work) {
    queued.woken_at_work = true;
  } else if (queued.place == Place::unschedulable ||
             (queued.place == Place::backoff && queued.patience == Patience::until_event)) {
    detach(queued);
    queued.patience = Patience::none;
    attach(queued, queued.not_before > clock_.monotonic() ? Place::backoff : Place::active);
  }
}

void SchedulingQueue::wake(const Filter& could_help) {
  std::vector<std::string> woken;
  for (const auto& [name, group] : unschedulable_) {
    const QueuedPod& first = at(*group.members.begin());
    if (could_help(*first.pod, group.reasons)) {
      woken.push_back(first.pod->uid);
    }
  }
  for (const std::string& uid : alert_) {
    const QueuedPod& queued = pods_.at(uid);
    if (could_help(*queued.pod, queued.reasons)) {
      woken.push_back(uid);
    }
  }
  for (const std::string& uid : woken) {
    wake(pods_.at(uid));
  }
}

void SchedulingQueue::wake_next(const std::string& group) {
  if (const auto found = unschedulable_.find(group); found != unschedulable_.end()) {
    wake(at(*found->second.members.begin()));
  }
}

void SchedulingQueue::for_each_in_group(const std::string& group,
                                        const std::function<void(QueuedPod&)>& visit) {
  const auto found = unschedulable_.find(group);
  if (found == unschedulable_.end()) {
    return;
  }
  for (const Turn& member : found->second.members) {
    visit(at(member));
  }
}

void SchedulingQueue::arm_backoff_timer() {
  if (by_due_.empty()) {
    return;
  }
  const MonotonicTime due = by_due_.begin()->first;
  if (backoff_timer_ != env::TimerId::none && backoff_timer_due_ <= due) {
    return;
  }
  executor_.cancel(backoff_timer_);
  backoff_timer_due_ = due;
  backoff_timer_ = executor_.schedule(due - clock_.monotonic(), [this] { on_backoff_over(); });
}

void SchedulingQueue::on_backoff_over() {
  backoff_timer_ = env::TimerId::none;
  while (!by_due_.empty() && by_due_.begin()->first <= clock_.monotonic()) {
    QueuedPod& queued = pods_.at(by_due_.begin()->second);
    detach(queued);
    attach(queued, Place::active);
  }
  arm_backoff_timer();
}

void SchedulingQueue::arm_check_timer() {
  if (check_timer_ == env::TimerId::none && unschedulable_count_ > 0) {
    check_timer_ = executor_.schedule(options_.check_period, [this] { on_check(); });
  }
}

void SchedulingQueue::on_check() {
  check_timer_ = env::TimerId::none;
  std::vector<std::string> overdue;
  for (const auto& [name, group] : unschedulable_) {
    for (const Turn& member : group.members) {
      if (clock_.monotonic() - at(member).since >= options_.longest_wait) {
        overdue.push_back(std::get<std::string>(member));
      }
    }
  }
  for (const std::string& uid : overdue) {
    wake(pods_.at(uid));
  }
  arm_check_timer();
}

}  // namespace windlass::scheduler
