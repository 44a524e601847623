// Index sets as a person reads them: the first intervals, and how many indexes follow. Pure.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/index_set.h"

namespace windlass::explain {

// A longer list says how many indexes it leaves out.
inline constexpr size_t kMaxIntervalsShown = 10;

// `0-4,7,9-11`; with more than kMaxIntervalsShown intervals, `0,2,4 and 311 more`.
std::string short_indexes(const IndexSet& indexes);
// The same for the text of a Job's status.
std::string short_indexes(std::string_view stored);

// The indexes below `completions` that are in neither set.
IndexSet remaining_indexes(int32_t completions, const IndexSet& completed, const IndexSet& failed);

}  // namespace windlass::explain
