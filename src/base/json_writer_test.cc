#include "base/json_writer.h"

#include <gtest/gtest.h>

#include <vector>

namespace windlass {
namespace {

TEST(JsonWriter, WritesCommasBetweenMembersAndItems) {
  std::string text;
  JsonWriter json(text);
  json.open_object().member("a", "x").key("b").open_list().number(1).real(0.5).null();
  json.close_list().key("c").open_object().close_object().strings("d",
                                                                  std::vector<std::string>{"e"});
  json.key("f").boolean(true).key("g").raw("[2]").close_object();
  EXPECT_EQ(text, R"({"a":"x","b":[1,0.5,null],"c":{},"d":["e"],"f":true,"g":[2]})");
}

TEST(JsonWriter, M4a_EscapesAsGoDoes) {
  EXPECT_EQ(json_string("\"\\\b\f\n\r\t\x01"), R"("\"\\\b\f\n\r\t\u0001")");
  EXPECT_EQ(json_string("<>&\u2028\u2029\x7f"), "\"\\u003c\\u003e\\u0026\\u2028\\u2029\x7f\"");
  EXPECT_EQ(json_string("Größe 😀"), "\"Größe 😀\"");
}

TEST(JsonWriter, AByteThatIsNotUtf8IsReplaced) {
  EXPECT_EQ(json_string("a\xff\xc3"), R"("a\ufffd\ufffd")");
  EXPECT_EQ(json_string("\xed\xa0\x80"), R"("\ufffd\ufffd\ufffd")") << "half of a surrogate pair";
}

}  // namespace
}  // namespace windlass
