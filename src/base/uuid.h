#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace windlass {

// A UUID as objects carry it in metadata.uid: `f81d4fae-7dec-41d0-a765-00a0c91e6bf6`. A value type.
class Uuid {
 public:
  // Version 4 from random bytes; six of the 128 bits are overwritten with version and variant.
  static Uuid from_random(std::span<const std::byte, 16> bytes);
  // The form with four dashes, hexadecimal digits of either case; any version.
  static std::optional<Uuid> parse(std::string_view text);

  // Lower case.
  std::string to_string() const;
  int version() const { return bytes_[6] >> 4; }

  auto operator<=>(const Uuid&) const = default;

 private:
  std::array<uint8_t, 16> bytes_ = {};
};

}  // namespace windlass
