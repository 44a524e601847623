#include "base/generator.h"

#include <bit>

namespace windlass {
namespace {

// SplitMix64: turns any seed, also 0, into a state without patterns.
uint64_t split_mix(uint64_t& state) {
  state += 0x9E3779B97F4A7C15;
  uint64_t z = state;
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EB;
  return z ^ (z >> 31);
}

// -log2(value / 2^64) in units of 2^-16, for value > 0: whole steps from the leading zeros, then
// one bit of the fraction for each squaring.
uint64_t minus_log2(uint64_t value) {
  const auto zeros = static_cast<uint64_t>(std::countl_zero(value));
  uint64_t mantissa = (value << zeros) >> 32;  // 1.31 fixed point, from 1 up to 2
  uint64_t fraction = 0;
  for (int bit = 0; bit < 16; ++bit) {
    mantissa = (mantissa * mantissa) >> 31;
    const uint64_t above = mantissa >> 32;
    fraction = fraction << 1 | above;
    mantissa >>= above;
  }
  return ((zeros + 1) << 16) - fraction;
}

}  // namespace

Generator::Generator(uint64_t seed) : state_{} {
  for (uint64_t& word : state_) {
    word = split_mix(seed);
  }
}

uint64_t Generator::next() {
  const uint64_t result = std::rotl(state_[1] * 5, 7) * 9;
  const uint64_t shifted = state_[1] << 17;
  state_[2] ^= state_[0];
  state_[3] ^= state_[1];
  state_[1] ^= state_[2];
  state_[0] ^= state_[3];
  state_[2] ^= shifted;
  state_[3] = std::rotl(state_[3], 45);
  return result;
}

int64_t Generator::between(int64_t first, int64_t last) {
  CHECK(first <= last, "between() needs something to choose from");
  const uint64_t count = static_cast<uint64_t>(last) - static_cast<uint64_t>(first) + 1;
  const uint64_t offset = count == 0 ? next() : uniform(count);
  return static_cast<int64_t>(static_cast<uint64_t>(first) + offset);
}

bool Generator::chance(double probability) {
  // 53 bits: exactly what a double can compare.
  const auto drawn = static_cast<double>(next() >> 11);
  return drawn < probability * static_cast<double>(uint64_t{1} << 53);
}

Duration Generator::exponential(Duration mean) {
  CHECK(mean >= Duration::zero() && mean < hours(24 * 365), "a mean within a year");
  // -ln(u) = -log2(u) * ln 2. 45,426 is ln 2 in units of 2^-16.
  const uint64_t steps = minus_log2(next() | 1) * 45'426 >> 16;
  const auto mean_nanos = static_cast<uint64_t>(mean.count());
  const uint64_t nanos = (mean_nanos >> 16) * steps + ((mean_nanos & 0xFFFF) * steps >> 16);
  return Duration(static_cast<int64_t>(nanos));
}

}  // namespace windlass
