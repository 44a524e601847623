// A: how many pods there may be, and for what.
#include <fmt/format.h>

#include <algorithm>

#include "verify/simulation/monitor.h"

namespace windlass::verify::simulation {
namespace {

// Of a pod that the Job controller creates, with the Job as it knew it when it sent the request.
class CreationMonitor : public Monitor {
 public:
  void on_pod(const PodChange& change, const History& history, Report& report) final {
    if (change.before != nullptr || !change.writer.is_job_controller()) {
      return;
    }
    const JobLife* job = history.job(change.after->job);
    if (job == nullptr || !job->now.object || job->vandalised) {
      return;
    }
    const auto seen = job->versions.find(change.writer.owner_version);
    check(*change.after, *job, seen == job->versions.end() ? job->now : seen->second,
          history.stored_pods(change.after->job), report);
  }

 protected:
  using Pods = std::vector<const PodLife*>;

  // `pods` includes the new one.
  virtual void check(const PodSnapshot& pod, const JobLife& job, const JobSnapshot& seen,
                     const Pods& pods, Report& report) = 0;
};

class NotTooMany final : public CreationMonitor {
  std::string_view rule() const override { return "A1"; }

  void check(const PodSnapshot&, const JobLife& job, const JobSnapshot& seen, const Pods& pods,
             Report& report) override {
    const auto active = std::count_if(pods.begin(), pods.end(),
                                      [](const PodLife* pod) { return pod->now.active(); });
    const int64_t done =
        job.now.succeeded + static_cast<int64_t>(job.now.uncounted_succeeded.size());
    if (active > seen.parallelism ||
        (seen.completions && !job.now.indexed && active + done > *seen.completions)) {
      report.broken(rule(),
                    fmt::format("{}: {} active, parallelism {}, {} of {} succeeded", job.now.key,
                                active, seen.parallelism, done, seen.completions.value_or(-1)));
    }
  }
};

class OnePerIndex final : public CreationMonitor {
  std::string_view rule() const override { return "A2"; }

  void check(const PodSnapshot& pod, const JobLife& job, const JobSnapshot& seen, const Pods& pods,
             Report& report) override {
    const bool only_failed = seen.replace_failed;
    const auto in_the_way = [only_failed](const PodLife* other) {
      return only_failed ? !other->now.terminal() : other->now.active();
    };
    if (only_failed &&
        std::count_if(pods.begin(), pods.end(), in_the_way) > int64_t{seen.parallelism}) {
      report.broken(rule(), fmt::format("{}: more than {} active and terminating", job.now.key,
                                        seen.parallelism));
    }
    const auto same = std::count_if(pods.begin(), pods.end(), [&](const PodLife* other) {
      return pod.index && other->now.index == pod.index && in_the_way(other);
    });
    if (same > 1) {
      report.broken(rule(), fmt::format("{}: {} pods for index {}", job.now.key, same, *pod.index));
    }
  }
};

class IndexIsOpen final : public CreationMonitor {
  std::string_view rule() const override { return "A3"; }

  void check(const PodSnapshot& pod, const JobLife& job, const JobSnapshot& seen, const Pods&,
             Report& report) override {
    if (pod.index && (job.now.completed_indexes.contains(*pod.index) ||
                      job.now.failed_indexes.contains(*pod.index) ||
                      *pod.index >= seen.completions.value_or(0))) {
      report.broken(rule(), fmt::format("{}: a pod for index {}, completed '{}' failed '{}' of {}",
                                        job.now.key, *pod.index, job.now.completed_text,
                                        job.now.failed_text, seen.completions.value_or(0)));
    }
  }
};

// A Job that starts with completed indexes has them in its first status, and no pod before that.
class CompletedAtStart final : public CreationMonitor {
  std::string_view rule() const override { return "12.2"; }

  static bool has_status(const JobSnapshot& job) { return job.start || !job.conditions.empty(); }

  void check(const PodSnapshot& pod, const JobLife& job, const JobSnapshot&, const Pods&,
             Report& report) override {
    if (job.now.completed_at_start && !has_status(job.now)) {
      report.broken(rule(),
                    fmt::format("{}: pod {} before the first status", job.now.key, pod.key));
    }
  }

  void on_job(const JobChange& change, const History&, Report& report) override {
    if (change.before == nullptr || change.after == nullptr || has_status(*change.before) ||
        !has_status(*change.after) || !change.after->completed_at_start) {
      return;
    }
    const std::string& expected = *change.after->completed_at_start;
    if (change.after->completed_text != expected) {
      report.broken(rule(), fmt::format("{}: the first status has completed '{}', not '{}'",
                                        change.after->key, change.after->completed_text, expected));
    }
  }
};

class NotWhileSuspended final : public CreationMonitor {
  std::string_view rule() const override { return "A5"; }

  void check(const PodSnapshot&, const JobLife& job, const JobSnapshot& seen, const Pods&,
             Report& report) override {
    if (seen.suspend) {
      report.broken(rule(), job.now.key + " is suspended and gets a pod");
    }
  }

  // The server lets a client change the template with the condition and without active pods: the
  // first comes with the second.
  void on_job(const JobChange& change, const History&, Report& report) override {
    if (change.before != nullptr && change.after != nullptr && change.writer.is_job_controller() &&
        change.after->is("Suspended") && !change.before->is("Suspended") &&
        change.after->active > 0) {
      report.broken(rule(), change.after->key + " is told to be suspended and has active pods");
    }
  }

  void at_rest(const History& history, Report& report) override {
    for (const auto& [uid, job] : history.jobs()) {
      if (!job.exists || !job.now.suspend || job.now.finished()) {
        continue;
      }
      for (const PodLife* pod : history.stored_pods(uid)) {
        if (pod->now.active()) {
          report.broken(rule(), job.now.key + " is suspended and has a pod");
        }
      }
    }
  }
};

class NotWhileDeleting final : public CreationMonitor {
  std::string_view rule() const override { return "A6"; }

  void check(const PodSnapshot&, const JobLife& job, const JobSnapshot& seen, const Pods&,
             Report& report) override {
    if (seen.deleting) {
      report.broken(rule(), job.now.key + " is being deleted and gets a pod");
    }
  }
};

class NotAfterTheVerdict final : public CreationMonitor {
 public:
  explicit NotAfterTheVerdict(bool several) : several_(several) {}

 private:
  std::string_view rule() const override { return "T6"; }

  void check(const PodSnapshot&, const JobLife& job, const JobSnapshot& seen, const Pods&,
             Report& report) override {
    if ((several_ ? seen : job.now).decided()) {
      report.broken(rule(), job.now.key + " is decided and gets a pod");
    }
  }

  bool several_;
};

}  // namespace

void add_activity_monitors(Monitors& monitors, const Allowances& allowances) {
  if (!allowances.several_controllers) {
    monitors.push_back(std::make_unique<NotTooMany>());
    monitors.push_back(std::make_unique<OnePerIndex>());
    monitors.push_back(std::make_unique<IndexIsOpen>());
  }
  monitors.push_back(std::make_unique<CompletedAtStart>());
  monitors.push_back(std::make_unique<NotWhileSuspended>());
  monitors.push_back(std::make_unique<NotWhileDeleting>());
  monitors.push_back(std::make_unique<NotAfterTheVerdict>(allowances.several_controllers));
}

}  // namespace windlass::verify::simulation
