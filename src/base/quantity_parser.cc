// The text of a quantity. The grammar is looser than its error message: `.`, `-` and `m` are 0, as
// in Kubernetes.
#include <algorithm>
#include <charconv>
#include <limits>
#include <optional>

#include "base/ascii.h"
#include "base/big_integer.h"
#include "base/quantity.h"

namespace windlass {
namespace {

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
