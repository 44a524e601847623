#include "base/quote.h"

#include <gtest/gtest.h>

#include <map>

namespace windlass {
namespace {

TEST(Quote, EscapesAsGoDoes) {
  const std::map<std::string, std::string> cases = {
      {"", R"("")"},
      {"plain", R"("plain")"},
      {"say \"hi\" \\", R"("say \"hi\" \\")"},
      {"\a\b\f\n\r\t\v", R"("\a\b\f\n\r\t\v")"},
      {std::string("\0\x1b\x7f", 3), R"("\x00\x1b\x7f")"},
      {"gr\u00fc\u00df \u4e16 \U0001F600", "\"gr\u00fc\u00df \u4e16 \U0001F600\""},
      {"\u00a0\u200b\ufeff", R"("\u00a0\u200b\ufeff")"},
      {"\U000E0001", R"("\U000e0001")"},
      {"\ufffd", "\"\ufffd\""},
      {"a\xff\xc3", R"("a\xff\xc3")"},                        // not UTF-8, and cut short
      {"\xc0\xaf\xed\xa0\x80", R"("\xc0\xaf\xed\xa0\x80")"},  // overlong, surrogate
      {"\xf4\x90\x80\x80", R"("\xf4\x90\x80\x80")"},          // above U+10FFFF
  };
  for (const auto& [text, expected] : cases) {
    EXPECT_EQ(quote(text), expected);
  }
}

TEST(Quote, AsciiFormEscapesByteByByte) {
  EXPECT_EQ(quote_ascii("a\"\\\n\u00fc"), R"("a\"\\\x0a\xc3\xbc")");
}

}  // namespace
}  // namespace windlass
