#include "scheduler/fit.h"

#include <fmt/format.h>

#include <algorithm>

namespace windlass::scheduler {

namespace {

bool tolerated(const PodInfo& pod, const Taint& taint) {
  return std::any_of(
      pod.tolerations.begin(), pod.tolerations.end(),
      [&taint](const Toleration& toleration) { return tolerates(toleration, taint); });
}

bool keeps_pods_off(const Taint& taint) {
  return taint.effect == "NoSchedule" || taint.effect == "NoExecute";
}

bool has_untolerated_taint(const PodInfo& pod, const NodeInfo& node) {
  return std::any_of(node.taints.begin(), node.taints.end(), [&pod](const Taint& taint) {
    return keeps_pods_off(taint) && !tolerated(pod, taint);
  });
}

bool selected(const Labels& selector, const Labels& labels) {
  return std::all_of(selector.begin(), selector.end(), [&labels](const auto& wanted) {
    const auto found = labels.find(wanted.first);
    return found != labels.end() && found->second == wanted.second;
  });
}

}  // namespace

bool tolerates(const Toleration& toleration, const Taint& taint) {
  if (!toleration.effect.empty() && toleration.effect != taint.effect) {
    return false;
  }
  if (toleration.key.empty()) {
    return toleration.exists;
  }
  return toleration.key == taint.key && (toleration.exists || toleration.value == taint.value);
}

std::vector<std::string> misfits(const PodInfo& pod, const Candidate& candidate) {
  const NodeInfo& node = *candidate.node;
  const Taint cordon{"node.kubernetes.io/unschedulable", "", "NoSchedule"};
  if (node.unschedulable && !tolerated(pod, cordon)) {
    return {"node(s) were unschedulable"};
  }
  if (has_untolerated_taint(pod, node)) {
    return {"node(s) had untolerated taint(s)"};
  }
  if (!selected(pod.node_selector, node.labels)) {
    return {"node(s) didn't match Pod's node affinity/selector"};
  }
  Resources free = node.allocatable;
  subtract(free, candidate.usage.requested);
  std::vector<std::string> reasons = shortages(pod.requests, free);
  if (candidate.usage.pods + 1 > node.max_pods) {
    reasons.insert(reasons.begin(), "Too many pods");
  }
  return reasons;
}

std::string no_fit_message(size_t nodes, const std::map<std::string, size_t>& reasons) {
  if (nodes == 0) {
    return "no nodes available to schedule pods";
  }
  std::vector<std::string> entries;
  for (const auto& [reason, count] : reasons) {
    entries.push_back(fmt::format("{} {}", count, reason));
  }
  std::sort(entries.begin(), entries.end());
  return fmt::format("0/{} nodes are available: {}.", nodes, fmt::join(entries, ", "));
}

Placement first_fit(const PodInfo& pod, std::span<const Candidate> candidates) {
  std::map<std::string, size_t> reasons;
  for (const Candidate& candidate : candidates) {
    const std::vector<std::string> why = misfits(pod, candidate);
    if (why.empty()) {
      return {candidate.node->name, ""};
    }
    for (const std::string& reason : why) {
      ++reasons[reason];
    }
  }
  return {std::nullopt, no_fit_message(candidates.size(), reasons)};
}

}  // namespace windlass::scheduler
