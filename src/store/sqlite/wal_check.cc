#include "store/sqlite/wal_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "store/sqlite/vfs_file.h"

namespace windlass::store {
namespace {

// The format is SQLite's own: https://www.sqlite.org/fileformat2.html#walformat
constexpr size_t kHeaderBytes = 32;
constexpr size_t kFrameHeaderBytes = 24;
constexpr uint32_t kMagic = 0x377F0682;  // the lowest bit tells the byte order of the checksums
constexpr uint32_t kMinPage = 512;
constexpr uint32_t kMaxPage = 65'536;

using Bytes = std::vector<unsigned char>;

uint32_t big_endian(const unsigned char* at) {
  return uint32_t{at[0]} << 24 | uint32_t{at[1]} << 16 | uint32_t{at[2]} << 8 | uint32_t{at[3]};
}

uint32_t little_endian(const unsigned char* at) {
  return uint32_t{at[3]} << 24 | uint32_t{at[2]} << 16 | uint32_t{at[1]} << 8 | uint32_t{at[0]};
}

struct Sums {
  uint32_t first = 0;
  uint32_t second = 0;
  bool big = false;

  void add(const unsigned char* bytes, size_t size) {
    for (size_t i = 0; i < size; i += 8) {
      first += (big ? big_endian(bytes + i) : little_endian(bytes + i)) + second;
      second += (big ? big_endian(bytes + i + 4) : little_endian(bytes + i + 4)) + first;
    }
  }
  bool matches(const unsigned char* stored) const {
    return first == big_endian(stored) && second == big_endian(stored + 4);
  }
};

struct WalHeader {
  uint32_t page_bytes;
  std::array<unsigned char, 8> salts;
  Sums sums;
};

std::optional<WalHeader> parse_header(const Bytes& bytes) {
  const uint32_t magic = big_endian(bytes.data());
  WalHeader header = {};
  header.page_bytes = big_endian(bytes.data() + 8);
  header.sums.big = (magic & 1) != 0;
  header.sums.add(bytes.data(), 24);
  const bool power_of_two = (header.page_bytes & (header.page_bytes - 1)) == 0;
  if ((magic & ~1U) != kMagic || !header.sums.matches(bytes.data() + 24) || !power_of_two ||
      header.page_bytes < kMinPage || header.page_bytes > kMaxPage) {
    return std::nullopt;
  }
  std::copy_n(bytes.data() + 16, header.salts.size(), header.salts.data());
  return header;
}

Status damaged(const VfsFile& log, uint64_t offset) {
  return plain_error(fmt::format(
      "{} is damaged at byte {}: committed writes follow there and would be lost; restore the data "
      "directory from a copy",
      log.path(), offset));
}

}  // namespace

uint64_t write_ahead_log_bytes(int pages, uint64_t page_bytes) {
  return pages == 0
             ? 0
             : kHeaderBytes + static_cast<uint64_t>(pages) * (kFrameHeaderBytes + page_bytes);
}

Result<void> check_write_ahead_log(const std::string& path, const std::string& vfs) {
  TRY(VfsFile log, VfsFile::open(path, vfs, VfsFile::Use::read));
  TRY(const uint64_t size, log.size());
  if (size <= kHeaderBytes) {
    return {};  // nothing was committed to it
  }
  Bytes bytes(kHeaderBytes);
  TRY_VOID(log.read(0, bytes.data(), bytes.size()));
  std::optional<WalHeader> header = parse_header(bytes);
  if (!header) {
    // The header is synced before the first record is written.
    return fail(damaged(log, 0));
  }
  const size_t frame_bytes = kFrameHeaderBytes + header->page_bytes;
  bytes.resize(frame_bytes);
  uint64_t damage = 0;  // where the chain of checksums breaks
  int commits_behind = 0;
  for (uint64_t at = kHeaderBytes; at + frame_bytes <= size; at += frame_bytes) {
    TRY_VOID(log.read(at, bytes.data(), bytes.size()));
    const bool current = std::equal(header->salts.begin(), header->salts.end(), bytes.begin() + 8);
    if (damage == 0) {
      Sums& sums = header->sums;
      sums.add(bytes.data(), 8);
      sums.add(bytes.data() + kFrameHeaderBytes, header->page_bytes);
      damage = current && sums.matches(bytes.data() + 16) ? 0 : at;
    }
    if (damage != 0 && current && big_endian(bytes.data() + 4) != 0) {
      ++commits_behind;
    }
  }
  return commits_behind > 1 ? fail(damaged(log, damage)) : Result<void>();
}

}  // namespace windlass::store
