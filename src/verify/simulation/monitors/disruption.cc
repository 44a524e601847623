// disruption.md: a component that takes pods away says so first, and has a reason; nodes come back.
#include <fmt/format.h>

#include <map>

#include "verify/simulation/monitor.h"

namespace windlass::verify::simulation {
namespace {

// What DisruptionTarget says when a component deletes a pod; "" when it need not say anything.
std::string_view reason_of(const std::string& component) {
  return component == "taint-eviction" ? "DeletionByTaintManager"
         : component == "scheduler"    ? "PreemptionByScheduler"
                                       : "";
}

bool begins_to_end(const PodChange& change) {
  return change.before != nullptr && !change.before->deleting &&
         (change.after == nullptr || change.after->deleting);
}

// C-7 of disruption.md: the mark is stored before the delete is sent. What has ended needs none.
class MarkedBeforeDeleted final : public Monitor {
  std::string_view rule() const override { return "disruption C-7"; }

  void on_pod(const PodChange& change, const History&, Report& report) override {
    const std::string_view reason = reason_of(change.writer.component);
    if (reason.empty() || !begins_to_end(change) || change.before->terminal()) {
      return;
    }
    const ConditionSnapshot* mark = find_condition(change.before->conditions, "DisruptionTarget");
    if (mark == nullptr || mark->status != "True" || mark->reason != reason) {
      report.broken(rule(), fmt::format("pod {} is deleted by {} without its mark",
                                        change.before->key, change.writer.component));
    }
  }
};

// T-1, T-11: only pods of nodes that have, or had since the pod came, a NoExecute taint.
class EvictedFromATaintedNode final : public Monitor {
  std::string_view rule() const override { return "disruption T-1"; }

  void on_pod(const PodChange& change, const History& history, Report& report) override {
    if (change.writer.component != "taint-eviction" || !begins_to_end(change)) {
      return;
    }
    const auto node = history.nodes().find(change.before->node);
    const PodLife* pod = history.pod(change.before->uid);
    if (node == history.nodes().end() || !node->second.evicting ||
        (!node->second.now.evicts && *node->second.evicting < pod->created)) {
      report.broken(rule(), fmt::format("pod {} is evicted from {}, which had no such taint",
                                        change.before->key, change.before->node));
    }
  }
};

// N-5, N-6: after the trouble every node that there is says that it is ready, and takes pods.
class NodesComeBack final : public Monitor {
  std::string_view rule() const override { return "disruption N-5"; }

  void at_rest(const History& history, Report& report) override {
    for (const auto& [name, node] : history.nodes()) {
      if (node.exists && (node.now.ready != "True" || node.now.life_taint)) {
        report.broken(rule(), fmt::format("node {}: Ready is {}{}", name, node.now.ready,
                                          node.now.life_taint ? ", and it is tainted" : ""));
      }
    }
  }
};

// D-12: a mark that nothing followed is taken back.
class NoStaleMarks final : public Monitor {
  std::string_view rule() const override { return "disruption D-12"; }

  void at_rest(const History& history, Report& report) override {
    for (const auto& [uid, pod] : history.pods()) {
      if (pod.exists && pod.now.active() && has_true(pod.now.conditions, "DisruptionTarget")) {
        report.broken(rule(), fmt::format("pod {} lives on with its mark", pod.now.key));
      }
    }
  }
};

}  // namespace

void add_disruption_monitors(Monitors& monitors, const Allowances& allowances) {
  if (!allowances.gates_change) {
    monitors.push_back(std::make_unique<MarkedBeforeDeleted>());
  }
  monitors.push_back(std::make_unique<EvictedFromATaintedNode>());
  monitors.push_back(std::make_unique<NodesComeBack>());
  monitors.push_back(std::make_unique<NoStaleMarks>());
}

}  // namespace windlass::verify::simulation
