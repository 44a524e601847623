#include <array>

#include "apiserver/strategies.h"

namespace windlass::apiserver {

const Strategy* find_strategy(const api::Kind& kind) {
  static const std::array<const Strategy*, 8> all = {
      &job_strategy(),   &pod_strategy(),   &node_strategy(),       &namespace_strategy(),
      &event_strategy(), &lease_strategy(), &config_map_strategy(), &secret_strategy(),
  };
  for (const Strategy* strategy : all) {
    if (&strategy->kind() == &kind) {
      return strategy;
    }
  }
  return nullptr;
}

}  // namespace windlass::apiserver
