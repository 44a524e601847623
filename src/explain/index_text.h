// Index sets of a Job as a person reads them, and what is left of them. Pure.
#pragma once

#include <cstdint>

#include "base/index_set.h"
#include "base/short_indexes.h"

namespace windlass::explain {

using windlass::short_indexes;

// The indexes below `completions` that are in neither set.
IndexSet remaining_indexes(int32_t completions, const IndexSet& completed, const IndexSet& failed);

}  // namespace windlass::explain
