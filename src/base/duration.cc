// The duration half of base/time.h.
#include <fmt/format.h>

#include <array>
#include <string>

#include "base/ascii.h"
#include "base/quote.h"
#include "base/time.h"

namespace windlass {
namespace {

// Of magnitude, so that the most negative Duration has a text too.
constexpr uint64_t kMaxMagnitude = uint64_t{1} << 63;

struct Unit {
  std::string_view name;
  uint64_t nanos;
};
constexpr std::array<Unit, 8> kUnits = {{
    {"ns", 1},
    {"us", 1'000},
    {"\u00b5s", 1'000},  // micro sign
    {"\u03bcs", 1'000},  // Greek letter mu
    {"ms", 1'000'000},
    {"s", 1'000'000'000},
    {"m", 60'000'000'000},
    {"h", 3'600'000'000'000},
}};

uint64_t magnitude(Duration duration) {
  const auto count = static_cast<uint64_t>(duration.count());
  return duration.count() < 0 ? ~count + 1 : count;
}

// `value / unit` with as many decimals as it needs; unit is a power of ten.
std::string decimal(uint64_t value, uint64_t unit) {
  std::string out = fmt::format("{}", value / unit);
  uint64_t rest = value % unit;
  if (rest == 0) {
    return out;
  }
  out += '.';
  while (rest != 0) {
    unit /= 10;
    out += static_cast<char>('0' + rest / unit);
    rest %= unit;
  }
  return out;
}

// Reads the parts of a duration: `1.5h`, then `30m`, ... Every number and unit adds to `total`.
class DurationParser {
 public:
  explicit DurationParser(std::string_view text) : text_(text), rest_(text) {}

  Result<Duration> parse() {
    const bool negative = rest_.starts_with('-');
    if (negative || rest_.starts_with('+')) {
      rest_.remove_prefix(1);
    }
    if (rest_ == "0") {
      return Duration::zero();
    }
    if (rest_.empty()) {
      return invalid();
    }
    uint64_t total = 0;
    while (!rest_.empty()) {
      TRY(const uint64_t part, parse_part());
      if (part > kMaxMagnitude - total) {
        return invalid();
      }
      total += part;
    }
    if (total > kMaxMagnitude - (negative ? 0 : 1)) {
      return invalid();
    }
    return Duration(static_cast<int64_t>(negative ? ~total + 1 : total));
  }

 private:
  Failure invalid() const {
    return fail(plain_error("time: invalid duration " + quote_ascii(text_)));
  }

  // One number with its unit, in nanoseconds.
  Result<uint64_t> parse_part() {
    const size_t before = rest_.size();
    TRY(const uint64_t whole, parse_whole());
    bool digits = rest_.size() != before;
    std::string_view fraction;
    if (rest_.starts_with('.')) {
      rest_.remove_prefix(1);
      fraction = take([](char c) { return is_digit(c); });
      digits = digits || !fraction.empty();
    }
    if (!digits) {
      return invalid();
    }
    TRY(const uint64_t unit, parse_unit());
    if (whole > kMaxMagnitude / unit) {
      return invalid();
    }
    return whole * unit + fraction_of(fraction, unit);
  }

  Result<uint64_t> parse_whole() {
    uint64_t value = 0;
    for (const char c : take([](char each) { return is_digit(each); })) {
      const auto digit = static_cast<uint64_t>(c - '0');
      if (value > (kMaxMagnitude - digit) / 10) {
        return invalid();
      }
      value = value * 10 + digit;
    }
    return value;
  }

  // unit * 0.digits, rounded down. From the last digit on, because rounding each step down then
  // rounds the whole down exactly, however many digits there are.
  static uint64_t fraction_of(std::string_view digits, uint64_t unit) {
    uint64_t nanos = 0;
    for (; !digits.empty(); digits.remove_suffix(1)) {
      nanos = (nanos + static_cast<uint64_t>(digits.back() - '0') * unit) / 10;
    }
    return nanos;
  }

  Result<uint64_t> parse_unit() {
    const std::string_view name = take([](char c) { return c != '.' && !is_digit(c); });
    if (name.empty()) {
      return fail(plain_error("time: missing unit in duration " + quote_ascii(text_)));
    }
    for (const Unit& unit : kUnits) {
      if (unit.name == name) {
        return unit.nanos;
      }
    }
    return fail(plain_error(fmt::format("time: unknown unit {} in duration {}", quote_ascii(name),
                                        quote_ascii(text_))));
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

  std::string_view text_;
  std::string_view rest_;
};

// `3h`, or `3h20m` when the smaller part is not zero.
std::string two_parts(int64_t large, char large_unit, int64_t small, char small_unit) {
  return small == 0 ? fmt::format("{}{}", large, large_unit)
                    : fmt::format("{}{}{}{}", large, large_unit, small, small_unit);
}

}  // namespace

std::string format_duration(Duration duration) {
  const uint64_t nanos = magnitude(duration);
  const std::string sign = duration.count() < 0 ? "-" : "";
  if (nanos == 0) {
    return "0s";
  }
  if (nanos < 1'000) {
    return fmt::format("{}{}ns", sign, nanos);
  }
  if (nanos < 1'000'000) {
    return sign + decimal(nanos, 1'000) + "\u00b5s";
  }
  if (nanos < 1'000'000'000) {
    return sign + decimal(nanos, 1'000'000) + "ms";
  }
  const uint64_t minute_count = nanos / 60'000'000'000;
  std::string out = sign;
  if (minute_count >= 60) {
    out += fmt::format("{}h", minute_count / 60);
  }
  if (minute_count > 0) {
    out += fmt::format("{}m", minute_count % 60);
  }
  return out + decimal(nanos % 60'000'000'000, 1'000'000'000) + "s";
}

Result<Duration> parse_duration(std::string_view text) {
  return DurationParser(text).parse();
}

std::string human_duration(Duration duration) {
  const int64_t second_count = std::chrono::duration_cast<seconds>(duration).count();
  if (second_count < -1) {
    return "<invalid>";
  }
  if (second_count < 0) {
    return "0s";
  }
  const int64_t minute_count = second_count / 60;
  const int64_t hour_count = minute_count / 60;
  const int64_t day_count = hour_count / 24;
  if (second_count < 120) {
    return fmt::format("{}s", second_count);
  }
  if (minute_count < 10) {
    return two_parts(minute_count, 'm', second_count % 60, 's');
  }
  if (hour_count < 3) {
    return fmt::format("{}m", minute_count);
  }
  if (hour_count < 8) {
    return two_parts(hour_count, 'h', minute_count % 60, 'm');
  }
  if (hour_count < 48) {
    return fmt::format("{}h", hour_count);
  }
  if (day_count < 8) {
    return two_parts(day_count, 'd', hour_count % 24, 'h');
  }
  if (day_count < 2 * 365) {
    return fmt::format("{}d", day_count);
  }
  if (day_count < 8 * 365) {
    return two_parts(day_count / 365, 'y', day_count % 365, 'd');
  }
  return fmt::format("{}y", day_count / 365);
}

}  // namespace windlass
