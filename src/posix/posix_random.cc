#include "posix/posix_random.h"

#include <sys/random.h>

#include <cerrno>

#include "base/check.h"

namespace windlass::posix {

uint64_t PosixRandom::next() {
  uint64_t value = 0;
  fill(std::as_writable_bytes(std::span(&value, 1)));
  return value;
}

void PosixRandom::fill(std::span<std::byte> bytes) {
  while (!bytes.empty()) {
    const ssize_t got = ::getrandom(bytes.data(), bytes.size(), 0);
    CHECK(got > 0 || errno == EINTR, "the kernel always has randomness");
    if (got > 0) {
      bytes = bytes.subspan(static_cast<size_t>(got));
    }
  }
}

}  // namespace windlass::posix
