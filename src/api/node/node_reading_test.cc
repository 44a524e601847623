#include "api/node/node_reading.h"

#include <gtest/gtest.h>

#include "schema/core/v1/node.pb.h"
#include "schema/core/v1/pod.pb.h"

namespace windlass::api {
namespace {

TEST(NodeReading, ReadyIsTheStatusOfItsCondition) {
  core::v1::Node node;
  EXPECT_EQ(node_ready(node), NodeReady::never_posted);
  core::v1::NodeCondition& ready = *node.mutable_status()->add_conditions();
  ready.set_type("Ready");
  const std::pair<const char*, NodeReady> cases[] = {
      {"True", NodeReady::yes}, {"False", NodeReady::no}, {"Unknown", NodeReady::unknown}};
  for (const auto& [status, expected] : cases) {
    ready.set_status(status);
    EXPECT_EQ(node_ready(node), expected) << status;
  }
  EXPECT_EQ(find_node_condition(node, "DiskPressure"), nullptr);
}

TEST(NodeReading, TaintsByKeyAndEffect) {
  core::v1::Node node;
  core::v1::Taint& taint = *node.mutable_spec()->add_taints();
  taint.set_key("k");
  taint.set_value("v");
  taint.set_effect("NoExecute");
  EXPECT_EQ(read_taints(node), (std::vector<Taint>{{"k", "v", "NoExecute"}}));
  EXPECT_TRUE(has_taint(node, "k"));
  EXPECT_TRUE(has_taint(node, "k", kNoExecute));
  EXPECT_FALSE(has_taint(node, "k", kNoSchedule));
  EXPECT_FALSE(has_taint(node, "other"));
}

TEST(NodeReading, TolerationsMatchByKeyValueAndEffect) {
  core::v1::PodSpec spec;
  core::v1::Toleration& toleration = *spec.add_tolerations();
  toleration.set_key("k");
  toleration.set_operator_("Equal");
  toleration.set_value("v");
  toleration.set_toleration_seconds(7);
  const std::vector<Toleration> read = read_tolerations(spec);
  ASSERT_EQ(read.size(), 1u);
  EXPECT_EQ(read[0], (Toleration{"k", false, "v", "", 7}));
  EXPECT_TRUE(tolerates(read[0], {"k", "v", "NoExecute"}));
  EXPECT_FALSE(tolerates(read[0], {"k", "w", "NoExecute"}));
  EXPECT_TRUE(tolerates({"", true, "", ""}, {"any", "v", "NoSchedule"}));
  EXPECT_FALSE(tolerates({"", true, "", "NoExecute"}, {"any", "v", "NoSchedule"}));
}

}  // namespace
}  // namespace windlass::api
