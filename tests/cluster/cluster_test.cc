// The same scenarios in process and, over TLS, on a cluster end in the same statuses.
#include <gtest/gtest.h>

#include "apiserver/testing.h"
#include "cli/commands/controller/controller_testing.h"
#include "cluster/suite.h"
#include "controllers/job/controller.h"

namespace windlass::cluster_tests {
namespace {

constexpr Duration kBackoff = milliseconds(10);

TEST(ClusterScenarios, AreFortyAtLeastAndOfOneNameEach) {
  std::map<std::string, const Scenario*> by_name;
  for (const Scenario& scenario : scenarios()) {
    EXPECT_TRUE(by_name.emplace(scenario.name, &scenario).second) << scenario.name;
  }
  EXPECT_GE(by_name.size(), 40u);
}

TEST(ClusterScenarios, ScriptsAreReadByIndexAndAttempt) {
  EXPECT_EQ(end_of_pod("1,0", -1, 0), "1");
  EXPECT_EQ(end_of_pod("1,0", -1, 1), "0");
  EXPECT_EQ(end_of_pod("1", -1, 1), "0");
  EXPECT_EQ(end_of_pod("0:1,D143;2:-", 0, 1), "D143");
  EXPECT_EQ(end_of_pod("0:1,0;2:-", 1, 0), "0");
  EXPECT_EQ(end_of_pod("0:1,0;2:-", 2, 0), "-");
}

std::map<std::string, std::string> outcomes_of(const Suite& suite) {
  std::map<std::string, std::string> outcomes;
  for (const Scenario& scenario : scenarios()) {
    const auto job = suite.ended().find(scenario.name);
    EXPECT_NE(job, suite.ended().end()) << scenario.name << " has not ended";
    if (job != suite.ended().end()) {
      EXPECT_EQ(mistakes_in(scenario, *job->second), "") << scenario.name;
      outcomes[scenario.name] = outcome_of(*job->second);
    }
  }
  EXPECT_TRUE(suite.refused().empty());
  return outcomes;
}

std::map<std::string, std::string> outcomes_in_process() {
  apiserver::testing::SimulatedApi api;
  controllers::job::JobController::Options options;
  options.engine.backoff_base = kBackoff;
  controllers::job::JobController controller(api.client_env(), options);
  controller.start();
  Suite suite(api.client_env(), "default", "", all_scenarios());
  suite.start();
  EXPECT_TRUE(api.world.run_until([&] { return suite.done(); }, hours(1)));
  return outcomes_of(suite);
}

std::map<std::string, std::string> outcomes_on_cluster() {
  cli::testing::TestCluster cluster;  // with nodes that must not touch the pods
  cli::ControllerOptions options;
  options.manager = "windlass.dev/job-controller";
  options.listen = "";
  options.backoff_base = kBackoff;
  cli::testing::RunningController controller(cluster.access(), options, "one");
  remote::testing::TestClient user(cluster.access());
  net::testing::TextLog log;
  Suite suite({user.client, user.loop, user.clock, user.random, log}, "default", options.manager,
              all_scenarios());
  suite.when_done([&] { user.loop.stop(); });
  user.loop.post([&] { suite.start(); });
  user.run();
  EXPECT_EQ(controller.stop(), cli::ExitCode::ok) << controller.said();
  return outcomes_of(suite);
}

TEST(ClusterScenarios, EndTheSameInProcessAndOnACluster) {
  const auto in_process = outcomes_in_process();
  const auto on_cluster = outcomes_on_cluster();
  for (const auto& [name, outcome] : in_process) {
    const auto there = on_cluster.find(name);
    EXPECT_EQ(outcome, there == on_cluster.end() ? "" : there->second) << name;
  }
}

}  // namespace
}  // namespace windlass::cluster_tests
