// An amount of a resource as Kubernetes writes it: `500m`, `1536Mi`, `12e6`. Exact: a decimal
// number, 64 bits wide as long as that is enough. Never a floating point number. A value type.
//
// Text that is not canonical but close to it (`1.500`, `+5Ki`, `1E3`) is printed as it was written,
// because that is what Kubernetes stores and answers.
#pragma once

#include <compare>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "base/result.h"

namespace windlass {

class BigInteger;

class Quantity {
 public:
  // Which kind of suffix it was written with, and is printed with.
  enum class Format { decimal_si, binary_si, decimal_exponent };

  // Kubernetes has no limits here and can be made to compute for hours (`1e2147483648`); both are
  // far beyond anything that exists.
  static constexpr size_t kMaxTextLength = 1024;
  static constexpr int32_t kMaxExponent = 1000;

  Quantity() = default;  // 0
  explicit Quantity(int64_t value, Format format = Format::decimal_si);
  static Quantity from_milli(int64_t milli, Format format = Format::decimal_si);

  // Errors have Kubernetes' three texts (api.md M31). Finer than nano is rounded away from zero,
  // and a binary suffix caps the value at 2^63-1. White space around the text is the codec's to
  // remove.
  static Result<Quantity> parse(std::string_view text);
  std::string to_string() const;

  Format format() const { return format_; }
  int sign() const;
  bool is_zero() const { return sign() == 0; }

  // The value, or thousandths of it, rounded away from zero; the ends of int64 where it is beyond.
  int64_t value() const { return scaled_value(0); }
  int64_t milli_value() const { return scaled_value(-3); }

  // A zero takes on the format of the other.
  void add(const Quantity& other);
  void subtract(const Quantity& other);
  void negate();
  // What is finer than a thousandth is rounded away from zero (api.md P17); true when nothing was.
  bool round_up_to_milli();

  // By value: 1Ki == 1024.
  std::strong_ordering operator<=>(const Quantity& other) const;
  bool operator==(const Quantity& other) const { return (*this <=> other) == 0; }

 private:
  friend class QuantityParser;

  int64_t scaled_value(int32_t scale) const;
  bool round_up(int32_t scale);
  bool is_whole() const;
  // The mantissa of the same value at a smaller scale.
  BigInteger at_scale(int32_t scale) const;
  void assign(BigInteger mantissa, int32_t scale);
  std::string decimal_text(Format format) const;
  std::string binary_text() const;

  // mantissa * 10^scale_, where the mantissa is *wide_ if there is one, else mantissa_.
  int64_t mantissa_ = 0;
  std::shared_ptr<const BigInteger> wide_;
  int32_t scale_ = 0;
  Format format_ = Format::decimal_si;
  std::string text_;  // as written, where that is what is printed; else empty
};

}  // namespace windlass
