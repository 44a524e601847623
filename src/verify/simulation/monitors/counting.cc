// C: every pod is counted once, and the numbers in the status are true.
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "verify/simulation/monitor.h"

namespace windlass::verify::simulation {
namespace {

using Uids = std::vector<std::string>;

bool contains(const Uids& uids, const std::string& uid) {
  return std::find(uids.begin(), uids.end(), uid) != uids.end();
}

Uids missing_from(const Uids& uids, const Uids& other) {
  Uids missing;
  std::copy_if(uids.begin(), uids.end(), std::back_inserter(missing),
               [&other](const std::string& uid) { return !contains(other, uid); });
  return missing;
}

// Of a change of a Job that both sides of are there.
class StatusMonitor : public Monitor {
 public:
  void on_job(const JobChange& change, const History& history, Report& report) final {
    if (change.before != nullptr && change.after != nullptr && change.writer.is_job_controller()) {
      check(*change.before, *change.after, *history.job(change.after->uid), history, report);
    }
  }

 protected:
  virtual void check(const JobSnapshot& before, const JobSnapshot& after, const JobLife& life,
                     const History& history, Report& report) = 0;
};

class CountedOnce final : public StatusMonitor {
  std::string_view rule() const override { return "C1"; }

  void check(const JobSnapshot& before, const JobSnapshot& after, const JobLife& life,
             const History&, Report& report) override {
    list(missing_from(after.uncounted_failed, before.uncounted_failed), report);
    list(missing_from(after.uncounted_succeeded, before.uncounted_succeeded), report);
    // What ends while the Job is deleted may be counted without having been listed.
    if (life.vandalised || after.deleting) {
      return;
    }
    const auto moved = [&](const char* what, int32_t by, const Uids& gone) {
      if (by != static_cast<int32_t>(gone.size())) {
        report.broken(rule(), fmt::format("{}: {} moves by {} while {} pods leave the list",
                                          after.key, what, by, gone.size()));
      }
    };
    moved("failed", after.failed - before.failed,
          missing_from(before.uncounted_failed, after.uncounted_failed));
    if (!after.indexed) {
      moved("succeeded", after.succeeded - before.succeeded,
            missing_from(before.uncounted_succeeded, after.uncounted_succeeded));
    }
  }

  void list(const Uids& uids, Report& report) {
    for (const std::string& uid : uids) {
      if (!listed_.insert(uid).second) {
        report.broken(rule(), fmt::format("pod {} is counted a second time", uid));
      }
    }
  }

  std::set<std::string> listed_;
};

class NeverFewer final : public StatusMonitor {
  std::string_view rule() const override { return "C2"; }

  void check(const JobSnapshot& before, const JobSnapshot& after, const JobLife&, const History&,
             Report& report) override {
    const bool shrunk =
        after.indexed && after.completions && before.completed_indexes.last() >= *after.completions;
    if (after.failed < before.failed || (after.succeeded < before.succeeded && !shrunk)) {
      report.broken(rule(),
                    fmt::format("{}: succeeded {} -> {}, failed {} -> {}", after.key,
                                before.succeeded, after.succeeded, before.failed, after.failed));
    }
  }
};

class SucceededIsIndexes final : public StatusMonitor {
  std::string_view rule() const override { return "C3"; }

  void check(const JobSnapshot&, const JobSnapshot& after, const JobLife&, const History&,
             Report& report) override {
    if (after.indexed && after.succeeded != after.completed_indexes.size()) {
      report.broken(rule(), fmt::format("{}: succeeded {}, completedIndexes {}", after.key,
                                        after.succeeded, after.completed_text));
    }
  }
};

class IndexesApart final : public StatusMonitor {
  std::string_view rule() const override { return "C4"; }

  void check(const JobSnapshot&, const JobSnapshot& after, const JobLife&, const History&,
             Report& report) override {
    if (!after.indexed) {
      return;
    }
    const int32_t bound = after.completions.value_or(0);
    if (after.completed_indexes.overlap(after.failed_indexes) > 0 ||
        after.completed_indexes.last() >= bound || after.failed_indexes.last() >= bound) {
      report.broken(rule(), fmt::format("{}: of {} completed {}, failed {}", after.key, bound,
                                        after.completed_text, after.failed_text));
    }
  }
};

class IndexesCanonical final : public StatusMonitor {
  std::string_view rule() const override { return "C5"; }

  void check(const JobSnapshot&, const JobSnapshot& after, const JobLife&, const History&,
             Report& report) override {
    if (after.completed_indexes.to_string() != after.completed_text ||
        after.failed_indexes.to_string() != after.failed_text) {
      report.broken(rule(), fmt::format("{}: completed {}, failed {}", after.key,
                                        after.completed_text, after.failed_text));
    }
  }
};

class NumbersAtRest final : public Monitor {
  std::string_view rule() const override { return "C7"; }

  void on_job(const JobChange& change, const History&, Report& report) override {
    if (change.after != nullptr && change.after->ready > change.after->active) {
      report.broken(rule(), fmt::format("{}: ready {} of active {}", change.after->key,
                                        change.after->ready, change.after->active));
    }
  }

  void at_rest(const History& history, Report& report) override {
    for (const auto& [uid, job] : history.jobs()) {
      if (!job.exists || job.now.deleting || !job.now.managed_by.empty()) {
        continue;
      }
      int32_t active = 0;
      int32_t terminating = 0;
      for (const PodLife* pod : history.stored_pods(uid)) {
        active += pod->now.active() ? 1 : 0;
        terminating += pod->now.deleting && !pod->now.terminal() ? 1 : 0;
      }
      if (active != job.now.active || terminating != job.now.terminating) {
        report.broken(rule(), fmt::format("{}: active {} terminating {}, and there are {} and {}",
                                          job.now.key, job.now.active, job.now.terminating, active,
                                          terminating));
      }
    }
  }
};

class ListsSound final : public StatusMonitor {
  static constexpr size_t kMaxUncounted = 500;

  std::string_view rule() const override { return "C9"; }

  void check(const JobSnapshot& before, const JobSnapshot& after, const JobLife& life,
             const History& history, Report& report) override {
    std::set<std::string> all(after.uncounted_failed.begin(), after.uncounted_failed.end());
    all.insert(after.uncounted_succeeded.begin(), after.uncounted_succeeded.end());
    const size_t listed = after.uncounted_failed.size() + after.uncounted_succeeded.size();
    if (all.size() != listed || listed > kMaxUncounted) {
      report.broken(rule(), fmt::format("{}: {} entries, {} pods", after.key, listed, all.size()));
    }
    for (const Uids& added :
         {missing_from(after.uncounted_failed, before.uncounted_failed),
          missing_from(after.uncounted_succeeded, before.uncounted_succeeded)}) {
      for (const std::string& uid : added) {
        const PodLife* pod = history.pod(uid);
        if (!life.vandalised && (pod == nullptr || !pod->exists || !pod->now.finalizer)) {
          report.broken(rule(), fmt::format("pod {} is listed without a finalizer", uid));
        }
      }
    }
  }
};

// A finalizer goes only when what it stood for is stored.
class DurableBeforeRelease final : public Monitor {
  std::string_view rule() const override { return "C10"; }

  void on_pod(const PodChange& change, const History& history, Report& report) override {
    const bool released = change.before != nullptr && change.before->finalizer &&
                          (change.after == nullptr || !change.after->finalizer);
    if (!released || !change.writer.is_job_controller()) {
      return;
    }
    const PodSnapshot& pod = *change.before;
    const JobLife* job = history.job(pod.job);
    if (job == nullptr || !job->exists || job->vandalised || job->now.deleting ||
        job->now.finished() || job->now.is("SuccessCriteriaMet") || pod.dropped) {
      return;
    }
    const JobSnapshot& facts = job->now;
    const bool out_of_range = pod.index && facts.completions && *pod.index >= *facts.completions;
    const bool counted = contains(facts.uncounted_failed, pod.uid) ||
                         contains(facts.uncounted_succeeded, pod.uid) ||
                         (pod.index && facts.completed_indexes.contains(*pod.index));
    const bool ignored =
        pod.phase == "Failed" && matching_action(*facts.object, *pod.object) == "Ignore";
    // Suspended or scaled down: its end does not matter.
    const bool given_up = !pod.terminal();
    if (!out_of_range && !counted && !ignored && !given_up) {
      report.broken(
          rule(), fmt::format("pod {} ({}) is let go and nothing tells of it", pod.key, pod.phase));
    }
  }
};

}  // namespace

void add_counting_monitors(Monitors& monitors) {
  monitors.push_back(std::make_unique<CountedOnce>());
  monitors.push_back(std::make_unique<NeverFewer>());
  monitors.push_back(std::make_unique<SucceededIsIndexes>());
  monitors.push_back(std::make_unique<IndexesApart>());
  monitors.push_back(std::make_unique<IndexesCanonical>());
  monitors.push_back(std::make_unique<NumbersAtRest>());
  monitors.push_back(std::make_unique<ListsSound>());
  monitors.push_back(std::make_unique<DurableBeforeRelease>());
}

}  // namespace windlass::verify::simulation
