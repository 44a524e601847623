#include "store/sqlite/checksum.h"

#include <array>
#include <cstddef>

namespace windlass::store {
namespace {

constexpr uint32_t kPolynomial = 0x82F63B78;  // reflected
constexpr size_t kSlices = 8;

using Tables = std::array<std::array<uint32_t, 256>, kSlices>;

// Eight bytes at a time: table n is the effect of a byte that n more bytes follow.
constexpr Tables make_tables() {
  Tables tables = {};
  for (uint32_t byte = 0; byte < 256; ++byte) {
    uint32_t crc = byte;
    for (int bit = 0; bit < 8; ++bit) {
      crc = (crc >> 1) ^ ((crc & 1) != 0 ? kPolynomial : 0);
    }
    tables[0][byte] = crc;
  }
  for (size_t slice = 1; slice < kSlices; ++slice) {
    for (size_t byte = 0; byte < 256; ++byte) {
      const uint32_t before = tables[slice - 1][byte];
      tables[slice][byte] = (before >> 8) ^ tables[0][before & 0xFF];
    }
  }
  return tables;
}

constexpr Tables kTables = make_tables();

uint64_t little_endian(const char* bytes) {
  uint64_t value = 0;
  for (size_t i = 0; i < sizeof value; ++i) {
    value |= uint64_t{static_cast<unsigned char>(bytes[i])} << (8 * i);
  }
  return value;
}

}  // namespace

uint32_t crc32c(std::string_view bytes, uint32_t so_far) {
  uint32_t crc = ~so_far;
  while (bytes.size() >= kSlices) {
    const uint64_t block = little_endian(bytes.data()) ^ crc;
    crc = 0;
    for (size_t i = 0; i < kSlices; ++i) {
      crc ^= kTables[kSlices - 1 - i][(block >> (8 * i)) & 0xFF];
    }
    bytes.remove_prefix(kSlices);
  }
  for (const char byte : bytes) {
    crc = (crc >> 8) ^ kTables[0][(crc ^ static_cast<unsigned char>(byte)) & 0xFF];
  }
  return ~crc;
}

}  // namespace windlass::store
