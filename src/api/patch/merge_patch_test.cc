#include "api/patch/merge_patch.h"

#include <gtest/gtest.h>

namespace windlass::api {
namespace {

std::string merged(std::string_view target, std::string_view patch) {
  JsonValue tree = parse_json_value(target)->value;
  const Result<void> result = apply_merge_patch(tree, parse_json_value(patch)->value);
  return result ? to_json_text(tree) : "error: " + result.error().message;
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
           {R"({"e":null})", R"({"a":1})", R"({"a":1,"e":null})"},
           {R"({})", R"({"a":{"bb":{"ccc":null}}})", R"({"a":{"bb":{}}})"},
           {R"({"a":"foo"})", R"({"a":{"b":null,"c":1}})", R"({"a":{"c":1}})"},
           {R"({"a":[1,null]})", R"({"b":[null]})", R"({"a":[1,null],"b":[null]})"},
       }) {
    EXPECT_EQ(merged(c.target, c.patch), c.result) << c.target << " + " << c.patch;
  }
}

TEST(MergePatch, KeepsNumbersAndEscapes) {
  EXPECT_EQ(merged(R"({"n":9007199254740993,"s":"\"\u003c\n"})", R"({"m":-0.5,"t":"\u00e9\\"})"),
            "{\"m\":-0.5,\"n\":9007199254740993,\"s\":\"\\\"\\u003c\\n\",\"t\":\"\u00e9\\\\\"}");
}

TEST(MergePatch, M92_RefusesWhatIsNoObject) {
  EXPECT_EQ(merged("{}", R"([1])"),
            "error: error decoding patch: json: cannot unmarshal array into Go value of type "
            "map[string]interface {}");
  EXPECT_EQ(merged("{}", "null"), "error: Invalid JSON Patch");
}

}  // namespace
}  // namespace windlass::api
