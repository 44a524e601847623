// Values of flags that several commands take. Errors name the flag.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/time.h"

namespace windlass::cli {

// A duration above zero.
Result<Duration> positive_duration(std::string_view flag, const std::string& text);

// IPv4 or IPv6; a host name is not one.
bool is_ip_address(const std::string& text);

// The entries of a comma-separated list; none for "".
std::vector<std::string_view> comma_separated(std::string_view text);

// `unable to match a printer suitable for the output format "xml", allowed formats are: json,yaml`
Failure unknown_output_format(const std::string& text, std::string_view allowed);

}  // namespace windlass::cli
