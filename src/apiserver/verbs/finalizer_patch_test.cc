#include "apiserver/verbs/finalizer_patch.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "schema/core/v1/pod.pb.h"

namespace windlass::apiserver {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

api::core::v1::Pod finalized_pod() {
  api::core::v1::Pod pod;
  pod.mutable_metadata()->set_name("p");
  pod.mutable_metadata()->set_uid("u");
  pod.mutable_metadata()->set_resource_version("5");
  for (const char* finalizer : {"a", "b", "a"}) {
    pod.mutable_metadata()->add_finalizers(finalizer);
  }
  pod.mutable_spec()->set_node_name("n");
  return pod;
}

std::unique_ptr<api::Message> patched(const api::Message& object, const std::string& patch) {
  return without_finalizers(object, *api::parse_json_value(patch));
}

std::unique_ptr<api::Message> patched(const std::string& metadata) {
  return patched(finalized_pod(), R"({"metadata":{)" + metadata + "}}");
}

TEST(FinalizerPatch, M94_TakesEveryOneOfThoseNamedOffAndLeavesTheRest) {
  const auto one = patched(R"("$deleteFromPrimitiveList/finalizers":["a","c"])");
  ASSERT_NE(one, nullptr);
  EXPECT_THAT(api::metadata_of(*one).finalizers(), ElementsAre("b"));
  EXPECT_EQ(static_cast<const api::core::v1::Pod&>(*one).spec().node_name(), "n");
  const auto all = patched(R"("$deleteFromPrimitiveList/finalizers":["a","b"])");
  ASSERT_NE(all, nullptr);
  EXPECT_THAT(api::metadata_of(*all).finalizers(), IsEmpty());
}

TEST(FinalizerPatch, M94_ManyNamesAreNotEachLookedForInAll) {
  api::core::v1::Pod pod;
  std::string names;
  for (int i = 0; i < 60'000; ++i) {
    pod.mutable_metadata()->add_finalizers("f" + std::to_string(i));
    names += (names.empty() ? "\"g" : ",\"g") + std::to_string(i) + "\"";
  }
  const auto same =
      patched(pod, R"({"metadata":{"$deleteFromPrimitiveList/finalizers":[)" + names + "]}}");
  ASSERT_NE(same, nullptr);
  EXPECT_EQ(api::metadata_of(*same).finalizers_size(), 60'000);
}

TEST(FinalizerPatch, M42_ConditionsAreInTheResultForTheUpdateToCheck) {
  const auto patch =
      patched(R"("uid":"v","resourceVersion":"4","$deleteFromPrimitiveList/finalizers":[])");
  ASSERT_NE(patch, nullptr);
  EXPECT_EQ(api::metadata_of(*patch).uid(), "v");
  EXPECT_EQ(api::metadata_of(*patch).resource_version(), "4");
}

TEST(FinalizerPatch, EverythingElseIsLeftToTheGeneralWay) {
  const std::string directive = R"("$deleteFromPrimitiveList/finalizers":["a"])";
  EXPECT_EQ(patched(R"("uid":"u")"), nullptr);
  EXPECT_EQ(patched(directive + R"(,"labels":{"a":"b"})"), nullptr);
  EXPECT_EQ(patched(directive + R"(,"uid":null)"), nullptr);
  EXPECT_EQ(patched(directive + R"(,"uid":"u","uid":"u")"), nullptr);
  EXPECT_EQ(patched(R"("$deleteFromPrimitiveList/finalizers":[1])"), nullptr);
  EXPECT_EQ(patched(R"("$deleteFromPrimitiveList/finalizers":"a")"), nullptr);
  EXPECT_EQ(patched(finalized_pod(), R"({"metadata":{)" + directive + R"(},"spec":{}})"), nullptr);
  EXPECT_EQ(patched(finalized_pod(), "[" + directive.substr(0, 37) + "]"), nullptr);
}

}  // namespace
}  // namespace windlass::apiserver
