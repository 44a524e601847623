#include "base/whole_second.h"

#include <gtest/gtest.h>

namespace windlass {
namespace {

constexpr Time kStored = Time(seconds(1'800'000'000));

TEST(LatestInstant, IsTheEndOfAWholeSecond) {
  const Time latest = latest_instant(kStored);
  EXPECT_EQ(std::chrono::floor<seconds>(latest), kStored);
  EXPECT_EQ(latest + nanoseconds(1), kStored + seconds(1));
}

TEST(LatestInstant, IsNotLaterThanItWasSeen) {
  EXPECT_EQ(latest_instant(kStored, kStored + milliseconds(300)), kStored + milliseconds(300));
  EXPECT_EQ(latest_instant(kStored, kStored + seconds(2)), latest_instant(kStored));
  EXPECT_EQ(latest_instant(kStored, kStored - hours(1)), kStored);  // by another clock
}

TEST(LatestInstant, OfATimeWithAFractionIsThatTime) {
  EXPECT_EQ(latest_instant(kStored + milliseconds(1)), kStored + milliseconds(1));
  EXPECT_EQ(latest_instant(Time::max()), Time::max());
}

}  // namespace
}  // namespace windlass
