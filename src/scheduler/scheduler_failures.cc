#include <utility>

#include "scheduler/scheduler.h"

namespace windlass::scheduler {
namespace {

// S-20
std::string event_text(const std::string& message) {
  constexpr size_t kMaxLength = 1024;
  constexpr std::string_view kCut = " ...";
  if (message.size() <= kMaxLength) {
    return message;
  }
  return message.substr(0, kMaxLength - kCut.size()).append(kCut);
}

}  // namespace

std::vector<DisruptionBudget> Scheduler::budgets() const {
  std::vector<DisruptionBudget> all;
  budget_informer_.for_each(
      [&all](const std::string&, const DisruptionBudget& budget) { all.push_back(budget); });
  return all;
}

void Scheduler::fail_everywhere(QueuedPod& queued, Attempt& attempt, const Placement& placement) {
  const PodPtr pod = queued.pod;
  FitCounts counts(*pod->shape);
  for (const Fit& fit : placement.fits) {
    counts.add(fit);
  }
  ++metrics_.unschedulable;
  std::string message = counts.text(cluster_.node_count());
  std::string text;
  if (may_preempt(queued, placement, text)) {
    ++metrics_.preemption_attempts;
    const std::vector<DisruptionBudget> all_budgets = budgets();
    const PreemptionPlan plan =
        plan_preemption(attempt, placement.fits, {all_budgets, env_.random, env_.clock.now()});
    if (options_.on_preemption) {
      options_.on_preemption(plan.victims ? plan.victims->pods.size() : 0);
    }
    if (plan.victims) {
      queued.reasons = counts.reasons();
      tell(queued, "Unschedulable", message);  // S-19: success adds no text
      preempt(queued, *plan.victims);
      return;
    }
    nominate(queued, "");  // P-4
    text = plan.text;
  }
  message.append(" ").append(text);
  if (!depends_on_labels(*pod)) {
    LastNo& last = last_nos_[group_of(*pod)];
    last.cluster_generation = cluster_.generation();
    last.nomination_generation = nominations_.generation();
    last.reasons = counts.reasons();
    last.message = message;
  }
  park(queued, counts.reasons(), message);
}

// P-2, P-3
bool Scheduler::may_preempt(const QueuedPod& queued, const Placement& placement,
                            std::string& text) const {
  const PodInfo& pod = *queued.pod;
  if (pod.shape->never_preempts) {
    text = "preemption: not eligible due to preemptionPolicy=Never.";
    return false;
  }
  const NodeState* nominated = cluster_.find(nominations_.node_of(pod.uid));
  if (nominated == nullptr) {
    return true;
  }
  for (size_t slot = 0; slot < placement.fits.size(); ++slot) {
    if (cluster_.at(slot) == nominated && placement.fits[slot].hopeless) {
      return true;
    }
  }
  if (waits_for_victims(pod, *nominated, options_.disruption_conditions)) {
    text = "preemption: not eligible due to a terminating pod on the nominated node.";
    return false;
  }
  return true;
}

void Scheduler::preempt(QueuedPod& queued, const Victims& victims) {
  const PodPtr pod = queued.pod;
  metrics_.preemption_victims += victims.pods.size();
  nominate(queued, victims.node);
  bool all_leaving = true;
  for (const PodPtr& victim : victims.pods) {
    all_leaving = all_leaving && victim->deleting;
  }
  const std::string group = queued.group;
  if (all_leaving) {          // P-13
    queue_.wake_next(group);  // first: it is no news to this one
    queue_.park(queued, group_of(*pod), queued.reasons);
    return;
  }
  release_lower_nominations(*pod, victims.node);
  queue_.listen(queued);  // P-20: held out of the queue until the victims are on their way
  evictor_.evict(*pod, victims,
                 self_.bind([uid = pod->uid, reasons = queued.reasons](
                                Scheduler& self, const VictimEvictor::EvictionResult& outcome) {
                   self.on_preempted(uid, reasons, outcome);
                 }));
  queue_.wake_next(group);
}

void Scheduler::on_preempted(const std::string& uid, uint64_t reasons,
                             const VictimEvictor::EvictionResult& outcome) {
  QueuedPod* queued = queue_.find(uid);
  if (queued == nullptr || queued->place != QueuedPod::Place::in_work) {
    return;
  }
  if (outcome.error) {
    // P-16, P-17: a refusal that lasts must not become a loop.
    ++metrics_.errors;
    env_.log.warning(
        "preemption failed, will try again",
        {{"pod", queued->pod->ns + "/" + queued->pod->name}, {"error", outcome.error->message}});
    queue_.back_off(*queued, QueuedPod::Patience::full);
  } else if (outcome.found_gone) {
    // P-16: perhaps nothing will wake it any more; if its departure is still to be seen, then that.
    queue_.back_off(*queued, QueuedPod::Patience::until_event);
  } else {
    queue_.park(*queued, group_of(*queued->pod), reasons);
  }
}

// P-19
void Scheduler::release_lower_nominations(const PodInfo& preemptor, const std::string& node) {
  const auto* there = nominations_.at(node);
  std::vector<PodPtr> released;
  for (const auto& [uid, pod] : *there) {
    if (pod->priority() < preemptor.priority()) {
      released.push_back(pod);
    }
  }
  for (const PodPtr& pod : released) {
    if (QueuedPod* queued = queue_.find(pod->uid)) {
      nominate(*queued, "");
      queue_.wake(*queued);
    }
  }
}

void Scheduler::nominate(QueuedPod& queued, const std::string& node) {
  if (nominations_.set(queued.pod, node)) {
    statuses_.report(*queued.pod, {{}, node});
  }
}

void Scheduler::park(QueuedPod& queued, uint64_t reasons, const std::string& message) {
  const std::string group = group_of(*queued.pod);
  tell(queued, "Unschedulable", message);
  queue_.park(queued, group, reasons);
  // The same holds for those that this one was woken in place of.
  if (LastNo& last = last_nos_[group]; last.told != message) {
    last.told = message;
    queue_.for_each_in_group(group,
                             [&](QueuedPod& other) { tell(other, "Unschedulable", message); });
  }
}

// S-18, S-20: only when there is something new to say.
void Scheduler::tell(QueuedPod& queued, const char* reason, const std::string& message) {
  ScheduledCondition condition{reason, message};
  if (queued.told == condition) {
    return;
  }
  queued.told = condition;
  const PodInfo& pod = *queued.pod;
  statuses_.report(pod, {std::move(condition), {}});
  events_.warning_action(event_target(pod), "FailedScheduling", "Scheduling", event_text(message));
}

}  // namespace windlass::scheduler
