// The key of a World: equal for worlds that differ only in what cannot matter (the numbers of pods,
// absolute time, absolute versions), and different otherwise but for collisions of 64 bits.
#pragma once

#include <cstdint>

#include "explorer/world.h"

namespace windlass::explorer {

struct Key {
  uint64_t core = 0;  // without the budget: what a run without further trouble depends on
  uint64_t full = 0;
};

Key key_of(const World& world);

}  // namespace windlass::explorer
