#include "base/quantity.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <limits>
#include <optional>
#include <utility>

#include "base/ascii.h"
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

namespace {

// Parsing. The grammar is looser than its error message: `.`, `-` and `m` are 0, as in Kubernetes.

using Format = Quantity::Format;

constexpr int32_t kNano = -9;
// With up to so many digits the value is sure to fit 64 bits; only then Kubernetes keeps the text.
constexpr size_t kSmallDigits = 18;

Failure format_wrong() {
  return fail(
      plain_error("quantities must match the regular expression "
                  "'^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'"));
}
Failure number_wrong() {
  return fail(plain_error("unable to parse numeric part of quantity"));
}
Failure suffix_wrong() {
  return fail(plain_error("unable to parse quantity's suffix"));
}

struct Suffix {
  Format format = Format::decimal_si;
  int32_t exponent = 0;  // of 10, or of 2 for binary_si
};

std::optional<Suffix> parse_suffix(std::string_view text) {
  constexpr std::string_view kDecimal = "num kMGTPE";
  constexpr std::string_view kBinary = "KMGTPE";
  if (text.empty()) {
    return Suffix{};
  }
  const char first = text[0];
  if (text.size() == 1) {
    const size_t at = kDecimal.find(first);
    if (at == std::string_view::npos) {
      return std::nullopt;
    }
    return Suffix{Format::decimal_si, (static_cast<int32_t>(at) - 3) * 3};
  }
  if (text.size() == 2 && text[1] == 'i' && kBinary.find(first) != std::string_view::npos) {
    return Suffix{Format::binary_si, static_cast<int32_t>(kBinary.find(first) + 1) * 10};
  }
  if (first != 'e' && first != 'E') {
    return std::nullopt;
  }
  std::string_view digits = text.substr(1);
  if (digits.size() > 1 && digits[0] == '+') {
    digits.remove_prefix(1);
  }
  int32_t exponent = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), exponent);
  const bool complete = error == std::errc() && end == digits.data() + digits.size();
  if (!complete || exponent < -Quantity::kMaxExponent || exponent > Quantity::kMaxExponent) {
    return std::nullopt;
  }
  return Suffix{Format::decimal_exponent, exponent};
}

bool is_suffix_letter(char c) {
  return std::string_view("eEinumkKMGTP").find(c) != std::string_view::npos;
}

}  // namespace

class QuantityParser {
 public:
  explicit QuantityParser(std::string_view text) : text_(text), rest_(text) {}

  Result<Quantity> parse() {
    if (text_.empty()) {
      return format_wrong();
    }
    if (text_.size() > Quantity::kMaxTextLength) {
      return number_wrong();
    }
    TRY_VOID(split());
    const std::optional<Suffix> suffix = parse_suffix(suffix_);
    if (!suffix) {
      return suffix_wrong();
    }
    // Zeros in front of the point do not count as digits for what follows.
    const std::string digits =
        (integer_.empty() ? std::string("0") : std::string(integer_)) + std::string(fraction_);
    Quantity quantity;
    quantity.format_ = suffix->format;
    const bool keeps_text = suffix->format == Format::binary_si
                                ? assign_binary(quantity, digits, suffix->exponent)
                                : assign_decimal(quantity, digits, suffix->exponent);
    if ((!has_digits_ && !is_small_) || digits_above_point(quantity) > Quantity::kMaxExponent) {
      return number_wrong();
    }
    finish(quantity);
    if (keeps_text) {
      quantity.text_ = std::string(text_);
    }
    return quantity;
  }

 private:
  // sign, integer, point, fraction, suffix
  Result<void> split() {
    if (rest_.starts_with('-') || rest_.starts_with('+')) {
      negative_ = rest_[0] == '-';
      rest_.remove_prefix(1);
    }
    const std::string_view all = take([](char c) { return is_digit(c); });
    integer_ = all.substr(std::min(all.find_first_not_of('0'), all.size()));
    if (rest_.starts_with('.')) {
      rest_.remove_prefix(1);
      fraction_ = take([](char c) { return is_digit(c); });
    }
    has_digits_ = !all.empty() || !fraction_.empty();
    suffix_ = rest_;
    take(is_suffix_letter);
    if (rest_.starts_with('-') || rest_.starts_with('+')) {
      rest_.remove_prefix(1);
    }
    take([](char c) { return is_digit(c); });
    if (!rest_.empty()) {
      return format_wrong();
    }
    return {};
  }

  template <class Accept>
  std::string_view take(Accept accept) {
    size_t length = 0;
    while (length < rest_.size() && accept(rest_[length])) {
      ++length;
    }
    const std::string_view taken = rest_.substr(0, length);
    rest_.remove_prefix(length);
    return taken;
  }

  // Both assign the magnitude, and answer whether Kubernetes would keep the text as it is.
  bool assign_decimal(Quantity& quantity, const std::string& digits, int32_t exponent) {
    const int32_t scale = exponent - static_cast<int32_t>(fraction_.size());
    quantity.assign(BigInteger::from_digits(digits), scale);
    is_small_ = digits.size() <= kSmallDigits && scale >= kNano;
    return is_small_ && scale % 3 == 0 && !digits.ends_with("000") && digits[0] != '0';
  }

  bool assign_binary(Quantity& quantity, const std::string& digits, int32_t exponent) {
    BigInteger mantissa = BigInteger::from_digits(digits);
    const bool odd_enough = BigInteger(mantissa).divide(8) != 0;
    for (int32_t left = exponent; left > 0; left -= 10) {
      mantissa.multiply(1024);
    }
    quantity.assign(std::move(mantissa), -static_cast<int32_t>(fraction_.size()));
    const int32_t digit_room = 14 - exponent * 3 / 10;
    is_small_ = fraction_.empty() && static_cast<int32_t>(digits.size()) <= digit_room;
    return is_small_ && odd_enough;
  }

  // How many digits the magnitude has in front of its point; 0 or less without a whole part.
  static int32_t digits_above_point(const Quantity& quantity) {
    if (quantity.is_zero()) {
      return 0;
    }
    const size_t digits = quantity.at_scale(quantity.scale_).to_string().size();
    return static_cast<int32_t>(digits) + quantity.scale_;
  }

  // Rounds, caps and gives the sign.
  void finish(Quantity& quantity) const {
    if (quantity.is_zero()) {
      quantity.scale_ = std::max(quantity.scale_, kNano);
      return;
    }
    quantity.round_up(kNano);
    if (quantity.format_ == Format::binary_si) {
      const Quantity largest(std::numeric_limits<int64_t>::max(), Format::binary_si);
      if (quantity > largest) {
        quantity = largest;
      }
      if (quantity < Quantity(1)) {
        quantity.format_ = Format::decimal_si;
      }
    }
    if (negative_) {
      quantity.negate();
    }
  }

  std::string_view text_;
  std::string_view rest_;
  bool negative_ = false;
  bool has_digits_ = false;
  bool is_small_ = false;
  std::string_view integer_;  // without leading zeros
  std::string_view fraction_;
  std::string_view suffix_;
};

Result<Quantity> Quantity::parse(std::string_view text) {
  return QuantityParser(text).parse();
}

}  // namespace windlass
