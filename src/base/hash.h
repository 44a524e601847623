// A 64-bit hash that is the same on every machine and in every run: for traces that are compared,
// not for tables that face strangers' keys.
#pragma once

#include <cstdint>
#include <string_view>

namespace windlass {

class StableHash {
 public:
  void add(uint64_t number) {
    for (int shift = 0; shift < 64; shift += 8) {
      add_byte(static_cast<uint8_t>(number >> shift));
    }
  }
  // With its length, so that "ab","c" and "a","bc" differ.
  void add(std::string_view text) {
    add(uint64_t{text.size()});
    for (const char c : text) {
      add_byte(static_cast<uint8_t>(c));
    }
  }

  uint64_t value() const {
    uint64_t mixed = state_;
    mixed = (mixed ^ (mixed >> 30)) * 0xBF58476D1CE4E5B9;
    mixed = (mixed ^ (mixed >> 27)) * 0x94D049BB133111EB;
    return mixed ^ (mixed >> 31);
  }

 private:
  // FNV-1a.
  void add_byte(uint8_t byte) { state_ = (state_ ^ byte) * 0x100000001B3; }

  uint64_t state_ = 0xCBF29CE484222325;
};

inline uint64_t stable_hash(std::string_view text) {
  StableHash hash;
  hash.add(text);
  return hash.value();
}

}  // namespace windlass
