#include "base/time.h"

#include <fmt/format.h>

#include <array>
#include <chrono>
#include <limits>
#include <string>

#include "base/ascii.h"
#include "base/quote.h"

namespace windlass {
namespace {

constexpr int64_t kNanosPerSecond = 1'000'000'000;
constexpr int64_t kSecondsPerDay = 86'400;

// Rounded down, and what is left then, from 0 to b - 1; no product that could overflow.
int64_t floor_divide(int64_t a, int64_t b) {
  return a / b - (a % b < 0 ? 1 : 0);
}
int64_t floor_remainder(int64_t a, int64_t b) {
  return a % b + (a % b < 0 ? b : 0);
}

// Everything up to the seconds, without a zone.
std::string format_civil(int64_t unix_seconds) {
  const int64_t days = floor_divide(unix_seconds, kSecondsPerDay);
  const int64_t rest = floor_remainder(unix_seconds, kSecondsPerDay);
  const std::chrono::year_month_day date{std::chrono::sys_days{std::chrono::days{days}}};
  return fmt::format("{:04d}-{:02d}-{:02d}T{:02d}:{:02d}:{:02d}", static_cast<int>(date.year()),
                     static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()),
                     rest / 3600, rest / 60 % 60, rest % 60);
}

bool is_digit_at(std::string_view text, size_t at) {
  return at < text.size() && text[at] >= '0' && text[at] <= '9';
}

// Reads a time piece by piece and words its errors as Go does. An error of one piece names what is
// left of the text from that piece on.
class Rfc3339Parser {
 public:
  Rfc3339Parser(std::string_view text, std::string_view layout) : text_(text), layout_(layout) {}

  Result<UnixTime> parse(bool six_digits) {
    int years = 0;
    int month = 0;
    int day = 0;
    int hour = 0;
    int minute = 0;
    int second = 0;
    int32_t nanos = 0;
    TRY(years, year());
    TRY_VOID(literal("-"));
    TRY(month, two_digits("01"));
    TRY_VOID(in_range(month >= 1 && month <= 12, "month"));
    TRY_VOID(literal("-"));
    TRY(day, two_digits("02"));
    TRY_VOID(literal("T"));
    TRY(hour, hour_digits());
    TRY_VOID(in_range(hour < 24, "hour"));
    TRY_VOID(literal(":"));
    TRY(minute, two_digits("04"));
    TRY_VOID(in_range(minute < 60, "minute"));
    TRY_VOID(literal(":"));
    TRY(second, two_digits("05"));
    TRY_VOID(in_range(second < 60, "second"));
    TRY(nanos, six_digits ? six_digit_fraction() : any_fraction());
    TRY(const int64_t offset, zone_offset());
    if (!text_at_end()) {
      return fail(plain_error(
          fmt::format("parsing time {}: extra text: {}", quote_ascii(text_), quote_ascii(rest()))));
    }
    const std::chrono::year_month_day date{std::chrono::year{years},
                                           std::chrono::month{static_cast<unsigned>(month)},
                                           std::chrono::day{static_cast<unsigned>(day)}};
    TRY_VOID(in_range(date.ok(), "day"));
    const int64_t days = std::chrono::sys_days(date).time_since_epoch().count();
    const int64_t seconds =
        days * kSecondsPerDay + hour * int64_t{3600} + minute * int64_t{60} + second - offset;
    return UnixTime{seconds, nanos};
  }

 private:
  std::string_view rest() const { return text_.substr(at_); }
  bool text_at_end() const { return at_ == text_.size(); }

  Failure cannot_parse(std::string_view piece) const {
    return fail(
        plain_error(fmt::format("parsing time {} as {}: cannot parse {} as {}", quote_ascii(text_),
                                quote_ascii(layout_), quote_ascii(rest()), quote_ascii(piece))));
  }

  Result<void> in_range(bool fits, std::string_view what) const {
    if (!fits) {
      return fail(
          plain_error(fmt::format("parsing time {}: {} out of range", quote_ascii(text_), what)));
    }
    return {};
  }

  Result<void> literal(std::string_view piece) {
    if (!rest().starts_with(piece)) {
      return cannot_parse(piece);
    }
    at_ += piece.size();
    return {};
  }

  int take_number(size_t digits) {
    int value = 0;
    for (size_t i = 0; i < digits; ++i) {
      value = value * 10 + (text_[at_++] - '0');
    }
    return value;
  }

  Result<int> fixed_digits(size_t digits, std::string_view piece) {
    for (size_t i = 0; i < digits; ++i) {
      if (!is_digit_at(rest(), i)) {
        return cannot_parse(piece);
      }
    }
    return take_number(digits);
  }

  Result<int> year() { return fixed_digits(4, "2006"); }
  Result<int> two_digits(std::string_view piece) { return fixed_digits(2, piece); }
  // Go's layout "15" takes one digit too.
  Result<int> hour_digits() {
    return is_digit_at(rest(), 0) && !is_digit_at(rest(), 1) ? take_number(1) : two_digits("15");
  }

  bool at_fraction() const {
    return !text_at_end() && (text_[at_] == '.' || text_[at_] == ',') && is_digit_at(rest(), 1);
  }

  // Digits after the ninth are read and dropped.
  Result<int32_t> any_fraction() {
    if (!at_fraction()) {
      return 0;
    }
    ++at_;
    int32_t nanos = 0;
    int32_t unit = static_cast<int32_t>(kNanosPerSecond);
    for (; is_digit_at(rest(), 0); ++at_) {
      unit /= 10;
      nanos += (text_[at_] - '0') * unit;
    }
    return nanos;
  }

  Result<int32_t> six_digit_fraction() {
    constexpr std::string_view kPiece = ".000000";
    if (!at_fraction()) {
      return cannot_parse(kPiece);
    }
    for (size_t i = 1; i <= 6; ++i) {
      if (!is_digit_at(rest(), i)) {
        return cannot_parse(kPiece);
      }
    }
    ++at_;
    return take_number(6) * 1000;
  }

  // Seconds east of UTC: `Z` or `+07:00`.
  Result<int64_t> zone_offset() {
    constexpr std::string_view kPiece = "Z07:00";
    const std::string_view zone = rest();
    if (zone.starts_with('Z')) {
      ++at_;
      return 0;
    }
    const bool digits = is_digit_at(zone, 1) && is_digit_at(zone, 2) && is_digit_at(zone, 4) &&
                        is_digit_at(zone, 5);
    if (zone.size() < 6 || zone[3] != ':' || !digits || (zone[0] != '+' && zone[0] != '-')) {
      return cannot_parse(kPiece);
    }
    const int64_t sign = zone[0] == '-' ? -1 : 1;
    const int hour = (zone[1] - '0') * 10 + (zone[2] - '0');
    const int minute = (zone[4] - '0') * 10 + (zone[5] - '0');
    at_ += 6;
    // Go lets 24 hours and 60 minutes pass.
    TRY_VOID(in_range(hour <= 24, "time zone offset hour"));
    TRY_VOID(in_range(minute <= 60, "time zone offset minute"));
    return sign * (hour * int64_t{3600} + minute * int64_t{60});
  }

  std::string_view text_;
  std::string_view layout_;
  size_t at_ = 0;
};

// Seconds that fit into Time whatever the nanoseconds are.
constexpr int64_t kLastSecond = std::numeric_limits<int64_t>::max() / kNanosPerSecond - 1;
constexpr int64_t kFirstSecond = -kLastSecond;

Result<Time> within_time(std::string_view text, Result<UnixTime> time) {
  if (!time) {
    return fail(std::move(time).error());
  }
  if (time->seconds < kFirstSecond || time->seconds > kLastSecond) {
    return fail(plain_error(fmt::format("parsing time {}: year out of range", quote_ascii(text))));
  }
  return to_time(*time);
}

}  // namespace

Time time_from_unix(int64_t unix_seconds, int64_t nanos) {
  // Whole seconds among the nanoseconds first, so that the sums below cannot overflow.
  const int64_t carry = floor_divide(nanos, kNanosPerSecond);
  nanos = floor_remainder(nanos, kNanosPerSecond);
  if (unix_seconds > kLastSecond - carry) {
    return Time::max();
  }
  if (unix_seconds < kFirstSecond - carry) {
    return Time::min();
  }
  return Time(seconds(unix_seconds + carry) + nanoseconds(nanos));
}

UnixTime to_unix(Time time) {
  const int64_t nanos = time.time_since_epoch().count();
  return {floor_divide(nanos, kNanosPerSecond),
          static_cast<int32_t>(floor_remainder(nanos, kNanosPerSecond))};
}

int64_t unix_seconds(Time time) {
  return to_unix(time).seconds;
}

std::string format_rfc3339(UnixTime time) {
  return format_civil(time.seconds) + "Z";
}
std::string format_rfc3339(Time time) {
  return format_rfc3339(to_unix(time));
}

std::string format_rfc3339_micro(UnixTime time) {
  return fmt::format("{}.{:06d}Z", format_civil(time.seconds), time.nanos / 1000);
}
std::string format_rfc3339_micro(Time time) {
  return format_rfc3339_micro(to_unix(time));
}

std::string format_rfc3339_nano(Time time) {
  const UnixTime unix_time = to_unix(time);
  return fmt::format("{}.{:09d}Z", format_civil(unix_time.seconds), unix_time.nanos);
}

Result<UnixTime> parse_unix_rfc3339(std::string_view text) {
  return Rfc3339Parser(text, "2006-01-02T15:04:05Z07:00").parse(false);
}
Result<Time> parse_rfc3339(std::string_view text) {
  return within_time(text, parse_unix_rfc3339(text));
}

Result<UnixTime> parse_unix_rfc3339_micro(std::string_view text) {
  return Rfc3339Parser(text, "2006-01-02T15:04:05.000000Z07:00").parse(true);
}
Result<Time> parse_rfc3339_micro(std::string_view text) {
  return within_time(text, parse_unix_rfc3339_micro(text));
}

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
