#include "api/patch/merge_patch.h"

#include <gtest/gtest.h>

namespace windlass::api {
namespace {

std::string merged(std::string_view target, std::string_view patch) {
  const Result<std::string> result = apply_merge_patch(target, patch);
  return result ? *result : "error: " + result.error().message;
}

TEST(MergePatch, M92_FollowsRfc7396) {
  struct Case {
    const char* target;
    const char* patch;
    const char* result;
  };
  for (const Case& c : std::initializer_list<Case>{
           {R"({"a":"b"})", R"({"a":"c"})", R"({"a":"c"})"},
           {R"({"a":"b"})", R"({"b":"c"})", R"({"a":"b","b":"c"})"},
           {R"({"a":"b"})", R"({"a":null})", R"({})"},
           {R"({"a":"b","b":"c"})", R"({"a":null})", R"({"b":"c"})"},
           {R"({"a":["b"]})", R"({"a":"c"})", R"({"a":"c"})"},
           {R"({"a":"c"})", R"({"a":["b"]})", R"({"a":["b"]})"},
           {R"({"a":{"b":"c"}})", R"({"a":{"b":"d","c":null}})", R"({"a":{"b":"d"}})"},
           {R"({"a":[{"b":"c"}]})", R"({"a":[1]})", R"({"a":[1]})"},
           {R"({"e":null})", R"({"a":1})", R"({"e":null,"a":1})"},
           {R"({})", R"({"a":{"bb":{"ccc":null}}})", R"({"a":{"bb":{}}})"},
           {R"({"a":"foo"})", R"({"a":{"b":null,"c":1}})", R"({"a":{"c":1}})"},
           {R"({"a":[1,null]})", R"({"b":[null]})", R"({"a":[1,null],"b":[null]})"},
       }) {
    EXPECT_EQ(merged(c.target, c.patch), c.result) << c.target << " + " << c.patch;
  }
}

TEST(MergePatch, KeepsNumbersAndEscapes) {
  EXPECT_EQ(merged(R"({"n":9007199254740993,"s":"\"\u003c\n"})", R"({"m":-0.5,"t":"\u00e9\\"})"),
            "{\"n\":9007199254740993,\"s\":\"\\\"\\u003c\\n\",\"m\":-0.5,\"t\":\"\u00e9\\\\\"}");
}

TEST(MergePatch, OfAKeyGivenTwiceTheLastOneCounts) {
  EXPECT_EQ(merged(R"({"a":1})", R"({"a":2,"a":3})"), R"({"a":3})");
}

TEST(MergePatch, M92_RefusesWhatIsNoObject) {
  EXPECT_EQ(merged("{}", R"([1])"),
            "error: error decoding patch: json: cannot unmarshal array into Go value of type "
            "map[string]interface {}");
  EXPECT_EQ(apply_merge_patch("{}", R"({"a")").error().code, 400);
  EXPECT_EQ(apply_merge_patch("{}", "").error().code, 400);
}

TEST(MergePatch, RefusesWhatIsNestedTooDeeply) {
  std::string patch;
  for (int i = 0; i < 100'000; ++i) {
    patch += R"({"a":)";
  }
  EXPECT_EQ(apply_merge_patch("{}", patch + "1" + std::string(100'000, '}')).error().code, 400);
}

}  // namespace
}  // namespace windlass::api
