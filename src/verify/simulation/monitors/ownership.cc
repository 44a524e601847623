// O: whose objects are touched. F: finalizers. S: what the store promises.
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "api/job/job_constants.h"
#include "verify/simulation/monitor.h"

namespace windlass::verify::simulation {
namespace {

class OnlyOwnPods final : public Monitor {
  std::string_view rule() const override { return "O1"; }

  void on_pod(const PodChange& change, const History& history, Report& report) override {
    if (!change.writer.is_job_controller() || change.before == nullptr) {
      return;
    }
    const PodSnapshot& pod = *change.before;
    const bool released = pod.finalizer && (change.after == nullptr || !change.after->finalizer);
    const bool deleted = change.after == nullptr || (change.after->deleting && !pod.deleting);
    const auto owned = [&](const auto& entry) { return entry.second.pods.contains(pod.uid); };
    if (!released && deleted && std::none_of(history.jobs().begin(), history.jobs().end(), owned)) {
      report.broken(rule(), fmt::format("pod {} is deleted, and is no Job's", pod.key));
    }
  }
};

class ForeignJobs final : public Monitor {
  std::string_view rule() const override { return "O3"; }

  static bool is_foreign(const JobSnapshot& job) {
    return !job.managed_by.empty() && job.managed_by != api::kBuiltInJobController;
  }

  void on_job(const JobChange& change, const History&, Report& report) override {
    if (change.after != nullptr && change.writer.is_job_controller() && is_foreign(*change.after)) {
      report.broken(rule(), change.after->key + " is managed by another, and written");
    }
  }

  void on_pod(const PodChange& change, const History& history, Report& report) override {
    const PodSnapshot& pod = change.after != nullptr ? *change.after : *change.before;
    const JobLife* job = history.job(pod.job);
    if (change.writer.is_job_controller() && job != nullptr && job->exists &&
        is_foreign(job->now)) {
      report.broken(rule(), pod.key + " is a pod of another's Job, and written");
    }
  }
};

class NoFinalizerLeft final : public Monitor {
  std::string_view rule() const override { return "F5"; }

  void at_rest(const History& history, Report& report) override {
    for (const auto& [uid, pod] : history.pods()) {
      const JobLife* job = history.job(pod.now.job);
      if (pod.exists && pod.now.finalizer &&
          (job == nullptr || !job->exists || job->now.finished())) {
        report.broken(rule(), fmt::format("pod {} keeps its finalizer", pod.now.key));
      }
    }
  }
};

class FinalizerHolds final : public Monitor {
  std::string_view rule() const override { return "F6"; }

  void on_pod(const PodChange& change, const History&, Report& report) override {
    // The last state of a deletion is the one without the finalizer.
    if (change.after == nullptr && change.before->finalizer && change.writer.component != "" &&
        !change.writer.is_job_controller()) {
      report.broken(rule(), fmt::format("pod {} goes with its finalizer on", change.before->key));
    }
  }
};

class RecordedFirst final : public Monitor {
  std::string_view rule() const override { return "F7"; }

  void on_pod(const PodChange& change, const History& history, Report& report) override {
    if (!change.writer.is_job_controller() || change.before == nullptr ||
        !change.before->finalizer || (change.after != nullptr && change.after->finalizer) ||
        history.job(change.before->job) == nullptr) {
      return;
    }
    const PodSnapshot& pod = *change.before;
    const auto attempt = history.attempts().find(pod.uid);
    if (attempt == history.attempts().end()) {
      report.broken(rule(), fmt::format("pod {} is let go without a record", pod.key));
      return;
    }
    const PodLife* life = history.pod(pod.uid);
    const JobLife* job = history.job(pod.job);
    if (life != nullptr && life->listed_failed && !life->listed_early && !job->vandalised &&
        job->exists && attempt->second != "Failed") {
      report.broken(rule(), fmt::format("pod {} counts as failed, and is recorded as {}", pod.key,
                                        attempt->second));
    }
  }
};

class NewUids final : public Monitor {
  std::string_view rule() const override { return "S7"; }

  void on_pod(const PodChange& change, const History&, Report& report) override {
    if (change.before == nullptr && !uids_.insert(change.after->uid).second) {
      report.broken(rule(), fmt::format("UID {} is used again", change.after->uid));
    }
  }

  std::set<std::string> uids_;
};

class VersionsGrow final : public Monitor {
  std::string_view rule() const override { return "S2"; }

  void on_pod(const PodChange& change, const History&, Report& report) override {
    grow(change.after == nullptr ? change.before->version : change.after->version,
         change.after == nullptr, report);
  }
  void on_job(const JobChange& change, const History&, Report& report) override {
    grow(change.after == nullptr ? change.before->version : change.after->version,
         change.after == nullptr, report);
  }

  void grow(uint64_t version, bool gone, Report& report) {
    if (!gone && version <= last_) {
      report.broken(rule(), fmt::format("version {} after {}", version, last_));
    }
    last_ = std::max(last_, version);
  }

  uint64_t last_ = 0;
};

}  // namespace

void add_ownership_monitors(Monitors& monitors) {
  monitors.push_back(std::make_unique<OnlyOwnPods>());
  monitors.push_back(std::make_unique<ForeignJobs>());
  monitors.push_back(std::make_unique<NoFinalizerLeft>());
  monitors.push_back(std::make_unique<FinalizerHolds>());
  monitors.push_back(std::make_unique<RecordedFirst>());
  monitors.push_back(std::make_unique<NewUids>());
  monitors.push_back(std::make_unique<VersionsGrow>());
}

}  // namespace windlass::verify::simulation
