// Fault points in simulation: which of the names fire, how often, and which were ever asked about.
// Draws from a stream of its own, so that a point that never fires changes nothing else in the run.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "base/generator.h"
#include "env/fault.h"

namespace windlass::virtual_world {

class VirtualFaults final : public env::Faults {
 public:
  explicit VirtualFaults(uint64_t seed);

  // Nothing fires until told to.
  void set(std::string_view point, double probability);
  // Points without a probability of their own: each is armed for the whole run with `armed`, and
  // one that is armed fires with `fires`. Whether it is armed depends on the seed and its name
  // alone.
  void arm_by_seed(double armed, double fires);
  // From now on nothing fires: the healing phase of a run.
  void disarm();

  bool fires(std::string_view point) override;

  struct PointCounts {
    uint64_t reached = 0;
    uint64_t fired = 0;
  };
  // Every point that was asked about, sorted by name.
  const std::map<std::string, PointCounts, std::less<>>& record() const { return record_; }
  uint64_t fired(std::string_view point) const;

 private:
  double probability_of(std::string_view point) const;

  uint64_t seed_;
  Generator generator_;
  bool disarmed_ = false;
  double armed_ = 0;
  double fires_when_armed_ = 0;
  std::map<std::string, double, std::less<>> probabilities_;
  std::map<std::string, PointCounts, std::less<>> record_;
};

}  // namespace windlass::virtual_world
