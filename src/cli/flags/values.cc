#include "cli/flags/values.h"

#include <fmt/format.h>

#include <algorithm>

#include "net/stream/endpoint.h"

namespace windlass::cli {

Result<Duration> positive_duration(std::string_view flag, const std::string& text) {
  const auto duration = parse_duration(text);
  if (!duration || *duration <= Duration::zero()) {
    return fail(plain_error(fmt::format(
        "invalid {} \"{}\": must be a duration above zero such as 90s, 5m or 1h30m", flag, text)));
  }
  return *duration;
}

bool is_ip_address(const std::string& text) {
  return !text.empty() && net::parse_endpoint("[" + text + "]:1").has_value();
}

std::vector<std::string_view> comma_separated(std::string_view text) {
  std::vector<std::string_view> entries;
  while (!text.empty()) {
    const size_t comma = std::min(text.find(','), text.size());
    entries.push_back(text.substr(0, comma));
    text.remove_prefix(std::min(comma + 1, text.size()));
  }
  return entries;
}

Failure unknown_output_format(const std::string& text, std::string_view allowed) {
  return fail(plain_error(fmt::format(
      "unable to match a printer suitable for the output format \"{}\", allowed formats are: {}",
      text, allowed)));
}

}  // namespace windlass::cli
