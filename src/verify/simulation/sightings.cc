#include "verify/simulation/sightings.h"

#include <algorithm>

#include "verify/simulation/faults/fault.h"

namespace windlass::verify::simulation {
namespace {

constexpr std::string_view kStates[] = {"job Complete",
                                        "job Failed",
                                        "job Failed PodFailurePolicy",
                                        "job Failed BackoffLimitExceeded",
                                        "job Failed DeadlineExceeded",
                                        "job Failed MaxFailedIndexesExceeded",
                                        "job Failed FailedIndexes",
                                        "job Complete SuccessPolicy",
                                        "job Suspended",
                                        "job resumed",
                                        "job deleted while it ran",
                                        "verdict stored while pods terminate",
                                        "uncounted pods in status",
                                        "index failed",
                                        "pod terminating",
                                        "pod deleted while pending",
                                        "pod ignored by a rule",
                                        "pod with DisruptionTarget",
                                        "pod lost with its node",
                                        "pod evicted by a taint",
                                        "pod preempted",
                                        "node silent",
                                        "pod replaced after a failure",
                                        "pod gave its index up (duplicate or out of range)"};

}  // namespace

const std::vector<std::string>& declared_sightings() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> all(std::begin(kStates), std::end(kStates));
    for (const FaultInfo& info : all_faults()) {
      all.push_back("fault " + std::string(info.name));
    }
    for (const char* action : {"crash", "pause", "clock", "crash api-server"}) {
      all.push_back(std::string("action ") + action);
    }
    return all;
  }();
  return names;
}

void Sightings::on_job(const JobChange& change, const History& history) {
  if (change.after == nullptr) {
    if (!change.before->finished()) {
      see("job deleted while it ran");
    }
    return;
  }
  const JobSnapshot& job = *change.after;
  const bool news = change.before == nullptr || !change.before->finished();
  if (news && job.is("Complete")) {
    see("job Complete");
    const std::string& reason = find_condition(job.conditions, "Complete")->reason;
    if (reason == "SuccessPolicy") {
      see("job Complete SuccessPolicy");
    }
  }
  if (news && job.is("Failed")) {
    see("job Failed");
    const std::string& reason = find_condition(job.conditions, "Failed")->reason;
    see("job Failed " + reason.substr(0, reason.find('_')));
  }
  if (change.before == nullptr) {
    return;
  }
  if (job.is("Suspended") != change.before->is("Suspended")) {
    see(job.is("Suspended") ? "job Suspended" : "job resumed");
  }
  if (!job.uncounted_failed.empty() || !job.uncounted_succeeded.empty()) {
    see("uncounted pods in status");
  }
  if (!job.failed_indexes.empty()) {
    see("index failed");
  }
  if (job.decided() && !change.before->decided()) {
    const auto pods = history.stored_pods(job.uid);
    if (std::any_of(pods.begin(), pods.end(),
                    [](const PodLife* pod) { return pod->now.deleting && !pod->now.terminal(); })) {
      see("verdict stored while pods terminate");
    }
  }
}

void Sightings::on_pod(const PodChange& change, const History& history) {
  if (change.after == nullptr) {
    return;
  }
  const PodSnapshot& pod = *change.after;
  if (change.before == nullptr) {
    const auto pods = history.all_pods(pod.job);
    if (std::any_of(pods.begin(), pods.end(), [&pod](const PodLife* other) {
          return other->now.phase == "Failed" && other->now.index == pod.index;
        })) {
      see("pod replaced after a failure");
    }
    return;
  }
  if (pod.deleting && !change.before->deleting) {
    see("pod terminating");
    if (pod.phase == "Pending") {
      see("pod deleted while pending");
    }
  }
  if (pod.deleting && !change.before->deleting && change.writer.component == "taint-eviction") {
    see("pod evicted by a taint");
  }
  if (pod.deleting && !change.before->deleting && change.writer.component == "scheduler") {
    see("pod preempted");
  }
  if (pod.dropped && !change.before->dropped) {
    see("pod gave its index up (duplicate or out of range)");
  }
  if (has_true(pod.conditions, "DisruptionTarget") &&
      !has_true(change.before->conditions, "DisruptionTarget")) {
    see("pod with DisruptionTarget");
  }
  if (pod.phase == "Failed" && change.before->phase != "Failed") {
    const JobLife* job = history.job(pod.job);
    if (job != nullptr && job->now.object &&
        matching_action(*job->now.object, *pod.object) == "Ignore") {
      see("pod ignored by a rule");
    }
    if (change.writer.component == "pod-gc") {
      see("pod lost with its node");
    }
  }
}

void Sightings::add(const Sightings& other) {
  for (const auto& [name, count] : other.counts_) {
    counts_[name] += count;
  }
}

uint64_t Sightings::count(const std::string& name) const {
  const auto found = counts_.find(name);
  return found == counts_.end() ? 0 : found->second;
}

std::vector<std::string> Sightings::missing() const {
  std::vector<std::string> missing;
  for (const std::string& name : declared_sightings()) {
    if (count(name) == 0) {
      missing.push_back(name);
    }
  }
  return missing;
}

}  // namespace windlass::verify::simulation
