#include "api/uuid.h"

#include <gtest/gtest.h>

#include <array>

namespace windlass::api {
namespace {

TEST(Uuid, FromRandomIsVersion4) {
  std::array<std::byte, 16> bytes{};
  EXPECT_EQ(uuid_from_random(bytes), "00000000-0000-4000-8000-000000000000");
  bytes.fill(std::byte{0xFF});
  EXPECT_EQ(uuid_from_random(bytes), "ffffffff-ffff-4fff-bfff-ffffffffffff");
  for (size_t i = 0; i < bytes.size(); ++i) {
    bytes[i] = static_cast<std::byte>(i * 0x11);
  }
  EXPECT_EQ(uuid_from_random(bytes), "00112233-4455-4677-8899-aabbccddeeff");
}

}  // namespace
}  // namespace windlass::api
