#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <map>

#include "base/time.h"

namespace windlass {
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
