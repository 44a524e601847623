// The key of a ModelState: equal for states that differ only in what cannot matter (the numbers of
// pods, absolute time, absolute versions), and different otherwise but for collisions of 64 bits.
#pragma once

#include <cstdint>

#include "verify/explorer/model_state.h"

namespace windlass::verify::explorer {

struct StateKey {
  uint64_t core = 0;  // without the budget: what a run without further trouble depends on
  uint64_t full = 0;
};

StateKey key_of(const ModelState& model);

}  // namespace windlass::verify::explorer
