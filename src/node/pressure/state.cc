#include "node/pressure/state.h"

#include <algorithm>

namespace windlass::node::pressure {

bool is_short(const Threshold& threshold, const Supplies& supplies) {
  const auto found = supplies.find(threshold.signal);
  return found != supplies.end() &&
         found->second.available < threshold.amount.of(found->second.capacity);
}

uint64_t missing(const Threshold& threshold, const Supplies& supplies) {
  const auto found = supplies.find(threshold.signal);
  if (found == supplies.end()) {
    return 0;
  }
  const env::Supply& supply = found->second;
  uint64_t wanted = threshold.amount.of(supply.capacity);
  if (threshold.minimum_reclaim) {
    wanted += threshold.minimum_reclaim->of(supply.capacity);
  }
  return wanted - std::min(wanted, supply.available);
}

void State::observe(MonotonicTime now, const Supplies& supplies) {
  due_ = nullptr;
  for (size_t i = 0; i < met_.size(); ++i) {
    const Threshold& threshold = config_.thresholds[i];
    // One that was met stays so until the minimum reclaim is there, too (K-57).
    if (!is_short(threshold, supplies) && !(met_[i] && missing(threshold, supplies) > 0)) {
      met_[i].reset();
      continue;
    }
    met_[i] = met_[i].value_or(now);
    last_short_[threshold.signal] = now;
    if (due_ == nullptr && now - *met_[i] >= threshold.grace.value_or(Duration::zero())) {
      due_ = &threshold;
    }
  }
  const auto pressed = [&](Signal signal) {
    const auto last = last_short_.find(signal);
    return last != last_short_.end() &&
           (last->second == now || now - last->second < config_.transition);
  };
  conditions_ = {pressed(Signal::memory), pressed(Signal::disk) || pressed(Signal::inodes),
                 pressed(Signal::pids)};
}

}  // namespace windlass::node::pressure
