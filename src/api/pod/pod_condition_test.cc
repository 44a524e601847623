#include "api/pod/pod_condition.h"

#include <gtest/gtest.h>

#include "api/codec/wire_time.h"
#include "schema/core/v1/pod.pb.h"

namespace windlass::api {
namespace {

const Time kFirst = time_from_unix(1000);
const Time kLater = time_from_unix(2000);

TEST(PodCondition, C3_AppendsWhatIsNotThere) {
  core::v1::Pod pod;
  pod.mutable_status()->add_conditions()->set_type("Ready");
  EXPECT_TRUE(set_pod_condition(pod, "DisruptionTarget", "True", kFirst, "Why", "Because."));
  ASSERT_EQ(pod.status().conditions_size(), 2);
  const auto& condition = pod.status().conditions(1);
  EXPECT_EQ(condition.type(), "DisruptionTarget");
  EXPECT_EQ(condition.reason(), "Why");
  EXPECT_EQ(condition.message(), "Because.");
  EXPECT_EQ(time_of(condition.last_transition_time()), kFirst);
}

TEST(PodCondition, C3_KeepsTheTimeWhileTheStatusIsTheSame) {
  core::v1::Pod pod;
  set_pod_condition(pod, "DisruptionTarget", "True", kFirst, "Why");
  EXPECT_TRUE(set_pod_condition(pod, "DisruptionTarget", "True", kLater, "Other", "Text"));
  ASSERT_EQ(pod.status().conditions_size(), 1);
  EXPECT_EQ(pod.status().conditions(0).reason(), "Other");
  EXPECT_EQ(time_of(pod.status().conditions(0).last_transition_time()), kFirst);
  EXPECT_TRUE(set_pod_condition(pod, "DisruptionTarget", "False", kLater));
  EXPECT_FALSE(pod.status().conditions(0).has_reason());
  EXPECT_FALSE(pod.status().conditions(0).has_message());
  EXPECT_EQ(time_of(pod.status().conditions(0).last_transition_time()), kLater);
}

TEST(PodCondition, C4_SaysWhenNothingChanged) {
  core::v1::Pod pod;
  set_pod_condition(pod, "DisruptionTarget", "True", kFirst, "Why", "Text");
  EXPECT_FALSE(set_pod_condition(pod, "DisruptionTarget", "True", kLater, "Why", "Text"));
  EXPECT_EQ(time_of(pod.status().conditions(0).last_transition_time()), kFirst);
}

// KEP-5067, "observedGeneration in conditions".
TEST(PodCondition, SaysWhichGenerationItsWriterSaw) {
  core::v1::Pod pod;
  pod.mutable_metadata()->set_generation(2);
  set_pod_condition(pod, "DisruptionTarget", "True", kFirst, "Why");
  EXPECT_EQ(pod.status().conditions(0).observed_generation(), 2);
  pod.mutable_metadata()->set_generation(3);
  EXPECT_FALSE(set_pod_condition(pod, "DisruptionTarget", "True", kLater, "Why"));
  EXPECT_EQ(pod.status().conditions(0).observed_generation(), 2);
  set_pod_condition(pod, "DisruptionTarget", "True", kLater, "Kept", "", ConditionGeneration::kept);
  EXPECT_EQ(pod.status().conditions(0).observed_generation(), 2);
  set_pod_condition(pod, "DisruptionTarget", "False", kLater);
  EXPECT_EQ(pod.status().conditions(0).observed_generation(), 3);
  set_pod_condition(pod, "DisruptionTarget", "True", kLater, "", "", ConditionGeneration::absent);
  EXPECT_FALSE(pod.status().conditions(0).has_observed_generation());
}

}  // namespace
}  // namespace windlass::api
