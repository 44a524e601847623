#include "remote/server_features.h"

#include <gtest/gtest.h>

namespace windlass::remote {
namespace {

TEST(ServerFeatures, AreReadFromTheOpenApiDocument) {
  const auto features = read_features(R"({"components":{"schemas":{
    "io.k8s.api.batch.v1.JobSpec":{"properties":{"template":{},"podFailurePolicy":{},
      "backoffLimitPerIndex":{},"podReplacementPolicy":{}}},
    "io.k8s.api.batch.v1.JobStatus":{"properties":{"failedIndexes":{}}}}}})");
  ASSERT_TRUE(features.has_value()) << features.error().message;
  EXPECT_TRUE(features->pod_failure_policy);
  EXPECT_TRUE(features->backoff_limit_per_index);
  EXPECT_FALSE(features->pod_replacement_policy);  // the status could not be kept
  EXPECT_FALSE(features->managed_by);
  EXPECT_EQ(features->missing().size(), 4u);
  EXPECT_EQ(features->missing().front(),
            "spec.managedBy (since 1.30): no Job can name a controller");
  EXPECT_TRUE(ServerFeatures().missing().empty());
  EXPECT_FALSE(read_features("{}").has_value());
  EXPECT_FALSE(read_features("<html>").has_value());
}

TEST(ServerFeatures, TheVersionIsSaid) {
  EXPECT_EQ(*read_version(R"({"major":"1","gitVersion":"v1.33.1"})"), "v1.33.1");
  EXPECT_FALSE(read_version("{}").has_value());
}

}  // namespace
}  // namespace windlass::remote
