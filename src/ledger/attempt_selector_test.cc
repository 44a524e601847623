#include "ledger/attempt_selector.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace windlass::ledger {
namespace {

using testing::HasSubstr;

TEST(AttemptSelector, EachFieldHasItsPlaceInTheFilter) {
  const auto filter = parse_attempt_selector(
      "metadata.namespace=batch,metadata.name=6f1c,job.name=train,job.uid=j-1,indexes=0-4\\,7,"
      "nodeName=n1,exitCode=42,verdict.counted==Failed,verdict.rule=0,verdict.ruleName=bad,"
      "since=2026-11-18T10:00:00Z,until=2026-11-18T12:00:00+01:00");
  ASSERT_TRUE(filter) << filter.error().message;
  EXPECT_EQ(filter->ns, "batch");
  EXPECT_EQ(filter->pod_uid, "6f1c");
  EXPECT_EQ(filter->job, "train");
  EXPECT_EQ(filter->job_uid, "j-1");
  EXPECT_EQ(filter->indexes, (IndexSet{0, 1, 2, 3, 4, 7}));
  EXPECT_EQ(filter->node, "n1");
  EXPECT_EQ(filter->exit_code, 42);
  EXPECT_EQ(filter->counted, "Failed");
  EXPECT_EQ(filter->rule, 0);
  EXPECT_EQ(filter->rule_name, "bad");
  EXPECT_EQ(*filter->until - *filter->since, hours(1));
  EXPECT_EQ(parse_attempt_selector("index=3")->indexes, IndexSet{3});
  EXPECT_EQ(parse_attempt_selector("")->indexes, std::nullopt);
}

TEST(AttemptSelector, WhatItPrintsItReads) {
  AttemptFilter filter;
  filter.pod_uid = "a,b=c\\d";
  filter.job = "train";
  filter.job_uid = "j-1";
  filter.indexes = IndexSet{0, 1, 2, 9};
  filter.node = "n1";
  filter.exit_code = -1;
  filter.counted = "Failed";
  filter.rule = 0;
  filter.rule_name = "bad";
  filter.since = time_from_unix(1'700'000'000);
  filter.until = time_from_unix(1'700'000'001);
  const auto read = parse_attempt_selector(attempt_selector(filter));
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(attempt_selector(*read), attempt_selector(filter));
  EXPECT_EQ(read->pod_uid, filter.pod_uid);
  EXPECT_EQ(read->indexes, filter.indexes);
  EXPECT_EQ(read->since, filter.since);
  filter.indexes = IndexSet{};
  EXPECT_EQ(parse_attempt_selector(attempt_selector(filter))->indexes, IndexSet{})
      << "none is not any";
}

TEST(AttemptSelector, WhatItCannotUseIsABadRequest) {
  for (const auto& [selector, message] :
       {std::pair("zork=1", "field label not supported: zork"),
        std::pair("job.name!=x", "with = only"),
        std::pair("exitCode=one", "exitCode: invalid value \"one\": must be a number"),
        std::pair("exitCode=99999999999", "must be a number"),
        std::pair("index=-1", "must not be negative"), std::pair("indexes=5-1", "indexes: "),
        std::pair("since=yesterday", "must be a time like"),
        std::pair("job.name=", "must not be empty"), std::pair("job.name=a,job.name=b", "twice"),
        std::pair("index=1,indexes=2", "twice"), std::pair("job.name", "can't understand")}) {
    const auto filter = parse_attempt_selector(selector);
    ASSERT_FALSE(filter) << selector;
    EXPECT_EQ(filter.error().code, 400) << selector;
    EXPECT_THAT(filter.error().message, HasSubstr(message)) << selector;
  }
}

}  // namespace
}  // namespace windlass::ledger
