// The lists of a strategic merge patch: who is who in them, and in which order the result stands
// (api.md M94). Internal to strategic_merge.cc. Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "api/codec/json/json_value.h"
#include "base/result.h"

namespace windlass::api {

// Names each item of a list: plain values by themselves, objects by the member `merge_key`. An
// object without it is an error.
Result<std::vector<std::string>> item_names(const std::vector<JsonValue>& items,
                                            std::string_view merge_key);

// The order of a merged list: the items that the patch names stand in the order it gives them, the
// others as they stood; without a given order, those of the patch come first. All three are
// names of items; the answer is indexes into `merged`.
std::vector<size_t> merged_order(const std::vector<std::string>& merged,
                                 const std::vector<std::string>& wanted,
                                 const std::vector<std::string>& before);

// Every patch item is in the order list, one after the other.
bool is_in_order(const std::vector<std::string>& patch, const std::vector<std::string>& order);

}  // namespace windlass::api
