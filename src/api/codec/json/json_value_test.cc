#include "api/codec/json/json_value.h"

#include <gtest/gtest.h>

#include "api/codec/json/json.h"

namespace windlass::api {
namespace {

std::string again(std::string_view text) {
  const auto tree = parse_json_value(text);
  return tree ? to_json_text(tree->value) : tree.error().message;
}

bool equal(std::string_view a, std::string_view b) {
  return json_equal(parse_json_value(a)->value, parse_json_value(b)->value);
}

TEST(JsonValue, KeepsWhatADocumentSays) {
  EXPECT_EQ(again(R"({"b":[1,2.50,-0,1e400],"a":{"x":null,"y":true,"z":"\u00e9\n"}})"),
            R"({"a":{"x":null,"y":true,"z":"é\n"},"b":[1,2.50,-0,1e400]})");
  EXPECT_EQ(again("[]"), "[]");
  EXPECT_EQ(again(R"("")"), R"("")");
}

TEST(JsonValue, RefusesWhatIsNotOneValue) {
  EXPECT_EQ(again(""), "unexpected end of JSON input");
  EXPECT_EQ(parse_json_value(R"({"a":1)").error().code, 400);
  EXPECT_FALSE(parse_json_value("1 2"));
  EXPECT_FALSE(parse_json_value(std::string(100'000, '[')));
}

TEST(JsonValue, NamesDuplicates) {
  const auto tree = parse_json_value(R"({"spec":{"a":1,"l":[{"b":1,"b":2}],"a":3}})");
  EXPECT_EQ(tree->duplicates, (std::vector<std::string>{"spec.l[0].b", "spec.a"}));
  EXPECT_EQ(to_json_text(tree->value), R"({"spec":{"a":3,"l":[{"b":2}]}})");
}

TEST(JsonValue, NamesDuplicatesOnceAndNotAllOfThem) {
  EXPECT_EQ(parse_json_value(R"({"a":1,"a":2,"a":3})")->duplicates, std::vector<std::string>{"a"});
  std::string members;
  for (int i = 0; i < 1000; ++i) {
    const std::string member = R"("m)" + std::to_string(i) + R"(":1,)";
    members += member + member;
  }
  members.back() = '}';
  EXPECT_EQ(parse_json_value("{" + members)->duplicates.size(), kMaxFieldProblems);
  const std::string long_name(100'000, 'n');
  const auto tree = parse_json_value(R"({")" + long_name + R"(":{)" + members + "}");
  ASSERT_TRUE(tree.has_value());
  EXPECT_EQ(tree->duplicates, std::vector<std::string>{long_name.substr(0, 1024)});
}

TEST(JsonValue, ComparesAsJson) {
  EXPECT_TRUE(equal("1", "1.0"));
  EXPECT_TRUE(equal("100", "1e2"));
  EXPECT_FALSE(equal("9007199254740993", "9007199254740992"));
  EXPECT_FALSE(equal("1", R"("1")"));
  EXPECT_TRUE(equal(R"({"a":[1],"b":null})", R"({"b":null,"a":[1]})"));
  EXPECT_FALSE(equal(R"({"a":1})", R"({"a":1,"b":1})"));
  EXPECT_FALSE(equal("[1,2]", "[2,1]"));
  EXPECT_FALSE(equal("null", "false"));
}

TEST(JsonValue, PrintsAsGoDoes) {
  EXPECT_EQ(go_text(parse_json_value(R"({"b":["x",1,{}],"a":{"c":null,"d":true}})")->value),
            "map[a:map[c:<nil> d:true] b:[x 1 map[]]]");
}

// A name must not change silently.
TEST(JsonValue, M31_InvalidUtf8IsRefused) {
  EXPECT_EQ(parse_json_value("{\"\xf1\":1}").error().message, "invalid UTF-8 in JSON text");
}

}  // namespace
}  // namespace windlass::api
