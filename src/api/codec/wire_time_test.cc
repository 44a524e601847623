#include "api/codec/wire_time.h"

#include <gtest/gtest.h>

#include <cstdint>

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

// Under UndefinedBehaviorSanitizer, an overflow ends the test.
TEST(WireTime, AnyTimesOfObjectsCanBeComparedAndHavePeriodsBeforeAndAfterThem) {
  meta::v1::Time first;
  first.set_seconds(INT64_MIN);
  meta::v1::MicroTime last;
  last.set_seconds(INT64_MAX);
  last.set_nanos(INT32_MAX);
  EXPECT_LT(time_of(first), time_from_unix(0));
  EXPECT_GT(time_of(last), time_from_unix(4'000'000'000));
  EXPECT_GT(time_of(last) - time_of(first), Duration::zero());
  const Duration longest = bounded_seconds(INT64_MAX);
  EXPECT_LT(time_of(first) - longest - longest, time_of(first));
  EXPECT_GT(time_of(last) + longest + longest, time_of(last));
}

}  // namespace
}  // namespace windlass::api
