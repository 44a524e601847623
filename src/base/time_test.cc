#include "base/time.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <map>
#include <vector>

namespace windlass {

namespace {

std::string error_of(const Result<Time>& time) {
  return time ? "parsed as " + format_rfc3339_nano(*time) : time.error().message;
}

// `parsing time "T" as "L": cannot parse "R" as "P"`
std::string cannot_parse(const std::string& text, const std::string& rest, const std::string& piece,
                         const std::string& layout = "2006-01-02T15:04:05Z07:00") {
  return "parsing time \"" + text + "\" as \"" + layout + "\": cannot parse \"" + rest +
         "\" as \"" + piece + "\"";
}

TEST(Time, M8_FormatsInUtc) {
  const Time time = time_from_unix(1136214245, 987654321);
  EXPECT_EQ(format_rfc3339(time), "2006-01-02T15:04:05Z");
  EXPECT_EQ(format_rfc3339_micro(time), "2006-01-02T15:04:05.987654Z");
  EXPECT_EQ(format_rfc3339_nano(time), "2006-01-02T15:04:05.987654321Z");
  EXPECT_EQ(format_rfc3339(time_from_unix(0)), "1970-01-01T00:00:00Z");
  EXPECT_EQ(format_rfc3339(time_from_unix(-1, 1)), "1969-12-31T23:59:59Z");
  EXPECT_EQ(format_rfc3339_micro(Time(nanoseconds(-1))), "1969-12-31T23:59:59.999999Z");
}

TEST(Time, FormatsEveryYearAClientMayWrite) {
  EXPECT_EQ(format_rfc3339(UnixTime{253402300799, 0}), "9999-12-31T23:59:59Z");
  EXPECT_EQ(format_rfc3339(UnixTime{-62167219200, 0}), "0000-01-01T00:00:00Z");
  EXPECT_EQ(format_rfc3339_micro(UnixTime{253402300799, 5000}), "9999-12-31T23:59:59.000005Z");
  // Garbage from a protobuf must not be undefined behaviour.
  EXPECT_FALSE(format_rfc3339(UnixTime{INT64_MAX, 0}).empty());
  EXPECT_FALSE(format_rfc3339(UnixTime{INT64_MIN, 0}).empty());
  EXPECT_EQ(format_rfc3339_nano(Time::min()), "1677-09-21T00:12:43.145224192Z");
  EXPECT_EQ(format_rfc3339_nano(Time::max()), "2262-04-11T23:47:16.854775807Z");
}

TEST(Time, UnixSecondsRoundTowardsThePast) {
  EXPECT_EQ(unix_seconds(time_from_unix(5, 999'999'999)), 5);
  EXPECT_EQ(unix_seconds(time_from_unix(-5, 1)), -5);
  EXPECT_EQ(unix_seconds(Time(nanoseconds(-1))), -1);
}

TEST(Time, OutsideTheRangeBecomesTheEnd) {
  EXPECT_EQ(time_from_unix(253402300799), Time::max());
  EXPECT_EQ(time_from_unix(-62167219200), Time::min());
  EXPECT_EQ(time_from_unix(INT64_MAX, INT64_MAX), Time::max());
  EXPECT_EQ(time_from_unix(INT64_MIN, INT64_MIN), Time::min());
  EXPECT_EQ(time_from_unix(1, -1), Time(nanoseconds(999'999'999)));
}

TEST(Time, ParsesFractionsAndOffsets) {
  const std::map<std::string, std::string> cases = {
      {"2006-01-02T15:04:05Z", "2006-01-02T15:04:05.000000000Z"},
      {"2006-01-02T15:04:05+02:00", "2006-01-02T13:04:05.000000000Z"},
      {"2006-01-02T15:04:05-23:30", "2006-01-03T14:34:05.000000000Z"},
      {"2006-01-02T15:04:05+24:00", "2006-01-01T15:04:05.000000000Z"},
      {"2006-01-02T15:04:05.5Z", "2006-01-02T15:04:05.500000000Z"},
      {"2006-01-02T15:04:05,25Z", "2006-01-02T15:04:05.250000000Z"},
      {"2006-01-02T15:04:05.1234567899999Z", "2006-01-02T15:04:05.123456789Z"},
      {"2006-01-02T5:04:05Z", "2006-01-02T05:04:05.000000000Z"},
      {"2024-02-29T00:00:00Z", "2024-02-29T00:00:00.000000000Z"},
      {"1969-12-31T23:59:59.5Z", "1969-12-31T23:59:59.500000000Z"},
  };
  for (const auto& [text, expected] : cases) {
    const Result<Time> time = parse_rfc3339(text);
    ASSERT_TRUE(time.has_value()) << text << ": " << time.error().message;
    EXPECT_EQ(format_rfc3339_nano(*time), expected) << text;
  }
}

// All of them as kubectl words them.
TEST(Time, M31_ErrorTexts) {
  const auto expect = [](const std::string& text, const std::string& rest,
                         const std::string& piece) {
    EXPECT_EQ(error_of(parse_rfc3339(text)), cannot_parse(text, rest, piece));
  };
  expect("zz", "zz", "2006");
  expect("", "", "2006");
  expect("20a0-01-01T00:00:00Z", "20a0-01-01T00:00:00Z", "2006");
  expect("2020-1-01T00:00:00Z", "1-01T00:00:00Z", "01");
  expect("2020-01-01", "", "T");
  expect("2020-01-01t00:00:00Z", "t00:00:00Z", "T");
  expect("2020-01-01T00:0:00Z", "0:00Z", "04");
  expect("2020-01-01T5:00:00", "", "Z07:00");
  expect("2020-01-01T00:00:00+0100", "+0100", "Z07:00");
  expect("2020-01-01T00:00:00.Z", ".Z", "Z07:00");
  expect("2020-01-01T00:00:00z", "z", "Z07:00");
  expect("2020-01-01T00:00:00%01:00", "%01:00", "Z07:00");
  EXPECT_EQ(error_of(parse_rfc3339("2020-01-01T00:00:00\xc3\xbc\"\\")),
            cannot_parse(R"(2020-01-01T00:00:00\xc3\xbc\"\\)", R"(\xc3\xbc\"\\)", "Z07:00"));
}

TEST(Time, M31_RangeErrorTexts) {
  const std::map<std::string, std::string> cases = {
      {"2020-13-01T00:00:00Z", "month out of range"},
      {"2020-00-10T00:00:00Z", "month out of range"},
      {"2020-02-30T00:00:00Z", "day out of range"},
      {"2023-02-29T00:00:00Z", "day out of range"},
      {"2020-01-00T00:00:00Z", "day out of range"},
      {"2020-01-01T24:00:00Z", "hour out of range"},
      {"2020-01-01T00:60:00Z", "minute out of range"},
      {"2020-01-01T00:00:60Z", "second out of range"},
      {"2020-01-01T00:00:00+25:00", "time zone offset hour out of range"},
      {"2020-01-01T00:00:00+23:61", "time zone offset minute out of range"},
      {"2020-01-01T00:00:00Zx", "extra text: \"x\""},
      {"9999-01-01T00:00:00Z", "year out of range"},  // ours: Time ends in 2262
  };
  for (const auto& [text, expected] : cases) {
    EXPECT_EQ(error_of(parse_rfc3339(text)), "parsing time \"" + text + "\": " + expected);
  }
  EXPECT_TRUE(parse_unix_rfc3339("9999-01-01T00:00:00Z").has_value());
}

TEST(Time, N30_MicroTimeHasExactlySixDigits) {
  const Result<Time> time = parse_rfc3339_micro("2006-01-02T15:04:05.123456Z");
  ASSERT_TRUE(time.has_value());
  EXPECT_EQ(format_rfc3339_nano(*time), "2006-01-02T15:04:05.123456000Z");

  const auto expect = [](const std::string& text, const std::string& rest,
                         const std::string& piece) {
    EXPECT_EQ(error_of(parse_rfc3339_micro(text)),
              cannot_parse(text, rest, piece, "2006-01-02T15:04:05.000000Z07:00"));
  };
  expect("2006-01-02T15:04:05Z", "Z", ".000000");
  expect("2006-01-02T15:04:05.12345Z", ".12345Z", ".000000");
  expect("2006-01-02T15:04:05.1234567Z", "7Z", "Z07:00");
}

RC_GTEST_PROP(TimeProperty, NanosecondsSurviveARoundTrip, (int64_t nanos)) {
  nanos /= 2;  // keeps away from the very ends of Time, which parsing refuses
  const Time time{nanoseconds(nanos)};
  const Result<Time> again = parse_rfc3339(format_rfc3339_nano(time));
  RC_ASSERT(again.has_value());
  RC_ASSERT(*again == time);
  RC_ASSERT(to_time(to_unix(time)) == time);
}

RC_GTEST_PROP(TimeProperty, MicrosecondsSurviveARoundTrip, (int64_t nanos)) {
  const Time time{std::chrono::floor<microseconds>(nanoseconds(nanos / 2))};
  const Result<Time> again = parse_rfc3339_micro(format_rfc3339_micro(time));
  RC_ASSERT(again.has_value());
  RC_ASSERT(*again == time);
}

RC_GTEST_PROP(TimeProperty, EverySecondOfTheCalendarSurvivesARoundTrip, ()) {
  const int64_t seconds = *rc::gen::inRange<int64_t>(-62167219200, 253402300800);
  const Result<UnixTime> again = parse_unix_rfc3339(format_rfc3339(UnixTime{seconds, 0}));
  RC_ASSERT(again.has_value());
  RC_ASSERT(again->seconds == seconds);
}

RC_GTEST_PROP(TimeProperty, AnyTextGivesATimeOrAnError, (const std::string& text)) {
  const Result<Time> time = parse_rfc3339(text);
  RC_ASSERT(time.has_value() || time.error().message.starts_with("parsing time "));
}

}  // namespace

namespace {

constexpr Time kStored = Time(seconds(1'800'000'000));

TEST(LatestInstant, IsTheEndOfAWholeSecond) {
  const Time latest = latest_instant(kStored);
  EXPECT_EQ(std::chrono::floor<seconds>(latest), kStored);
  EXPECT_EQ(latest + nanoseconds(1), kStored + seconds(1));
}

TEST(LatestInstant, IsNotLaterThanItWasSeen) {
  EXPECT_EQ(latest_instant(kStored, kStored + milliseconds(300)), kStored + milliseconds(300));
  EXPECT_EQ(latest_instant(kStored, kStored + seconds(2)), latest_instant(kStored));
  EXPECT_EQ(latest_instant(kStored, kStored - hours(1)), kStored);  // by another clock
}

TEST(LatestInstant, OfATimeWithAFractionIsThatTime) {
  EXPECT_EQ(latest_instant(kStored + milliseconds(1)), kStored + milliseconds(1));
  EXPECT_EQ(latest_instant(Time::max()), Time::max());
}

}  // namespace

namespace {

std::string error_of(const std::string& text) {
  const Result<Duration> duration = parse_duration(text);
  return duration ? "parsed as " + format_duration(*duration) : duration.error().message;
}

TEST(Duration, FormatsAsGoDoes) {
  const std::map<Duration, std::string> cases = {
      {Duration(0), "0s"},
      {nanoseconds(1), "1ns"},
      {nanoseconds(1100), "1.1\u00b5s"},
      {microseconds(2200), "2.2ms"},
      {milliseconds(300), "300ms"},
      {milliseconds(3300), "3.3s"},
      {minutes(4) + seconds(5), "4m5s"},
      {minutes(4) + milliseconds(5001), "4m5.001s"},
      {hours(5) + minutes(6) + milliseconds(7001), "5h6m7.001s"},
      {hours(1), "1h0m0s"},
      {-seconds(90), "-1m30s"},
      {Duration::max(), "2562047h47m16.854775807s"},
      {Duration::min(), "-2562047h47m16.854775808s"},
  };
  for (const auto& [duration, expected] : cases) {
    EXPECT_EQ(format_duration(duration), expected);
  }
}

TEST(Duration, ParsesAsGoDoes) {
  const std::map<std::string, Duration> cases = {
      {"0", Duration(0)},
      {"-0", Duration(0)},
      {"300ms", milliseconds(300)},
      {"1h2m3.5s", hours(1) + minutes(2) + milliseconds(3500)},
      {"-1.5h", -minutes(90)},
      {"+5s", seconds(5)},
      {"1.s", seconds(1)},
      {".5s", milliseconds(500)},
      {"1us1\u00b5s1\u03bcs", microseconds(3)},
      {"0.3333333333333333333h", nanoseconds(1199999999999)},
      {"9223372036854775807ns", Duration::max()},
      {"-9223372036854775808ns", Duration::min()},
      {"2562047h47m16.854775807s", Duration::max()},
  };
  for (const auto& [text, expected] : cases) {
    const Result<Duration> duration = parse_duration(text);
    ASSERT_TRUE(duration.has_value()) << text << ": " << duration.error().message;
    EXPECT_EQ(*duration, expected) << text;
  }
}

TEST(Duration, ErrorTextsAreGos) {
  for (const char* text : {"", "-", ".s", "+.s", "99999999999h", "9223372036854775808ns", "s",
                           "9223372036854775807ns1ns", "99999999999999999999s", "3000000h"}) {
    EXPECT_EQ(error_of(text), "time: invalid duration \"" + std::string(text) + "\"");
  }
  for (const char* text : {"1", "1.5", "1h1", "1..2s", "00"}) {
    EXPECT_EQ(error_of(text), "time: missing unit in duration \"" + std::string(text) + "\"");
  }
  EXPECT_EQ(error_of("1d"), "time: unknown unit \"d\" in duration \"1d\"");
  EXPECT_EQ(error_of("1 s"), "time: unknown unit \" s\" in duration \"1 s\"");
  EXPECT_EQ(error_of("1e3s"), "time: unknown unit \"e\" in duration \"1e3s\"");
}

TEST(Duration, M139_HumanDuration) {
  const auto days = [](int64_t count) { return hours(24 * count); };
  const std::vector<std::pair<Duration, std::string>> cases = {
      {-seconds(2), "<invalid>"},
      {-milliseconds(1999), "0s"},
      {-seconds(1), "0s"},
      {Duration(0), "0s"},
      {milliseconds(999), "0s"},
      {seconds(119), "119s"},
      {seconds(120), "2m"},
      {minutes(5) + seconds(12), "5m12s"},
      {minutes(9) + seconds(59), "9m59s"},
      {minutes(10), "10m"},
      {minutes(179) + seconds(59), "179m"},
      {hours(3), "3h"},
      {hours(3) + minutes(1), "3h1m"},
      {hours(7) + minutes(59), "7h59m"},
      {hours(8) + minutes(59), "8h"},
      {hours(47) + minutes(59), "47h"},
      {hours(48), "2d"},
      {days(2) + hours(5), "2d5h"},
      {days(7) + hours(23), "7d23h"},
      {days(8) + hours(23), "8d"},
      {days(729), "729d"},
      {days(730), "2y"},
      {days(731), "2y1d"},
      {days(8 * 365 - 1), "7y364d"},
      {days(8 * 365), "8y"},
      {days(100 * 365), "100y"},
  };
  for (const auto& [duration, expected] : cases) {
    EXPECT_EQ(human_duration(duration), expected);
  }
}

RC_GTEST_PROP(DurationProperty, EveryDurationSurvivesARoundTrip, (int64_t nanos)) {
  const Result<Duration> again = parse_duration(format_duration(Duration(nanos)));
  RC_ASSERT(again.has_value());
  RC_ASSERT(again->count() == nanos);
}

RC_GTEST_PROP(DurationProperty, AnyTextGivesADurationOrAnError, (const std::string& text)) {
  const Result<Duration> duration = parse_duration(text);
  RC_ASSERT(duration.has_value() || duration.error().message.starts_with("time: "));
}

}  // namespace

}  // namespace windlass
