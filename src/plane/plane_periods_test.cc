#include "plane/plane_periods.h"

#include <gtest/gtest.h>

namespace windlass::plane {
namespace {

TEST(PlanePeriods, ReadBackWhatTheyWrite) {
  PlanePeriods periods;
  periods.backoff_base = milliseconds(100);
  periods.pod_eviction_timeout = minutes(3);
  EXPECT_EQ(parse_periods(periods_json(periods)), periods);
}

TEST(PlanePeriods, DefaultsStandForWhatIsMissingOrBad) {
  EXPECT_EQ(parse_periods(""), PlanePeriods());
  EXPECT_EQ(parse_periods("no JSON"), PlanePeriods());
  EXPECT_EQ(parse_periods(R"({"other":{"backoff-base":"1s"}})"), PlanePeriods());
  EXPECT_EQ(parse_periods(R"({"windlass":{"backoff-base":"-1s","backoff-cap":7}})"),
            PlanePeriods());
}

}  // namespace
}  // namespace windlass::plane
