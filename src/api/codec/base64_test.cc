#include "api/codec/base64.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace windlass::api {
namespace {

std::string encoded(std::string_view bytes) {
  std::string out;
  append_base64(bytes, out);
  return out;
}

TEST(Base64, Encodes) {
  EXPECT_EQ(encoded(""), "");
  EXPECT_EQ(encoded("f"), "Zg==");
  EXPECT_EQ(encoded("fo"), "Zm8=");
  EXPECT_EQ(encoded("foo"), "Zm9v");
  EXPECT_EQ(encoded("\xff\xfe\xfd"), "//79");
}

TEST(Base64, DecodesWithLineBreaks) {
  std::string out;
  EXPECT_FALSE(decode_base64("Zm9v\r\nYmE\n=\n", out));
  EXPECT_EQ(out, "fooba");
}

TEST(Base64, SaysWhereItIsCorrupt) {
  std::string out;
  for (auto [text, offset] : std::initializer_list<std::pair<std::string_view, size_t>>{
           {"Zm9!", 3}, {"Zg", 2}, {"Zg=", 3}, {"=", 0}, {"Z===", 1}, {"Zg==x", 4}, {"Zg=x", 3}}) {
    std::optional<Base64Error> error = decode_base64(text, out);
    ASSERT_TRUE(error.has_value()) << text;
    EXPECT_EQ(error->offset, offset) << text;
  }
}

RC_GTEST_PROP(Base64, RoundTrip, (const std::string& bytes)) {
  std::string out;
  RC_ASSERT(!decode_base64(encoded(bytes), out));
  RC_ASSERT(out == bytes);
}

}  // namespace
}  // namespace windlass::api
