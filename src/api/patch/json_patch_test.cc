#include "api/patch/json_patch.h"

#include <gtest/gtest.h>

namespace windlass::api {
namespace {

std::string patched(std::string_view target, std::string_view patch) {
  JsonValue tree = parse_json_value(target)->value;
  const Result<JsonTree> operations = parse_json_value(patch);
  const Result<void> result = operations ? apply_json_patch(tree, operations->value)
                                         : fail(bad_patch(operations.error().message));
  return result ? to_json_text(tree)
                : std::to_string(result.error().code) + " " + result.error().message;
}

constexpr const char* kRejected =
    "422 the server rejected our request due to an error in our request";

struct JsonPatchCase {
  const char* name;
  const char* target;
  const char* patch;
  const char* result;
};

class JsonPatch : public ::testing::TestWithParam<JsonPatchCase> {};

TEST_P(JsonPatch, M91_Operation) {
  EXPECT_EQ(patched(GetParam().target, GetParam().patch), GetParam().result);
}

constexpr const char* kDocument = R"({"a":{"b":[1,2]},"c/d":1,"e~f":2})";

INSTANTIATE_TEST_SUITE_P(
    Rfc6902, JsonPatch,
    ::testing::Values(
        JsonPatchCase{"add", "{}", R"([{"op":"add","path":"/a","value":{"b":1}}])",
                      R"({"a":{"b":1}})"},
        JsonPatchCase{"add_replaces", R"({"a":1})", R"([{"op":"add","path":"/a","value":2}])",
                      R"({"a":2})"},
        JsonPatchCase{"add_null", "{}", R"([{"op":"add","path":"/a","value":null}])",
                      R"({"a":null})"},
        JsonPatchCase{"insert", R"({"a":[1,3]})", R"([{"op":"add","path":"/a/1","value":2}])",
                      R"({"a":[1,2,3]})"},
        JsonPatchCase{"append", R"({"a":[1]})", R"([{"op":"add","path":"/a/-","value":2}])",
                      R"({"a":[1,2]})"},
        JsonPatchCase{"append_by_index", R"({"a":[1]})",
                      R"([{"op":"add","path":"/a/1","value":2}])", R"({"a":[1,2]})"},
        JsonPatchCase{"beyond", R"({"a":[1]})", R"([{"op":"add","path":"/a/2","value":2}])",
                      kRejected},
        JsonPatchCase{"leading_zero", R"({"a":[1]})", R"([{"op":"add","path":"/a/00","value":2}])",
                      R"({"a":[2,1]})"},
        JsonPatchCase{"plus_sign", R"({"a":[1]})", R"([{"op":"add","path":"/a/+1","value":2}])",
                      R"({"a":[1,2]})"},
        JsonPatchCase{"two_signs", R"({"a":[1]})", R"([{"op":"add","path":"/a/+-1","value":2}])",
                      kRejected},
        JsonPatchCase{"no_index", R"({"a":[1]})", R"([{"op":"add","path":"/a/x","value":2}])",
                      kRejected},
        JsonPatchCase{"negative", R"({"a":[1,2]})", R"([{"op":"remove","path":"/a/-1"}])",
                      R"({"a":[1]})"},
        JsonPatchCase{
            "negative_insert", R"({"a":[1,2]})",
            R"([{"op":"add","path":"/a/-1","value":3},{"op":"add","path":"/a/-4","value":0}])",
            R"({"a":[0,1,2,3]})"},
        JsonPatchCase{"negative_beyond", R"({"a":[1]})", R"([{"op":"remove","path":"/a/-2"}])",
                      kRejected},
        JsonPatchCase{"negative_on_the_way", R"({"a":[{},{}]})",
                      R"([{"op":"add","path":"/a/-1/b","value":1}])", R"({"a":[{},{"b":1}]})"},
        JsonPatchCase{"no_parent", "{}", R"([{"op":"add","path":"/a/b","value":1}])", kRejected},
        JsonPatchCase{"into_scalar", R"({"a":1})", R"([{"op":"add","path":"/a/b","value":1}])",
                      kRejected},
        JsonPatchCase{"root", R"({"a":1})", R"([{"op":"replace","path":"","value":{"b":2}}])",
                      R"({"b":2})"},
        JsonPatchCase{"remove", kDocument, R"([{"op":"remove","path":"/a"}])",
                      R"({"c/d":1,"e~f":2})"},
        JsonPatchCase{"remove_item", R"({"a":[1,2,3]})", R"([{"op":"remove","path":"/a/1"}])",
                      R"({"a":[1,3]})"},
        JsonPatchCase{"remove_missing", "{}", R"([{"op":"remove","path":"/a"}])", kRejected},
        JsonPatchCase{"remove_root", "{}", R"([{"op":"remove","path":""}])", kRejected},
        JsonPatchCase{"add_root", "{}", R"([{"op":"add","path":"","value":{}}])", kRejected},
        JsonPatchCase{"copy_root", "{}", R"([{"op":"copy","from":"","path":"/a"}])", kRejected},
        JsonPatchCase{"replace_root_by_scalar", "{}", R"([{"op":"replace","path":"","value":1}])",
                      kRejected},
        JsonPatchCase{"test_root", R"({"a":1})", R"([{"op":"test","path":"","value":{"a":1}}])",
                      R"({"a":1})"},
        JsonPatchCase{"remove_end", R"({"a":[1]})", R"([{"op":"remove","path":"/a/-"}])",
                      kRejected},
        JsonPatchCase{"replace", R"({"a":[1,2]})", R"([{"op":"replace","path":"/a/0","value":9}])",
                      R"({"a":[9,2]})"},
        JsonPatchCase{"replace_missing", "{}", R"([{"op":"replace","path":"/a","value":9}])",
                      R"({"a":9})"},
        JsonPatchCase{"replace_missing_parent", "{}",
                      R"([{"op":"replace","path":"/a/b","value":9}])", kRejected},
        JsonPatchCase{"replace_missing_item", R"({"a":[1]})",
                      R"([{"op":"replace","path":"/a/1","value":9}])", kRejected},
        JsonPatchCase{"replace_end", R"({"a":[1]})",
                      R"([{"op":"replace","path":"/a/-","value":9}])", kRejected},
        JsonPatchCase{"replace_without_value", R"({"a":1})", R"([{"op":"replace","path":"/a"}])",
                      R"({"a":null})"},
        JsonPatchCase{
            "escapes", kDocument,
            R"([{"op":"remove","path":"/c~1d"},{"op":"replace","path":"/e~0f","value":3}])",
            R"({"a":{"b":[1,2]},"e~f":3})"},
        JsonPatchCase{"bad_escape", R"({"e~2f":1})", R"([{"op":"remove","path":"/e~2f"}])", "{}"},
        JsonPatchCase{"no_slash", kDocument, R"([{"op":"remove","path":"a"}])", kRejected},
        JsonPatchCase{"before_the_slash", R"({"a":1})", R"([{"op":"remove","path":"x/a"}])", "{}"},
        JsonPatchCase{"empty_name", R"({"":1})", R"([{"op":"replace","path":"/","value":2}])",
                      R"({"":2})"},
        JsonPatchCase{"move", R"({"a":{"b":1}})", R"([{"op":"move","from":"/a/b","path":"/c"}])",
                      R"({"a":{},"c":1})"},
        JsonPatchCase{"move_item", R"({"a":[1,2,3]})",
                      R"([{"op":"move","from":"/a/0","path":"/a/2"}])", R"({"a":[2,3,1]})"},
        JsonPatchCase{"move_nowhere", R"({"a":1})", R"([{"op":"move","from":"/a","path":"/a"}])",
                      R"({"a":1})"},
        JsonPatchCase{"move_into_itself", R"({"a":{}})",
                      R"([{"op":"move","from":"/a","path":"/a/b"}])", kRejected},
        JsonPatchCase{"copy", R"({"a":{"b":1}})", R"([{"op":"copy","from":"/a","path":"/a/c"}])",
                      R"({"a":{"b":1,"c":{"b":1}}})"},
        JsonPatchCase{"copy_missing", "{}", R"([{"op":"copy","from":"/a","path":"/b"}])",
                      R"({"b":null})"},
        JsonPatchCase{"copy_missing_item", R"({"a":[]})",
                      R"([{"op":"copy","from":"/a/0","path":"/b"}])", kRejected},
        JsonPatchCase{"move_missing", "{}", R"([{"op":"move","from":"/a","path":"/b"}])",
                      kRejected},
        JsonPatchCase{"through_null", R"({"a":null})", R"([{"op":"add","path":"/a/b","value":1}])",
                      kRejected},
        JsonPatchCase{"test", R"({"a":{"b":[1,"x"]}})",
                      R"([{"op":"test","path":"/a","value":{"b":[1.0,"x"]}}])",
                      R"({"a":{"b":[1,"x"]}})"},
        JsonPatchCase{"test_fails", R"({"a":1})", R"([{"op":"test","path":"/a","value":"1"}])",
                      kRejected},
        JsonPatchCase{"test_missing", "{}", R"([{"op":"test","path":"/a","value":null}])", "{}"},
        JsonPatchCase{"test_missing_without_value", R"({"b":1})", R"([{"op":"test","path":"/a"}])",
                      R"({"b":1})"},
        JsonPatchCase{"test_without_value", R"({"a":1})", R"([{"op":"test","path":"/a"}])",
                      kRejected},
        JsonPatchCase{"test_missing_has_no_value", "{}",
                      R"([{"op":"test","path":"/a","value":""}])", kRejected},
        JsonPatchCase{"test_missing_in_nothing", "{}",
                      R"([{"op":"test","path":"/a/b","value":null}])", kRejected},
        JsonPatchCase{"test_missing_item", R"({"a":[]})",
                      R"([{"op":"test","path":"/a/0","value":null}])", kRejected},
        JsonPatchCase{"all_or_nothing", R"({"a":1})",
                      R"([{"op":"add","path":"/b","value":1},{"op":"test","path":"/a","value":2}])",
                      kRejected},
        JsonPatchCase{"unknown_op", "{}", R"([{"op":"put","path":"/a","value":1}])", kRejected},
        JsonPatchCase{"no_op", "{}", R"([{"path":"/a","value":1}])", kRejected},
        JsonPatchCase{"no_path", "{}", R"([{"op":"add","value":1}])", kRejected},
        JsonPatchCase{"no_value", "{}", R"([{"op":"add","path":"/a"}])", R"({"a":null})"},
        JsonPatchCase{"null_operation", "{}", "[null]", kRejected},
        JsonPatchCase{"nothing", R"({"a":1})", "[]", R"({"a":1})"},
        JsonPatchCase{"null", R"({"a":1})", "null", R"({"a":1})"},
        JsonPatchCase{
            "no_list", "{}", R"({"op":"add"})",
            "400 error decoding patch: json: cannot unmarshal object into Go value of type "
            "[]handlers.jsonPatchOp"},
        JsonPatchCase{
            "no_operations", "{}", R"(["add"])",
            "400 error decoding patch: json: cannot unmarshal string into Go value of type "
            "handlers.jsonPatchOp"},
        JsonPatchCase{
            "no_text", "{}", R"([{"op":"add","path":1}])",
            "400 error decoding patch: json: cannot unmarshal number into Go struct field "
            "jsonPatchOp.path of type string"},
        JsonPatchCase{"no_json", "{}", "[{",
                      "400 error decoding patch: unexpected end of JSON input"}),
    [](const auto& one) { return std::string(one.param.name); });

TEST(JsonPatchLimits, M91_Operations) {
  const auto patch_of = [](size_t count) {
    std::string patch = "[";
    for (size_t i = 0; i < count; ++i) {
      patch += (i == 0 ? "" : ",") + std::string(R"({"op":"test","path":"","value":{}})");
    }
    return patch + "]";
  };
  EXPECT_EQ(patched("{}", patch_of(10'000)), "{}");
  EXPECT_EQ(patched("{}", patch_of(10'001)),
            "413 Request entity too large: The allowed maximum operations in a JSON patch is "
            "10000, got 10001");
}

TEST(JsonPatchLimits, CopiesCannotGrowWithoutBound) {
  std::string patch = R"([{"op":"add","path":"/a","value":["0123456789"]})";
  for (int i = 0; i < 40; ++i) {
    patch += R"(,{"op":"copy","from":"/a","path":"/a/-"})";
  }
  EXPECT_EQ(patched("{}", patch + "]"), kRejected);
}

TEST(JsonPatchLimits, NestingCannotGrowWithoutBound) {
  const std::string deep = std::string(600, '[') + std::string(600, ']');
  std::string inner;
  for (int i = 0; i < 600; ++i) {
    inner += "/0";
  }
  const std::string once = R"([{"op":"add","path":"/a","value":)" + deep + "}";
  EXPECT_NE(patched("{}", once + "]"), kRejected);
  const std::string twice =
      once + R"(,{"op":"add","path":"/a)" + inner.substr(2) + R"(/0","value":)" + deep + "}]";
  EXPECT_EQ(patched("{}", twice), kRejected);
}

TEST(JsonPatchLimits, ShiftingIsPaidFor) {
  std::string target = R"({"a":[0)";
  for (int i = 0; i < 10'000; ++i) {
    target += ",0";
  }
  target += "]}";
  std::string patch = "[";
  for (int i = 0; i < 5'000; ++i) {
    patch += (i == 0 ? "" : ",") + std::string(R"({"op":"add","path":"/a/0","value":1})");
  }
  EXPECT_EQ(patched(target, patch + "]"), kRejected);
}

}  // namespace
}  // namespace windlass::api
