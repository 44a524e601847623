#include "api/codec/wire_fields.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

namespace windlass::api {
namespace {

using testing::ElementsAre;
using testing::Pair;

struct Walk {
  std::vector<std::pair<uint32_t, std::string>> fields;
  bool broken = false;
};

Walk walk(std::string_view raw) {
  Walk out;
  WireFields fields(raw);
  size_t bytes = 0;
  for (WireField field; fields.next(field);) {
    out.fields.emplace_back(field.number, field.content);
    bytes += field.whole.size();
  }
  out.broken = fields.broken();
  EXPECT_TRUE(out.broken || bytes == raw.size());
  return out;
}

TEST(WireFields, ComeInOrderWithWhatIsInThem) {
  // 1: varint 300, 2: "ab", 3: 8 bytes, 4: 4 bytes, 2: "", 16: "x".
  const std::string raw(
      "\x08\xac\x02\x12\x02"
      "ab\x19"
      "12345678\x25"
      "1234\x12\x00\x82\x01\x01x",
      27);
  const Walk whole = walk(raw);
  EXPECT_FALSE(whole.broken);
  EXPECT_THAT(whole.fields, ElementsAre(Pair(1, ""), Pair(2, "ab"), Pair(3, ""), Pair(4, ""),
                                        Pair(2, ""), Pair(16, "x")));
  EXPECT_FALSE(walk("").broken);
}

TEST(WireFields, AFieldIsOneOfItsNumberWithALength) {
  const std::string raw(
      "\x08\x01\x0a\x01"
      "a",
      5);
  WireFields fields(raw);
  WireField field;
  ASSERT_TRUE(fields.next(field));
  EXPECT_FALSE(field.is(1));
  ASSERT_TRUE(fields.next(field));
  EXPECT_TRUE(field.is(1));
  EXPECT_FALSE(field.is(2));
}

TEST(WireFields, WhatCannotBeReadIsBroken) {
  const std::string broken[] = {
      std::string("\x0a\x02"
                  "a",
                  3),                                                   // cut
      std::string("\x0a\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", 11),  // a length beyond all
      std::string("\x08", 1),                                           // no value
      std::string("\x09"
                  "1234567",
                  8),                                  // seven bytes of eight
      std::string("\x00\x01", 2),                      // field 0
      std::string("\x0b\x0c", 2),                      // a group
      std::string("\x0f", 1),                          // no wire type
      std::string(11, '\x80'),                         // a tag without end
      std::string("\x88\x80\x80\x80\x80\x01\x01", 7),  // a number of more than 32 bits
  };
  for (const std::string& raw : broken) {
    EXPECT_TRUE(walk(raw).broken) << testing::PrintToString(raw);
  }
}

}  // namespace
}  // namespace windlass::api
