#include "cluster/soak/memory.h"

#include <algorithm>

namespace windlass::cluster_tests {
namespace {

int64_t median(std::vector<int64_t> values) {
  if (values.empty()) {
    return 0;
  }
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

}  // namespace

Growth growth_of(const std::vector<int64_t>& samples_kb) {
  const auto begin = samples_kb.begin();
  const auto quarter = static_cast<std::ptrdiff_t>(samples_kb.size() / 4);
  return {median({begin + quarter, begin + 2 * quarter}),
          median({samples_kb.end() - quarter, samples_kb.end()})};
}

}  // namespace windlass::cluster_tests
