#include "api/codec/yaml/yaml_scalars.h"

#include <array>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <limits>

#include "base/ascii.h"
#include "base/json_writer.h"

namespace windlass::api {
namespace {

using Type = YamlScalar::Type;

template <size_t N>
bool is_one_of(std::string_view text, const std::array<std::string_view, N>& words) {
  for (std::string_view word : words) {
    if (text == word) {
      return true;
    }
  }
  return false;
}

constexpr std::array<std::string_view, 11> kTrue = {"y",    "Y",    "yes", "Yes", "YES", "true",
                                                    "True", "TRUE", "on",  "On",  "ON"};
constexpr std::array<std::string_view, 11> kFalse = {"n",     "N",     "no",  "No",  "NO", "false",
                                                     "False", "FALSE", "off", "Off", "OFF"};
constexpr std::array<std::string_view, 5> kNull = {"", "~", "null", "Null", "NULL"};
constexpr std::array<std::string_view, 3> kNan = {".nan", ".NaN", ".NAN"};
constexpr std::array<std::string_view, 6> kInfinity = {".inf",  ".Inf",  ".INF",
                                                       "+.inf", "+.Inf", "+.INF"};
constexpr std::array<std::string_view, 3> kMinusInfinity = {"-.inf", "-.Inf", "-.INF"};

YamlScalar of_type(Type type) {
  YamlScalar scalar;
  scalar.type = type;
  return scalar;
}

YamlScalar boolean(bool truth) {
  YamlScalar scalar = of_type(Type::boolean);
  scalar.truth = truth;
  return scalar;
}

YamlScalar floating(double number) {
  YamlScalar scalar = of_type(Type::floating);
  scalar.number = number;
  return scalar;
}

YamlScalar string(std::string_view text) {
  YamlScalar scalar = of_type(Type::string);
  scalar.text = text;
  return scalar;
}

std::optional<YamlScalar> named_value(std::string_view text) {
  constexpr double kInf = std::numeric_limits<double>::infinity();
  if (is_one_of(text, kNull)) {
    return of_type(Type::null);
  }
  if (is_one_of(text, kTrue)) {
    return boolean(true);
  }
  if (is_one_of(text, kFalse)) {
    return boolean(false);
  }
  if (is_one_of(text, kNan)) {
    return floating(std::numeric_limits<double>::quiet_NaN());
  }
  if (is_one_of(text, kInfinity)) {
    return floating(kInf);
  }
  if (is_one_of(text, kMinusInfinity)) {
    return floating(-kInf);
  }
  return std::nullopt;
}

int take_base(std::string_view& digits) {
  if (digits.size() < 2 || digits[0] != '0') {
    return 10;
  }
  char mark = static_cast<char>(digits[1] | 0x20);
  int base = mark == 'x' ? 16 : mark == 'o' ? 8 : mark == 'b' ? 2 : 0;
  digits.remove_prefix(base == 0 ? 1 : 2);
  return base == 0 ? 8 : base;
}

// Sign, base prefix (0x, 0o, 0b, or 0 for octal), digits; in the range of 64 bits. A sign takes the
// upper half of the unsigned range away.
std::optional<YamlScalar> integer(std::string_view text) {
  bool negative = text.starts_with('-');
  bool has_sign = negative || text.starts_with('+');
  std::string_view digits = text.substr(has_sign ? 1 : 0);
  int base = take_base(digits);
  uint64_t magnitude = 0;
  const char* end = digits.data() + digits.size();
  auto [parsed, error] = std::from_chars(digits.data(), end, magnitude, base);
  if (digits.empty() || error != std::errc() || parsed != end) {
    return std::nullopt;
  }
  constexpr uint64_t kHalf = uint64_t{1} << 63;
  if (has_sign && magnitude >= kHalf && !(negative && magnitude == kHalf)) {
    return std::nullopt;
  }
  YamlScalar scalar = of_type(Type::integer);
  scalar.decimal = (negative && magnitude != 0 ? "-" : "") + std::to_string(magnitude);
  return scalar;
}

size_t skip_digits(std::string_view text, size_t at) {
  while (at < text.size() && is_digit(text[at])) {
    ++at;
  }
  return at;
}

// [-+]? (.digits | digits (. digits?)?) ([eE] [-+]? digits)?
bool looks_like_float(std::string_view text) {
  size_t at = !text.empty() && (text[0] == '-' || text[0] == '+') ? 1 : 0;
  size_t whole = skip_digits(text, at) - at;
  at += whole;
  if (at < text.size() && text[at] == '.') {
    size_t fraction = skip_digits(text, at + 1) - (at + 1);
    if (whole == 0 && fraction == 0) {
      return false;
    }
    at += 1 + fraction;
  } else if (whole == 0) {
    return false;
  }
  if (at < text.size() && (text[at] | 0x20) == 'e') {
    ++at;
    if (at < text.size() && (text[at] == '-' || text[at] == '+')) {
      ++at;
    }
    size_t exponent = skip_digits(text, at) - at;
    at += exponent;
    return exponent > 0 && at == text.size();
  }
  return at == text.size();
}

std::optional<YamlScalar> floating_text(std::string_view text) {
  if (!looks_like_float(text)) {
    return std::nullopt;
  }
  if (text[0] == '+') {
    text.remove_prefix(1);
  }
  double number = 0;
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error == std::errc::result_out_of_range) {
    // Too small is zero, too large is no number, as in Go.
    std::string_view magnitude = text.substr(text[0] == '-' ? 1 : 0);
    bool tiny = text.find("e-") != text.npos || text.find("E-") != text.npos ||
                magnitude.starts_with("0.") || magnitude.starts_with('.');
    return tiny ? std::optional(floating(text[0] == '-' ? -0.0 : 0.0)) : std::nullopt;
  }
  return end == text.data() + text.size() ? std::optional(floating(number)) : std::nullopt;
}

std::string without_underscores(std::string_view text) {
  std::string plain;
  for (char c : text) {
    if (c != '_') {
      plain += c;
    }
  }
  return plain;
}

// Go's own rule for floating literals, which go-yaml leaves to it when a number begins with a
// point.
bool underscores_separate_digits(std::string_view text) {
  for (size_t at = text.find('_'); at != text.npos; at = text.find('_', at + 1)) {
    if (at == 0 || at + 1 == text.size() || !is_digit(text[at - 1]) || !is_digit(text[at + 1])) {
      return false;
    }
  }
  return true;
}

// The fewest digits that read back as the same number, d.ddd * 10^exponent. std::to_chars would
// print large whole numbers with all their digits; Go fills up with zeros.
struct ShortestDigits {
  bool negative = false;
  std::string digits;
  int exponent = 0;
  std::string scientific;  // d.ddde+06
};

template <class Float>
ShortestDigits shortest_digits(Float number) {
  std::array<char, 64> buffer;
  auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), number,
                           std::chars_format::scientific);
  ShortestDigits shortest;
  shortest.scientific.assign(buffer.data(), end.ptr);
  shortest.negative = buffer[0] == '-';
  size_t e = shortest.scientific.find('e');
  for (size_t i = shortest.negative ? 1 : 0; i < e; ++i) {
    if (shortest.scientific[i] != '.') {
      shortest.digits += shortest.scientific[i];
    }
  }
  shortest.exponent = std::stoi(shortest.scientific.substr(e + 1));
  return shortest;
}

std::string fixed_point(const ShortestDigits& number) {
  std::string text = number.negative ? "-" : "";
  const std::string& digits = number.digits;
  if (number.exponent < 0) {
    text += "0.";
    text.append(static_cast<size_t>(-number.exponent - 1), '0');
    return text + digits;
  }
  size_t whole = static_cast<size_t>(number.exponent) + 1;
  if (digits.size() <= whole) {
    return text + digits + std::string(whole - digits.size(), '0');
  }
  return text + digits.substr(0, whole) + "." + digits.substr(whole);
}

// strconv.FormatFloat(f, 'g', -1, 32): how kubectl writes a floating key.
std::string float_key(double number) {
  if (std::isnan(number)) {
    return ".nan";
  }
  auto narrow = static_cast<float>(number);
  if (std::isinf(narrow)) {
    return narrow > 0 ? ".inf" : "-.inf";
  }
  constexpr int kLastFixedExponent = 5;
  ShortestDigits shortest = shortest_digits(narrow);
  bool fixed = shortest.exponent >= -4 && shortest.exponent <= kLastFixedExponent;
  return fixed ? fixed_point(shortest) : shortest.scientific;
}

}  // namespace

void append_json_number(double number, std::string& out) {
  double size = std::abs(number);
  ShortestDigits shortest = shortest_digits(number);
  if (size == 0 || (size >= 1e-6 && size < 1e21)) {
    out += fixed_point(shortest);
    return;
  }
  std::string& text = shortest.scientific;
  size_t e = text.find("e-0");
  if (e != std::string::npos) {
    text.erase(e + 2, 1);  // e-09 is written e-9
  }
  out += text;
}

bool YamlScalar::append_json(std::string& out) const {
  switch (type) {
    case Type::null:
      out += "null";
      return true;
    case Type::boolean:
      out += truth ? "true" : "false";
      return true;
    case Type::integer:
      out += decimal;
      return true;
    case Type::floating:
      if (!std::isfinite(number)) {
        return false;
      }
      append_json_number(number, out);
      return true;
    case Type::string:
      append_json_string(text, out);
      return true;
  }
  return false;
}

std::optional<std::string> YamlScalar::key() const {
  constexpr size_t kMaxInt64Digits = 19;
  switch (type) {
    case Type::boolean:
      return truth ? "true" : "false";
    case Type::integer:
      if (decimal[0] != '-' && (decimal.size() > kMaxInt64Digits ||
                                (decimal.size() == kMaxInt64Digits &&
                                 decimal > std::to_string(std::numeric_limits<int64_t>::max())))) {
        return std::nullopt;
      }
      return decimal;
    case Type::floating:
      return float_key(number);
    case Type::string:
      return std::string(text);
    case Type::null:
      break;
  }
  return std::nullopt;
}

YamlScalar resolve_plain_scalar(std::string_view text) {
  if (std::optional<YamlScalar> named = named_value(text)) {
    return *std::move(named);
  }
  char first = text[0];
  if (first == '.') {
    bool separates_digits = underscores_separate_digits(text);
    return floating_text(separates_digits ? without_underscores(text) : std::string(text))
        .value_or(string(text));
  }
  if (first != '-' && first != '+' && !is_digit(first)) {
    return string(text);
  }
  std::string plain = without_underscores(text);
  if (std::optional<YamlScalar> whole = integer(plain)) {
    return *std::move(whole);
  }
  return floating_text(plain).value_or(string(text));
}

std::optional<YamlScalar> resolve_tagged_scalar(YamlTag tag, std::string_view text) {
  YamlScalar scalar = resolve_plain_scalar(text);
  auto when = [&](Type wanted) {
    return scalar.type == wanted ? std::optional(scalar) : std::nullopt;
  };
  switch (tag) {
    case YamlTag::none:
      return scalar;
    case YamlTag::boolean:
      return when(Type::boolean);
    case YamlTag::integer:
      return when(Type::integer);
    case YamlTag::null:
      return when(Type::null);
    case YamlTag::floating:
      if (scalar.type == Type::integer) {
        double number = 0;
        std::from_chars(scalar.decimal.data(), scalar.decimal.data() + scalar.decimal.size(),
                        number);
        return floating(number);
      }
      return when(Type::floating);
    case YamlTag::timestamp:
    case YamlTag::merge:
      return string(text);
  }
  return std::nullopt;
}

}  // namespace windlass::api
