#include "base/metrics.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace windlass {
namespace {

using ::testing::HasSubstr;

TEST(Metrics, CountersCountByLabel) {
  MetricRegistry registry;
  MetricFamily& jobs = registry.counter("jobs_total", "Jobs.", {"mode", "result"});
  jobs.add({"Indexed", "failed"});
  jobs.add({"Indexed", "failed"}, 2);
  jobs.add({"NonIndexed", "a\"b\\c\nd"});
  EXPECT_EQ(jobs.value({"Indexed", "failed"}), 3);
  EXPECT_EQ(jobs.value({"Indexed", "succeeded"}), 0);
  EXPECT_EQ(registry.text(),
            "# HELP jobs_total Jobs.\n"
            "# TYPE jobs_total counter\n"
            "jobs_total{mode=\"Indexed\",result=\"failed\"} 3\n"
            "jobs_total{mode=\"NonIndexed\",result=\"a\\\"b\\\\c\\nd\"} 1\n");
}

TEST(Metrics, GaugesAreSetAndShowZeroFromTheStart) {
  MetricRegistry registry;
  MetricFamily& depth = registry.gauge("depth", "Waiting.");
  EXPECT_THAT(registry.text(), HasSubstr("\ndepth 0\n"));
  depth.set({}, 7);
  depth.add({}, -2);
  EXPECT_THAT(registry.text(), HasSubstr("\ndepth 5\n"));
}

TEST(Metrics, HistogramsCumulate) {
  MetricRegistry registry;
  MetricFamily& took = registry.histogram("took_seconds", "Time.", {0.1, 1}, {"verb"});
  for (const double value : {0.05, 0.1, 0.5, 3.0}) {
    took.observe({"get"}, value);
  }
  EXPECT_THAT(registry.text(), HasSubstr("took_seconds_bucket{verb=\"get\",le=\"0.1\"} 2\n"
                                         "took_seconds_bucket{verb=\"get\",le=\"1\"} 3\n"
                                         "took_seconds_bucket{verb=\"get\",le=\"+Inf\"} 4\n"
                                         "took_seconds_sum{verb=\"get\"} 3.65\n"
                                         "took_seconds_count{verb=\"get\"} 4\n"));
  EXPECT_EQ(took.value({"get"}), 4);
}

TEST(Metrics, TheSameNameIsTheSameFamily) {
  MetricRegistry registry;
  registry.counter("a_total", "A.").add({});
  registry.counter("a_total", "A.").add({});
  EXPECT_EQ(registry.counter("a_total", "A.").value({}), 2);
}

TEST(Metrics, LabelsWithoutBoundEndInOneSeries) {
  MetricRegistry registry;
  MetricFamily& wild = registry.counter("wild_total", "Wild.", {"who"});
  for (size_t i = 0; i < MetricFamily::kMaxSeries + 50; ++i) {
    wild.add({std::to_string(i)});
  }
  EXPECT_EQ(wild.value({"other"}), 50);
  EXPECT_EQ(wild.value({"7"}), 1);
}

TEST(Metrics, Rule8_5_Bounds) {
  EXPECT_THAT(exponential_bounds(0.004, 2, 3), ::testing::ElementsAre(0.004, 0.008, 0.016));
  EXPECT_EQ(exponential_bounds(0.004, 2, 15).back(), 65.536);
}

}  // namespace
}  // namespace windlass
