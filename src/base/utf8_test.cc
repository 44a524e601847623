#include "base/utf8.h"

#include <gtest/gtest.h>

namespace windlass {
namespace {

TEST(Utf8, ReadableTextIsCutBetweenCharacters) {
  EXPECT_EQ(readable("Größe", 5), "Grö");
  EXPECT_EQ(readable("Größe", 6), "Größ");
  EXPECT_EQ(readable("Größe", 100), "Größe");
  EXPECT_EQ(readable("", 3), "");
}

TEST(Utf8, ReadableTextIsUtf8) {
  EXPECT_EQ(readable("a\xff\xc3", 100), "a??");
  EXPECT_EQ(readable("\xed\xa0\x80", 100), "???") << "half of a surrogate pair";
  EXPECT_EQ(readable("\xc0\x80", 100), "??") << "longer than it needs to be";
}

TEST(Utf8, CharactersAreDecodedAndEncoded) {
  for (const char* text : {"a", "\u00e9", "\u20ac", "\U0001f600"}) {
    const Utf8Character character = decode_utf8(text, 0);
    EXPECT_EQ(character.length, std::string_view(text).size());
    std::string encoded;
    append_utf8(character.value, encoded);
    EXPECT_EQ(encoded, text);
  }
  EXPECT_EQ(decode_utf8("x\u20ac", 1).value, 0x20acU);
  EXPECT_EQ(decode_utf8("\xff", 0).length, 0u);
  EXPECT_EQ(decode_utf8("\xf4\x90\x80\x80", 0).length, 0u) << "beyond U+10FFFF";
}

TEST(Utf8, TheRestOfACharacterIsDropped) {
  EXPECT_EQ(from_whole_character("\x9f\x98\x80x"), "x");
  EXPECT_EQ(from_whole_character("x\x80"), "x\x80");
  EXPECT_EQ(from_whole_character("\x80\x80\x80\x80"), "\x80") << "never the rest of one";
  EXPECT_EQ(from_whole_character(""), "");
}

TEST(Utf8, OneLineHasNothingThatATerminalObeys) {
  EXPECT_EQ(one_line("two\r\nlines\t\x1b[2J \n"), "two lines [2J");
  EXPECT_EQ(one_line("\n\x7f first  second"), "first  second");
  EXPECT_EQ(one_line("a\u0080b\u009fc\u00a0d"), "a b c\u00a0d");
  EXPECT_EQ(one_line("\x9b"
                     "2J\xff"),
            "2J");
  EXPECT_EQ(one_line(" \n"), "");
}

}  // namespace
}  // namespace windlass
