#include "apiserver/object_parts.h"

#include <google/protobuf/message.h>
#include <gtest/gtest.h>

#include "schema/core/v1/config_map.pb.h"
#include "schema/core/v1/pod.pb.h"

namespace windlass::apiserver {
namespace {

using api::core::v1::Pod;

TEST(ObjectParts, OfAPodAndNotOfAConfigMap) {
  const Pod pod;
  EXPECT_TRUE(consists_of_parts(pod));
  EXPECT_FALSE(consists_of_parts(api::core::v1::ConfigMap()));
  EXPECT_NE(find_part(pod, "status"), nullptr);
  EXPECT_EQ(find_part(pod, "zork"), nullptr);
  EXPECT_EQ(find_part(api::core::v1::ConfigMap(), "data"), nullptr);
}

TEST(ObjectParts, OnlyWhatDiffersIsCopied) {
  Pod old;
  old.mutable_metadata()->set_name("p");
  old.mutable_spec()->set_node_name("n");
  Pod changed = old;
  changed.mutable_status()->set_phase("Running");
  const std::vector<Part> parts = differing_parts(old, changed);
  ASSERT_EQ(parts.size(), 1u);
  EXPECT_EQ(parts[0]->json_name(), "status");

  const auto before = with_parts(old, parts);
  EXPECT_EQ(before->ByteSizeLong(), 0u);
  const auto made = with_parts(changed, parts);
  const auto& after = static_cast<const Pod&>(*made);
  EXPECT_EQ(after.status().phase(), "Running");
  EXPECT_FALSE(after.has_metadata());
}

TEST(ObjectParts, WhatTheOtherLacksGoes) {
  Pod old;
  old.mutable_metadata()->set_name("p");
  old.mutable_status()->set_phase("Running");
  const Pod other;
  const auto made = with_parts_of(old, other, {find_part(old, "status")});
  EXPECT_FALSE(static_cast<const Pod&>(*made).has_status());
  EXPECT_EQ(static_cast<const Pod&>(*made).metadata().name(), "p");
}

}  // namespace
}  // namespace windlass::apiserver
