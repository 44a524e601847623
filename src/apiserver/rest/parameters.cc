#include "apiserver/rest/parameters.h"

#include <charconv>

#include "base/quote.h"

namespace windlass::apiserver {
namespace {

// As strconv.ParseInt: one sign, then digits.
Result<int64_t> parse_int(std::string_view text) {
  int64_t value = 0;
  const bool plus = text.starts_with('+') && !text.starts_with("+-");
  const char* begin = text.data() + (plus ? 1 : 0);
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(begin, end, value);
  if (error == std::errc::result_out_of_range && stop == end) {
    return fail(bad_request("strconv.ParseInt: parsing " + quote(text) + ": value out of range"));
  }
  if (error != std::errc() || stop != end) {
    return fail(bad_request("strconv.ParseInt: parsing " + quote(text) + ": invalid syntax"));
  }
  return value;
}

}  // namespace

std::string text_parameter(const http::Target& target, std::string_view name) {
  return std::string(target.parameter(name).value_or(""));
}

std::optional<bool> flag_parameter(const http::Target& target, std::string_view name) {
  return target.parameter(name) ? std::optional(target.flag(name)) : std::nullopt;
}

Result<std::optional<int64_t>> int_parameter(const http::Target& target, std::string_view name) {
  const auto text = target.parameter(name);
  if (!text) {
    return std::nullopt;
  }
  TRY(const int64_t value, parse_int(*text));
  return value;
}

Result<std::optional<Time>> time_parameter(const http::Target& target, std::string_view name) {
  const auto text = target.parameter(name);
  if (!text) {
    return std::nullopt;
  }
  if (text->empty() || *text == "null") {
    return Time::min();
  }
  const Result<UnixTime> time = parse_unix_rfc3339(*text);
  if (!time) {
    return fail(bad_request(time.error().message));
  }
  return to_time(*time);
}

std::vector<std::string> list_parameter(const http::Target& target, std::string_view name) {
  std::vector<std::string> values;
  for (const http::Parameter& parameter : target.parameters) {
    if (parameter.name == name) {
      values.push_back(parameter.value);
    }
  }
  return values;
}

Result<void> check_timeout_parameter(const http::Target& target) {
  const std::string text = text_parameter(target, "timeout");
  if (text.empty()) {
    return {};
  }
  if (const Result<Duration> timeout = parse_duration(text); !timeout) {
    return fail(
        bad_request("invalid timeout specified in the request URL - " + timeout.error().message));
  }
  return {};
}

}  // namespace windlass::apiserver
