// Points in time and spans, and their text forms in the Kubernetes API. Wall time is what users and
// objects see; MonotonicTime is what timers are measured with and never leaves the process.
//
// Time counts nanoseconds and so ends in the years 1677 and 2262; UnixTime is what a client may
// write into an object, any year from 0 to 9999, and what the codec keeps. Pure functions.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"

namespace windlass {

using Duration = std::chrono::nanoseconds;
using Time = std::chrono::time_point<std::chrono::system_clock, Duration>;
using MonotonicTime = std::chrono::time_point<std::chrono::steady_clock, Duration>;

using std::chrono::hours;
using std::chrono::microseconds;
using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::nanoseconds;
using std::chrono::seconds;

// As the protobuf Timestamp has it: nanos is 0 to 999,999,999 and counts forward.
struct UnixTime {
  int64_t seconds = 0;
  int32_t nanos = 0;

  auto operator<=>(const UnixTime&) const = default;
};

// What lies outside Time becomes the earliest or the latest Time.
Time time_from_unix(int64_t unix_seconds, int64_t nanos = 0);
inline Time to_time(UnixTime time) {
  return time_from_unix(time.seconds, time.nanos);
}
UnixTime to_unix(Time time);
// Seconds since 1970, rounded towards the past.
int64_t unix_seconds(Time time);

// metav1.Time as JSON has it: `2006-01-02T15:04:05Z`, UTC, whole seconds (api.md M8).
std::string format_rfc3339(UnixTime time);
std::string format_rfc3339(Time time);
// metav1.MicroTime: exactly six digits, `2006-01-02T15:04:05.000000Z`.
std::string format_rfc3339_micro(UnixTime time);
std::string format_rfc3339_micro(Time time);
// Log time stamps: nanoseconds, nine digits.
std::string format_rfc3339_nano(Time time);

// Accept any fraction and any offset, as Go's time.RFC3339 does. Error text as in api.md M31; the
// ones that answer a Time also fail for years outside it.
Result<UnixTime> parse_unix_rfc3339(std::string_view text);
Result<Time> parse_rfc3339(std::string_view text);
// Exactly six digits of fraction (N30).
Result<UnixTime> parse_unix_rfc3339_micro(std::string_view text);
Result<Time> parse_rfc3339_micro(std::string_view text);

// `1h2m3.5s`, `300ms`, `0s`: Go's duration text, as kubectl flags take it.
std::string format_duration(Duration duration);
Result<Duration> parse_duration(std::string_view text);
// `5m12s`, `3h`, `47h`: how kubectl prints ages (api.md M139).
std::string human_duration(Duration duration);

// Seconds that an object names, as a Duration. A field may have 64 bits, of which a Duration of
// nanoseconds holds 292 years: sums with more would turn into times of the past. Pure.

// Longer than any life; a few of them added to now stay within Time.
inline constexpr int64_t kMaxBoundedSeconds = int64_t{50} * 365 * 24 * 3600;

constexpr Duration bounded_seconds(int64_t amount) {
  return seconds(std::clamp(amount, -kMaxBoundedSeconds, kMaxBoundedSeconds));
}

// The API keeps times in whole seconds, rounded down: what is stored as 12:00:07 happened at that
// instant or up to a second later. A period that begins at such a time counts from the latest
// instant that the time may stand for, so it is never shorter than what was asked for
// (docs/decisions/0042-periods-from-whole-seconds.md). Pure functions.

// The latest instant that `stored` may stand for, of something that was over when it was first seen
// at `seen`. It lies in the same second. A time with a fraction stands for itself.
inline Time latest_instant(Time stored, Time seen = Time::max()) {
  constexpr Duration kRest = seconds(1) - nanoseconds(1);
  const bool is_whole = std::chrono::floor<seconds>(stored) == stored;
  if (!is_whole || stored > Time::max() - kRest) {
    return stored;
  }
  return std::clamp(seen, stored, stored + kRest);
}

}  // namespace windlass
