#include "node/shutdown/node_shutdown.h"

#include <utility>

namespace windlass::node {

ShutdownGroups shutdown_groups(Duration total, Duration critical) {
  if (total <= Duration::zero()) {
    return {};
  }
  return {{0, total - critical}, {kCriticalPriority, critical}};
}

size_t shutdown_group_of(const ShutdownGroups& groups, int64_t pod_priority) {
  size_t found = 0;
  for (size_t i = 0; i < groups.size(); ++i) {
    found = groups[i].priority <= pod_priority ? i : found;
  }
  return found;
}

namespace {

// Longer than any pod's own grace period, which then decides.
constexpr Duration kUnlimitedGrace = hours(24 * 365);

ShutdownGroups at_least_one(ShutdownGroups groups) {
  return groups.empty() ? ShutdownGroups{{0, kUnlimitedGrace}} : std::move(groups);
}

}  // namespace

NodeShutdown::NodeShutdown(Host host, ShutdownGroups groups)
    : host_(std::move(host)), groups_(at_least_one(std::move(groups))) {}

NodeShutdown::~NodeShutdown() {
  host_.executor.cancel(timer_);
}

void NodeShutdown::begin() {
  if (!std::exchange(active_, true)) {
    group_ = 0;
    under_way_ = false;
    start_groups();
  }
}

void NodeShutdown::cancel() {
  active_ = false;
  host_.executor.cancel(std::exchange(timer_, env::TimerId::none));
}

std::vector<NodeShutdown::Pod> NodeShutdown::pods_of_group() const {
  std::vector<Pod> found;
  for (Pod& pod : host_.pods()) {
    if (shutdown_group_of(groups_, pod.priority) == group_) {
      found.push_back(std::move(pod));
    }
  }
  return found;
}

void NodeShutdown::start_groups() {
  while (active_ && !under_way_ && group_ < groups_.size()) {
    const std::vector<Pod> pods = pods_of_group();
    if (pods.empty()) {
      ++group_;
      continue;
    }
    under_way_ = true;
    timer_ = host_.executor.schedule(groups_[group_].time, [this] {
      timer_ = env::TimerId::none;
      under_way_ = false;
      ++group_;
      start_groups();
    });
    const Duration time = groups_[group_].time;
    for (const Pod& pod : pods) {
      host_.stop(pod.uid, time);
    }
  }
}

void NodeShutdown::look_again() {
  if (active_ && under_way_ && pods_of_group().empty()) {
    host_.executor.cancel(std::exchange(timer_, env::TimerId::none));
    under_way_ = false;
    ++group_;
    start_groups();
  }
}

}  // namespace windlass::node
