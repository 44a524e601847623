// A seeded generator of numbers (xoshiro256**) and the distributions over it. All of it is integer
// arithmetic of our own, so that a seed means the same on every compiler and machine. Not for
// secrets. A value type: a copy continues the same sequence.
//
// The function templates take anything with `uint64_t next()`: a Generator or an env::Random.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "base/check.h"
#include "base/time.h"

namespace windlass {

// 0 .. n-1, each equally likely; n > 0.
template <class Source>
uint64_t uniform(Source& source, uint64_t n) {
  CHECK(n > 0, "uniform() needs something to choose from");
  // Numbers below 2^64 mod n would make the small results more likely.
  const uint64_t reject_below = (~n + 1) % n;
  while (true) {
    const uint64_t value = source.next();
    if (value >= reject_below) {
      return value % n;
    }
  }
}

// What metadata.generateName is followed by: five of these characters (api.md J53), without vowels
// so that no words come out.
inline constexpr std::string_view kNameAlphabet = "bcdfghjklmnpqrstvwxz2456789";
inline constexpr size_t kNameSuffixLength = 5;

template <class Source>
std::string name_suffix(Source& source, size_t length = kNameSuffixLength) {
  std::string suffix(length, '\0');
  for (char& c : suffix) {
    c = kNameAlphabet[uniform(source, kNameAlphabet.size())];
  }
  return suffix;
}

class Generator {
 public:
  explicit Generator(uint64_t seed);

  uint64_t next();

  uint64_t uniform(uint64_t n) { return windlass::uniform(*this, n); }
  // first .. last, both included.
  int64_t between(int64_t first, int64_t last);
  // True with this probability; 0 and less never, 1 and more always. Always draws one number.
  bool chance(double probability);
  // Mostly below the mean, sometimes far above it, at most about 44 times.
  Duration exponential(Duration mean);

  template <class T>
  T& pick(std::span<T> items) {
    return items[uniform(items.size())];
  }
  template <class T>
  void shuffle(std::span<T> items) {
    for (size_t left = items.size(); left > 1; --left) {
      std::swap(items[left - 1], items[uniform(left)]);
    }
  }

 private:
  std::array<uint64_t, 4> state_;
};

}  // namespace windlass
