// A signed integer without a limit, for the few quantities that 64 bits do not hold. Simple and
// slow: the callers bound the number of digits. A value type.
#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace windlass {

class BigInteger {
 public:
  BigInteger() = default;
  explicit BigInteger(int64_t value);
  // Decimal digits only, no sign; the caller has checked that.
  static BigInteger from_digits(std::string_view digits);

  int sign() const { return limbs_.empty() ? 0 : negative_ ? -1 : 1; }
  bool is_zero() const { return limbs_.empty(); }
  void negate() { negative_ = !negative_ && !limbs_.empty(); }

  void add(const BigInteger& other);
  void subtract(const BigInteger& other);
  void multiply(uint32_t factor);
  void multiply_pow10(uint32_t exponent);
  // Truncates towards zero and returns the remainder of the magnitude.
  uint32_t divide(uint32_t divisor);
  // Rounds away from zero; true when nothing was lost.
  bool divide_pow10(uint32_t exponent);

  std::optional<int64_t> to_int64() const;
  std::string to_string() const;

  std::strong_ordering operator<=>(const BigInteger& other) const;
  bool operator==(const BigInteger& other) const = default;

 private:
  std::strong_ordering compare_magnitude(const BigInteger& other) const;
  void add_magnitude(const BigInteger& other);
  // |this| >= |other|
  void subtract_magnitude(const BigInteger& other);
  void trim();

  bool negative_ = false;        // never for zero
  std::vector<uint32_t> limbs_;  // least significant first, no leading zero
};

}  // namespace windlass
