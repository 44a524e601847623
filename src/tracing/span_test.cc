#include "tracing/span.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "api/codec/json/json_value.h"
#include "api/pod/pod_testing.h"
#include "schema/batch/v1/job.pb.h"
#include "schema/ledger/v1/attempt.pb.h"
#include "verify/ledgers/attempt_maker.h"

namespace windlass::tracing {
namespace {

using api::JsonValue;
using api::batch::v1::Job;
using api::ledger::v1::Attempt;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr const char* kUid = "0f4a1c5e-1111-4222-8333-444455556666";

Attempt failed_attempt() {
  Attempt attempt;
  attempt.mutable_metadata()->set_namespace_("batch");
  attempt.mutable_metadata()->set_name("pod-uid");
  attempt.mutable_job()->set_name("nightly");
  attempt.mutable_job()->set_uid(kUid);
  attempt.set_index(7);
  attempt.set_number(2);
  attempt.set_pod_name("nightly-7-abcde");
  attempt.set_node_name("n1");
  attempt.set_phase("Failed");
  attempt.mutable_started_at()->set_seconds(1'700'000'000);
  attempt.mutable_ended_at()->set_seconds(1'700'000'060);
  auto* container = attempt.add_containers();
  container->set_name("main");
  container->set_exit_code(42);
  container->set_message("the password is hunter2");
  attempt.set_deciding_container("main");
  attempt.mutable_log()->set_tail("token=hunter2");
  attempt.mutable_verdict()->set_counted("Failed");
  attempt.mutable_verdict()->set_rule(1);
  attempt.mutable_verdict()->set_action("FailIndex");
  return attempt;
}

JsonValue parsed_span(const std::string& span) {
  const auto tree = api::parse_json_value(span);
  EXPECT_TRUE(tree.has_value()) << span;
  return tree ? tree->value : JsonValue();
}

// "" where there is none.
std::string attribute(const JsonValue& span, const std::string& key) {
  for (const JsonValue& each : span.find("attributes")->items) {
    if (each.find("key")->text == key) {
      return each.find("value")->members.begin()->second.text;
    }
  }
  return "";
}

TEST(AttemptSpan, TellsWhoAndHow) {
  const JsonValue span = parsed_span(attempt_span(failed_attempt()));
  EXPECT_EQ(span.find("traceId")->text, "0f4a1c5e111142228333444455556666");
  EXPECT_EQ(span.find("parentSpanId")->text, job_span_id(kUid));
  EXPECT_EQ(span.find("spanId")->text, attempt_span_id("pod-uid"));
  EXPECT_EQ(span.find("startTimeUnixNano")->text, "1700000000000000000");
  EXPECT_EQ(span.find("endTimeUnixNano")->text, "1700000060000000000");
  EXPECT_TRUE(span.find("endTimeUnixNano")->is_string());
  EXPECT_EQ(attribute(span, "k8s.job.name"), "nightly");
  EXPECT_EQ(attribute(span, "k8s.namespace.name"), "batch");
  EXPECT_EQ(attribute(span, "k8s.node.name"), "n1");
  EXPECT_EQ(attribute(span, "windlass.index"), "7");
  EXPECT_EQ(attribute(span, "windlass.attempt"), "2");
  EXPECT_EQ(attribute(span, "windlass.exit_code"), "42");
  EXPECT_EQ(attribute(span, "windlass.action"), "FailIndex");
  EXPECT_EQ(span.find("status")->find("code")->text, "2");
  EXPECT_THAT(span.find("status")->find("message")->text, HasSubstr("42"));
}

TEST(AttemptSpan, HasNoTextOfContainers) {
  EXPECT_THAT(attempt_span(failed_attempt()), Not(HasSubstr("hunter2")));
}

TEST(AttemptSpan, OnlyWhatCountsAsFailedIsAnError) {
  Attempt attempt = failed_attempt();
  attempt.mutable_verdict()->set_counted("Ignored");
  EXPECT_EQ(parsed_span(attempt_span(attempt)).find("status")->find("code"), nullptr);
  attempt.mutable_verdict()->set_counted("Succeeded");
  EXPECT_EQ(parsed_span(attempt_span(attempt)).find("status")->find("code")->text, "1");
}

TEST(AttemptSpan, AnyAttemptMakesAValidSpan) {
  for (const ledger::AttemptPtr& attempt : ledger::planted_failures(200)) {
    const JsonValue span = parsed_span(attempt_span(*attempt));
    EXPECT_EQ(span.find("traceId")->text.size(), 32u);
    EXPECT_LE(std::stoll(span.find("startTimeUnixNano")->text),
              std::stoll(span.find("endTimeUnixNano")->text));
  }
}

TEST(SpanIds, AreNeverZeroAndAlwaysTheSame) {
  EXPECT_EQ(trace_id_of("uid-7"), trace_id_of("uid-7"));
  EXPECT_NE(trace_id_of("uid-7"), trace_id_of("uid-8"));
  EXPECT_EQ(trace_id_of("uid-7").size(), 32u);
  EXPECT_NE(trace_id_of("00000000-0000-0000-0000-000000000000"), std::string(32, '0'));
  EXPECT_NE(job_span_id(kUid), attempt_span_id(kUid));
  EXPECT_EQ(job_span_id("").size(), 16u);
}

TEST(JobSpan, EndsWithItsVerdict) {
  const Job job = api::testing::from_yaml<Job>(R"({metadata: {name: j, namespace: batch, uid: u},
    status: {startTime: '2026-01-01T10:00:00Z', succeeded: 3, failed: 1, conditions: [
      {type: FailureTarget, status: 'True', lastTransitionTime: '2026-01-01T10:00:50Z'},
      {type: Failed, status: 'True', reason: BackoffLimitExceeded, message: too many,
       lastTransitionTime: '2026-01-01T10:01:00Z'}]}})");
  const JsonValue span = parsed_span(job_span(job, nullptr));
  EXPECT_EQ(span.find("parentSpanId"), nullptr);
  EXPECT_EQ(span.find("spanId")->text, job_span_id("u"));
  EXPECT_EQ(std::stoll(span.find("endTimeUnixNano")->text) -
                std::stoll(span.find("startTimeUnixNano")->text),
            60'000'000'000);
  EXPECT_EQ(attribute(span, "windlass.outcome"), "Failed");
  EXPECT_EQ(attribute(span, "windlass.reason"), "BackoffLimitExceeded");
  EXPECT_EQ(attribute(span, "windlass.succeeded"), "3");
  EXPECT_EQ(span.find("status")->find("message")->text, "too many");
}

TEST(ExportRequest, NamesTheService) {
  const JsonValue request = parsed_span(
      export_request({attempt_span(failed_attempt()), attempt_span(failed_attempt())}, "v1.2"));
  const JsonValue& resource = request.find("resourceSpans")->items.at(0);
  EXPECT_EQ(attribute(*resource.find("resource"), "service.name"), "windlass");
  EXPECT_EQ(attribute(*resource.find("resource"), "service.version"), "v1.2");
  EXPECT_EQ(resource.find("scopeSpans")->items.at(0).find("spans")->items.size(), 2u);
}

}  // namespace
}  // namespace windlass::tracing
