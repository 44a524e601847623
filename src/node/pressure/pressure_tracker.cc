#include "node/pressure/pressure_tracker.h"

#include <algorithm>

namespace windlass::node::pressure {

bool is_short(const Threshold& threshold, const ResourceLevels& levels) {
  const auto found = levels.find(threshold.signal);
  return found != levels.end() &&
         found->second.available < threshold.amount.of(found->second.capacity);
}

uint64_t missing(const Threshold& threshold, const ResourceLevels& levels) {
  const auto found = levels.find(threshold.signal);
  if (found == levels.end()) {
    return 0;
  }
  const env::ResourceLevel& level = found->second;
  uint64_t wanted = threshold.amount.of(level.capacity);
  if (threshold.minimum_reclaim) {
    wanted += threshold.minimum_reclaim->of(level.capacity);
  }
  return wanted - std::min(wanted, level.available);
}

void PressureTracker::observe(MonotonicTime now, const ResourceLevels& levels) {
  due_ = nullptr;
  for (size_t i = 0; i < met_.size(); ++i) {
    const Threshold& threshold = config_.thresholds[i];
    // One that was met stays so until the minimum reclaim is there, too (K-57).
    if (!is_short(threshold, levels) && !(met_[i] && missing(threshold, levels) > 0)) {
      met_[i].reset();
      continue;
    }
    met_[i] = met_[i].value_or(now);
    last_short_[threshold.signal] = now;
    if (due_ == nullptr && now - *met_[i] >= threshold.grace.value_or(Duration::zero())) {
      due_ = &threshold;
    }
  }
  const auto pressed = [&](EvictionSignal signal) {
    const auto last = last_short_.find(signal);
    return last != last_short_.end() &&
           (last->second == now || now - last->second < config_.transition);
  };
  conditions_ = {pressed(EvictionSignal::memory),
                 pressed(EvictionSignal::disk) || pressed(EvictionSignal::inodes),
                 pressed(EvictionSignal::pids)};
}

}  // namespace windlass::node::pressure
