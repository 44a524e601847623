// P: the failure policy does what it says, once, and for good.
#include <fmt/format.h>

#include <algorithm>

#include "verify/simulation/monitor.h"

namespace windlass::verify::simulation {
namespace {

std::string action_of(const JobLife& job, const PodSnapshot& pod) {
  return pod.phase == "Failed" ? matching_action(*job.now.object, *pod.object) : std::string();
}

class IgnoredIsNotCounted final : public Monitor {
  std::string_view rule() const override { return "P3"; }

  void on_job(const JobChange& change, const History& history, Report& report) override {
    if (change.before == nullptr || change.after == nullptr) {
      return;
    }
    const auto& old = change.before->uncounted_failed;
    for (const std::string& uid : change.after->uncounted_failed) {
      const PodLife* pod = history.pod(uid);
      // Stopped because the Job has failed, it counts before it ends (job-controller.md 5.7).
      const bool stopped =
          change.before->decided() && pod->deleted_by.starts_with("job-controller");
      if (std::find(old.begin(), old.end(), uid) == old.end() && pod->ended_as &&
          pod->now.phase == "Failed" && !stopped &&
          matching_action(*change.after->object, *pod->ended_as) == "Ignore") {
        report.broken(rule(),
                      fmt::format("pod {} is ignored by a rule, and counted", pod->now.key));
      }
    }
  }
};

class FailedIndexStaysFailed final : public Monitor {
  std::string_view rule() const override { return "P4"; }

  void on_pod(const PodChange& change, const History& history, Report& report) override {
    if (change.before != nullptr || !change.after->index) {
      return;
    }
    const JobLife* job = history.job(change.after->job);
    if (job == nullptr || !job->now.object || job->vandalised) {
      return;
    }
    for (const PodLife* other : history.all_pods(change.after->job)) {
      // What the controller has acted on is what it knew.
      if (other->now.index == change.after->index && other->listed_failed &&
          action_of(*job, other->now) == "FailIndex") {
        report.broken(rule(), fmt::format("index {} of {} gets a pod after FailIndex",
                                          *change.after->index, job->now.key));
      }
    }
  }
};

// The verdict is stored no later than its witness goes.
class FailJobIsDurable final : public Monitor {
  std::string_view rule() const override { return "P6"; }

  void on_pod(const PodChange& change, const History& history, Report& report) override {
    const bool released = change.before != nullptr && change.before->finalizer &&
                          (change.after == nullptr || !change.after->finalizer);
    if (!released || change.writer.component.empty()) {
      return;
    }
    const PodSnapshot& pod = *change.before;
    const JobLife* job = history.job(pod.job);
    if (job == nullptr || !job->exists || job->vandalised || job->now.deleting || pod.dropped) {
      return;
    }
    const bool out_of_range =
        pod.index && job->now.completions && *pod.index >= *job->now.completions;
    if (action_of(*job, pod) == "FailJob" && !job->now.decided() && !out_of_range) {
      report.broken(rule(), fmt::format("pod {} matches FailJob, is let go, and {} has no verdict",
                                        pod.key, job->now.key));
    }
  }
};

class VerdictHasAWitness final : public Monitor {
  std::string_view rule() const override { return "P7"; }

  void on_job(const JobChange& change, const History& history, Report& report) override {
    if (change.before == nullptr || change.after == nullptr || change.before->decided()) {
      return;
    }
    const ConditionSnapshot* target = find_condition(change.after->conditions, "FailureTarget");
    if (target == nullptr || !target->reason.starts_with("PodFailurePolicy")) {
      return;
    }
    const JobLife* job = history.job(change.after->uid);
    const auto pods = history.all_pods(change.after->uid);
    const auto is_witness = [job](const PodLife* pod) {
      return action_of(*job, pod->now) == "FailJob" ||
             (pod->now.phase == "Failed" &&
              matching_action(*job->now.object, *pod->ended_as) == "FailJob");
    };
    if (std::none_of(pods.begin(), pods.end(), is_witness)) {
      report.broken(rule(), fmt::format("{} fails by a rule that no pod matches: {}",
                                        change.after->key, target->message));
    }
  }
};

}  // namespace

void add_policy_monitors(Monitors& monitors) {
  monitors.push_back(std::make_unique<IgnoredIsNotCounted>());
  monitors.push_back(std::make_unique<FailedIndexStaysFailed>());
  monitors.push_back(std::make_unique<FailJobIsDurable>());
  monitors.push_back(std::make_unique<VerdictHasAWitness>());
}

}  // namespace windlass::verify::simulation
