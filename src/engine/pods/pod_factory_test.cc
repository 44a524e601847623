#include "engine/pods/pod_factory.h"

#include <gtest/gtest.h>

namespace windlass::engine {
namespace {

TEST(PodPlans, R4_3_R4_4_F75_GenerateName) {
  EXPECT_EQ(generate_name("work", kNoIndex), "work-");
  EXPECT_EQ(generate_name(std::string(253, 'a'), kNoIndex), std::string(253, 'a'));
  const std::string name = generate_name(std::string(63, 'a'), 1);
  EXPECT_EQ(name.size(), 58u);
  EXPECT_EQ(name.substr(54), "a-1-");
}

TEST(PodPlans, R0_28_R4_13_Annotations) {
  EXPECT_EQ(parse_index(std::nullopt), kNoIndex);
  for (const char* text : {"", "-1", "x", "1x", "99999999999"}) {
    EXPECT_EQ(parse_index(text), kNoIndex) << text;
  }
  EXPECT_EQ(parse_index("17"), 17);
  EXPECT_EQ(parse_failure_count("2147483647"), 2147483647);
  EXPECT_EQ(parse_failure_count("2147483648"), 0);
  EXPECT_EQ(next_count(2147483647), 2147483647);
}

}  // namespace
}  // namespace windlass::engine
