#include "engine/state/record.h"

#include <gtest/gtest.h>

namespace windlass::engine {
namespace {

Time at(int64_t offset) {
  return time_from_unix(1'800'000'000 + offset);
}

TEST(JobRecord, RoundTrip) {
  JobRecord record;
  EXPECT_EQ(format_record(record), "");
  record.backoff.add_success(at(0));
  record.backoff.add_failure(at(1));
  record.backoff.add_failure(at(2));
  record.ignored = {"uid-a", "uid-b"};
  record.baseline = 3;
  record.suspending = true;
  const std::string text = format_record(record);
  EXPECT_EQ(text,
            "v1;success=1800000000000;failures=1800000001000,1800000002000;ignored=uid-a,uid-b;"
            "baseline=3;suspending=1");
  EXPECT_EQ(parse_record(text), record);
}

// In milliseconds no delay gets shorter, and none leaves the second that it counts from.
TEST(JobRecord, TimesAreRoundedUpWithinTheirSecond) {
  const auto stored = [](Time time) {
    JobRecord record;
    record.backoff.add_failure(time);
    return parse_record(format_record(record)).backoff.failure_times().front();
  };
  EXPECT_EQ(stored(at(1)), at(1));
  EXPECT_EQ(stored(at(1) + milliseconds(300)), at(1) + milliseconds(300));
  EXPECT_EQ(stored(at(1) + microseconds(300'001)), at(1) + milliseconds(301));
  for (const Duration before : {Duration(1), Duration(999'999), Duration(1'500'000)}) {
    EXPECT_EQ(stored(at(2) - before), at(2) - nanoseconds(1));
  }
}

// 10.1, 7.5: `kubectl replace --force` of what `kubectl get` told copies the annotation.
TEST(JobRecord, W3_BelongsToTheJobThatItNames) {
  const std::string text = "v1;failures=1800000001000";
  EXPECT_EQ(sign_record(text, "u1"), text + ";job=u1");
  EXPECT_EQ(sign_record("", "u1"), "");
  EXPECT_EQ(own_record(text + ";job=u1", "u1"), text);
  EXPECT_EQ(own_record(text + ";job=u1", "u2"), "");
  EXPECT_EQ(own_record(text + ";job=u2;job=u1", "u2"), "");
  EXPECT_EQ(own_record(text, "u2"), text) << "written before it named its Job";
  EXPECT_EQ(own_record("", "u2"), "");
}

TEST(JobRecord, HostileTextIsSkipped) {
  for (const char* text : {";;;", "v1;failures=abc,-5,99999999999999999999", "v1;success=",
                           "baseline=-1", "=", "v2;x=y", "v1;failures=9223372036854775807"}) {
    EXPECT_EQ(parse_record(text), JobRecord()) << text;
  }
  EXPECT_EQ(parse_record("junk;failures=1000,x,2000").backoff.failures(), 2);
  EXPECT_EQ(parse_record("v1;baseline=9223372036854775807").baseline, 2'147'483'647);
}

TEST(JobRecord, BoundedWhateverIsStored) {
  std::string text = "v1;failures=";
  for (int i = 0; i < 100'000; ++i) {
    text += std::to_string(i) + ",";
  }
  EXPECT_LE(parse_record(text).backoff.failures(), static_cast<int64_t>(kMaxBackoffFailures));
}

// job-controller.md 13.2.
TEST(JobRecord, R13_2_FailuresOfRules) {
  JobRecord record;
  record.rules[0].failures = 5;
  record.rules[3].failures = 2;
  record.rules[3].recent.add_failure(at(1));
  record.rules[3].recent.add_failure(at(2));
  const std::string text = format_record(record);
  EXPECT_EQ(text, "v1;rules=0:5,3:2@1800000001000/1800000002000");
  EXPECT_EQ(parse_record(text), record);
}

TEST(JobRecord, R13_2_HostileFailuresOfRules) {
  for (const char* text : {"rules=", "rules=0", "rules=0:0", "rules=-1:1", "rules=20:1",
                           "rules=a:b", "rules=1@2:3", "rules=0:-5"}) {
    EXPECT_EQ(parse_record(text), JobRecord()) << text;
  }
  EXPECT_EQ(parse_record("rules=0:9223372036854775807").rules.at(0).failures, 2'147'483'647);
  std::string times = "rules=0:1@";
  for (int i = 0; i < 1'000; ++i) {
    times += std::to_string(i * 1000) + "/";
  }
  EXPECT_EQ(parse_record(times).rules.at(0).recent.failures(),
            static_cast<int64_t>(kMaxBackoffFailures));
}

TEST(JobRecord, CountsAreReadFromOnePartOnly) {
  bool readable = true;
  const JobRecord read = parse_record("v1;counts=1:0-99999;counts=1:100000-199999", &readable);
  EXPECT_EQ(read.counts.entries().size(), IndexCounts::kMaxEntries);
  EXPECT_FALSE(readable);
}

}  // namespace
}  // namespace windlass::engine
