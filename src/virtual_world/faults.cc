#include "virtual_world/faults.h"

#include "base/hash.h"

namespace windlass::virtual_world {

VirtualFaults::VirtualFaults(uint64_t seed) : seed_(seed), generator_(seed) {}

void VirtualFaults::set(std::string_view point, double probability) {
  probabilities_.insert_or_assign(std::string(point), probability);
}

void VirtualFaults::arm_by_seed(double armed, double fires) {
  armed_ = armed;
  fires_when_armed_ = fires;
}

void VirtualFaults::disarm() {
  disarmed_ = true;
}

bool VirtualFaults::fires(std::string_view point) {
  auto found = record_.find(point);
  if (found == record_.end()) {
    found = record_.emplace(std::string(point), PointCounts{}).first;
  }
  ++found->second.reached;
  const double probability = probability_of(point);
  if (disarmed_ || probability <= 0 || !generator_.chance(probability)) {
    return false;
  }
  ++found->second.fired;
  return true;
}

uint64_t VirtualFaults::fired(std::string_view point) const {
  const auto found = record_.find(point);
  return found == record_.end() ? 0 : found->second.fired;
}

double VirtualFaults::probability_of(std::string_view point) const {
  if (const auto own = probabilities_.find(point); own != probabilities_.end()) {
    return own->second;
  }
  StableHash hash;
  hash.add(seed_);
  hash.add(point);
  return Generator(hash.value()).chance(armed_) ? fires_when_armed_ : 0;
}

}  // namespace windlass::virtual_world
