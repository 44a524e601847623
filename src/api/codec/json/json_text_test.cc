#include "api/codec/json/json_text.h"
#include "base/json_writer.h"

#include <gtest/gtest.h>

namespace windlass::api {
namespace {

std::string escaped(std::string_view text) {
  std::string out;
  append_json_string(text, out);
  return out;
}

TEST(JsonText, M4a_HtmlEscaping) {
  EXPECT_EQ(escaped("a < b && c > d"), R"("a \u003c b \u0026\u0026 c \u003e d")");
  EXPECT_EQ(escaped("\xe2\x80\xa8|\xe2\x80\xa9|\xe2\x80\xaa"), "\"\\u2028|\\u2029|\xe2\x80\xaa\"");
}

TEST(JsonText, M4a_ControlCharactersAndQuotes) {
  EXPECT_EQ(escaped("a\"b\\c/d"), R"("a\"b\\c/d")");
  EXPECT_EQ(escaped("\b\f\n\r\t"), R"("\b\f\n\r\t")");
  EXPECT_EQ(escaped(std::string_view("\0\x01\x1f\x7f", 4)), "\"\\u0000\\u0001\\u001f\x7f\"");
  EXPECT_EQ(escaped(""), "\"\"");
}

TEST(JsonText, InvalidUtf8BecomesReplacementCharacters) {
  EXPECT_EQ(escaped("\xff"), "\"\\ufffd\"");
  EXPECT_EQ(escaped("a\xc3"), "\"a\\ufffd\"");
  EXPECT_EQ(escaped("\xc3("), "\"\\ufffd(\"");
  EXPECT_EQ(escaped("\xed\xa0\x80"), "\"\\ufffd\\ufffd\\ufffd\"");  // a surrogate
  EXPECT_EQ(escaped("\xc0\xaf"), "\"\\ufffd\\ufffd\"");             // overlong
  EXPECT_EQ(escaped("\xf4\x90\x80\x80"), "\"\\ufffd\\ufffd\\ufffd\\ufffd\"");
  EXPECT_EQ(escaped("gr\xc3\xbc\xc3\x9f \xf0\x9f\x9a\x80"),
            "\"gr\xc3\xbc\xc3\x9f \xf0\x9f\x9a\x80\"");
}

TEST(JsonText, CompactKeepsValuesAndDropsSpace) {
  std::string out = "x";
  EXPECT_TRUE(append_compact_json(" { \"a\" : [ 1 , 2.50 , { } , [ ] ] ,\n\"b<\":null } ", out));
  EXPECT_EQ(out, R"(x{"a":[1,2.50,{},[]],"b\u003c":null})");
  for (std::string_view bad : {"", "{", "{}{}", "[1,]", "{\"a\"}", "nul", "}{", "\"a"}) {
    out = "x";
    EXPECT_FALSE(append_compact_json(bad, out)) << bad;
    EXPECT_EQ(out, "x") << bad;
  }
}

TEST(JsonText, PrettyAsGoIndents) {
  std::string out;
  append_pretty_json(R"({"a":{},"b":[],"c":[1,{"d":"e"}],"f":[[]]})", out);
  EXPECT_EQ(out, R"({
  "a": {},
  "b": [],
  "c": [
    1,
    {
      "d": "e"
    }
  ],
  "f": [
    []
  ]
})");
  out.clear();
  append_pretty_json("null", out);
  EXPECT_EQ(out, "null");
}

TEST(JsonText, Unescape) {
  EXPECT_EQ(unescape_json_string(R"("a\"\\\/\b\f\n\r\t")"), "a\"\\/\b\f\n\r\t");
  EXPECT_EQ(unescape_json_string(R"("\u00fc\u20AC\ud83d\ude80")"),
            "\xc3\xbc\xe2\x82\xac\xf0\x9f\x9a\x80");
  EXPECT_EQ(unescape_json_string(R"("\ud83dx\ude80")"), "\xef\xbf\xbdx\xef\xbf\xbd");
  EXPECT_EQ(unescape_json_string(R"("\ud83d\u0041")"),
            "\xef\xbf\xbd"
            "A");
}

}  // namespace
}  // namespace windlass::api
