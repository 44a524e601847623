#include "scheduler/placer.h"

#include <algorithm>

#include "base/generator.h"

namespace windlass::scheduler {
namespace {

// S-14
constexpr int64_t kTaintWeight = 3;
constexpr int64_t kNodeAffinityWeight = 2;
constexpr int64_t kSpreadWeight = 2;
constexpr int64_t kPodAffinityWeight = 2;

}  // namespace

Fit Placer::fit_locally_on(const PodShape& shape, const std::string& name) const {
  const NodeState* node = cluster_.find(name);
  return node == nullptr ? Fit{bit(Reason::node_affinity), true}
                         : fit_locally(shape, node->info, node->usage);
}

Placement Placer::place(Attempt& attempt) {
  const std::vector<LocalResult>& local = local_.of(*attempt.pod().shape);
  const bool looks_around = attempt.looks_around();
  Placement placement;
  placement.fits.resize(local.size());
  std::vector<size_t> fitting;
  for (size_t slot = 0; slot < local.size(); ++slot) {
    const NodeState* node = cluster_.at(slot);
    if (node == nullptr) {
      continue;
    }
    Fit fit = local[slot].fit;
    if (fit.fits() && attempt.has_rivals(*node)) {
      fit = attempt.fit(*node, node->usage);
    } else if (fit.fits() && looks_around) {
      fit = attempt.fit_around(*node);
    }
    placement.fits[slot] = fit;
    if (fit.fits()) {
      fitting.push_back(slot);
    }
  }
  if (fitting.empty()) {
    return placement;
  }
  // P-21: what was made for it is what it takes, if it still can.
  const std::string& nominated = nominations_.node_of(attempt.pod().uid);
  if (!nominated.empty()) {
    for (const size_t slot : fitting) {
      if (cluster_.at(slot)->info.name == nominated) {
        placement.node = nominated;
        return placement;
      }
    }
  }
  const std::vector<int64_t> scores = score(attempt.pod(), fitting, local);
  const int64_t best = *std::max_element(scores.begin(), scores.end());
  std::vector<size_t> winners;
  for (size_t i = 0; i < scores.size(); ++i) {
    if (scores[i] == best) {
      winners.push_back(fitting[i]);
    }
  }
  const size_t winner =
      winners.size() == 1 ? winners[0] : winners[uniform(random_, winners.size())];
  placement.node = cluster_.at(winner)->info.name;
  return placement;
}

std::vector<int64_t> Placer::score(const PodInfo& pod, const std::vector<size_t>& slots,
                                   const std::vector<LocalResult>& local) {
  int64_t most_taints = 0;
  int64_t most_preferred = 0;
  for (const size_t slot : slots) {
    most_taints = std::max(most_taints, local[slot].score.untolerated);
    most_preferred = std::max(most_preferred, local[slot].score.preferred);
  }
  std::vector<int64_t> scores;
  scores.reserve(slots.size());
  for (const size_t slot : slots) {
    const LocalScore& score = local[slot].score;
    const int64_t taints =
        most_taints == 0 ? kBestScore : kBestScore - kBestScore * score.untolerated / most_taints;
    const int64_t preferred =
        most_preferred == 0 ? 0 : kBestScore * score.preferred / most_preferred;
    scores.push_back(kTaintWeight * taints + kNodeAffinityWeight * preferred + score.room);
  }
  const auto add = [&scores](const std::vector<int64_t>& more, int64_t weight) {
    for (size_t i = 0; i < more.size(); ++i) {
      scores[i] += weight * more[i];
    }
  };
  if (const SpreadState soft(pod, false, cluster_, counts_); !soft.empty()) {
    add(spread_scores(soft, cluster_, slots), kSpreadWeight);
  }
  if (pod.shape->has_pod_terms() || !cluster_.shapes_with_terms().empty()) {
    add(affinity_scores(pod, cluster_, counts_, slots), kPodAffinityWeight);
  }
  return scores;
}

}  // namespace windlass::scheduler
