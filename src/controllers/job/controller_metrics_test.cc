// What the Job controller counts of what it sees (job-controller.md 1.18, 2.10, 8.10, 8.16).
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "apiserver/testing.h"
#include "controllers/job/controller.h"
#include "verify/clients/intercepting_client.h"

namespace windlass::controllers::job {
namespace {

using apiserver::testing::Job;
using apiserver::testing::Pod;

// A Job controller alone: pods end when the test says so.
class ControllerMetrics : public testing::Test {
 protected:
  ControllerMetrics() {
    const client::ClientEnv env = api.client_env();
    JobController::Options options;
    options.metrics = registry;
    controller = std::make_unique<JobController>(
        client::ClientEnv{client, env.executor, env.clock, env.random, env.log}, options);
    controller->start();
    settle();
  }

  void settle(Duration duration = seconds(1)) { api.world.run_for(duration); }
  void create_job(const std::string& spec) {
    api.create_job(
        fmt::format("{{metadata: {{name: j}}, spec: {{{} template: {{spec: {{restartPolicy: Never, "
                    "containers: [{{name: c, image: i}}]}}}}}}}}",
                    spec));
    settle();
  }
  void remove_job(const std::string& policy) {
    apiserver::DeleteOptions options;
    options.propagation_policy = policy;
    api.remove(api::kinds::job(), "default", "j", options);
    settle();
  }
  // Those that have not ended yet.
  void end_pods(const std::string& phase) {
    for (const auto& pod : api.pods()) {
      if (pod->status().phase() != "Succeeded" && pod->status().phase() != "Failed") {
        api.change<Pod>(api::kinds::pod(), "default", pod->metadata().name(), "status",
                        [&phase](Pod& changed) { changed.mutable_status()->set_phase(phase); });
      }
    }
    settle();
  }
  double terminated(const char* event) {
    return registry->counter("job_controller_terminated_pods_tracking_finalizer_total", "")
        .value({event});
  }

  double syncs() {
    double sum = 0;
    for (const char* action : {"reconciling", "tracking", "pods_created", "pods_deleted"}) {
      for (const char* result : {"success", "error"}) {
        sum += registry->counter("job_controller_job_syncs_total", "")
                   .value({"NonIndexed", result, action});
      }
    }
    return sum;
  }

  std::shared_ptr<MetricRegistry> registry = std::make_shared<MetricRegistry>();
  apiserver::testing::SimulatedApi api;
  client::InterceptingClient client{api.client, api.world.executor()};
  std::unique_ptr<JobController> controller;
};

TEST_F(ControllerMetrics, N236_TerminatedPodsWithFinalizer) {
  create_job("parallelism: 2, completions: 2,");
  EXPECT_EQ(terminated("add"), 0);
  end_pods("Succeeded");
  EXPECT_EQ(terminated("add"), 2);
  EXPECT_EQ(terminated("delete"), 2);
  api.create_pod(
      "{metadata: {name: untracked}, spec: {nodeName: n1, containers: [{name: c, image: i}]}}");
  end_pods("Failed");
  EXPECT_EQ(terminated("add"), 2);
}

// 1.18: its pods outlive a Job that is deleted while they are kept for their indexes.
TEST_F(ControllerMetrics, R1_18_N236_AddAndDeleteMeetWhenTheJobIsDeleted) {
  create_job("completionMode: Indexed, parallelism: 2, completions: 2, backoffLimitPerIndex: 3,");
  end_pods("Failed");
  EXPECT_EQ(terminated("add"), 2);
  EXPECT_EQ(terminated("delete"), 0);
  remove_job("Background");
  EXPECT_EQ(api.job("j"), nullptr);
  EXPECT_EQ(terminated("add"), 2);
  EXPECT_EQ(terminated("delete"), 2);
}

TEST_F(ControllerMetrics, D10_62_APodThatVanishesLeavesTheMetric) {
  create_job("completionMode: Indexed, completions: 1, backoffLimitPerIndex: 3,");
  end_pods("Failed");
  EXPECT_EQ(terminated("add"), 1);
  // The watch does not tell that it lost its finalizer.
  client.skip_event = [](const client::WatchEvent& event) {
    return event.type == client::EventType::modified && event.object &&
           event.object->GetDescriptor() == Pod::descriptor();
  };
  const std::string name = api.pods().front()->metadata().name();
  api.remove_pod(name, 0);
  api.change<Pod>(api::kinds::pod(), "default", name, "",
                  [](Pod& pod) { pod.mutable_metadata()->clear_finalizers(); });
  settle();
  EXPECT_EQ(api.pod(name), nullptr);
  EXPECT_EQ(terminated("delete"), 1);
}

// 2.6, 2.7: neither is looked after.
TEST_F(ControllerMetrics, R2_10_R8_16_RoundsOfForeignAndFinishedJobsAreNoSyncs) {
  create_job("managedBy: example.com/other,");
  api.change<Job>(api::kinds::job(), "default", "j", "",
                  [](Job& job) { (*job.mutable_metadata()->mutable_labels())["a"] = "b"; });
  settle();
  EXPECT_EQ(syncs(), 0);
  remove_job("Background");

  create_job("");
  EXPECT_GT(syncs(), 0);
  end_pods("Succeeded");
  const double ended = syncs();
  const std::string name = api.pods().front()->metadata().name();
  api.change<Pod>(api::kinds::pod(), "default", name, "", [](Pod& pod) {
    pod.mutable_metadata()->add_finalizers(std::string(engine::kTrackingFinalizer));
  });
  settle();
  EXPECT_TRUE(api.pod(name)->metadata().finalizers().empty());
  EXPECT_EQ(syncs(), ended);
}

}  // namespace
}  // namespace windlass::controllers::job
