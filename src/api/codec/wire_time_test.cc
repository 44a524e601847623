#include "api/codec/wire_time.h"

#include <gtest/gtest.h>

#include "schema/meta/v1/time.pb.h"

namespace windlass::api {
namespace {

TEST(WireTime, RoundTripsWholeSeconds) {
  meta::v1::Time message;
  message.set_nanos(5);
  set_time(message, time_from_unix(1'700'000'000, 999'999'999));
  EXPECT_EQ(time_of(message), time_from_unix(1'700'000'000));
  set_time(message, time_from_unix(-2, 1));
  EXPECT_EQ(message.seconds(), -2);
}

TEST(WireTime, KeepsTheFractionOfWhatOthersWrote) {
  meta::v1::Time message;
  message.set_seconds(3);
  message.set_nanos(500);
  EXPECT_EQ(time_of(message), time_from_unix(3, 500));
}

}  // namespace
}  // namespace windlass::api
