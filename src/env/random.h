#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace windlass::env {

// The only source of randomness. The real one is fit for secrets; the simulated one is seeded.
// Distributions are in base/generator.h, so that a seed means the same on every platform.
class Random {
 public:
  virtual ~Random() = default;
  virtual uint64_t next() = 0;
  virtual void fill(std::span<std::byte> bytes) = 0;
};

}  // namespace windlass::env
