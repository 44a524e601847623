// job-controller.md section 11: scenarios that no decision alone can show, with the API server and
// the controller. Nothing runs the pods but the test.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "api/codec/json/json.h"
#include "apiserver/testing.h"
#include "controllers/job/controller.h"
#include "verify/clients/intercepting_client.h"

namespace windlass::controllers::job {
namespace {

using apiserver::testing::Job;
using apiserver::testing::Pod;
using ::testing::ElementsAre;

// Far below the second for which upstream collects changes.
constexpr Duration kAtOnce = milliseconds(20);

class ControllerScenarios : public testing::Test {
 protected:
  ControllerScenarios() {
    const client::ClientEnv env = api.client_env();
    controller = std::make_unique<JobController>(
        client::ClientEnv{client, env.executor, env.clock, env.random, env.log},
        JobController::Options());
    controller->start();
    api.world.run_for(seconds(1));
  }

  static std::string text(const std::string& spec, const std::string& pod_metadata = "") {
    return fmt::format(
        "{{metadata: {{name: j, namespace: default}}, spec: {{{} template: {{metadata: {{{}}}, "
        "spec: {{restartPolicy: Never, containers: [{{name: c, image: i}}]}}}}}}}}",
        spec, pod_metadata);
  }
  void create_job(const std::string& spec, const std::string& pod_metadata = "") {
    api.create_job(text(spec, pod_metadata));
    api.world.run_for(seconds(1));
  }
  void remove_job(const std::string& policy) {
    apiserver::DeleteOptions options;
    options.propagation_policy = policy;
    api.remove(api::kinds::job(), "default", "j", options);
  }
  void change_job(const std::function<void(Job&)>& how, std::string_view subresource = "") {
    api.change<Job>(api::kinds::job(), "default", "j", subresource, how);
  }
  void end_pods(const std::string& phase) {
    for (const auto& pod : api.pods()) {
      api.change<Pod>(api::kinds::pod(), "default", pod->metadata().name(), "status",
                      [&phase](Pod& changed) { changed.mutable_status()->set_phase(phase); });
    }
  }
  bool is_any_tracked() {
    const auto pods = api.pods();
    return std::any_of(pods.begin(), pods.end(), [](const auto& pod) {
      return read_pod(*pod, engine::kTrackingFinalizer).has_finalizer;
    });
  }
  std::vector<std::string> conditions() {
    std::vector<std::string> types;
    for (const auto& condition : api.job("j")->status().conditions()) {
      types.push_back(condition.type());
    }
    return types;
  }

  apiserver::testing::SimulatedApi api;
  client::InterceptingClient client{api.client, api.world.executor()};
  std::unique_ptr<JobController> controller;
};

TEST_F(ControllerScenarios, F83_CompletionsDoNotChangeWithoutParallelism) {
  create_job("completionMode: Indexed, completions: 2, parallelism: 2,");
  auto changed = std::make_unique<Job>(*api.job("j"));
  changed->mutable_spec()->set_completions(3);
  const auto refused =
      api.server.update({&api::kinds::job(), "default", "j"}, "", std::move(changed));
  ASSERT_FALSE(refused.answer.has_value());
  EXPECT_EQ(refused.answer.error().code, 422);
  change_job([](Job& job) {
    job.mutable_spec()->set_completions(3);
    job.mutable_spec()->set_parallelism(3);
  });
  api.world.run_for(seconds(1));
  EXPECT_EQ(api.pods().size(), 3u);
}

TEST_F(ControllerScenarios, H127_NamesOfRules) {
  const auto refusal = [this](const std::string& first, const std::string& second) {
    const std::string rule = "action: FailJob, onExitCodes: {operator: In, values: [1]}";
    const auto job = api::testing::from_yaml<Job>(text(
        fmt::format("podFailurePolicy: {{rules: [{{name: \"{}\", {}}}, {{name: \"{}\", {}}}]}},",
                    first, rule, second, rule)));
    const auto created =
        api.server.create({&api::kinds::job(), "default", "j"}, std::make_unique<Job>(job));
    return created.answer ? 0 : created.answer.error().code;
  };
  EXPECT_EQ(refusal("twice", "twice"), 422);
  EXPECT_EQ(refusal("1", "other"), 422) << "the index of another rule";
  EXPECT_EQ(refusal(std::string(112, 'a'), "other"), 422);
  EXPECT_EQ(refusal("two words", "other"), 422);
  EXPECT_EQ(refusal("BackoffLimitExceeded", "other"), 422);
  EXPECT_EQ(refusal("0", "other"), 0) << "its own index";
}

TEST_F(ControllerScenarios, K192_AForeignFinalizerOfTheTemplateStays) {
  create_job("", "finalizers: [example.com/keep]");
  ASSERT_TRUE(is_any_tracked());
  end_pods("Succeeded");
  api.world.run_for(seconds(1));
  EXPECT_THAT(conditions(), ElementsAre("SuccessCriteriaMet", "Complete"));
  EXPECT_THAT(api.pods().front()->metadata().finalizers(), ElementsAre("example.com/keep"));
}

TEST_F(ControllerScenarios, M210_ChangesOfAJobAreActedOnAtOnce) {
  create_job("parallelism: 2, completions: 2,");
  change_job([](Job& job) { job.mutable_status()->set_active(1); }, "status");
  api.world.run_for(kAtOnce);
  EXPECT_EQ(api.job("j")->status().active(), 2);
  change_job([](Job& job) { job.mutable_spec()->set_suspend(true); });
  api.world.run_for(kAtOnce);
  EXPECT_TRUE(api.pods().empty());
  EXPECT_THAT(conditions(), ElementsAre("Suspended"));
}

TEST_F(ControllerScenarios, M211_AFailureIsActedOnAtOnce) {
  create_job("backoffLimit: 0,");
  end_pods("Failed");
  api.world.run_for(kAtOnce);
  EXPECT_THAT(conditions(), ElementsAre("FailureTarget", "Failed"));
}

TEST_F(ControllerScenarios, N228_MadeAnewForAnotherController) {
  create_job("parallelism: 2,");
  end_pods("Failed");  // the old one has something to do
  remove_job("Background");
  create_job("managedBy: example.com/other,");
  api.world.run_for(minutes(1));
  EXPECT_EQ(api::to_json(api.job("j")->status()), "{}");
}

TEST_F(ControllerScenarios, N230_NothingIsLeftOfAJobThatIsGone) {
  create_job("backoffLimit: 3,");
  end_pods("Failed");
  api.world.run_for(seconds(1));
  EXPECT_EQ(api.pods().size(), 1u) << "its back-off is not over";
  remove_job("Background");
  api.world.run_for(minutes(1));
  EXPECT_EQ(controller->busy_jobs(), 0u);
  EXPECT_FALSE(is_any_tracked());
  EXPECT_FALSE(api.world.log().contains("failed"));
  create_job("backoffLimit: 3,");
  EXPECT_EQ(api.job("j")->status().active(), 1) << "no back-off of its namesake";
}

// Others share the objects that the watch has brought.
TEST_F(ControllerScenarios, N234_WhatWasSeenStaysAsItIs) {
  std::vector<std::pair<client::ObjectPtr, std::string>> seen;
  client.skip_event = [&seen](const client::WatchEvent& event) {
    if (event.object) {
      seen.emplace_back(event.object, api::to_json(*event.object));
    }
    return false;
  };
  create_job("completionMode: Indexed, completions: 2, parallelism: 2,");
  end_pods("Succeeded");
  api.world.run_for(seconds(1));
  EXPECT_THAT(conditions(), ElementsAre("SuccessCriteriaMet", "Complete"));
  EXPECT_GT(seen.size(), 6u);
  for (const auto& [object, as_seen] : seen) {
    EXPECT_EQ(api::to_json(*object), as_seen);
  }
}

// KEP-2307, and the deletion of the Job may wait for its pods for long.
TEST_F(ControllerScenarios, R1_14a_L206_PodsOfAJobThatIsBeingDeletedAreLetGoAtOnce) {
  create_job("parallelism: 2, completions: 2,");
  ASSERT_TRUE(is_any_tracked());
  remove_job("Foreground");
  api.world.run_for(kAtOnce);
  ASSERT_NE(api.job("j"), nullptr);
  EXPECT_TRUE(api.job("j")->metadata().has_deletion_timestamp());
  EXPECT_FALSE(is_any_tracked());
  end_pods("Succeeded");
  api.world.run_for(seconds(5));
  EXPECT_EQ(api.job("j")->status().succeeded(), 0);
  EXPECT_TRUE(conditions().empty());
}

}  // namespace
}  // namespace windlass::controllers::job
