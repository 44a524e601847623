#include "scheduler/eviction.h"

#include <fmt/format.h>

#include <utility>

#include "api/pod/pod_condition.h"
#include "client/object_identity.h"
#include "client/update_status.h"
#include "schema/core/v1/pod.pb.h"

namespace windlass::scheduler {
namespace {

client::ObjectRef ref_of(const PodInfo& pod) {
  return {&api::kinds::pod(), pod.ns, pod.name};
}

// P-13, B-4: one that is on its way out, or has ended, is left as it is.
bool is_leaving(const api::Message& message) {
  const auto& pod = static_cast<const api::core::v1::Pod&>(message);
  const std::string& phase = pod.status().phase();
  return pod.metadata().has_deletion_timestamp() || phase == "Succeeded" || phase == "Failed";
}

}  // namespace

VictimEvictor::VictimEvictor(client::ClientEnv env, client::EventRecorder& events,
                             bool disruption_conditions)
    : env_(env), events_(events), disruption_conditions_(disruption_conditions) {}

template <class Then>
client::Done<client::ObjectPtr> VictimEvictor::then(Then next) {
  return self_.bind(
      [next](VictimEvictor& self, const Result<client::ObjectPtr>& answer) { next(self, answer); });
}

void VictimEvictor::evict(const PodInfo& preemptor, const Victims& victims, Done done) {
  auto round = std::make_shared<Round>();
  round->preemptor_uid = preemptor.uid;
  round->scheduler_name = preemptor.scheduler_name;
  round->node = victims.node;
  round->done = std::move(done);
  for (const PodPtr& victim : victims.pods) {
    if (!victim->deleting) {
      round->victims.push_back(victim);
    }
  }
  env_.executor.post(self_.bind([round](VictimEvictor& self) { self.advance(round); }));
}

void VictimEvictor::advance(const RoundPtr& round) {
  const size_t count = round->victims.size();
  while (!round->outcome.error && round->next < count && round->in_flight < kMaxParallel) {
    // P-20: the last one, the least important, only when the others are on their way.
    if (round->next + 1 == count && round->in_flight > 0) {
      return;
    }
    ++round->in_flight;
    const PodPtr& victim = round->victims[round->next++];
    disruption_conditions_ ? mark(round, victim) : remove(round, victim, {}, 0);
  }
  if (round->in_flight == 0) {
    round->done(round->outcome);
  }
}

void VictimEvictor::mark(const RoundPtr& round, const PodPtr& victim, int marks) {
  client::update_status(
      env_.client, ref_of(*victim), victim->uid,
      [scheduler = round->scheduler_name, &clock = env_.clock](api::Message& pod) {
        return !is_leaving(pod) &&
               api::set_pod_condition(
                   static_cast<api::core::v1::Pod&>(pod), "DisruptionTarget", "True", clock.now(),
                   "PreemptionByScheduler",
                   scheduler + ": preempting to accommodate a higher priority pod");
      },
      then([round, victim, marks](VictimEvictor& self, const Result<client::ObjectPtr>& pod) {
        if (!pod) {  // C-7: no mark, no delete
          self.settle(round, is_not_found(pod.error()), pod.error());
        } else if (is_leaving(**pod)) {
          self.settle(round, false, std::nullopt);
        } else {
          self.remove(round, victim, client::resource_version_of(**pod), marks);
        }
      }));
}

void VictimEvictor::remove(const RoundPtr& round, const PodPtr& victim,
                           std::optional<std::string> version, int marks) {
  client::DeleteOptions options;
  options.preconditions.uid = victim->uid;
  // As it was marked: the mark may have been cleared since (D-14).
  options.preconditions.resource_version = std::move(version);
  env_.client.remove(
      ref_of(*victim), options,
      then([round, victim, marks](VictimEvictor& self, const Result<client::ObjectPtr>& pod) {
        self.on_removed(round, victim, marks, pod);
      }));
}

void VictimEvictor::on_removed(const RoundPtr& round, const PodPtr& victim, int marks,
                               const Result<client::ObjectPtr>& answer) {
  if (!answer && is_conflict(answer.error()) && marks > 0 && marks < kMaxMarks) {
    mark(round, victim, marks + 1);  // finds out whether another pod has the name now
    return;
  }
  if (!answer) {
    // A conflict over the UID alone: another pod has the name now.
    const bool gone = is_not_found(answer.error()) || (marks == 0 && is_conflict(answer.error()));
    settle(round, gone, answer.error());
    return;
  }
  events_.normal_action(
      {"v1", "Pod", victim->ns, victim->name, victim->uid, ""}, "Preempted", "Preempting",
      fmt::format("Preempted by pod {} on node {}", round->preemptor_uid, round->node));
  settle(round, false, std::nullopt);
}

void VictimEvictor::settle(const RoundPtr& round, bool gone, const std::optional<Status>& error) {
  --round->in_flight;
  if (gone) {
    round->outcome.found_gone = true;
  } else if (error && !round->outcome.error) {
    round->outcome.error = error;
  }
  advance(round);
}

}  // namespace windlass::scheduler
