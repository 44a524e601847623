#include "controllers/job/controller.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "api/codec/json/json.h"
#include "node/registration.h"
#include "node/testing.h"
#include "scheduler/scheduler.h"

namespace windlass::controllers::job {
namespace {

using apiserver::testing::Job;
using apiserver::testing::Pod;
using apiserver::testing::SimulatedApi;
using node::testing::SimulatedNode;
using ::testing::AllOf;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

// The whole control plane and one node, in one simulated world.
struct ControlPlane {
  explicit ControlPlane(uint64_t seed = 1) : api(seed), node(api) { start(); }

  void start() {
    JobController::Options options;
    options.on_event = [this](const api::Message&, const engine::Event& event) {
      events.push_back(event.reason + ": " + event.message);
      api.world.trace(events.back());
    };
    controller = std::make_unique<JobController>(api.client_env(), std::move(options));
    scheduler =
        std::make_unique<scheduler::Scheduler>(api.client_env(), scheduler::Scheduler::Options{});
    controller->start();
    scheduler->start();
    node.agent->start();
    api.world.run_for(milliseconds(1));
  }

  void create(const std::string& spec, const std::string& command,
              const std::string& pod_more = "restartPolicy: Never,") {
    api.create_job(
        fmt::format("{{metadata: {{name: j}}, spec: {{{} template: {{spec: {{{} "
                    "containers: [{{name: c, image: i, command: [{}]}}]}}}}}}}}",
                    spec, pod_more, command));
    api.world.run_for(milliseconds(1));
  }

  // Without waiting for dependents: no collector runs here.
  bool remove_job() {
    apiserver::DeleteOptions options;
    options.propagation_policy = "Background";
    return api.remove(api::kinds::job(), "default", "j", options).answer.has_value();
  }

  std::shared_ptr<const Job> job() { return api.job("j"); }
  const api::batch::v1::JobCondition* condition(const std::string& type) {
    kept = job();
    for (const auto& each : kept->status().conditions()) {
      if (each.type() == type && each.status() == "True") {
        return &each;
      }
    }
    return nullptr;
  }
  bool finished() { return condition("Complete") != nullptr || condition("Failed") != nullptr; }
  [[nodiscard]] bool run_to_end(Duration limit = hours(1)) {
    const bool ended = api.world.run_until([this] { return finished(); }, limit);
    api.world.run_for(milliseconds(1));  // the answer to the last write comes a little later
    return ended;
  }
  size_t pods_in(const std::string& phase) {
    size_t count = 0;
    for (const auto& pod : api.pods()) {
      count += pod->status().phase() == phase ? 1u : 0u;
    }
    return count;
  }
  bool any_pod_tracked() {
    for (const auto& pod : api.pods()) {
      if (read_pod(*pod, engine::kTrackingFinalizer).has_finalizer) {
        return true;
      }
    }
    return false;
  }

  SimulatedApi api;
  SimulatedNode node;
  std::vector<std::string> events;
  std::shared_ptr<const Job> kept;
  std::unique_ptr<JobController> controller;
  std::unique_ptr<scheduler::Scheduler> scheduler;
};

TEST(JobController, RunsAJobToItsEnd) {
  ControlPlane plane;
  plane.create("completions: 3, parallelism: 2,", "run, '5', '0'");
  EXPECT_EQ(plane.job()->status().active(), 2);
  EXPECT_EQ(plane.pods_in("Running"), 2u);
  ASSERT_TRUE(plane.run_to_end());
  const auto& status = plane.job()->status();
  EXPECT_EQ(status.succeeded(), 3);
  EXPECT_EQ(status.failed(), 0);
  EXPECT_EQ(status.active(), 0);
  EXPECT_EQ(status.terminating(), 0);
  EXPECT_EQ(status.ready(), 0);
  EXPECT_TRUE(status.has_completion_time());
  EXPECT_EQ(plane.condition("Complete")->reason(), "CompletionsReached");
  EXPECT_EQ(plane.condition("SuccessCriteriaMet")->message(),
            "Reached expected number of succeeded pods");
  EXPECT_EQ(plane.pods_in("Succeeded"), 3u);
  EXPECT_FALSE(plane.any_pod_tracked());
  EXPECT_THAT(plane.events, Contains("Completed: Job completed"));
  EXPECT_EQ(plane.controller->busy_jobs(), 0u);
}

TEST(JobController, RetriesAFailureAfterItsBackOff) {
  ControlPlane plane;
  // Fails whatever pod comes first.
  int failures = 1;
  plane.node.on_spawn = [&failures](const env::ContainerRequest&,
                                    virtual_world::VirtualProcess& process) {
    process.exit.code = failures-- > 0 ? 1 : 0;
  };
  plane.create("completions: 3, parallelism: 1, backoffLimit: 2,", "run, '2', '0'");
  const Time start = plane.api.world.clock().now();
  ASSERT_TRUE(plane.run_to_end());
  EXPECT_EQ(plane.job()->status().succeeded(), 3);
  EXPECT_EQ(plane.job()->status().failed(), 1);
  ASSERT_NE(plane.condition("Complete"), nullptr);
  const Duration took = plane.api.world.clock().now() - start;
  EXPECT_GE(took, seconds(4 * 2 + 9));  // 7.2: finish times have whole seconds
  EXPECT_LE(took, seconds(4 * 2 + 11));
  EXPECT_EQ(plane.node.spawned.size(), 4u);
}

TEST(JobController, BackoffLimitEndsTheJob) {
  ControlPlane plane;
  plane.create("backoffLimit: 1,", "run, '1', '1'");
  ASSERT_TRUE(plane.run_to_end());
  EXPECT_EQ(plane.condition("Failed")->reason(), "BackoffLimitExceeded");
  EXPECT_EQ(plane.job()->status().failed(), 2);
  EXPECT_EQ(plane.pods_in("Failed"), 2u);
  EXPECT_THAT(plane.events,
              Contains("BackoffLimitExceeded: Job has reached the specified backoff limit"));
}

TEST(JobController, FailJobEndsTheJobAndItsOtherPods) {
  ControlPlane plane;
  plane.node.on_spawn = [&plane](const env::ContainerRequest&,
                                 virtual_world::VirtualProcess& process) {
    if (plane.node.spawned.size() == 1) {
      process.duration = seconds(5);
      process.exit.code = 42;
    }
  };
  plane.create(
      "completions: 3, parallelism: 3, podFailurePolicy: {rules: [{action: FailJob, onExitCodes: "
      "{operator: In, values: [42]}}]},",
      "run, '-1', '0'");
  ASSERT_TRUE(plane.run_to_end());
  const auto* failed = plane.condition("Failed");
  ASSERT_NE(failed, nullptr);
  EXPECT_EQ(failed->reason(), "PodFailurePolicy_0");  // 6.19: the gate is on by default
  EXPECT_THAT(failed->message(),
              AllOf(HasSubstr("Container c for pod default/j-"),
                    HasSubstr(" failed with exit code 42 matching FailJob rule at index 0")));
  EXPECT_EQ(plane.condition("FailureTarget")->message(), failed->message());
  EXPECT_EQ(plane.job()->status().failed(), 3);  // 5.7: killed by the failure, so failed
  EXPECT_EQ(plane.node.containers.running(), 0u);
  EXPECT_FALSE(plane.any_pod_tracked());
}

TEST(JobController, KEP4443_TheRulesNameIsInTheReason) {
  ControlPlane plane;
  plane.create(
      "podFailurePolicy: {rules: [{name: no_retry, action: FailJob, onExitCodes: {operator: In, "
      "values: [42]}}]},",
      "run, '1', '42'");
  ASSERT_TRUE(plane.run_to_end());
  EXPECT_EQ(plane.condition("Failed")->reason(), "PodFailurePolicy_no_retry");
}

TEST(JobController, IgnoredFailuresDoNotCount) {
  ControlPlane plane;
  int failures = 3;
  plane.node.on_spawn = [&failures](const env::ContainerRequest&,
                                    virtual_world::VirtualProcess& process) {
    process.exit.code = failures-- > 0 ? 42 : 0;
  };
  plane.create(
      "backoffLimit: 0, podFailurePolicy: {rules: [{action: Ignore, onExitCodes: {operator: In, "
      "values: [42]}}]},",
      "run, '1', '0'");
  ASSERT_TRUE(plane.run_to_end());
  ASSERT_NE(plane.condition("Complete"), nullptr);
  EXPECT_EQ(plane.job()->status().failed(), 0);
  EXPECT_EQ(plane.node.spawned.size(), 4u);
}

TEST(JobController, IndexedPodsKnowTheirIndex) {
  ControlPlane plane;
  plane.create("completionMode: Indexed, completions: 3, parallelism: 3,", "run, '1', '0'");
  ASSERT_TRUE(plane.run_to_end());
  EXPECT_EQ(plane.job()->status().completed_indexes(), "0-2");
  std::set<std::string> indexes;
  for (const env::ContainerRequest& request : plane.node.spawned) {
    for (const std::string& variable : request.environment) {
      if (variable.starts_with("JOB_COMPLETION_INDEX=")) {
        indexes.insert(variable);
      }
    }
  }
  EXPECT_THAT(indexes, ElementsAre("JOB_COMPLETION_INDEX=0", "JOB_COMPLETION_INDEX=1",
                                   "JOB_COMPLETION_INDEX=2"));
}

TEST(JobController, FailedIndexesAreRetriedAndThenGivenUp) {
  ControlPlane plane;
  plane.node.on_spawn = [](const env::ContainerRequest& request,
                           virtual_world::VirtualProcess& process) {
    for (const std::string& variable : request.environment) {
      process.exit.code = variable == "JOB_COMPLETION_INDEX=1" ? 1 : process.exit.code;
    }
  };
  plane.create("completionMode: Indexed, completions: 3, parallelism: 3, backoffLimitPerIndex: 1,",
               "run, '1', '0'");
  ASSERT_TRUE(plane.run_to_end());
  EXPECT_EQ(plane.condition("Failed")->reason(), "FailedIndexes");
  EXPECT_EQ(plane.job()->status().completed_indexes(), "0,2");
  EXPECT_EQ(plane.job()->status().failed_indexes(), "1");
  EXPECT_EQ(plane.job()->status().failed(), 2);
}

TEST(JobController, SuspendDeletesPodsAndResumeCreatesThem) {
  ControlPlane plane;
  const auto suspend = [&plane](bool on) {
    plane.api.change<Job>(api::kinds::job(), "default", "j", "",
                          [on](Job& job) { job.mutable_spec()->set_suspend(on); });
  };
  plane.create("parallelism: 2, completions: 2,", "run, '60', '0'");
  EXPECT_EQ(plane.job()->status().ready(), 2);
  suspend(true);
  plane.api.world.run_for(seconds(1));
  EXPECT_TRUE(plane.api.pods().empty());
  ASSERT_NE(plane.condition("Suspended"), nullptr);
  EXPECT_EQ(plane.job()->status().ready(), 0);
  suspend(false);
  ASSERT_TRUE(plane.run_to_end());
  EXPECT_EQ(plane.job()->status().succeeded(), 2);
  EXPECT_EQ(plane.job()->status().failed(), 0);
}

// job-controller.md 9.4: a client that changes the template when it sees the condition is not
// refused.
TEST(JobController, ATemplateMayBeChangedAtFirstSightOfSuspended) {
  ControlPlane plane;
  plane.create("parallelism: 2, completions: 2,", "run, '60', '0'");
  plane.api.change<Job>(api::kinds::job(), "default", "j", "",
                        [](Job& job) { job.mutable_spec()->set_suspend(true); });
  ASSERT_TRUE(plane.api.world.run_until([&] { return plane.condition("Suspended") != nullptr; },
                                        seconds(10)));
  EXPECT_EQ(plane.job()->status().active(), 0);
  const auto changed = plane.api.change<Job>(api::kinds::job(), "default", "j", "", [](Job& job) {
    auto& spec = *job.mutable_spec()->mutable_template_()->mutable_spec();
    (*spec.mutable_node_selector())["disk"] = "fast";
  });
  EXPECT_NE(changed, nullptr);
}

TEST(JobController, DeadlineEndsTheJob) {
  ControlPlane plane;
  plane.create("activeDeadlineSeconds: 3,", "run, '-1', '0'");
  ASSERT_TRUE(plane.run_to_end());
  EXPECT_EQ(plane.condition("Failed")->reason(), "DeadlineExceeded");
  EXPECT_EQ(plane.node.containers.running(), 0u);
}

TEST(JobController, ManagedByAnotherIsLeftAlone) {
  ControlPlane plane;
  plane.create("managedBy: example.com/other,", "run, '1', '0'");
  plane.api.world.run_for(seconds(30));
  EXPECT_TRUE(plane.api.pods().empty());
  EXPECT_FALSE(plane.job()->status().has_start_time());
}

TEST(JobController, PodsThatDoNotFitWaitTheirTurn) {
  ControlPlane plane;  // the node has 4 cpus
  plane.api.create_job(
      "{metadata: {name: j}, spec: {completions: 6, parallelism: 6, template: {spec: "
      "{restartPolicy: Never, containers: [{name: c, image: i, command: [run, '5', '0'], "
      "resources: {requests: {cpu: '1500m'}}}]}}}}");
  plane.api.world.run_for(seconds(1));
  EXPECT_EQ(plane.pods_in("Running"), 2u);
  EXPECT_EQ(plane.pods_in("Pending"), 4u);
  EXPECT_EQ(plane.job()->status().active(), 6);
  ASSERT_TRUE(plane.run_to_end());
  EXPECT_EQ(plane.job()->status().succeeded(), 6);
}

TEST(JobController, AnotherControllerGoesOnWhereTheFirstWasLost) {
  ControlPlane plane;
  plane.create("completions: 4, parallelism: 2, backoffLimit: 0,", "run, '10', '0'");
  for (int i = 0; i < 6; ++i) {
    plane.api.world.run_for(milliseconds(3100));
    plane.controller =
        std::make_unique<JobController>(plane.api.client_env(), JobController::Options{});
    plane.controller->start();
  }
  ASSERT_TRUE(plane.run_to_end());
  EXPECT_EQ(plane.job()->status().succeeded(), 4);
  EXPECT_EQ(plane.node.spawned.size(), 4u);
}

TEST(JobController, PodsOfADeletedJobAreSetFree) {
  ControlPlane plane;
  plane.create("parallelism: 2,", "run, '-1', '0'");
  EXPECT_TRUE(plane.any_pod_tracked());
  ASSERT_TRUE(plane.remove_job());
  plane.api.world.run_for(seconds(1));
  EXPECT_FALSE(plane.job());
  EXPECT_FALSE(plane.any_pod_tracked());
  EXPECT_EQ(plane.controller->busy_jobs(), 0u);
}

TEST(JobController, W3_AJobOfTheSameNameStartsAnew) {
  ControlPlane plane;
  plane.create("backoffLimit: 3,", "run, '1', '1'");
  plane.api.world.run_for(seconds(5));
  EXPECT_EQ(plane.job()->status().failed(), 1);
  ASSERT_TRUE(plane.remove_job());
  plane.create("backoffLimit: 3,", "run, '1', '0'");
  ASSERT_TRUE(plane.run_to_end(seconds(5)));  // no back-off of its namesake
  EXPECT_EQ(plane.job()->status().failed(), 0);
}

TEST(JobController, AFinishedJobIsAtRest) {
  ControlPlane plane;
  plane.create("", "run, '1', '0'");
  ASSERT_TRUE(plane.run_to_end());
  plane.api.world.run_for(seconds(1));
  const auto revision = plane.api.store.revision();
  plane.api.world.run_for(hours(1));
  // Nothing is written but what the node says of itself: its heartbeats, and its status (N-1).
  EXPECT_EQ(
      plane.api.store.revision() - revision,
      hours(1) / node::HeartbeatTiming().period + hours(1) / node::Registration::kStatusPeriod);
}

uint64_t trace_of(uint64_t seed) {
  ControlPlane plane(seed);
  plane.create("completions: 4, parallelism: 3, backoffLimit: 6,", "run, '2', '0'");
  int failures = 2;
  plane.node.on_spawn = [&failures](const env::ContainerRequest&,
                                    virtual_world::VirtualProcess& process) {
    process.exit.code = failures-- > 0 ? 1 : 0;
  };
  EXPECT_TRUE(plane.run_to_end());
  plane.api.world.trace(api::to_json(*plane.job()));
  for (const auto& pod : plane.api.pods()) {
    plane.api.world.trace(api::to_json(*pod));
  }
  return plane.api.world.trace_hash();
}

TEST(JobController, TheSameSeedGivesTheSameTrace) {
  const uint64_t first = trace_of(7);
  EXPECT_EQ(first, trace_of(7));
  EXPECT_NE(first, trace_of(8));
}

}  // namespace
}  // namespace windlass::controllers::job
