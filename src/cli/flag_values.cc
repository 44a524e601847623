#include "cli/flag_values.h"

#include <fmt/format.h>

#include "net/endpoint.h"

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

}  // namespace windlass::cli
