#include "verify/simulation/run.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <set>

#include "api/job/job_constants.h"
#include "base/hash.h"

namespace windlass::verify::simulation {
namespace {

// Trouble ends then, at the latest.
constexpr Duration kTrouble = minutes(15);
// L1: 10 min of back-off, and what was frozen or retried before.
constexpr Duration kRest = hours(2);
// L2: nothing may change for so long.
constexpr Duration kSilence = minutes(5);
// An action is in the store, or refused, after this.
constexpr Duration kActionCommits = seconds(1);
// What was frozen or slow when the trouble ended has come through after this.
constexpr Duration kSettle = minutes(8);

uint64_t fault_seed(uint64_t seed) {
  StableHash hash;
  hash.add(seed);
  hash.add("strikes");
  return hash.value();
}

std::unique_ptr<FaultSource> source_for(const Scenario& scenario,
                                        const SimulationOptions& options) {
  if (options.quiet) {
    return std::make_unique<NoFaultSource>();
  }
  if (options.strikes) {
    return std::make_unique<ScriptedFaults>(*options.strikes);
  }
  return std::make_unique<SeededFaults>(
      fault_seed(options.seed), [&scenario](const std::string& component, ClientFault fault) {
        return may_strike(scenario, component, fault);
      });
}

class Run {
 public:
  Run(const Scenario& scenario, const SimulationOptions& options)
      : scenario_(scenario),
        options_(options),
        faults_(source_for(scenario, options)),
        cluster_(options.seed, scenario.cluster, *faults_) {}

  RunResult live() {
    const MonotonicTime begin = now();
    cluster_.start();
    for (const ScriptedAction& action : scenario_.actions) {
      schedule(action, action.at);
    }
    const auto over = [this] {
      return performed_ == scenario_.actions.size() && now() >= acted_ + kActionCommits &&
             at_rest();
    };
    (void)cluster_.world().run_until(over, kTrouble);
    cluster_.heal();
    for (const SimulatedNodeOptions& node : scenario_.cluster.nodes) {
      perform(cluster_, scenario_.jobs, {Duration::zero(), {"uncordon", node.name}});
      perform(cluster_, scenario_.jobs, {Duration::zero(), {"untaint", node.name}});
    }
    // D3: a clock that was set back lengthens a back-off by as much.
    if (!cluster_.world().run_until(over, kRest + cluster_.history().jumps())) {
      explain_unrest();
    } else {
      cluster_.world().run_for(kSettle);
      expect_silence();
      for (const auto& monitor : cluster_.monitors()) {
        monitor->at_rest(cluster_.history(), cluster_.report());
      }
    }
    return outcome(begin);
  }

 private:
  MonotonicTime now() { return cluster_.world().clock().monotonic(); }

  void schedule(const ScriptedAction& action, Duration delay) {
    cluster_.world().executor("control").schedule(delay, [this, action] {
      if (perform(cluster_, scenario_.jobs, action)) {
        ++performed_;
        acted_ = now();
      } else {
        schedule(action, seconds(1));
      }
    });
  }

  // Nothing more is to be expected of it.
  bool job_rests(const JobLife& job) const {
    if (!job.exists) {
      return cluster_.history().stored_pods(job.now.uid).empty() || !job_pods_held(job);
    }
    if (job_pods_held(job)) {
      return false;
    }
    const JobSnapshot& facts = job.now;
    const bool foreign =
        !facts.managed_by.empty() && facts.managed_by != api::kBuiltInJobController;
    return !facts.deleting && ((facts.finished() && !facts.ttl) || foreign ||
                               ((facts.suspend || facts.parallelism == 0) && facts.active == 0));
  }

  // F5: some pod of a Job that is gone or finished keeps its finalizer, or is still ending.
  bool job_pods_held(const JobLife& job) const {
    const auto pods = cluster_.history().stored_pods(job.now.uid);
    return std::any_of(pods.begin(), pods.end(), [&job](const PodLife* pod) {
      return pod->now.deleting || (pod->now.finalizer && (!job.exists || job.now.finished()));
    });
  }

  bool at_rest() {
    if (looked_at_ != cluster_.changes()) {
      looked_at_ = cluster_.changes();
      rests_ = all_rest();
    }
    return rests_;
  }

  bool all_rest() const {
    const auto& jobs = cluster_.history().jobs();
    return std::all_of(jobs.begin(), jobs.end(),
                       [this](const auto& entry) { return job_rests(entry.second); });
  }

  void explain_unrest() {
    for (const auto& [uid, job] : cluster_.history().jobs()) {
      if (job_rests(job)) {
        continue;
      }
      std::string pods;
      for (const PodLife* pod : cluster_.history().stored_pods(uid)) {
        pods += fmt::format("; pod {} {}{}{} on {}", pod->now.key, pod->now.phase,
                            pod->now.deleting ? ", deleting" : "",
                            pod->now.finalizer ? ", held" : "", pod->now.node);
      }
      cluster_.report().broken("L1", fmt::format("Job {} does not come to rest: {}, active {}{}",
                                                 job.now.key, end_of(job), job.now.active, pods));
    }
    if (performed_ != scenario_.actions.size()) {
      cluster_.report().broken("L1", "the schedule was not carried out");
    }
  }

  // A pod that was taken from its Job lives on, and its containers may restart for ever.
  bool has_stray_pods() const {
    const auto& pods = cluster_.history().pods();
    return std::any_of(pods.begin(), pods.end(), [](const auto& pod) {
      return pod.second.exists && pod.second.now.job.empty() && !pod.second.now.terminal();
    });
  }

  void expect_silence() {
    if (has_stray_pods()) {
      return;
    }
    const uint64_t before = cluster_.changes();
    cluster_.world().run_for(kSilence);
    if (cluster_.changes() != before) {
      cluster_.report().broken(
          "L2", fmt::format("{} writes in {} of rest, the last: {}", cluster_.changes() - before,
                            format_duration(kSilence), cluster_.last_change()));
    }
  }

  static std::string name_of(const JobSnapshot& job) {
    return job.key.substr(job.key.find('/') + 1);
  }

  static std::string end_of(const JobLife& job) {
    if (!job.exists) {
      return "gone";
    }
    for (const char* type : {"Complete", "Failed"}) {
      if (const ConditionSnapshot* condition = find_condition(job.now.conditions, type)) {
        return std::string(type) == "Complete" ? type : "Failed " + condition->reason;
      }
    }
    return "waits";
  }

  // D1 counts from the stored startTime. One that could not be stored for long is late, and a Job
  // that its deadline would have ended may complete.
  bool by_deadline(const std::string& name) const {
    const auto end = scenario_.ends.find(name);
    return !options_.quiet && end != scenario_.ends.end() &&
           end->second == "Failed DeadlineExceeded";
  }
  bool completed_in_time(const std::string& name) const {
    const auto& jobs = cluster_.history().jobs();
    return std::any_of(jobs.begin(), jobs.end(), [&name](const auto& entry) {
      const JobSnapshot& job = entry.second.now;
      return name_of(job) == name && job.is("Complete") && job.deadline && job.start &&
             job.completion && *job.completion <= *job.start + seconds(*job.deadline);
    });
  }

  void compare_ends(const RunResult& result) {
    const auto expect = [this](const auto& expected, const auto& found, const char* what) {
      for (const auto& [name, value] : expected) {
        const auto is = found.find(name);
        const std::string text = is == found.end() ? "" : is->second;
        if (value != "*" && value != text && !(by_deadline(name) && completed_in_time(name))) {
          cluster_.report().broken(
              "L3", fmt::format("Job {} {} '{}', not '{}'", name, what, text, value));
        }
      }
    };
    expect(scenario_.ends, result.ends, "ends as");
    expect(options_.numbers, result.numbers, "counts");
  }

  RunResult outcome(MonotonicTime begin) {
    RunResult result;
    for (const auto& [uid, job] : cluster_.history().jobs()) {
      const std::string name = name_of(job.now);
      if (!job.exists && result.ends.contains(name)) {
        continue;  // one of the same name came after it
      }
      result.ends[name] = end_of(job);
      result.numbers[name] =
          fmt::format("succeeded {} failed {} completed '{}' failed '{}'", job.now.succeeded,
                      job.now.failed, job.now.completed_text, job.now.failed_text);
    }
    // A node that was silent for that long really loses its pods.
    const auto& pods = cluster_.history().pods();
    const bool evicted = std::any_of(pods.begin(), pods.end(), [](const auto& pod) {
      return pod.second.deleted_by == kTaintEviction;
    });
    if (cluster_.report().all().empty() &&
        (options_.quiet || (has_one_end(scenario_) && !evicted))) {
      compare_ends(result);
    }
    result.broken = cluster_.report().all();
    result.struck = faults_->struck();
    result.actions = scenario_.actions;
    result.sites = faults_->all_passed();
    for (const Strike& strike : result.struck) {
      cluster_.sightings().see("fault " + std::string(info_of(strike.fault).name));
    }
    result.sightings = cluster_.sightings();
    result.trace_hash = cluster_.world().trace_hash();
    result.steps = cluster_.world().steps();
    result.revisions = cluster_.changes();
    result.took = now() - begin;
    if (options_.keep_log) {
      result.log.assign(cluster_.log().begin(), cluster_.log().end());
    }
    return result;
  }

  const Scenario& scenario_;
  SimulationOptions options_;
  std::unique_ptr<FaultSource> faults_;
  mutable TestedCluster cluster_;
  size_t performed_ = 0;
  MonotonicTime acted_ = {};  // when the last action was performed
  uint64_t looked_at_ = 0;    // TestedCluster::changes() when the Jobs were last looked at
  bool rests_ = false;
};

}  // namespace

bool may_strike(const Scenario& scenario, const std::string& component, ClientFault fault) {
  const bool kills = fault == ClientFault::crash_before || fault == ClientFault::crash_applied ||
                     fault == ClientFault::crash_after;
  // With the node its processes die, and how the Job ends may change.
  return !kills || !component.starts_with("node-") || scenario.cluster.allowances.node_crashes;
}

bool has_one_end(const Scenario& scenario) {
  static const std::set<std::string_view> kHarmless = {
      "create", "crash", "pause", "suspend", "resume", "parallelism", "recreate", "delete-job"};
  // A Job that waits because of an action might have been quicker.
  const bool waits = std::any_of(scenario.ends.begin(), scenario.ends.end(),
                                 [](const auto& end) { return end.second == "waits"; });
  // Who has to make room for whom depends on who came first.
  const bool competes = std::any_of(
      scenario.jobs.begin(), scenario.jobs.end(),
      [](const auto& job) { return job.second.find("priorityClassName") != std::string::npos; });
  return (!waits || scenario.actions.size() == 1) && !competes &&
         std::all_of(
             scenario.actions.begin(), scenario.actions.end(),
             [](const ScriptedAction& action) { return kHarmless.contains(action.words.front()); });
}

RunResult run(const Scenario& scenario, const SimulationOptions& options) {
  return Run(scenario, options).live();
}

}  // namespace windlass::verify::simulation
