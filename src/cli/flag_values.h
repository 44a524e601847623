#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "base/time.h"

namespace windlass::cli {

// The value of a flag that must be a duration above zero; the error names the flag.
Result<Duration> positive_duration(std::string_view flag, const std::string& text);

// IPv4 or IPv6, and no name.
bool is_ip_address(const std::string& text);

}  // namespace windlass::cli
