#include "api/codec/wire_time.h"

#include <algorithm>
#include <chrono>

#include "schema/meta/v1/time.pb.h"

namespace windlass::api {
namespace {

// A client may write any time. Between these, the difference of any two stays within Duration, and
// two periods of bounded_seconds() before or after one stay within Time.
constexpr Time kEarliest =
    std::chrono::sys_days(std::chrono::year(1900) / std::chrono::January / 1);
constexpr Time kLatest = std::chrono::sys_days(std::chrono::year(2150) / std::chrono::January / 1);

template <class Message>
Time bounded_time(const Message& message) {
  return std::clamp(time_from_unix(message.seconds(), message.nanos()), kEarliest, kLatest);
}

}  // namespace

Time time_of(const meta::v1::Time& message) {
  return bounded_time(message);
}

void set_time(meta::v1::Time& message, Time time) {
  message.Clear();
  const auto whole = std::chrono::floor<seconds>(time);
  message.set_seconds(whole.time_since_epoch().count());
}

Time time_of(const meta::v1::MicroTime& message) {
  return bounded_time(message);
}

void set_time(meta::v1::MicroTime& message, Time time) {
  message.Clear();
  const UnixTime whole = to_unix(std::chrono::floor<microseconds>(time));
  message.set_seconds(whole.seconds);
  if (whole.nanos != 0) {
    message.set_nanos(whole.nanos);
  }
}

}  // namespace windlass::api
