#pragma once

#include "env/random.h"

namespace windlass::posix {

// The kernel's generator (getrandom), fit for tokens and keys. Any thread.
class PosixRandom final : public env::Random {
 public:
  uint64_t next() override;
  void fill(std::span<std::byte> bytes) override;
};

}  // namespace windlass::posix
