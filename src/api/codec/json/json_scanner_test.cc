#include "api/codec/json/json_scanner.h"

#include <gtest/gtest.h>

namespace windlass::api {
namespace {

struct ScanCase {
  std::string_view text;
  std::string_view error;
};

TEST(JsonScanner, ErrorsInTheWordsOfGo) {
  const ScanCase cases[] = {
      {"", "unexpected end of JSON input"},
      {"{", "unexpected end of JSON input"},
      {"{\"a\":", "unexpected end of JSON input"},
      {"\"a", "unexpected end of JSON input"},
      {"zz", "invalid character 'z' looking for beginning of value"},
      {"{a:1}", "invalid character 'a' looking for beginning of object key string"},
      {"{\"a\" 1}", "invalid character '1' after object key"},
      {"{\"a\":1 \"b\"}", "invalid character '\"' after object key:value pair"},
      {"{\"a\":1,}", "invalid character '}' looking for beginning of object key string"},
      {"[1 2]", "invalid character '2' after array element"},
      {"[1,]", "invalid character ']' looking for beginning of value"},
      {"{} x", "invalid character 'x' after top-level value"},
      {"01", "invalid character '1' after top-level value"},
      {"-x", "invalid character 'x' in numeric literal"},
      {"1.x", "invalid character 'x' after decimal point in numeric literal"},
      {"1ex", "invalid character 'x' in exponent of numeric literal"},
      {"trux", "invalid character 'x' in literal true (expecting 'e')"},
      {"nil", "invalid character 'i' in literal null (expecting 'u')"},
      {"\"\n\"", "invalid character '\\n' in string literal"},
      {"\"\x01\"", "invalid character '\\x01' in string literal"},
      {"\"\\x\"", "invalid character 'x' in string escape code"},
      {"\"\\u00g0\"", "invalid character 'g' in \\u hexadecimal character escape"},
      {"'a'", "invalid character '\\'' looking for beginning of value"},
      {"\xc3\xbc", "invalid character '\xc3\x83' looking for beginning of value"},
  };
  for (const ScanCase& c : cases) {
    EXPECT_EQ(json_syntax_error(c.text), c.error) << c.text;
  }
}

TEST(JsonScanner, AcceptsWhatIsJson) {
  for (std::string_view text : {"null", " true ", "-0", "-0.5e+10", "1E5", "\"\\ud800\"", "[]",
                                "{}", "[[],{}]", "{\"\":{\"a\":[null]}}", "\t\r\n 1"}) {
    EXPECT_EQ(json_syntax_error(text), "") << text;
  }
}

TEST(JsonScanner, DepthIsBounded) {
  std::string deep(kMaxJsonDepth, '[');
  EXPECT_EQ(json_syntax_error(deep + std::string(kMaxJsonDepth, ']')), "");
  EXPECT_EQ(json_syntax_error(std::string(100'000, '[')), "exceeded max depth");
  JsonScanner scanner(std::string_view("[[[["));
  while (scanner.next() != JsonToken::error) {
  }
  EXPECT_FALSE(scanner.too_deep());
}

TEST(JsonScanner, TokensHaveTheirPlace) {
  JsonScanner scanner(R"( {"a" : [1, "b"]} {)");
  EXPECT_EQ(scanner.next_of_stream(), JsonToken::begin_object);
  EXPECT_EQ(scanner.offset(), 1U);
  EXPECT_EQ(scanner.next_of_stream(), JsonToken::key);
  EXPECT_EQ(scanner.text(), "\"a\"");
  EXPECT_EQ(scanner.next_of_stream(), JsonToken::begin_array);
  EXPECT_EQ(scanner.depth(), 2U);
  EXPECT_EQ(scanner.next_of_stream(), JsonToken::number);
  EXPECT_EQ(scanner.text(), "1");
  EXPECT_EQ(scanner.next_of_stream(), JsonToken::string);
  EXPECT_EQ(scanner.text(), "\"b\"");
  EXPECT_EQ(scanner.next_of_stream(), JsonToken::end_array);
  EXPECT_EQ(scanner.next_of_stream(), JsonToken::end_object);
  EXPECT_EQ(scanner.depth(), 0U);
  EXPECT_EQ(scanner.next_of_stream(), JsonToken::end);
  EXPECT_EQ(scanner.end_offset(), 17U);
}

}  // namespace
}  // namespace windlass::api
