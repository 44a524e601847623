#include "api/codec/wire_time.h"

#include "schema/meta/v1/time.pb.h"

namespace windlass::api {

Time time_of(const meta::v1::Time& message) {
  return time_from_unix(message.seconds(), message.nanos());
}

void set_time(meta::v1::Time& message, Time time) {
  message.Clear();
  const auto whole = std::chrono::floor<seconds>(time);
  message.set_seconds(whole.time_since_epoch().count());
}

Time time_of(const meta::v1::MicroTime& message) {
  return time_from_unix(message.seconds(), message.nanos());
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
