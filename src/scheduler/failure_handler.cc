#include "scheduler/failure_handler.h"

#include <utility>

#include "scheduler/fit.h"

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

client::EventTarget event_target(const PodInfo& pod) {
  return {"v1", "Pod", pod.ns, pod.name, pod.uid, ""};
}

FailureHandler::FailureHandler(client::ClientEnv env, Parts parts, bool disruption_conditions,
                               OnPreemption on_preemption)
    : env_(env),
      parts_(std::move(parts)),
      disruption_conditions_(disruption_conditions),
      on_preemption_(std::move(on_preemption)),
      statuses_(env,
                [this](const std::string& uid) {
                  if (QueuedPod* queued = parts_.queue.find(uid)) {
                    queued->told.reset();
                  }
                }),
      evictor_(env, parts_.events, disruption_conditions) {}

bool FailureHandler::park_like_its_group(QueuedPod& queued) {
  const LastVerdict* last = last_verdicts_.find(group_of(*queued.pod));
  if (last == nullptr || last->cluster_generation != parts_.cluster.generation() ||
      last->nomination_generation != parts_.nominations.generation() ||
      depends_on_labels(*queued.pod)) {
    return false;
  }
  park(queued, last->reasons, last->message);
  return true;
}

void FailureHandler::handle(QueuedPod& queued, Attempt& attempt, const Placement& placement) {
  const PodPtr pod = queued.pod;
  FitCounts counts(*pod->shape);
  for (const Fit& fit : placement.fits) {
    counts.add(fit);
  }
  ++parts_.metrics.unschedulable;
  std::string message = counts.text(parts_.cluster.node_count());
  std::string text;
  if (may_preempt(queued, placement, text)) {
    ++parts_.metrics.preemption_attempts;
    const std::vector<DisruptionBudget> all_budgets = parts_.budgets();
    const PreemptionPlan plan =
        plan_preemption(attempt, placement.fits, {all_budgets, env_.random, env_.clock.now()});
    if (on_preemption_) {
      on_preemption_(plan.victims ? plan.victims->pods.size() : 0);
    }
    if (plan.victims) {
      queued.reasons = counts.reasons();
      report(queued, "Unschedulable", message);  // S-19: success adds no text
      preempt(queued, *plan.victims);
      return;
    }
    nominate(queued, "");  // P-4
    text = plan.text;
  }
  message.append(" ").append(text);
  if (!depends_on_labels(*pod)) {
    LastVerdict& last = last_verdicts_[group_of(*pod)];
    last.cluster_generation = parts_.cluster.generation();
    last.nomination_generation = parts_.nominations.generation();
    last.reasons = counts.reasons();
    last.message = message;
  }
  park(queued, counts.reasons(), message);
}

// P-2, P-3
bool FailureHandler::may_preempt(const QueuedPod& queued, const Placement& placement,
                                 std::string& text) const {
  const PodInfo& pod = *queued.pod;
  if (pod.shape->never_preempts) {
    text = "preemption: not eligible due to preemptionPolicy=Never.";
    return false;
  }
  const NodeState* nominated = parts_.cluster.find(parts_.nominations.node_of(pod.uid));
  if (nominated == nullptr) {
    return true;
  }
  for (size_t slot = 0; slot < placement.fits.size(); ++slot) {
    if (parts_.cluster.at(slot) == nominated && placement.fits[slot].hopeless) {
      return true;
    }
  }
  if (waits_for_victims(pod, *nominated, disruption_conditions_)) {
    text = "preemption: not eligible due to a terminating pod on the nominated node.";
    return false;
  }
  return true;
}

void FailureHandler::preempt(QueuedPod& queued, const Victims& victims) {
  const PodPtr pod = queued.pod;
  parts_.metrics.preemption_victims += victims.pods.size();
  nominate(queued, victims.node);
  bool all_leaving = true;
  for (const PodPtr& victim : victims.pods) {
    all_leaving = all_leaving && victim->deleting;
  }
  const std::string group = queued.group;
  if (all_leaving) {                // P-13
    parts_.queue.wake_next(group);  // first: it is no news to this one
    parts_.queue.park(queued, group_of(*pod), queued.reasons);
    return;
  }
  release_lower_nominations(*pod, victims.node);
  parts_.queue.listen(queued);  // P-20: held out of the queue until the victims are on their way
  evictor_.evict(
      *pod, victims,
      self_.bind([uid = pod->uid, reasons = queued.reasons](
                     FailureHandler& self, const VictimEvictor::EvictionResult& outcome) {
        self.on_preempted(uid, reasons, outcome);
      }));
  parts_.queue.wake_next(group);
}

void FailureHandler::on_preempted(const std::string& uid, uint64_t reasons,
                                  const VictimEvictor::EvictionResult& outcome) {
  QueuedPod* queued = parts_.queue.find(uid);
  if (queued == nullptr || queued->place != QueuedPod::Place::in_work) {
    return;
  }
  if (outcome.error) {
    // P-16, P-17: a refusal that lasts must not become a loop.
    ++parts_.metrics.errors;
    env_.log.warning(
        "preemption failed, will try again",
        {{"pod", queued->pod->ns + "/" + queued->pod->name}, {"error", outcome.error->message}});
    parts_.queue.back_off(*queued, QueuedPod::Patience::full);
  } else if (outcome.found_gone) {
    // P-16: perhaps nothing will wake it any more; if its departure is still to be seen, then that.
    parts_.queue.back_off(*queued, QueuedPod::Patience::until_event);
  } else {
    parts_.queue.park(*queued, group_of(*queued->pod), reasons);
  }
}

// P-19
void FailureHandler::release_lower_nominations(const PodInfo& preemptor, const std::string& node) {
  const auto* there = parts_.nominations.at(node);
  std::vector<PodPtr> released;
  for (const auto& [uid, pod] : *there) {
    if (pod->priority() < preemptor.priority()) {
      released.push_back(pod);
    }
  }
  for (const PodPtr& pod : released) {
    if (QueuedPod* queued = parts_.queue.find(pod->uid)) {
      nominate(*queued, "");
      parts_.queue.wake(*queued);
    }
  }
}

void FailureHandler::nominate(QueuedPod& queued, const std::string& node) {
  if (parts_.nominations.set(queued.pod, node)) {
    statuses_.report(*queued.pod, {{}, node});
  }
}

void FailureHandler::park(QueuedPod& queued, uint64_t reasons, const std::string& message) {
  const std::string group = group_of(*queued.pod);
  report(queued, "Unschedulable", message);
  parts_.queue.park(queued, group, reasons);
  // The same holds for those that this one was woken in place of.
  if (LastVerdict& last = last_verdicts_[group]; last.reported != message) {
    last.reported = message;
    parts_.queue.for_each_in_group(
        group, [&](QueuedPod& other) { report(other, "Unschedulable", message); });
  }
}

void FailureHandler::report(QueuedPod& queued, const char* reason, const std::string& message) {
  ScheduledCondition condition{reason, message};
  if (queued.told == condition) {
    return;
  }
  queued.told = condition;
  const PodInfo& pod = *queued.pod;
  statuses_.report(pod, {std::move(condition), {}});
  parts_.events.warning_action(event_target(pod), "FailedScheduling", "Scheduling",
                               event_text(message));
}

bool FailureHandler::depends_on_labels(const PodInfo& pod) const {
  return pod.shape->insists_on_pods() || !parts_.cluster.repelling_shapes().empty() ||
         !parts_.nominations.node_of(pod.uid).empty();
}

std::string FailureHandler::group_of(const PodInfo& pod) const {
  const std::string shape = std::to_string(pod.shape->id);
  return depends_on_labels(pod) ? shape + '/' + pod.uid : shape;
}

}  // namespace windlass::scheduler
