#include "client/event_recorder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "api/codec/wire_time.h"
#include "schema/core/v1/event.pb.h"
#include "verify/clients/scripted_client.h"
#include "virtual_world/world.h"

namespace windlass::client {
namespace {

using api::core::v1::Event;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::StartsWith;

class EventRecorderTest : public testing::Test {
 protected:
  static EventTarget target(const std::string& name) {
    return {.api_version = "batch/v1", .kind = "Job", .ns = "ns", .name = name, .uid = "u-" + name};
  }
  // The write that waits first, answered with what it created.
  ScriptedClient::Write accept() {
    const ScriptedClient::Write write = client.writes.front();
    client.answer_write(write.object ? write.object : std::make_shared<Event>());
    return write;
  }

  virtual_world::VirtualWorld world{1};
  ScriptedClient client;
  EventRecorder recorder{{client, world.executor(), world.clock(), world.random(), world.log()},
                         "job-controller"};
};

TEST_F(EventRecorderTest, WritesAnEvent) {
  recorder.normal(target("j"), "SuccessfulCreate", "Created pod: j-x");
  ASSERT_EQ(client.writes.size(), 1U);
  const auto& write = client.writes.front();
  EXPECT_EQ(write.verb, "create");
  EXPECT_EQ(write.ref.ns, "ns");
  EXPECT_THAT(write.ref.name, StartsWith("j."));
  const auto& event = *api::object_as<Event>(write.object);
  EXPECT_EQ(event.involved_object().kind(), "Job");
  EXPECT_EQ(event.involved_object().api_version(), "batch/v1");
  EXPECT_EQ(event.involved_object().namespace_(), "ns");
  EXPECT_EQ(event.involved_object().uid(), "u-j");
  EXPECT_EQ(event.type(), "Normal");
  EXPECT_EQ(event.reason(), "SuccessfulCreate");
  EXPECT_EQ(event.message(), "Created pod: j-x");
  EXPECT_EQ(event.count(), 1);
  EXPECT_EQ(event.source().component(), "job-controller");
  EXPECT_EQ(event.reporting_component(), "job-controller");
  EXPECT_EQ(event.first_timestamp().seconds(), unix_seconds(world.clock().now()));
}

// disruption.md S-17, S-20, P-18: the form of events.k8s.io.
TEST_F(EventRecorderTest, AnActionIsToldInTheNewerForm) {
  EventRecorder scheduler{{client, world.executor(), world.clock(), world.random(), world.log()},
                          "default-scheduler",
                          "host"};
  scheduler.warning_action(target("p"), "FailedScheduling", "Scheduling", "m");
  const Time first = world.clock().now();
  const auto write = accept();
  const auto& event = *api::object_as<Event>(write.object);
  EXPECT_EQ(event.type(), "Warning");
  EXPECT_EQ(event.reason(), "FailedScheduling");
  EXPECT_EQ(event.action(), "Scheduling");
  EXPECT_EQ(event.message(), "m");
  EXPECT_EQ(event.reporting_component(), "default-scheduler");
  EXPECT_EQ(event.reporting_instance(), "default-scheduler-host");
  EXPECT_EQ(api::time_of(event.event_time()), first);
  EXPECT_FALSE(event.has_series());
  EXPECT_FALSE(event.has_source());
  EXPECT_FALSE(event.has_first_timestamp());
  EXPECT_FALSE(event.has_last_timestamp());
  EXPECT_FALSE(event.has_count());

  world.run_for(seconds(60));
  scheduler.warning_action(target("p"), "FailedScheduling", "Scheduling", "m");
  const auto again = accept();
  EXPECT_EQ(again.verb, "patch");
  EXPECT_EQ(again.body, R"({"series":{"count":2,"lastObservedTime":")" +
                            format_rfc3339_micro(world.clock().now()) + R"("},"message":"m"})");
}

// The eleventh text gets words before it, and must still be taken by the server.
TEST_F(EventRecorderTest, TheTextOfAnActionIsCutToWhatServersTake) {
  for (int i = 0; i <= 10; ++i) {
    recorder.warning_action(target("p"), "R", "A", std::string(1022, 'x') + std::to_string(i + 10));
  }
  std::vector<size_t> lengths;
  while (!client.writes.empty()) {
    lengths.push_back(api::object_as<Event>(accept().object)->message().size());
  }
  ASSERT_EQ(lengths.size(), 11U);
  EXPECT_THAT(lengths, testing::Each(1024U));

  recorder.warning_action(target("q"), "R", "A", std::string(1023, 'x') + "\u00e9");
  EXPECT_EQ(api::object_as<Event>(accept().object)->message(), std::string(1023, 'x'));
}

TEST_F(EventRecorderTest, EventsOfClusterObjectsAreInTheDefaultNamespace) {
  recorder.warning({.kind = "Node", .name = "n"}, "NodeNotReady", "gone");
  EXPECT_EQ(client.writes.front().ref.ns, "default");
}

TEST_F(EventRecorderTest, RepetitionsAreCountedOnTheSameEvent) {
  recorder.warning(target("j"), "R", "m");
  const std::string name = accept().ref.name;
  world.run_for(seconds(60));
  recorder.warning(target("j"), "R", "m");
  ASSERT_EQ(client.writes.size(), 1U);
  const auto write = accept();
  EXPECT_EQ(write.verb, "patch");
  EXPECT_EQ(write.ref.name, name);
  EXPECT_EQ(write.body, R"({"count":2,"lastTimestamp":")" + format_rfc3339(world.clock().now()) +
                            R"(","message":"m"})");
}

TEST_F(EventRecorderTest, RepetitionsDuringAWriteBecomeOneMore) {
  for (int i = 0; i < 5; ++i) {
    recorder.normal(target("j"), "R", "m");
  }
  ASSERT_EQ(client.writes.size(), 1U);
  accept();
  ASSERT_EQ(client.writes.size(), 1U);
  EXPECT_THAT(accept().body, StartsWith(R"({"count":5,)"));
  EXPECT_THAT(client.writes, IsEmpty());
}

TEST_F(EventRecorderTest, AnEventThatExpiredIsWrittenAnew) {
  recorder.normal(target("j"), "R", "m");
  accept();
  recorder.normal(target("j"), "R", "m");
  client.answer_write(fail(not_found({"", "events", "x"})));
  ASSERT_EQ(client.writes.size(), 1U);
  EXPECT_EQ(client.writes.front().verb, "create");
  EXPECT_EQ(api::object_as<Event>(client.writes.front().object)->count(), 2);
}

TEST_F(EventRecorderTest, AnEventThatIsRefusedIsLostWithALineInTheLog) {
  recorder.normal(target("j"), "R", "m");
  client.answer_write(fail(forbidden({"", "events", "x"}, "no")));
  EXPECT_THAT(client.writes, IsEmpty());
  EXPECT_TRUE(world.log().contains("an event could not be written"));
}

TEST_F(EventRecorderTest, ManyAlikeBecomeOne) {
  for (size_t i = 0; i < EventCorrelator::kMaxSimilar + 5; ++i) {
    recorder.normal(target("j"), "SuccessfulCreate", "Created pod: " + std::to_string(i));
  }
  EXPECT_EQ(client.writes.size(), EventCorrelator::kMaxSimilar + 1);
  const auto combined = client.writes.back();
  EXPECT_THAT(api::object_as<Event>(combined.object)->message(),
              StartsWith("(combined from similar events): "));
  while (client.writes.size() > 1 || client.writes.front().verb == "create") {
    accept();
  }
  EXPECT_THAT(client.writes.front().body,
              HasSubstr(R"("message":"(combined from similar events): Created pod: 14")"));
}

TEST_F(EventRecorderTest, D10_81_WhatIsEssentialIsHeardAfterAllThatNoise) {
  for (int i = 0; i < 100; ++i) {
    recorder.normal(target("noisy"), "R" + std::to_string(i), "m");
    while (!client.writes.empty()) {
      accept();
    }
  }
  recorder.normal(target("noisy"), "Resumed", "Job resumed");
  EXPECT_THAT(client.writes, IsEmpty());
  recorder.warning(target("noisy"), "PodFailurePolicy", "why it failed", true);
  ASSERT_EQ(client.writes.size(), 1U);
  EXPECT_EQ(api::object_as<Event>(client.writes.front().object)->reason(), "PodFailurePolicy");
}

TEST_F(EventRecorderTest, D10_81_WhatIsEssentialIsTriedAgain) {
  recorder.warning(target("j"), "PodFailurePolicy", "why it failed", true);
  const std::string name = client.writes.front().ref.name;
  client.answer_write(fail(internal_error("not now")));
  EXPECT_THAT(client.writes, IsEmpty());
  world.run_for(EventRecorder::kFirstRetry + milliseconds(1));
  ASSERT_EQ(client.writes.size(), 1U);
  EXPECT_EQ(client.writes.front().ref.name, name);
  // The first one had been stored after all.
  client.answer_write(fail(already_exists({"", "events", name})));
  ASSERT_EQ(client.writes.size(), 1U);
  EXPECT_EQ(client.writes.front().verb, "patch");
  accept();
  EXPECT_THAT(client.writes, IsEmpty());
  EXPECT_FALSE(world.log().contains("an event could not be written"));
}

TEST_F(EventRecorderTest, D10_81_WhatIsEssentialIsGivenUpInTheEnd) {
  recorder.warning(target("j"), "PodFailurePolicy", "why it failed", true);
  int tries = 0;
  for (; !client.writes.empty() && tries < 100; ++tries) {
    client.answer_write(fail(internal_error("never")));
    world.run_for(EventRecorder::kMaxRetry + milliseconds(1));
  }
  EXPECT_EQ(tries, EventRecorder::kMaxTries);
  EXPECT_TRUE(world.log().contains("an event could not be written"));
  recorder.warning(target("other"), "PodFailurePolicy", "why it failed", true);
  client.answer_write(fail(forbidden({"", "events", "x"}, "no")));
  world.run_for(minutes(1));
  EXPECT_THAT(client.writes, IsEmpty());
}

TEST_F(EventRecorderTest, D10_81_WhatIsEssentialWaitsBehindAnyNumberOfOthers) {
  constexpr size_t kOthers = EventRecorder::kMaxWaiting + 1000;
  for (size_t i = 0; i < kOthers; ++i) {
    recorder.normal(target(std::to_string(i)), "R", "m");
    if (i == EventRecorder::kMaxWritesInFlight) {
      recorder.normal(target("early"), "Completed", "Job completed", true);
    }
  }
  recorder.normal(target("late"), "Completed", "Job completed", true);
  std::vector<std::string> completed;
  while (!client.writes.empty()) {
    const auto event = api::object_as<Event>(accept().object);
    if (event->reason() == "Completed") {
      completed.push_back(event->involved_object().name());
    }
  }
  EXPECT_THAT(completed, testing::ElementsAre("early", "late"));
}

TEST_F(EventRecorderTest, OneObjectIsHeardOnlySoOften) {
  for (int i = 0; i < 100; ++i) {
    recorder.normal(target("noisy"), "R" + std::to_string(i), "m");
    while (!client.writes.empty()) {
      accept();
    }
  }
  recorder.normal(target("noisy"), "R", "m");
  EXPECT_THAT(client.writes, IsEmpty());
  recorder.normal(target("quiet"), "R", "m");
  EXPECT_EQ(client.writes.size(), 1U);
  accept();
  world.run_for(EventCorrelator::kRefill);
  recorder.normal(target("noisy"), "R", "m");
  EXPECT_EQ(client.writes.size(), 1U);
}

TEST_F(EventRecorderTest, WritesInFlightAreBounded) {
  for (int i = 0; i < 100; ++i) {
    recorder.normal(target(std::to_string(i)), "R", "m");
  }
  EXPECT_EQ(client.writes.size(), EventRecorder::kMaxWritesInFlight);
  int written = 0;
  while (!client.writes.empty()) {
    accept();
    ++written;
  }
  EXPECT_EQ(written, 100);
}

TEST(EventCorrelator, TheWindowOfSimilarMessagesEnds) {
  EventCorrelator correlator;
  const MonotonicTime start{};
  for (size_t i = 0; i < EventCorrelator::kMaxSimilar; ++i) {
    EXPECT_EQ(correlator.judge({"o", "Normal", "r", std::to_string(i)}, start).message,
              std::to_string(i));
  }
  EXPECT_EQ(correlator.judge({"o", "Normal", "r", "x"}, start).message,
            "(combined from similar events): x");
  EXPECT_EQ(correlator.judge({"o", "Normal", "r", "3"}, start).message, "3") << "known already";
  EXPECT_EQ(correlator.judge({"o", "Normal", "other", "x"}, start).message, "x");
  EXPECT_EQ(
      correlator
          .judge({"o", "Normal", "r", "x"}, start + EventCorrelator::kSimilarWindow + seconds(1))
          .message,
      "x");
}

TEST(BoundedMap, TheOneUsedLongestAgoMakesRoom) {
  BoundedMap<int> map(2);
  map["a"] = 1;
  map["b"] = 2;
  EXPECT_EQ(*map.find("a"), 1);
  map["c"] = 3;
  EXPECT_EQ(map.find("b"), nullptr);
  EXPECT_EQ(*map.find("a"), 1);
  EXPECT_EQ(map.size(), 2U);
}

}  // namespace
}  // namespace windlass::client
