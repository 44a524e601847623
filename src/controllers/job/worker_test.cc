#include "controllers/job/worker.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "apiserver/testing.h"
#include "controllers/job/controller.h"
#include "verify/clients/intercepting_client.h"

namespace windlass::controllers::job {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::StartsWith;

class RefusedStatus : public ::testing::Test {
 protected:
  static constexpr Duration kQuiet = Duration::zero();
  size_t writes = 0;
  size_t reads = 0;
  bool is_forgotten = false;  // answered with success, and not kept, in place of the refusal

  // Reason and message of the events on a Job whose status writes end like this, for so long; a pod
  // of it changes now and then.
  std::vector<std::string> events_when(const Status& refusal, Duration lasts = seconds(10),
                                       Duration pod_changes = kQuiet) {
    apiserver::testing::SimulatedApi api;
    client::InterceptingClient client(api.client, api.world.executor());
    client.refuse = [&](const std::string& line) {
      const bool is_refused = line.starts_with("update jobs/status") && !is_forgotten;
      return is_refused ? std::optional(refusal) : std::nullopt;
    };
    client.forget = [&](const std::string& line) {
      return line.starts_with("update jobs/status") && is_forgotten;
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
    Duration passed = seconds(1);
    api.world.run_for(passed);
    for (int64_t n = 0; pod_changes > kQuiet && passed < lasts; ++n, passed += pod_changes) {
      api.change<apiserver::testing::Pod>(
          api::kinds::pod(), "default", api.pods().front()->metadata().name(), "", [n](auto& pod) {
            (*pod.mutable_metadata()->mutable_annotations())["n"] = std::to_string(n);
          });
      api.world.run_for(pod_changes);
    }
    api.world.run_for(lasts - passed);
    writes = client.count("update jobs/status");
    reads = client.count("get jobs");
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
      EXPECT_THAT(event, ::testing::Not(HasSubstr(std::string(engine::kReasonStatusRefused))));
    }
  }
}

// A server that is ill, or something between that refuses, and reads that go well: three tries,
// then 1 s, 2 s, 4 s ... 60 s between them, whatever else happens to the Job.
TEST_F(RefusedStatus, Rule0_2_Rule1_7_FailuresWithoutEndAreTriedEverMoreSlowly) {
  for (const Status& refusal :
       {Status{409, "Conflict", "for ever", {}}, Status{500, "InternalError", "for ever", {}}}) {
    for (const Duration pod_changes : {kQuiet, Duration(milliseconds(10))}) {
      events_when(refusal, minutes(1), pod_changes);
      EXPECT_GE(writes, 7u) << refusal.code;
      EXPECT_LE(writes, 9u) << refusal.code;
      EXPECT_LE(reads, writes + 1) << refusal.code;
    }
  }
}

// 0.2: as with a webhook that puts the old status back. The Job stands still and says so.
TEST_F(RefusedStatus, WhatIsNotKeptIsTriedEverMoreSlowlyAndSaidInAnEvent) {
  is_forgotten = true;
  for (const Duration pod_changes : {kQuiet, Duration(milliseconds(10))}) {
    const auto events = events_when({}, minutes(1), pod_changes);
    EXPECT_GE(writes, 5u);
    EXPECT_LE(writes, 7u);  // after 1 s, 2 s, 4 s ...
    EXPECT_THAT(events, Contains(StartsWith("StatusRefused: The API server does not keep")));
  }
}

}  // namespace
}  // namespace windlass::controllers::job
