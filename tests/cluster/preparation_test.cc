#include "cluster/preparation.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>

#include "apiserver/testing.h"
#include "controllers/job/controller.h"

namespace windlass::cluster_tests {
namespace {

using ::testing::HasSubstr;

class ClusterPreparation : public ::testing::Test {
 protected:
  // As on an older server with the gate off.
  static api::FeatureGates without_managers() {
    return api::FeatureGates().with(api::Feature::job_managed_by, false);
  }

  Result<remote::ServerFeatures> prepare(Duration patience) {
    std::optional<Result<remote::ServerFeatures>> answer;
    Preparation preparation(
        api_.client_env(), "scenarios", "probe",
        [&answer](Result<remote::ServerFeatures> kept) { answer = std::move(kept); }, patience);
    preparation.start();
    EXPECT_TRUE(api_.world.run_until([&answer] { return answer.has_value(); }, minutes(1)));
    return answer ? *answer : Result<remote::ServerFeatures>(fail(plain_error("no answer")));
  }

  apiserver::testing::SimulatedApi api_{1, without_managers()};
};

TEST_F(ClusterPreparation, AControllerThatTakesUpTheJobIsSeen) {
  controllers::job::JobController controller(api_.client_env(), {});
  controller.start();
  const auto kept = prepare(seconds(5));
  ASSERT_FALSE(kept.has_value());
  EXPECT_THAT(kept.error().message, HasSubstr("the cluster's own one is at work"));
  EXPECT_EQ(api_.job("probe", "scenarios"), nullptr);
}

TEST_F(ClusterPreparation, WithoutOneItIsKnownWhatTheServerKeeps) {
  const auto kept = prepare(seconds(5));
  ASSERT_TRUE(kept.has_value()) << kept.error().message;
  EXPECT_FALSE(kept->managed_by);
  EXPECT_TRUE(kept->success_policy);
  EXPECT_EQ(api_.job("probe", "scenarios"), nullptr);
}

TEST_F(ClusterPreparation, ItIsNotLookedForUnlessAsked) {
  controllers::job::JobController controller(api_.client_env(), {});
  controller.start();
  EXPECT_TRUE(prepare(Duration::zero()).has_value());
}

}  // namespace
}  // namespace windlass::cluster_tests
