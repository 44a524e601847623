#include "scheduler/attempt.h"

#include <algorithm>

namespace windlass::scheduler {

Attempt::Attempt(const PodInfo& pod, const Cluster& cluster, const Nominations& nominations,
                 MatchCounts& counts)
    : pod_(pod),
      cluster_(cluster),
      nominations_(nominations),
      spread_(pod, true, cluster, counts),
      affinity_(pod, cluster, counts) {}

bool Attempt::has_rivals(const NodeState& node) const {
  const auto* nominated = nominations_.empty() ? nullptr : nominations_.at(node.info.name);
  return nominated != nullptr &&
         std::any_of(nominated->begin(), nominated->end(),
                     [this](const auto& entry) { return is_rival(*entry.second); });
}

Fit Attempt::fit_around(const NodeState& node) const {
  if (const Fit fit = spread_.fit(node.info); !fit.fits()) {
    return fit;
  }
  return affinity_.empty() ? Fit{} : affinity_.fit(node.info);
}

Fit Attempt::fit_plain(const NodeState& node, const NodeUsage& usage) const {
  const Fit fit = fit_locally(*pod_.shape, node.info, usage);
  return fit.fits() ? fit_around(node) : fit;
}

Fit Attempt::fit(const NodeState& node, const NodeUsage& usage) {
  if (has_rivals(node)) {
    NodeUsage with = usage;
    const auto& nominated = *nominations_.at(node.info.name);
    for (const auto& [uid, rival] : nominated) {
      if (is_rival(*rival)) {
        with.add(*rival->shape);
        add(*rival, node);
      }
    }
    const Fit fit = fit_plain(node, with);
    for (const auto& [uid, rival] : nominated) {
      if (is_rival(*rival)) {
        remove(*rival, node);
      }
    }
    if (!fit.fits()) {
      return fit;
    }
  }
  return fit_plain(node, usage);
}

void Attempt::add(const PodInfo& pod, const NodeState& node) {
  spread_.add(pod, node.info);
  affinity_.add(pod, node.info);
}

void Attempt::remove(const PodInfo& pod, const NodeState& node) {
  spread_.remove(pod, node.info);
  affinity_.remove(pod, node.info);
}

}  // namespace windlass::scheduler
