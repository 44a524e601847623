#include "api/feature_gates.h"

#include <gtest/gtest.h>

namespace windlass::api {
namespace {

TEST(FeatureGates, AllAreOnByDefault) {
  const FeatureGates gates;
  EXPECT_EQ(all_features().size(), kFeatureCount);
  for (const Feature feature : all_features()) {
    EXPECT_TRUE(gates.enabled(feature)) << feature_name(feature);
  }
  EXPECT_EQ(gates.text(), "");
  EXPECT_EQ(FeatureGates::parse(""), gates);
}

TEST(FeatureGates, EachCanBeTurnedOffByItsName) {
  for (const Feature off : all_features()) {
    const std::string text = std::string(feature_name(off)) + "=false";
    const Result<FeatureGates> gates = FeatureGates::parse(text);
    ASSERT_TRUE(gates.has_value()) << text;
    for (const Feature feature : all_features()) {
      EXPECT_EQ(gates->enabled(feature), feature != off) << text;
    }
    EXPECT_EQ(gates->text(), text);
  }
}

TEST(FeatureGates, SeveralSettingsAndBlanksAndTheLastOfTwo) {
  const Result<FeatureGates> gates =
      FeatureGates::parse(" JobManagedBy = f, JobSuccessPolicy=0,,JobManagedBy=True ");
  ASSERT_TRUE(gates.has_value());
  EXPECT_TRUE(gates->enabled(Feature::job_managed_by));
  EXPECT_FALSE(gates->enabled(Feature::job_success_policy));
}

TEST(FeatureGates, WithChangesACopy) {
  const FeatureGates gates;
  const FeatureGates off = gates.with(Feature::pod_failure_policy_name, false);
  EXPECT_TRUE(gates.enabled(Feature::pod_failure_policy_name));
  EXPECT_FALSE(off.enabled(Feature::pod_failure_policy_name));
  EXPECT_EQ(off.with(Feature::pod_failure_policy_name, true), gates);
}

TEST(FeatureGates, ErrorsAreThoseOfKubeApiserver) {
  struct Case {
    std::string_view text;
    std::string_view message;
  };
  const Case cases[] = {
      {"NoSuchGate=true", "unrecognized feature gate: NoSuchGate"},
      {"jobManagedBy=true", "unrecognized feature gate: jobManagedBy"},
      {"JobManagedBy", "missing bool value for JobManagedBy"},
      {"JobManagedBy=yes",
       "invalid value of JobManagedBy=yes, err: strconv.ParseBool: parsing \"yes\": invalid "
       "syntax"},
      {"JobManagedBy=",
       "invalid value of JobManagedBy=, err: strconv.ParseBool: parsing \"\": invalid syntax"},
  };
  for (const Case& c : cases) {
    const Result<FeatureGates> gates = FeatureGates::parse(c.text);
    ASSERT_FALSE(gates.has_value()) << c.text;
    EXPECT_EQ(gates.error().message, c.message);
  }
}

}  // namespace
}  // namespace windlass::api
