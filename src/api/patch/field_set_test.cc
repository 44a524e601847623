#include "api/patch/field_set.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace windlass::api {
namespace {

using ::testing::ElementsAre;

FieldSet set(std::string_view json) {
  return *parse_field_set(json);
}

constexpr const char* kSpec =
    R"({"f:metadata":{"f:finalizers":{".":{},"v:\"a/b\"":{}}},"f:spec":{"f:containers":)"
    R"({"k:{\"name\":\"c\"}":{".":{},"f:image":{}}},"f:ports":{)"
    R"("k:{\"containerPort\":80,\"protocol\":\"TCP\"}":{}}}})";

TEST(FieldSet, M102_IsWrittenAsItWasRead) {
  EXPECT_EQ(to_fields_v1(set(kSpec)), kSpec);
  EXPECT_EQ(to_fields_v1(set("{}")), "{}");
  EXPECT_TRUE(set("{}").empty());
}

TEST(FieldSet, RefusesWhatIsNoSet) {
  for (const char* text : {"", "[]", "1", R"({"spec":{}})", R"({"f:a":1})", R"({"x:a":{}})"}) {
    EXPECT_FALSE(parse_field_set(text)) << text;
  }
}

TEST(FieldSet, RefusesWhatIsTooDeep) {
  const auto nested = [](size_t depth) {
    std::string text = "{}";
    for (size_t i = 0; i < depth; ++i) {
      text = R"({"f:a":)" + text + "}";
    }
    return text;
  };
  EXPECT_TRUE(parse_field_set(nested(kMaxFieldDepth)));
  EXPECT_FALSE(parse_field_set(nested(kMaxFieldDepth + 1)));
}

TEST(FieldSet, M102_PathsAsKubernetesPrintsThem) {
  EXPECT_THAT(path_texts(set(kSpec)),
              ElementsAre(".metadata.finalizers", R"(.metadata.finalizers[="a/b"])",
                          R"(.spec.containers[name="c"])", R"(.spec.containers[name="c"].image)",
                          R"(.spec.ports[containerPort=80,protocol="TCP"])"));
  EXPECT_THAT(path_texts(set(R"({"f:a":{"i:3":{}}})")), ElementsAre(".a[3]"));
}

TEST(FieldSet, Algebra) {
  FieldSet all = set(R"({"f:a":{".":{},"f:b":{}},"f:c":{}})");
  const FieldSet some = set(R"({"f:a":{"f:b":{}},"f:d":{}})");
  EXPECT_EQ(to_fields_v1(intersection(all, some)), R"({"f:a":{"f:b":{}}})");
  FieldSet less = all;
  subtract(less, some);
  EXPECT_EQ(to_fields_v1(less), R"({"f:a":{},"f:c":{}})");
  subtract(less, all);
  EXPECT_TRUE(less.empty());
  unite(all, some);
  EXPECT_EQ(to_fields_v1(all), R"({"f:a":{".":{},"f:b":{}},"f:c":{},"f:d":{}})");
  cut(all, set(R"({"f:a":{},"f:x":{}})"));
  EXPECT_EQ(to_fields_v1(all), R"({"f:c":{},"f:d":{}})");
}

}  // namespace
}  // namespace windlass::api
