// The Job controller over TLS against our own API server: everything between them is real.
#include "cli/commands/controller/controller.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/commands/controller/built_in_controller.h"
#include "cli/commands/controller/controller_testing.h"

namespace windlass::cli {
namespace {

using testing::ControllerOnCluster;
using ::testing::HasSubstr;
using testing::Job;
using testing::kQuickPods;
using testing::ObjectPtr;
using testing::RunningController;

TEST_F(ControllerOnCluster, TakesCareOfTheJobsThatNameIt) {
  RunningController controller(cluster_.access(), options(), "one");
  create_job("default/ours",
             std::string(R"({"completions":5,"parallelism":2,"completionMode":"Indexed",
    "managedBy":"windlass.dev/job-controller","template":)") +
                 kQuickPods + "}");
  create_job("default/theirs", std::string(R"({"template":)") + kQuickPods + "}");
  const auto ours = wait_for("default/ours", "Complete");
  ASSERT_NE(ours, nullptr) << controller.said();
  EXPECT_EQ(ours->status().succeeded(), 5);
  EXPECT_EQ(ours->status().completed_indexes(), "0-4");
  EXPECT_FALSE(ours->status().has_uncounted_terminated_pods() &&
               ours->status().uncounted_terminated_pods().succeeded_size() > 0);
  ASSERT_NE(wait_for("default/theirs", "Complete"), nullptr);
  for (const ObjectPtr& pod : list(api::kinds::pod(), "default")) {
    EXPECT_EQ(api::metadata_of(*pod).finalizers_size(), 0) << client::key_of(*pod);
  }
  EXPECT_EQ(controller.stop(), ExitCode::ok);
  EXPECT_THAT(controller.said(), HasSubstr("released the lease"));
}

// KEP-4443 on a server that drops the names.
TEST_F(ControllerOnCluster, RuleNamesComeFromTheAnnotation) {
  RunningController controller(cluster_.access(), options(), "one");
  create_job("default/named",
             R"({"managedBy":"windlass.dev/job-controller","podFailurePolicy":{"rules":[
      {"action":"FailJob","onExitCodes":{"operator":"In","values":[42]}}]},
    "template":{"metadata":{"annotations":{"windlass.dev/hollow-duration":"10ms",
      "windlass.dev/hollow-exit-code":"42"}},
      "spec":{"restartPolicy":"Never","containers":[{"name":"c","image":"i"}]}}})",
             R"({"windlass.dev/failure-rule-names":"[\"Broken\"]"})");
  const auto job = wait_for("default/named", "Failed");
  ASSERT_NE(job, nullptr) << controller.said();
  EXPECT_EQ(job->status().conditions(job->status().conditions_size() - 1).reason(),
            "PodFailurePolicy_Broken");
}

TEST_F(ControllerOnCluster, TheSecondGoesOnWhenTheFirstStops) {
  auto first = std::make_unique<RunningController>(cluster_.access(), options(), "first");
  first->wait_for("Leading");
  RunningController second(cluster_.access(), options(), "second");
  second.wait_for("Jobs of ");
  EXPECT_EQ(first->stop(), ExitCode::ok);
  second.wait_for("Leading");
  create_job(
      "default/late",
      std::string(R"({"managedBy":"windlass.dev/job-controller","template":)") + kQuickPods + "}");
  EXPECT_NE(wait_for("default/late", "Complete"), nullptr) << second.said();
  const auto leases = list(api::kinds::lease(), "kube-system");
  ASSERT_EQ(leases.size(), 1u);
  EXPECT_EQ(client::key_of(*leases.front()), "kube-system/windlass.dev-job-controller");
}

TEST_F(ControllerOnCluster, SaysWhyItCannotStart) {
  ControllerOptions busy = options();
  busy.listen = "256.0.0.1:1";
  RunningController wrong(cluster_.access(), busy, "one");
  EXPECT_EQ(wrong.join(), ExitCode::failed);
  EXPECT_THAT(wrong.said(), HasSubstr("not an address to listen on"));
  cluster_.pause();
  RunningController alone(cluster_.access(), options(), "one");
  EXPECT_EQ(alone.join(), ExitCode::failed);
  EXPECT_THAT(alone.said(), HasSubstr("error: cannot use the cluster at https://127.0.0.1:"));
}

TEST(BuiltInController, IsSeenByWhatItWrote) {
  const Time now = time_from_unix(1'000'000);
  const auto jobs = [&](const std::string& writer, const std::string& subresource, int64_t ago,
                        const std::string& managed_by = "") {
    auto job = std::make_shared<Job>();
    job->mutable_metadata()->set_name("j");
    if (!managed_by.empty()) {
      job->mutable_spec()->set_managed_by(managed_by);
    }
    auto& entry = *job->mutable_metadata()->add_managed_fields();
    entry.set_manager(writer);
    entry.set_subresource(subresource);
    entry.mutable_time()->set_seconds(1'000'000 - ago);
    return client::ObjectList{{job}, "", ""};
  };
  // Some distributions have it in a program of another name.
  for (const char* writer : {"kube-controller-manager", "k3s", "kubelite"}) {
    const auto trace = find_built_in_trace(jobs(writer, "status", 60), now);
    ASSERT_TRUE(trace.has_value()) << writer;
    EXPECT_EQ(trace->job, "j");
    EXPECT_EQ(trace->writer, writer);
    EXPECT_TRUE(find_built_in_trace(
        jobs(writer, "status", 60, std::string(api::kBuiltInJobController)), now));
    EXPECT_FALSE(find_built_in_trace(jobs(writer, "status", 60, "example.com/x"), now));
    EXPECT_FALSE(find_built_in_trace(jobs(writer, "status", 6000), now));
    EXPECT_FALSE(find_built_in_trace(jobs(writer, "", 60), now));
  }
  for (const char* writer : {"kubectl", "kubectl-edit", "windlass"}) {
    EXPECT_FALSE(find_built_in_trace(jobs(writer, "status", 60), now)) << writer;
  }
  EXPECT_THAT(built_in_advice({"default/j", "k3s"}), HasSubstr("-job-controller"));
  EXPECT_THAT(built_in_advice({"default/j", "k3s"}), HasSubstr("k3s wrote the status"));
}

}  // namespace
}  // namespace windlass::cli
