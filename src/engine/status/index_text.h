// The text of an index set, "1,3-5,7", brought up to date without printing it anew: a Job whose
// pods end in any order has up to 100,000 runs in each status, and adds a few. Pure.
#pragma once

#include <string>
#include <string_view>

#include "engine/state/index_bits.h"

namespace windlass::engine {

// The text of the set that `text` stands for, with `added` in it. `text` must be as
// IndexBits::text() prints it, and hold none of `added`. O(added * log(text)), and copying.
std::string add_to_text(std::string_view text, const IndexBits& added);

}  // namespace windlass::engine
