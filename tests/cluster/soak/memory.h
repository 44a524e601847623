// Whether a process grows: the middle of its samples in the second quarter of a run, when all
// caches have been filled once, against that of the last quarter.
#pragma once

#include <cstdint>
#include <vector>

namespace windlass::cluster_tests {

struct Growth {
  static constexpr int64_t kAllowedPercent = 10;
  static constexpr int64_t kAllowedKb = 1024;

  int64_t before_kb = 0;
  int64_t after_kb = 0;

  bool within_limits() const {
    return after_kb <= before_kb + before_kb * kAllowedPercent / 100 + kAllowedKb;
  }
};

Growth growth_of(const std::vector<int64_t>& samples_kb);

}  // namespace windlass::cluster_tests
