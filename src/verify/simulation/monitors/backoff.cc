// B: delays and limits of retries, for the Job and for each index.
#include <fmt/format.h>

#include <algorithm>
#include <functional>

#include "verify/simulation/monitor.h"

namespace windlass::verify::simulation {
namespace {

// 10 s, 20 s, 40 s ... 10 min, worked out the plain way; a rule may have other numbers.
Duration delay_after(int64_t failures, Duration base = seconds(10), Duration cap = minutes(10)) {
  Duration delay = base;
  for (int64_t i = 1; i < failures; ++i) {
    delay = std::min<Duration>(delay * 2, cap);
  }
  return failures == 0 ? Duration::zero() : std::min(delay, cap);
}

bool is_ignored(const JobLife& job, const PodLife& pod) {
  // What the controller itself removed, or gave up just when it ended, is no failure of the Job's.
  return pod.now.phase == "Failed" && !pod.now.finalizer && !pod.listed_failed &&
         !pod.now.dropped && !pod.deleted_by.starts_with("job-controller") &&
         matching_action(*job.now.object, *pod.now.object) == "Ignore" &&
         matching_action(*job.now.object, *pod.ended_as) == "Ignore";
}

// Of pods that the controller has dealt with: it may not know of the others yet.
struct Failures {
  int64_t counted = 0;
  int64_t ignored = 0;
  Time last = {};

  int64_t all() const { return counted + ignored; }
};

// Which failures are asked about, by the rule that they match.
using ByRule = std::function<bool(std::optional<size_t>)>;

Failures failures_of(const JobLife& job, const History& history, std::optional<int32_t> index,
                     Time after, const ByRule& concerns = nullptr) {
  Failures failures;
  for (const PodLife* pod : history.all_pods(job.now.uid)) {
    const bool ignored = is_ignored(job, *pod);
    // It fails when it is deleted, as far as the controller has not seen more (0.26).
    const bool early = pod->listed_early || (pod->deleted_first && !job.now.replace_failed);
    if ((index && pod->now.index != index) || pod->now.phase != "Failed" ||
        (!pod->listed_failed && !ignored) || early || (index && job.is_cut(*pod)) ||
        pod->now.finished_at.value_or(after) <= after ||
        (concerns && !concerns(matching_rule(*job.now.object, *pod->now.object)))) {
      continue;
    }
    ++(ignored ? failures.ignored : failures.counted);
    failures.last = std::max(failures.last, *pod->now.finished_at);
  }
  return failures;
}

// Of a pod that the Job controller creates.
class RetryMonitor : public Monitor {
 public:
  void on_pod(const PodChange& change, const History& history, Report& report) final {
    if (change.before != nullptr || !change.writer.is_job_controller()) {
      return;
    }
    const JobLife* job = history.job(change.after->job);
    if (job != nullptr && job->now.object && !job->vandalised) {
      check(*change.after, *job, change.moment, history, report);
    }
  }

 protected:
  virtual void check(const PodSnapshot& pod, const JobLife& job, Moment moment,
                     const History& history, Report& report) = 0;
};

class JobWaits final : public RetryMonitor {
  std::string_view rule() const override { return "B1"; }

  void check(const PodSnapshot&, const JobLife& job, Moment moment, const History& history,
             Report& report) override {
    if (job.now.per_index) {
      return;
    }
    Time last_success = {};
    for (const PodLife* pod : history.all_pods(job.now.uid)) {
      if (pod->now.phase == "Succeeded") {
        last_success = std::max(last_success, pod->now.finished_at.value_or(last_success));
      }
    }
    const auto& limits = job.now.policy.rules;
    const auto has_own = [&limits](std::optional<size_t> matched) {
      return matched && limits.contains(*matched) && limits.at(*matched).backoff;
    };
    require(failures_of(job, history, std::nullopt, last_success,
                        [&has_own](std::optional<size_t> matched) { return !has_own(matched); }),
            seconds(10), minutes(10), job, moment, history, report);
    for (const auto& [index, limit] : limits) {
      const auto is_this = [wanted = index](std::optional<size_t> matched) {
        return matched == wanted;
      };
      if (limit.backoff) {
        require(failures_of(job, history, std::nullopt, last_success, is_this), limit.backoff->base,
                limit.backoff->cap, job, moment, history, report);
      }
    }
  }

  void require(const Failures& failures, Duration base, Duration cap, const JobLife& job,
               Moment moment, const History& history, Report& report) const {
    if (failures.all() > 0 &&
        moment.wall + history.jumps() < failures.last + delay_after(failures.all(), base, cap)) {
      report.broken(rule(),
                    fmt::format("{}: a pod {} after failure number {}", job.now.key,
                                format_duration(moment.wall - failures.last), failures.all()));
    }
  }
};

class IndexWaits final : public RetryMonitor {
  std::string_view rule() const override { return "B2"; }

  void check(const PodSnapshot& pod, const JobLife& job, Moment moment, const History& history,
             Report& report) override {
    if (!job.now.per_index) {
      return;
    }
    const Failures failures = failures_of(job, history, pod.index, {});
    if (failures.all() > 0 &&
        moment.wall + history.jumps() < failures.last + delay_after(failures.all())) {
      report.broken(
          rule(),
          fmt::format("{}: a pod for index {} {} after its failure number {}", job.now.key,
                      *pod.index, format_duration(moment.wall - failures.last), failures.all()));
    }
  }
};

class PodsCarryTheCount final : public RetryMonitor {
  std::string_view rule() const override { return "B3"; }

  void check(const PodSnapshot& pod, const JobLife& job, Moment, const History& history,
             Report& report) override {
    if (!job.now.per_index) {
      return;
    }
    int64_t counted = 0;
    int64_t ignored = 0;
    for (const PodLife* other : history.all_pods(job.now.uid)) {
      if (other->now.index == pod.index && !job.is_cut(*other)) {
        counted += other->listed_failed ? 1 : 0;
        ignored += is_ignored(job, *other) ? 1 : 0;
      }
    }
    if (pod.failure_count < counted || pod.ignored_count < ignored) {
      report.broken(rule(),
                    fmt::format("{}: a pod for index {} says {} failures and {} ignored ones, "
                                "there were {} and {}",
                                job.now.key, *pod.index, pod.failure_count, pod.ignored_count,
                                counted, ignored));
    }
  }
};

class IndexLimit final : public RetryMonitor {
  std::string_view rule() const override { return "B5"; }

  void check(const PodSnapshot& pod, const JobLife& job, Moment, const History& history,
             Report& report) override {
    if (job.now.per_index &&
        failures_of(job, history, pod.index, {}).counted > *job.now.per_index) {
      report.broken(
          rule(), fmt::format("{}: a pod for index {} beyond its limit", job.now.key, *pod.index));
    }
  }
};

class JobLimit final : public RetryMonitor {
  std::string_view rule() const override { return "B6"; }

  void check(const PodSnapshot&, const JobLife& job, Moment, const History&,
             Report& report) override {
    const auto counted = job.now.failed + static_cast<int32_t>(job.now.uncounted_failed.size());
    if (counted > job.now.backoff_limit) {
      report.broken(rule(), fmt::format("{}: a pod after {} failures of {}", job.now.key, counted,
                                        job.now.backoff_limit));
    }
  }

  void on_job(const JobChange& change, const History& history, Report& report) override {
    if (change.before == nullptr || change.after == nullptr || change.before->decided()) {
      return;
    }
    const JobSnapshot& job = *change.after;
    const ConditionSnapshot* target = find_condition(job.conditions, "FailureTarget");
    auto counted = job.failed + static_cast<int32_t>(job.uncounted_failed.size());
    if (job.per_index) {
      // The last failure of an index is listed when its replacement is there.
      const auto pods = history.all_pods(job.uid);
      counted = static_cast<int32_t>(std::count_if(
          pods.begin(), pods.end(), [](const PodLife* pod) { return pod->now.phase == "Failed"; }));
    }
    if (target != nullptr && target->reason == "BackoffLimitExceeded" && !job.restarts &&
        counted <= job.backoff_limit) {
      report.broken(rule(), fmt::format("{} exceeds its limit of {} with {} failures", job.key,
                                        job.backoff_limit, counted));
    }
  }
};

// Budgets of rules; those of windows and since a success are the explorer's.
class RuleBudgets final : public RetryMonitor {
  std::string_view rule() const override { return "B8"; }

  static bool is_plain(const api::RulePolicy& limit) {
    return limit.budget && !limit.window && !limit.reset_on_success;
  }

  void check(const PodSnapshot&, const JobLife& job, Moment, const History& history,
             Report& report) override {
    for (const auto& [index, limit] : job.now.policy.rules) {
      const auto is_this = [wanted = index](std::optional<size_t> matched) {
        return matched == wanted;
      };
      const int64_t failures = failures_of(job, history, std::nullopt, {}, is_this).all();
      if (is_plain(limit) && failures > *limit.budget) {
        report.broken(rule(), fmt::format("{}: a pod after {} failures of rule {}, which has {}",
                                          job.now.key, failures, index, *limit.budget));
      }
    }
  }

  void on_job(const JobChange& change, const History& history, Report& report) override {
    if (change.before == nullptr || change.after == nullptr || change.before->decided()) {
      return;
    }
    const JobSnapshot& job = *change.after;
    const ConditionSnapshot* target = find_condition(job.conditions, "FailureTarget");
    if (target == nullptr || !target->reason.starts_with("RuleBudgetExceeded_")) {
      return;
    }
    const auto pods = history.all_pods(job.uid);
    const bool is_spent =
        std::any_of(job.policy.rules.begin(), job.policy.rules.end(), [&](const auto& limited) {
          return limited.second.budget &&
                 std::count_if(pods.begin(), pods.end(), [&](const PodLife* pod) {
                   return pod->now.phase == "Failed" &&
                          matching_rule(*job.object, *pod->now.object) == limited.first;
                 }) > *limited.second.budget;
        });
    if (!is_spent) {
      report.broken(rule(), fmt::format("{}: {} with too few failures", job.key, target->reason));
    }
  }
};

class FailedIndexVerdicts final : public Monitor {
  std::string_view rule() const override { return "B7"; }

  void on_job(const JobChange& change, const History&, Report& report) override {
    if (change.before == nullptr || change.after == nullptr || change.before->decided()) {
      return;
    }
    const JobSnapshot& job = *change.after;
    const ConditionSnapshot* target = find_condition(job.conditions, "FailureTarget");
    const std::string reason = target == nullptr ? "" : target->reason;
    const bool over = job.max_failed_indexes && job.failed_indexes.size() > *job.max_failed_indexes;
    const bool resolved =
        job.failed_indexes.size() + job.completed_indexes.size() == job.completions.value_or(0);
    if ((reason == "MaxFailedIndexesExceeded" && !over) ||
        (reason == "FailedIndexes" && (!resolved || job.failed_indexes.empty()))) {
      report.broken(rule(), fmt::format("{}: {} with failedIndexes '{}', completedIndexes '{}'",
                                        job.key, reason, job.failed_text, job.completed_text));
    }
  }
};

}  // namespace

void add_backoff_monitors(Monitors& monitors) {
  monitors.push_back(std::make_unique<JobWaits>());
  monitors.push_back(std::make_unique<IndexWaits>());
  monitors.push_back(std::make_unique<PodsCarryTheCount>());
  monitors.push_back(std::make_unique<IndexLimit>());
  monitors.push_back(std::make_unique<JobLimit>());
  monitors.push_back(std::make_unique<RuleBudgets>());
  monitors.push_back(std::make_unique<FailedIndexVerdicts>());
}

}  // namespace windlass::verify::simulation
