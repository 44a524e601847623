// Index sets as a person reads them: the first intervals, and how many indexes follow. Pure.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "base/index_set.h"

namespace windlass {

// A longer list says how many indexes it leaves out.
inline constexpr size_t kMaxIntervalsShown = 10;

// `0-4,7,9-11`; with more than `most` intervals, `0,2,4 and 311 more`.
std::string short_indexes(const IndexSet& indexes, size_t most = kMaxIntervalsShown);
// The same for the text of a Job's status.
std::string short_indexes(std::string_view stored, size_t most = kMaxIntervalsShown);

}  // namespace windlass
