#include "api/codec/json/outline.h"

#include <gtest/gtest.h>

#include "schema/core/v1/pod.pb.h"

namespace windlass::api {
namespace {

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
  pod.mutable_status()->set_message(std::string(200, 'm'));
  auto& container = *pod.mutable_status()->add_container_statuses();
  container.set_name("c");
  container.set_container_id(std::string(200, 'i'));
  auto& terminated = *container.mutable_state()->mutable_terminated();
  terminated.set_exit_code(3);
  terminated.set_reason("Error");
  pod.mutable_status()->add_container_statuses()->mutable_state()->mutable_terminated()->set_reason(
      "Completed");
  return pod;
}

// By the numbers that Kubernetes gave these fields.
Outline pod_outline() {
  constexpr uint32_t kMetadata = 1;
  constexpr uint32_t kSpec = 2;
  constexpr uint32_t kStatus = 3;
  const Outline state = {{3, {{1}}}};  // terminated.exitCode
  return {{kMetadata, {{1}, {14}}},    // name, finalizers
          {kSpec, {{10}, {20}}},       // nodeName, initContainers
          {kStatus, {{1}, {8, {{1}, {2, state}}}}}};
}

TEST(Outline, LeavesOutUnreadFields) {
  core::v1::Pod read;
  ASSERT_TRUE(
      read.ParseFromString(apply_outline(outlined_pod().SerializeAsString(), pod_outline())));
  core::v1::Pod expected = outlined_pod();
  expected.mutable_metadata()->clear_managed_fields();
  expected.mutable_spec()->clear_containers();
  expected.mutable_spec()->clear_priority();
  expected.mutable_status()->clear_message();
  for (auto& container : *expected.mutable_status()->mutable_container_statuses()) {
    container.clear_container_id();
    container.mutable_state()->mutable_terminated()->clear_reason();  // but it is there
  }
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
