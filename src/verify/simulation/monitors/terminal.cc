// T: verdicts come once, stay, and end in one terminal state. D: deadlines.
#include <fmt/format.h>

#include <algorithm>

#include "base/time.h"
#include "verify/simulation/monitor.h"

namespace windlass::verify::simulation {
namespace {

// Of a change of a Job that both sides of are there.
class ChangeMonitor : public Monitor {
 public:
  void on_job(const JobChange& change, const History& history, Report& report) final {
    if (change.before != nullptr && change.after != nullptr) {
      check(*change.before, *change.after, history, report);
    }
  }

 protected:
  virtual void check(const JobSnapshot& before, const JobSnapshot& after, const History& history,
                     Report& report) = 0;
};

class OneEnd final : public ChangeMonitor {
  std::string_view rule() const override { return "T1"; }

  void check(const JobSnapshot&, const JobSnapshot& job, const History&, Report& report) override {
    if ((job.is("Complete") && job.is("Failed")) ||
        (job.is("SuccessCriteriaMet") && (job.is("FailureTarget") || job.is("Failed")))) {
      report.broken(rule(), job.key + " has two ends");
    }
  }
};

class VerdictsStay final : public ChangeMonitor {
  std::string_view rule() const override { return "T2"; }

  void check(const JobSnapshot& before, const JobSnapshot& after, const History&,
             Report& report) override {
    for (const char* type : {"FailureTarget", "SuccessCriteriaMet"}) {
      const ConditionSnapshot* was = find_condition(before.conditions, type);
      const ConditionSnapshot* is = find_condition(after.conditions, type);
      if (was != nullptr && was->status == "True" && (is == nullptr || !(*is == *was))) {
        report.broken(rule(), fmt::format("{}: {} changes", after.key, type));
      }
    }
    const ConditionSnapshot* target = find_condition(after.conditions, "FailureTarget");
    const ConditionSnapshot* failed = find_condition(after.conditions, "Failed");
    if (target != nullptr && failed != nullptr &&
        (target->reason != failed->reason || target->message != failed->message)) {
      report.broken(rule(), fmt::format("{}: FailureTarget {} becomes Failed {}", after.key,
                                        target->reason, failed->reason));
    }
  }
};

class VerdictFirst final : public ChangeMonitor {
  std::string_view rule() const override { return "T3"; }

  void check(const JobSnapshot& before, const JobSnapshot& after, const History&,
             Report& report) override {
    if (before.finished()) {
      return;
    }
    if ((after.is("Failed") && !before.is("FailureTarget")) ||
        (after.is("Complete") && !before.is("SuccessCriteriaMet"))) {
      report.broken(rule(), after.key + " ends without an earlier verdict");
    }
  }
};

class NothingLeft final : public ChangeMonitor {
  std::string_view rule() const override { return "T4"; }

  void check(const JobSnapshot& before, const JobSnapshot& job, const History& history,
             Report& report) override {
    if (before.finished() || !job.finished()) {
      return;
    }
    const bool left = job.active != 0 || job.ready != 0 || job.terminating != 0 ||
                      !job.uncounted_failed.empty() || !job.uncounted_succeeded.empty();
    const bool times = job.start && job.completion.has_value() == job.is("Complete") &&
                       (!job.completion || *job.completion + history.jumps() >= *job.start);
    if (left || !times) {
      report.broken(rule(), job.key + " ends with something left, or with wrong times");
    }
    for (const PodLife* pod : history.stored_pods(job.uid)) {
      if (!pod->now.terminal()) {
        report.broken(rule(), fmt::format("{} ends while pod {} is {}", job.key, pod->now.key,
                                          pod->now.phase));
      }
    }
  }
};

class EndIsFrozen final : public ChangeMonitor {
  std::string_view rule() const override { return "T5"; }

  void check(const JobSnapshot& before, const JobSnapshot& after, const History&,
             Report& report) override {
    if (before.finished() &&
        (before.conditions != after.conditions || before.succeeded != after.succeeded ||
         before.failed != after.failed || before.completed_text != after.completed_text ||
         before.failed_text != after.failed_text || before.active != after.active)) {
      report.broken(rule(), after.key + " changes after its end");
    }
  }
};

class DeadlineHolds final : public Monitor {
  static constexpr Duration kOnTheWay = seconds(1);

  std::string_view rule() const override { return "D1"; }

  void on_pod(const PodChange& change, const History& history, Report& report) override {
    const JobLife* job = change.before == nullptr ? history.job(change.after->job) : nullptr;
    if (job == nullptr || !job->now.deadline || !job->now.start || job->now.suspend) {
      return;
    }
    const Time end = latest_instant(*job->now.start) + seconds(*job->now.deadline);
    if (change.moment.wall > end + kOnTheWay + history.jumps()) {
      report.broken(rule(), fmt::format("{}: a pod {} after its deadline", job->now.key,
                                        format_duration(change.moment.wall - end)));
    }
  }
};

class TtlHolds final : public Monitor {
  std::string_view rule() const override { return "D2"; }

  void on_job(const JobChange& change, const History& history, Report& report) override {
    const bool deleted = change.before != nullptr && !change.before->deleting &&
                         (change.after == nullptr || change.after->deleting);
    if (!deleted || change.writer.component != "ttl") {
      return;
    }
    const ConditionSnapshot* end = find_condition(change.before->conditions, "Complete");
    end = end != nullptr ? end : find_condition(change.before->conditions, "Failed");
    if (end == nullptr || !change.before->ttl ||
        change.moment.wall + history.jumps() < end->since + seconds(*change.before->ttl)) {
      report.broken(rule(), change.before->key + " is deleted before its time");
    }
  }
};

}  // namespace

void add_terminal_monitors(Monitors& monitors) {
  monitors.push_back(std::make_unique<OneEnd>());
  monitors.push_back(std::make_unique<VerdictsStay>());
  monitors.push_back(std::make_unique<VerdictFirst>());
  monitors.push_back(std::make_unique<NothingLeft>());
  monitors.push_back(std::make_unique<EndIsFrozen>());
  monitors.push_back(std::make_unique<DeadlineHolds>());
  monitors.push_back(std::make_unique<TtlHolds>());
}

}  // namespace windlass::verify::simulation
