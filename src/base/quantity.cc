#include "base/quantity.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <utility>

#include "base/big_integer.h"
#include "base/check.h"

namespace windlass {
namespace {

constexpr int32_t kMilli = -3;

// The largest multiple of three that is not above.
int32_t floor_to_thousands(int32_t exponent) {
  const int32_t over = ((exponent % 3) + 3) % 3;
  return exponent - over;
}

// n u m "" k M G T P E, or nothing outside of them.
bool append_decimal_suffix(std::string& out, int32_t exponent) {
  constexpr std::string_view kSuffixes = "num kMGTPE";
  if (exponent < -9 || exponent > 18) {
    return false;
  }
  if (exponent != 0) {
    out += kSuffixes[static_cast<size_t>(exponent / 3 + 3)];
  }
  return true;
}

}  // namespace

Quantity::Quantity(int64_t value, Format format) : mantissa_(value), format_(format) {}

Quantity Quantity::from_milli(int64_t milli, Format format) {
  Quantity quantity(milli, format);
  quantity.scale_ = kMilli;
  return quantity;
}

int Quantity::sign() const {
  return wide_ ? wide_->sign() : (mantissa_ > 0 ? 1 : 0) - (mantissa_ < 0 ? 1 : 0);
}

BigInteger Quantity::at_scale(int32_t scale) const {
  CHECK(scale <= scale_, "only rounding goes up");
  BigInteger mantissa = wide_ ? *wide_ : BigInteger(mantissa_);
  mantissa.multiply_pow10(static_cast<uint32_t>(scale_ - scale));
  return mantissa;
}

void Quantity::assign(BigInteger mantissa, int32_t scale) {
  text_.clear();
  scale_ = scale;
  if (const auto small = mantissa.to_int64()) {
    mantissa_ = *small;
    wide_.reset();
  } else {
    mantissa_ = 0;
    wide_ = std::make_shared<const BigInteger>(std::move(mantissa));
  }
}

void Quantity::add(const Quantity& other) {
  const Format format = is_zero() ? other.format_ : format_;
  int64_t sum = 0;
  if (!wide_ && !other.wide_ && scale_ == other.scale_ &&
      !__builtin_add_overflow(mantissa_, other.mantissa_, &sum)) {
    mantissa_ = sum;
  } else if (!other.is_zero()) {
    const int32_t scale = is_zero() ? other.scale_ : std::min(scale_, other.scale_);
    BigInteger mantissa = is_zero() ? BigInteger() : at_scale(scale);
    mantissa.add(other.at_scale(scale));
    assign(std::move(mantissa), scale);
  }
  format_ = format;
  text_.clear();
}

void Quantity::subtract(const Quantity& other) {
  Quantity negated = other;
  negated.negate();
  add(negated);
}

void Quantity::negate() {
  BigInteger mantissa = at_scale(scale_);
  mantissa.negate();
  assign(std::move(mantissa), scale_);
}

bool Quantity::round_up_to_milli() {
  return round_up(kMilli);
}

bool Quantity::round_up(int32_t scale) {
  if (scale_ >= scale) {
    return true;
  }
  BigInteger mantissa = at_scale(scale_);
  const bool exact = mantissa.divide_pow10(static_cast<uint32_t>(scale - scale_));
  assign(std::move(mantissa), scale);
  return exact;
}

int64_t Quantity::scaled_value(int32_t scale) const {
  Quantity rounded = *this;
  rounded.round_up(scale);
  if (const auto value = rounded.at_scale(scale).to_int64()) {
    return *value;
  }
  return sign() < 0 ? std::numeric_limits<int64_t>::min() : std::numeric_limits<int64_t>::max();
}

bool Quantity::is_whole() const {
  Quantity rounded = *this;
  return rounded.round_up(0);
}

std::strong_ordering Quantity::operator<=>(const Quantity& other) const {
  if (!wide_ && !other.wide_ && scale_ == other.scale_) {
    return mantissa_ <=> other.mantissa_;
  }
  if (sign() != other.sign() || is_zero()) {
    return sign() <=> other.sign();
  }
  const int32_t scale = std::min(scale_, other.scale_);
  return at_scale(scale) <=> other.at_scale(scale);
}

std::string Quantity::to_string() const {
  if (!text_.empty()) {
    return text_;
  }
  if (is_zero()) {
    return "0";
  }
  if (format_ != Format::binary_si) {
    return decimal_text(format_);
  }
  // Kubernetes: below 1Ki, and where rounding would be needed, decimal is less confusing.
  const bool below_ki = *this > Quantity(-1024) && *this < Quantity(1024);
  return below_ki || !is_whole() ? decimal_text(Format::decimal_si) : binary_text();
}

// Without a fraction, and with the largest exponent, divisible by three, that allows.
std::string Quantity::decimal_text(Format format) const {
  std::string digits = at_scale(scale_).to_string();
  const size_t last = digits.find_last_not_of('0');
  int32_t exponent = scale_ + static_cast<int32_t>(digits.size() - 1 - last);
  digits.resize(last + 1);
  const int32_t thousands = floor_to_thousands(exponent);
  digits.append(static_cast<size_t>(exponent - thousands), '0');
  exponent = thousands;
  if (format == Format::decimal_si && append_decimal_suffix(digits, exponent)) {
    return digits;
  }
  return exponent == 0 ? digits : fmt::format("{}e{}", digits, exponent);
}

std::string Quantity::binary_text() const {
  constexpr std::string_view kSuffixes = "KMGTPE";
  Quantity whole = *this;
  whole.round_up(0);
  BigInteger mantissa = whole.at_scale(0);
  size_t power = 0;
  for (; power < kSuffixes.size(); ++power) {
    BigInteger divided = mantissa;
    if (divided.divide(1024) != 0) {
      break;
    }
    mantissa = std::move(divided);
  }
  std::string text = mantissa.to_string();
  if (power > 0) {
    text += kSuffixes[power - 1];
    text += 'i';
  }
  return text;
}

}  // namespace windlass
