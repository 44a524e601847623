#include "base/big_integer.h"

#include <algorithm>
#include <limits>

#include "base/check.h"

namespace windlass {
namespace {

constexpr uint32_t kBillion = 1'000'000'000;
constexpr uint32_t kBillionDigits = 9;

uint32_t small_pow10(uint32_t exponent) {
  uint32_t power = 1;
  for (; exponent > 0; --exponent) {
    power *= 10;
  }
  return power;
}

}  // namespace

BigInteger::BigInteger(int64_t value) : negative_(value < 0) {
  uint64_t magnitude = static_cast<uint64_t>(value);
  if (negative_) {
    magnitude = ~magnitude + 1;
  }
  limbs_ = {static_cast<uint32_t>(magnitude), static_cast<uint32_t>(magnitude >> 32)};
  trim();
}

BigInteger BigInteger::from_digits(std::string_view digits) {
  BigInteger result;
  while (!digits.empty()) {
    const std::string_view group = digits.substr(0, kBillionDigits);
    uint32_t value = 0;
    for (const char c : group) {
      value = value * 10 + static_cast<uint32_t>(c - '0');
    }
    result.multiply(small_pow10(static_cast<uint32_t>(group.size())));
    result.add_magnitude(BigInteger(int64_t{value}));
    digits.remove_prefix(group.size());
  }
  return result;
}

void BigInteger::add(const BigInteger& other) {
  if (negative_ == other.negative_) {
    add_magnitude(other);
  } else if (compare_magnitude(other) >= 0) {
    subtract_magnitude(other);
  } else {
    BigInteger larger = other;
    larger.subtract_magnitude(*this);
    *this = std::move(larger);
  }
}

void BigInteger::subtract(const BigInteger& other) {
  BigInteger negated = other;
  negated.negate();
  add(negated);
}

void BigInteger::multiply(uint32_t factor) {
  uint64_t carry = 0;
  for (uint32_t& limb : limbs_) {
    carry += uint64_t{limb} * factor;
    limb = static_cast<uint32_t>(carry);
    carry >>= 32;
  }
  if (carry != 0) {
    limbs_.push_back(static_cast<uint32_t>(carry));
  }
  trim();
}

void BigInteger::multiply_pow10(uint32_t exponent) {
  for (; exponent >= kBillionDigits; exponent -= kBillionDigits) {
    multiply(kBillion);
  }
  multiply(small_pow10(exponent));
}

uint32_t BigInteger::divide(uint32_t divisor) {
  CHECK(divisor != 0, "division by zero");
  uint64_t rest = 0;
  for (auto limb = limbs_.rbegin(); limb != limbs_.rend(); ++limb) {
    rest = rest << 32 | *limb;
    *limb = static_cast<uint32_t>(rest / divisor);
    rest %= divisor;
  }
  trim();
  return static_cast<uint32_t>(rest);
}

bool BigInteger::divide_pow10(uint32_t exponent) {
  const int before = sign();
  bool exact = true;
  for (; exponent >= kBillionDigits && !is_zero(); exponent -= kBillionDigits) {
    exact = divide(kBillion) == 0 && exact;
  }
  exact = divide(small_pow10(std::min(exponent, kBillionDigits))) == 0 && exact;
  if (!exact) {
    add(BigInteger(before));
  }
  return exact;
}

std::optional<int64_t> BigInteger::to_int64() const {
  if (limbs_.size() > 2) {
    return std::nullopt;
  }
  uint64_t magnitude = limbs_.empty() ? 0 : limbs_[0];
  if (limbs_.size() == 2) {
    magnitude |= uint64_t{limbs_[1]} << 32;
  }
  const uint64_t limit = uint64_t{std::numeric_limits<int64_t>::max()} + (negative_ ? 1 : 0);
  if (magnitude > limit) {
    return std::nullopt;
  }
  return static_cast<int64_t>(negative_ ? ~magnitude + 1 : magnitude);
}

std::string BigInteger::to_string() const {
  if (is_zero()) {
    return "0";
  }
  std::string reversed;
  BigInteger rest = *this;
  while (!rest.is_zero()) {
    uint32_t group = rest.divide(kBillion);
    for (size_t i = 0; i < kBillionDigits && (group != 0 || !rest.is_zero()); ++i) {
      reversed += static_cast<char>('0' + group % 10);
      group /= 10;
    }
  }
  if (negative_) {
    reversed += '-';
  }
  return {reversed.rbegin(), reversed.rend()};
}

std::strong_ordering BigInteger::operator<=>(const BigInteger& other) const {
  if (sign() != other.sign()) {
    return sign() <=> other.sign();
  }
  return negative_ ? other.compare_magnitude(*this) : compare_magnitude(other);
}

std::strong_ordering BigInteger::compare_magnitude(const BigInteger& other) const {
  if (limbs_.size() != other.limbs_.size()) {
    return limbs_.size() <=> other.limbs_.size();
  }
  return std::lexicographical_compare_three_way(limbs_.rbegin(), limbs_.rend(),
                                                other.limbs_.rbegin(), other.limbs_.rend());
}

void BigInteger::add_magnitude(const BigInteger& other) {
  limbs_.resize(std::max(limbs_.size(), other.limbs_.size()) + 1);
  uint64_t carry = 0;
  for (size_t i = 0; i < limbs_.size(); ++i) {
    carry += uint64_t{limbs_[i]} + (i < other.limbs_.size() ? other.limbs_[i] : 0);
    limbs_[i] = static_cast<uint32_t>(carry);
    carry >>= 32;
  }
  trim();
}

void BigInteger::subtract_magnitude(const BigInteger& other) {
  int64_t borrow = 0;
  for (size_t i = 0; i < limbs_.size(); ++i) {
    const int64_t taken = borrow + (i < other.limbs_.size() ? int64_t{other.limbs_[i]} : 0);
    const int64_t left = int64_t{limbs_[i]} - taken;
    borrow = left < 0 ? 1 : 0;
    limbs_[i] = static_cast<uint32_t>(left);
  }
  CHECK(borrow == 0, "the larger magnitude is on the left");
  trim();
}

void BigInteger::trim() {
  while (!limbs_.empty() && limbs_.back() == 0) {
    limbs_.pop_back();
  }
  negative_ = negative_ && !limbs_.empty();
}

}  // namespace windlass
