// CRC-32C (Castagnoli), the checksum of iSCSI and ext4: what each row of the store carries, so that
// a changed bit is found however it came about. Pure.
#pragma once

#include <cstdint>
#include <string_view>

namespace windlass::store {

// Over several pieces: crc32c("b", crc32c("a")) is crc32c("ab").
uint32_t crc32c(std::string_view bytes, uint32_t so_far = 0);
// The same on any processor.
uint32_t crc32c_by_tables(std::string_view bytes, uint32_t so_far = 0);

}  // namespace windlass::store
