#include "base/uuid.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "base/generator.h"

namespace windlass {
namespace {

std::array<std::byte, 16> filled(std::byte value) {
  std::array<std::byte, 16> bytes;
  bytes.fill(value);
  return bytes;
}

TEST(Uuid, FromRandomIsVersion4) {
  EXPECT_EQ(Uuid::from_random(filled(std::byte{0x00})).to_string(),
            "00000000-0000-4000-8000-000000000000");
  EXPECT_EQ(Uuid::from_random(filled(std::byte{0xFF})).to_string(),
            "ffffffff-ffff-4fff-bfff-ffffffffffff");
  EXPECT_EQ(Uuid::from_random(filled(std::byte{0xFF})).version(), 4);
}

TEST(Uuid, TextSurvivesARoundTrip) {
  Generator generator(1);
  for (int i = 0; i < 100; ++i) {
    std::array<std::byte, 16> bytes;
    for (std::byte& byte : bytes) {
      byte = static_cast<std::byte>(generator.uniform(256));
    }
    const Uuid uuid = Uuid::from_random(bytes);
    EXPECT_EQ(Uuid::parse(uuid.to_string()), uuid);
  }
}

TEST(Uuid, ParsesEitherCaseAndNothingElse) {
  const std::string text = "f81d4fae-7dec-11d0-a765-00a0c91e6bf6";
  ASSERT_TRUE(Uuid::parse(text).has_value());
  EXPECT_EQ(Uuid::parse(text)->version(), 1);
  EXPECT_EQ(Uuid::parse("F81D4FAE-7DEC-11D0-A765-00A0C91E6BF6")->to_string(), text);
  for (const char* bad :
       {"", "f81d4fae", "f81d4fae7dec11d0a76500a0c91e6bf6",
        "{f81d4fae-7dec-11d0-a765-00a0c91e6bf6}", "f81d4fae-7dec-11d0-a765-00a0c91e6bf",
        "f81d4fae-7dec-11d0-a765-00a0c91e6bf67", "g81d4fae-7dec-11d0-a765-00a0c91e6bf6",
        "f81d4fae+7dec-11d0-a765-00a0c91e6bf6", "f81d4fae-7dec-11d0-a765-00a0c91e6b-6",
        "f81d4fa-e7dec-11d0-a765-00a0c91e6bf6"}) {
    EXPECT_FALSE(Uuid::parse(bad).has_value()) << bad;
  }
}

}  // namespace
}  // namespace windlass
