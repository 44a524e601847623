#include "ledger/causes/line_pattern.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "base/ascii.h"
#include "base/utf8.h"

namespace windlass::ledger {
namespace {

TEST(LinePattern, WordsStay) {
  EXPECT_EQ(line_pattern(""), "");
  EXPECT_EQ(line_pattern("no such record"), "no such record");
  EXPECT_EQ(line_pattern("  caf\xc3\xa9:\tno   coffee "), "caf\xc3\xa9: no coffee");
  EXPECT_EQ(line_pattern("can't open / or ."), "can't open / or .");
}

TEST(LinePattern, Numbers) {
  EXPECT_EQ(line_pattern("record 17 is no JSON"), "record N is no JSON");
  EXPECT_EQ(line_pattern("took 1.5e-05, 1,234 of 10.0.0.7:80 (-3)"), "took N, N of N:N (N)");
  EXPECT_EQ(line_pattern("x=-7 utf8 part-0003 v1.2.3 50%"), "x=N utfN part-N vN N%");
  EXPECT_EQ(line_pattern("out[12][3]"), "out[N][N]");
}

TEST(LinePattern, AddressesAndIdentifiers) {
  EXPECT_EQ(line_pattern("at 0x7ffd12ab of deadbeef01 and a1b2c3d"), "at N of N and N");
  EXPECT_EQ(line_pattern("request 01HF3Q9ZK2 by x7k2p"), "request N by N");
  EXPECT_EQ(line_pattern("id 123e4567-e89b-12d3-a456-426614174000 gone"), "id UUID gone");
  EXPECT_EQ(line_pattern("user \"u7\" and 'k-9/z' and `q1`: 'name' \"a b1\""),
            "user \"ID\" and 'ID' and `ID`: 'name' \"a bN\"");
}

TEST(LinePattern, PathsAndUrls) {
  EXPECT_EQ(line_pattern("cannot open /data/part-0003.csv: denied"), "cannot open PATH: denied");
  EXPECT_EQ(line_pattern("'/data/a' (./b/c), ../d ~/e"), "'PATH' (PATH), PATH PATH");
  EXPECT_EQ(line_pattern("GET https://h:8080/x?id=7, s3://bucket/key."), "GET URL, URL.");
  EXPECT_EQ(line_pattern("3/10 done, either/or"), "N/N done, either/or");
}

TEST(LinePattern, TimesAndDurations) {
  EXPECT_EQ(line_pattern("2026-01-02T03:04:05.678Z ERROR bad"), "ERROR bad");
  EXPECT_EQ(line_pattern("[2026-01-02 03:04:05,678] ERROR bad"), "ERROR bad");
  EXPECT_EQ(line_pattern("2026/01/02 03:04:05 bad since 03:04:05+02:00"), "bad since TIME");
  EXPECT_EQ(line_pattern("due 2026-01-02"), "due TIME");
  EXPECT_EQ(line_pattern("03:04:05"), "TIME");
  EXPECT_EQ(line_pattern("after 1m2.5s, 800ms and 3 s"), "after DURATION, DURATION and N s");
}

TEST(LinePattern, ItsOwnPodAndNode) {
  const LineNames names{"sweep-17-abcde", "worker-a"};
  EXPECT_EQ(line_pattern("sweep-17-abcde on worker-a failed", names), "POD on NODE failed");
  EXPECT_EQ(line_pattern("sweep-17-abcdef on worker-all", names), "sweep-N-abcdef on worker-all");
  EXPECT_EQ(line_pattern("a pod", {"pod", ""}), "a pod") << "too short for a name";
}

TEST(LinePattern, HostileLines) {
  EXPECT_EQ(line_pattern("\x1b[31mrecord 7\x1b[0m \xff\xff bad\x07"), "record N ? bad");
  EXPECT_EQ(line_pattern("10 %\r20 %\rdisk full"), "disk full");
  EXPECT_EQ(line_pattern(std::string(5'000'000, '7')), "N");
  const std::string cut = line_pattern(std::string(5'000'000, 'x'));
  EXPECT_EQ(cut, std::string(kMaxPatternBytes - 3, 'x') + "...");
  for (const std::string piece :
       {"'", "/", "1:", "://", "1,", "a1", "1m", "[", "-", "\"a", "~/ "}) {
    std::string line;
    while (line.size() < 1'000'000) {
      line += piece;
    }
    const std::string pattern = line_pattern(line);
    EXPECT_LE(pattern.size(), kMaxPatternBytes);
    EXPECT_EQ(line_pattern(pattern), pattern) << piece;
  }
}

// Lines from what the rules look at, so that they meet.
rc::Gen<std::string> any_line() {
  const auto piece = rc::gen::element<std::string>(
      " ", "  ", "a", "fade", "record", "N", "é", "/", "./", "~/", "://", ":", "-", "+", ".", ",",
      "'", "\"", "`", "(", "[", "]", "0x", "7", "12", "345", "12:03:07", "2026-01-02", "T", "Z",
      "ms", "e", "123e4567-e89b-12d3-a456-426614174000", "\x1b[31m", "\xff", "\r", "\t", "TIME",
      "PATH", "...", std::string(190, 'w'));
  return rc::gen::map(rc::gen::container<std::vector<std::string>>(piece), [](const auto& pieces) {
    std::string line;
    for (const std::string& each : pieces) {
      line += each;
    }
    return line;
  });
}

RC_GTEST_PROP(LinePattern, IsItsOwnPatternBoundedAndPrintable, ()) {
  const std::string line = *rc::gen::oneOf(any_line(), rc::gen::arbitrary<std::string>());
  const std::string pattern = line_pattern(line);
  RC_ASSERT(pattern.size() <= kMaxPatternBytes);
  RC_ASSERT(line_pattern(pattern) == pattern);
  RC_ASSERT(std::none_of(pattern.begin(), pattern.end(), is_digit));
  RC_ASSERT(one_line(pattern) == pattern);
}

// Numbers between words, whatever stands around them.
RC_GTEST_PROP(LinePattern, IsTheSameForOtherNumbers, ()) {
  const auto words = *rc::gen::container<std::vector<std::string>>(
      rc::gen::element<std::string>("record", "is", "no", "'", "\"", "(", ")", "=", "[",
                                    "/tmp/part-", " ", ", ", ": ", "#", "worker-", "_", "é"));
  std::string one;
  std::string other;
  for (const std::string& word : words) {
    one += word + std::to_string(*rc::gen::inRange<int64_t>(0, 1'000'000'000'000));
    other += word + std::to_string(*rc::gen::inRange<int64_t>(0, 1'000'000'000'000));
    one += " ";
    other += " ";
  }
  RC_ASSERT(line_pattern(one) == line_pattern(other));
}

}  // namespace
}  // namespace windlass::ledger
