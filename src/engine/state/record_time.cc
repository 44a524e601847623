#include "engine/state/record_time.h"

#include <algorithm>
#include <charconv>
#include <cstdint>

namespace windlass::engine {
namespace {

constexpr int64_t kMaxMilliseconds = 7'258'118'400'000;
constexpr int64_t kLastOfSecond = 999;

int64_t to_milliseconds(Time time) {
  const Time up = std::chrono::ceil<milliseconds>(time);
  const Time last = std::chrono::floor<seconds>(time) + milliseconds(kLastOfSecond);
  return std::chrono::duration_cast<milliseconds>(std::min(up, last).time_since_epoch()).count();
}

Time from_milliseconds(int64_t value) {
  const Time time{milliseconds(value)};
  return value % 1000 == kLastOfSecond ? time + milliseconds(1) - nanoseconds(1) : time;
}

}  // namespace

std::string format_record_time(Time time) {
  return std::to_string(to_milliseconds(time));
}

std::optional<Time> parse_record_time(std::string_view text) {
  int64_t value = 0;
  const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || stop != text.data() + text.size() || value < 0 ||
      value > kMaxMilliseconds) {
    return std::nullopt;
  }
  return from_milliseconds(value);
}

Time as_recorded(Time time) {
  return from_milliseconds(to_milliseconds(time));
}

}  // namespace windlass::engine
