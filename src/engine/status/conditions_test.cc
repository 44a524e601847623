#include "engine/status/conditions.h"

#include <gtest/gtest.h>

namespace windlass::engine {
namespace {

TEST(Conditions, N233_EnsureConditionTable) {
  using enum ConditionStatus;
  const Time now = time_from_unix(1);
  const Time later = time_from_unix(2);
  JobStatus status;
  EXPECT_FALSE(set_condition(status, "T", is_false, "R", "M", now));
  EXPECT_TRUE(set_condition(status, "T", is_true, "R", "M", now));
  EXPECT_FALSE(set_condition(status, "T", is_true, "R", "M", later));
  EXPECT_EQ(status.conditions[0].last_transition, now);
  EXPECT_TRUE(set_condition(status, "T", is_true, "R2", "M", later));
  EXPECT_EQ(status.conditions[0].last_transition, later);
  EXPECT_TRUE(set_condition(status, "T", is_false, "R2", "M", later));
  EXPECT_EQ(status.conditions.size(), 1u);
}

TEST(Conditions, R6_24_R8_7_ReasonLabelsAreBounded) {
  EXPECT_EQ(finished_reason_label("PodFailurePolicy_Any"), "PodFailurePolicy");
  EXPECT_EQ(finished_reason_label("RuleBudgetExceeded_Any"), "RuleBudgetExceeded");
  EXPECT_EQ(finished_reason_label("DeadlineExceeded"), "DeadlineExceeded");
  EXPECT_EQ(finished_reason_label("MadeByHand"), "Other");
}

}  // namespace
}  // namespace windlass::engine
