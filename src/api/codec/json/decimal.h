#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace windlass::api {

// A decimal integer as Go's strconv.ParseInt reads it: one sign is allowed, blanks are not.
std::optional<int64_t> parse_decimal(std::string_view text);

}  // namespace windlass::api
