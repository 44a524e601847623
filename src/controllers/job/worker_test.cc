#include "controllers/job/worker.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "apiserver/testing.h"
#include "client/intercepting_client.h"
#include "controllers/job/controller.h"

namespace windlass::controllers::job {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::StartsWith;

class RefusedStatus : public ::testing::Test {
 protected:
  size_t writes = 0;

  // Reason and message of the events on a Job whose status writes end like this.
  std::vector<std::string> events_when(const Status& refusal) {
    apiserver::testing::SimApi api;
    client::InterceptingClient client(api.client, api.world.executor());
    client.refuse = [&](const std::string& line) {
      return line.starts_with("update jobs/status") ? std::optional(refusal) : std::nullopt;
    };
    std::vector<std::string> events;
    JobController::Options options;
    options.on_event = [&](const api::Message&, const engine::Event& event) {
      events.push_back(event.reason + ": " + event.message);
    };
    const client::ClientEnv env = api.client_env();
    JobController controller(
        client::ClientEnv{client, env.executor, env.clock, env.random, env.log}, options);
    controller.start();
    api.create_job(
        "{metadata: {name: j}, spec: {template: {spec: {restartPolicy: Never, containers: [{name: "
        "c, image: i}]}}}}");
    api.world.run_for(seconds(10));
    writes = client.count("update jobs/status");
    return events;
  }
};

TEST_F(RefusedStatus, IsSaidInAnEvent) {
  const auto events = events_when({422, "Invalid", "status.ready: Invalid value", {}});
  EXPECT_THAT(events, Contains(StartsWith("StatusRefused: The API server does not take the Job's "
                                          "status: status.ready: Invalid value")));
}

TEST_F(RefusedStatus, WhatPassesByItselfIsNot) {
  for (const Status& passing :
       {Status{409, "Conflict", "", {}}, Status{429, "TooManyRequests", "", {}},
        Status{500, "InternalError", "", {}}, Status{503, "NotSent", "", {}}}) {
    for (const std::string& event : events_when(passing)) {
      EXPECT_THAT(event, ::testing::Not(HasSubstr(kStatusRefusedReason)));
    }
  }
}

// A server that is ill, or something between that refuses, and reads that go well.
TEST_F(RefusedStatus, FailuresWithoutEndAreNoBusyLoop) {
  for (const Status& refusal :
       {Status{409, "Conflict", "for ever", {}}, Status{500, "InternalError", "for ever", {}}}) {
    events_when(refusal);
    EXPECT_GE(writes, 10u) << refusal.code;
    EXPECT_LE(writes, 20u) << refusal.code;
  }
}

}  // namespace
}  // namespace windlass::controllers::job
