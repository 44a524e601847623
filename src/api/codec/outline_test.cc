#include "api/codec/outline.h"

#include <gtest/gtest.h>

#include "schema/core/v1/pod.pb.h"

namespace windlass::api {
namespace {

constexpr uint32_t kMetadata = 1;
constexpr uint32_t kSpec = 2;

core::v1::Pod outlined_pod() {
  core::v1::Pod pod;
  pod.mutable_metadata()->set_name("p");
  pod.mutable_metadata()->add_finalizers("f");
  pod.mutable_metadata()->add_managed_fields()->set_manager("m");
  pod.mutable_spec()->set_node_name("n");
  pod.mutable_spec()->add_containers()->set_image(std::string(300, 'i'));
  pod.mutable_spec()->add_init_containers()->set_name("init");
  pod.mutable_spec()->set_priority(7);
  pod.mutable_status()->set_phase("Failed");
  return pod;
}

Outline pod_outline() {
  return {{{kMetadata, true, {17}}, {kSpec, false, {10, 20}}}};
}

TEST(Outline, LeavesOutWhatNobodyReads) {
  core::v1::Pod read;
  ASSERT_TRUE(
      read.ParseFromString(apply_outline(outlined_pod().SerializeAsString(), pod_outline())));
  core::v1::Pod expected = outlined_pod();
  expected.mutable_metadata()->clear_managed_fields();
  expected.mutable_spec()->clear_containers();
  expected.mutable_spec()->clear_priority();
  EXPECT_EQ(read.SerializeAsString(), expected.SerializeAsString());
  EXPECT_EQ(apply_outline("", pod_outline()), "");
}

// Cut anywhere, it is still the decoder that says what is wrong.
TEST(Outline, WhatIsNoProtobufStaysAsItIs) {
  const std::string whole = outlined_pod().SerializeAsString();
  for (size_t size = 0; size < whole.size(); ++size) {
    const std::string cut = whole.substr(0, size);
    const std::string out = apply_outline(cut, pod_outline());
    core::v1::Pod before;
    core::v1::Pod after;
    EXPECT_EQ(before.ParseFromString(cut), after.ParseFromString(out)) << size;
  }
  const std::string nonsense("\x0a\xff\xff\xff\xff\x7f", 6);
  EXPECT_EQ(apply_outline(nonsense, pod_outline()), nonsense);
}

}  // namespace
}  // namespace windlass::api
