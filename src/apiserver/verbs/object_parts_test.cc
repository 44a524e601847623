#include "apiserver/verbs/object_parts.h"

#include <google/protobuf/message.h>
#include <google/protobuf/unknown_field_set.h>
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

TEST(ObjectParts, OnlyTheStatusDiffers) {
  Pod old;
  old.mutable_metadata()->set_name("p");
  old.mutable_spec()->set_node_name("n");
  Pod changed = old;
  changed.mutable_status()->set_phase("Running");
  const std::vector<Part> parts = differing_parts(old, changed);
  ASSERT_EQ(parts.size(), 1u);
  EXPECT_EQ(parts[0]->json_name(), "status");
}

TEST(ObjectParts, TheOtherPartsAreCopied) {
  Pod stored;
  stored.mutable_metadata()->set_name("p");
  stored.mutable_status()->set_phase("Running");
  stored.GetReflection()->MutableUnknownFields(&stored)->AddVarint(1000, 7);
  Pod patched;
  patched.mutable_spec()->set_node_name("gone");
  copy_other_parts(stored, {find_part(stored, "status")}, patched);
  EXPECT_FALSE(patched.has_status());
  EXPECT_FALSE(patched.has_spec());
  EXPECT_EQ(patched.metadata().name(), "p");
  EXPECT_EQ(patched.GetReflection()->GetUnknownFields(patched).field_count(), 1);
}

}  // namespace
}  // namespace windlass::apiserver
