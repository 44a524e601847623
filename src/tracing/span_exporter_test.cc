#include "tracing/span_exporter.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <optional>

#include "schema/ledger/v1/attempt.pb.h"
#include "tracing/traced_ledger.h"
#include "verify/ledgers/memory_ledger.h"
#include "virtual_world/world.h"

namespace windlass::tracing {
namespace {

using ::testing::HasSubstr;

class SpanExporterTest : public ::testing::Test {
 protected:
  SpanExporterTest() { make(); }

  void make() {
    exporter_.emplace(SpanExporter::Parts{
        world_.executor(), world_.random(), world_.log(), metrics_,
        [this](std::string body, std::function<void(Result<ReceiverAnswer>)> done) {
          bodies_.push_back(std::move(body));
          if (!silent_) {
            world_.executor().post([done, answer = answer_] { done(answer); });
          }
        },
        "v1"});
  }
  void add(size_t spans, size_t bytes = 100) {
    for (size_t i = 0; i < spans; ++i) {
      exporter_->add('"' + std::string(bytes, 'x') + '"');
    }
  }
  double count(const char* result) {
    return metrics_.counter("windlass_otlp_spans_total", "", {"result"}).value({result});
  }
  static int64_t spans_of(const std::string& body) {
    int64_t spans = 0;
    for (size_t at = body.find("\"xx"); at != std::string::npos; at = body.find("\"xx", at + 1)) {
      ++spans;
    }
    return spans;
  }

  virtual_world::VirtualWorld world_{1};
  MetricRegistry metrics_;
  Result<ReceiverAnswer> answer_ = ReceiverAnswer{200, "{}"};
  bool silent_ = false;
  std::vector<std::string> bodies_;
  std::optional<SpanExporter> exporter_;
};

TEST_F(SpanExporterTest, SendsABatchAfterAMoment) {
  add(3);
  EXPECT_TRUE(bodies_.empty());
  world_.run_for(SpanExporter::kLinger + milliseconds(1));
  ASSERT_EQ(bodies_.size(), 1u);
  EXPECT_EQ(spans_of(bodies_.front()), 3);
  EXPECT_EQ(count("sent"), 3);
  EXPECT_EQ(exporter_->queued(), 0u);
}

TEST_F(SpanExporterTest, AFullBatchLeavesAtOnce) {
  add(SpanExporter::kMaxBatch + 1);
  world_.run_for(milliseconds(1));
  ASSERT_EQ(bodies_.size(), 1u);
  EXPECT_EQ(spans_of(bodies_.front()), int64_t{SpanExporter::kMaxBatch});
  world_.run_for(seconds(1));
  EXPECT_EQ(count("sent"), SpanExporter::kMaxBatch + 1);
}

TEST_F(SpanExporterTest, WhatIsNotTakenIsSentAgainWithGrowingDelays) {
  for (const Result<ReceiverAnswer>& failure :
       {Result<ReceiverAnswer>(fail(plain_error("connection refused"))),
        Result<ReceiverAnswer>(ReceiverAnswer{503}), Result<ReceiverAnswer>(ReceiverAnswer{429})}) {
    bodies_.clear();
    answer_ = failure;
    add(1);
    world_.run_for(minutes(10));
    // 1, 2, 4, 8, 16 and then every 30 seconds, less up to half.
    EXPECT_GE(bodies_.size(), 20u);
    EXPECT_LE(bodies_.size(), 50u);
    EXPECT_EQ(exporter_->queued(), 1u);
    answer_ = ReceiverAnswer{200};
    world_.run_for(minutes(1));
    EXPECT_EQ(exporter_->queued(), 0u);
  }
  EXPECT_EQ(count("sent"), 3);
  EXPECT_TRUE(world_.log().contains("does not take spans"));
  EXPECT_TRUE(world_.log().contains("takes spans again"));
}

TEST_F(SpanExporterTest, WaitsAsLongAsTheReceiverSays) {
  answer_ = ReceiverAnswer{429, "", seconds(120)};
  add(1);
  world_.run_for(seconds(119));
  EXPECT_EQ(bodies_.size(), 1u);
  world_.run_for(seconds(3));
  EXPECT_EQ(bodies_.size(), 2u);
}

TEST_F(SpanExporterTest, WhatIsRejectedIsCountedAndNotSentAgain) {
  answer_ = ReceiverAnswer{400};
  add(2);
  world_.run_for(minutes(5));
  EXPECT_EQ(bodies_.size(), 1u);
  EXPECT_EQ(count("rejected"), 2);
  answer_ =
      ReceiverAnswer{200, R"({"partialSuccess":{"rejectedSpans":"1","errorMessage":"too old"}})"};
  add(3);
  world_.run_for(minutes(5));
  EXPECT_EQ(bodies_.size(), 2u);
  EXPECT_EQ(count("rejected"), 3);
  EXPECT_EQ(count("sent"), 2);
  EXPECT_EQ(exporter_->left_out(), 3u);
  EXPECT_TRUE(world_.log().contains("too old"));
}

TEST_F(SpanExporterTest, TheQueueHasALimitAndWhatDoesNotFitIsCounted) {
  silent_ = true;
  const size_t size = size_t{64} * 1024;
  add(300, size);
  EXPECT_EQ(count("dropped"), 300 - SpanExporter::kMaxQueuedBytes / (size + 2));
  EXPECT_EQ(exporter_->queued(), SpanExporter::kMaxQueuedBytes / (size + 2));
  EXPECT_TRUE(world_.log().contains("the queue of spans is full"));
}

TEST_F(SpanExporterTest, SendsTheRestBeforeTheEnd) {
  add(2);
  bool finished = false;
  exporter_->finish(seconds(5), [&] { finished = true; });
  world_.run_for(milliseconds(1));
  EXPECT_TRUE(finished);
  EXPECT_EQ(count("sent"), 2);
}

TEST_F(SpanExporterTest, TheEndWaitsNoLongerThanItsLimitAndTellsWhatIsLost) {
  silent_ = true;
  add(2);
  bool finished = false;
  exporter_->finish(seconds(5), [&] { finished = true; });
  world_.run_for(seconds(4));
  EXPECT_FALSE(finished);
  world_.run_for(seconds(2));
  EXPECT_TRUE(finished);
  exporter_.reset();
  EXPECT_EQ(count("dropped"), 2);
  EXPECT_TRUE(world_.log().contains("the process ends"));
}

TEST_F(SpanExporterTest, ARecordDoesNotWaitForTheReceiver) {
  silent_ = true;
  ledger::MemoryLedger memory(world_.executor());
  TracedLedger traced(memory, *exporter_);
  const auto attempt = std::make_shared<api::ledger::v1::Attempt>();
  attempt->mutable_metadata()->set_name("uid");
  bool recorded = false;
  traced.record(attempt, [&](const Result<void>& result) { recorded = result.has_value(); });
  EXPECT_TRUE(world_.run_until([&] { return recorded; }, milliseconds(1)));
  EXPECT_EQ(exporter_->queued(), 1u);
}

TEST_F(SpanExporterTest, WhatTheLedgerRejectsMakesNoSpan) {
  ledger::MemoryLedger memory(world_.executor());
  memory.refuse(plain_error("full"));
  TracedLedger traced(memory, *exporter_);
  bool failed = false;
  traced.record(std::make_shared<api::ledger::v1::Attempt>(),
                [&](const Result<void>& result) { failed = !result.has_value(); });
  world_.run_for(seconds(1));
  EXPECT_TRUE(failed);
  EXPECT_EQ(exporter_->queued(), 0u);
}

}  // namespace
}  // namespace windlass::tracing
