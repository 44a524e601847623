// N: what nodes report is what happened.
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "verify/simulation/monitor.h"

namespace windlass::verify::simulation {
namespace {

class RunOnce final : public Monitor {
  std::string_view rule() const override { return "N1"; }

  void at_rest(const History& history, Report& report) override {
    std::map<std::string, int> runs;
    for (const Execution& execution : history.executions()) {
      const PodLife* pod = history.pod(execution.pod_uid);
      const JobLife* job = pod == nullptr ? nullptr : history.job(pod->now.job);
      if (++runs[execution.pod_uid] > 1 && job != nullptr && !job->now.restarts) {
        report.broken(rule(), fmt::format("the container of pod {} is run twice", pod->now.key));
      }
    }
  }
};

class EndsStay final : public Monitor {
  std::string_view rule() const override { return "N2"; }

  void on_pod(const PodChange& change, const History&, Report& report) override {
    if (change.before != nullptr && change.after != nullptr && change.before->terminal() &&
        change.before->phase != change.after->phase) {
      report.broken(rule(), fmt::format("pod {} was {} and is {}", change.after->key,
                                        change.before->phase, change.after->phase));
    }
  }
};

class SuccessIsReal final : public Monitor {
  std::string_view rule() const override { return "N3"; }

  void on_pod(const PodChange& change, const History& history, Report& report) override {
    if (change.after == nullptr || change.after->phase != "Succeeded" ||
        (change.before != nullptr && change.before->phase == "Succeeded")) {
      return;
    }
    const auto& runs = history.executions();
    if (std::none_of(runs.begin(), runs.end(), [&](const Execution& run) {
          return run.pod_uid == change.after->uid && run.exit_code == 0;
        })) {
      report.broken(rule(),
                    fmt::format("pod {} succeeded, and nothing ran to its end", change.after->key));
    }
  }
};

class IndexesHaveWitnesses final : public Monitor {
  std::string_view rule() const override { return "C6"; }

  void at_rest(const History& history, Report& report) override {
    for (const auto& [uid, job] : history.jobs()) {
      // Those that the Job starts with have theirs in another Job.
      const IndexSet start =
          IndexSet::parse_stored(job.now.completed_at_start.value_or(""), INT32_MAX).set;
      job.now.completed_indexes.for_each([&, &life = job](int32_t index) {
        const auto pods = history.all_pods(life.now.uid);
        if (!life.vandalised && !start.contains(index) &&
            std::none_of(pods.begin(), pods.end(), [&](const PodLife* pod) {
              return pod->now.index == index && pod->now.phase == "Succeeded";
            })) {
          report.broken(rule(), fmt::format("{}: index {} is completed, no pod succeeded",
                                            life.now.key, index));
        }
      });
    }
  }
};

class BoundOnce final : public Monitor {
  std::string_view rule() const override { return "N7"; }

  void on_pod(const PodChange& change, const History&, Report& report) override {
    if (change.before != nullptr && change.after != nullptr && !change.before->node.empty() &&
        change.before->node != change.after->node) {
      report.broken(rule(), fmt::format("pod {} moves from {} to {}", change.after->key,
                                        change.before->node, change.after->node));
    }
  }
};

// What pods on a node ask for is there.
class RoomIsThere final : public Monitor {
  std::string_view rule() const override { return "N7"; }

  void on_pod(const PodChange& change, const History& history, Report& report) override {
    if (change.writer.component != "scheduler" || change.before == nullptr ||
        change.after == nullptr || !change.before->node.empty() || change.after->node.empty()) {
      return;
    }
    const auto node = history.nodes().find(change.after->node);
    if (node == history.nodes().end() || !node->second.exists) {
      return;
    }
    int64_t asked = 0;
    for (const auto& [uid, pod] : history.pods()) {
      const bool is_there = pod.exists && pod.now.node == node->first && !pod.now.terminal();
      asked += is_there ? pod.now.milli_cpu : 0;
    }
    if (asked > node->second.now.milli_cpu) {
      report.broken(rule(),
                    fmt::format("pod {} comes to {}, whose pods ask for {}m of {}m",
                                change.after->key, node->first, asked, node->second.now.milli_cpu));
    }
  }
};

}  // namespace

void add_node_monitors(Monitors& monitors, const Allowances& allowances) {
  if (!allowances.node_crashes) {
    monitors.push_back(std::make_unique<RunOnce>());
  }
  monitors.push_back(std::make_unique<EndsStay>());
  monitors.push_back(std::make_unique<SuccessIsReal>());
  monitors.push_back(std::make_unique<IndexesHaveWitnesses>());
  monitors.push_back(std::make_unique<BoundOnce>());
  monitors.push_back(std::make_unique<RoomIsThere>());
}

}  // namespace windlass::verify::simulation
