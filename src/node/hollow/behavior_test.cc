#include "node/hollow/behavior.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace windlass::node::hollow {
namespace {

using ::testing::HasSubstr;

PodSpec pod(std::map<std::string, std::string, std::less<>> told = {}) {
  PodSpec spec;
  spec.uid = "u-1";
  spec.told = std::move(told);
  return spec;
}

TEST(HollowBehavior, APodThatSaysNothingRunsForASecondAndSucceeds) {
  const Behavior behavior = behavior_of(pod(), {});
  EXPECT_EQ(behavior.start_delay, Duration::zero());
  EXPECT_EQ(behavior.duration, seconds(1));
  EXPECT_EQ(behavior.exit_code, 0);
  EXPECT_EQ(behavior.end, End::exit);
}

TEST(HollowBehavior, AnnotationsSayEverything) {
  const Behavior behavior = behavior_of(pod({{"start-delay", "2s"},
                                             {"duration", "1m30s"},
                                             {"exit-code", "3,side=4"},
                                             {"term-delay", "500ms"},
                                             {"term-exit-code", "0"},
                                             {"end", "oom"},
                                             {"condition", "DiskBroken, Healthy=False"}}),
                                        {});
  EXPECT_EQ(behavior.error, "");
  EXPECT_EQ(behavior.start_delay, seconds(2));
  EXPECT_EQ(behavior.duration, seconds(90));
  EXPECT_EQ(behavior.exit_code, 3);
  EXPECT_EQ(behavior.exit_codes.at("side"), 4);
  EXPECT_EQ(behavior.term_delay, milliseconds(500));
  EXPECT_EQ(behavior.term_exit_code, 0);
  EXPECT_EQ(behavior.end, End::oom);
  ASSERT_EQ(behavior.conditions.size(), 2u);
  EXPECT_EQ(behavior.conditions[0].type, "DiskBroken");
  EXPECT_TRUE(behavior.conditions[0].status);
  EXPECT_EQ(behavior.conditions[1].type, "Healthy");
  EXPECT_FALSE(behavior.conditions[1].status);
}

TEST(HollowBehavior, WordsStandForNoEnd) {
  const Behavior behavior = behavior_of(
      pod({{"start-delay", "never"}, {"duration", "forever"}, {"term-delay", "never"}}), {});
  EXPECT_EQ(behavior.error, "");
  EXPECT_FALSE(behavior.start_delay);
  EXPECT_FALSE(behavior.duration);
  EXPECT_FALSE(behavior.term_delay);
}

TEST(HollowBehavior, WhatCannotBeReadIsSaid) {
  const std::pair<const char*, const char*> cases[] = {
      {"duration", "soon"},   {"duration", "-1s"},        {"exit-code", "256"},
      {"exit-code", "a=b"},   {"exit-code", "1,,2"},      {"end", "meteor"},
      {"term-exit-code", ""}, {"condition", "Ready=May"}, {"wings", "2"},
  };
  for (const auto& [name, value] : cases) {
    const Behavior behavior = behavior_of(pod({{name, value}}), {});
    EXPECT_THAT(behavior.error, HasSubstr(std::string("annotation windlass.dev/hollow-") + name))
        << value;
  }
}

TEST(HollowBehavior, AMixDrawsTheSameLifeForTheSamePod) {
  const Mix mix = {7, seconds(1), seconds(100), 30, 42};
  int failing = 0;
  for (int i = 0; i < 1000; ++i) {
    PodSpec spec = pod();
    spec.uid = "u-" + std::to_string(i);
    const Behavior behavior = behavior_of(spec, mix);
    EXPECT_EQ(behavior.duration, behavior_of(spec, mix).duration);
    EXPECT_GE(*behavior.duration, seconds(1));
    EXPECT_LE(*behavior.duration, seconds(100));
    failing += behavior.exit_code == 42 ? 1 : 0;
  }
  EXPECT_GT(failing, 230);
  EXPECT_LT(failing, 370);
}

TEST(HollowBehavior, AMixIsReadFromText) {
  const Result<Mix> mix = parse_mix("duration=1s..5s,fail=10%,exit-code=42,seed=7");
  ASSERT_TRUE(mix);
  EXPECT_EQ(*mix, (Mix{7, seconds(1), seconds(5), 10, 42}));
  EXPECT_EQ(*parse_mix(""), Mix());
  EXPECT_EQ(parse_mix("duration=3s")->longest, seconds(3));
  for (const char* text :
       {"duration=5s..1s", "fail=10", "fail=101%", "seed=x", "colour=red", "duration="}) {
    EXPECT_FALSE(parse_mix(text)) << text;
  }
}

TEST(HollowBehavior, C1_TheNodeSaysWhyItEndsAPod) {
  EXPECT_FALSE(forced_end(End::exit));
  EXPECT_FALSE(forced_end(End::oom));
  EXPECT_EQ(forced_end(End::shutdown)->reason, "Terminated");
  EXPECT_EQ(forced_end(End::evicted)->kind, ForcedEnd::Kind::disruption);
  EXPECT_EQ(forced_end(End::local_storage)->kind, ForcedEnd::Kind::failure);
  EXPECT_EQ(forced_end(End::preempted)->disruption_message,
            "Pod was preempted by Kubelet to accommodate a critical pod.");
}

}  // namespace
}  // namespace windlass::node::hollow
