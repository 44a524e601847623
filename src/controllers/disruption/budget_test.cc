#include "controllers/disruption/budget.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "api/codec/wire_time.h"
#include "api/pod/pod_testing.h"
#include "schema/policy/v1/pod_disruption_budget.pb.h"

namespace windlass::controllers::disruption {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Pair;

const Time kNow = time_from_unix(10'000);

Budget budget(const std::string& spec) {
  return api::testing::from_yaml<Budget>(
      "{metadata: {name: b, namespace: default, generation: 3}, spec: {" + spec + "}}");
}

struct Pods {
  explicit Pods(size_t ready, size_t unready = 0, const std::string& controller = "") {
    for (size_t i = 0; i < ready + unready; ++i) {
      BudgetPod pod;
      pod.ns = "default";
      pod.name = "p" + std::to_string(i);
      pod.key = "default/" + pod.name;
      pod.ready = i < ready;
      pod.controller = controller;
      all.push_back(pod);
    }
  }
  std::vector<const BudgetPod*> list() const {
    std::vector<const BudgetPod*> pointers;
    for (const BudgetPod& pod : all) {
      pointers.push_back(&pod);
    }
    return pointers;
  }
  std::vector<BudgetPod> all;
};

Reckoning must_reckon(const Budget& subject, const Pods& pods) {
  const auto reckoning = reckon(subject, pods.list(), kNow);
  EXPECT_TRUE(reckoning.has_value());
  return reckoning.value_or(Reckoning());
}

TEST(Budget, D2_D5_AnIntegerMinAvailableCountsThePodsThereAre) {
  const Reckoning some = must_reckon(budget("minAvailable: 2"), Pods(3, 1));
  EXPECT_EQ(some.expected, 4);
  EXPECT_EQ(some.desired, 2);
  EXPECT_EQ(some.healthy, 3);
  EXPECT_EQ(some.allowed, 1);
  EXPECT_EQ(must_reckon(budget("minAvailable: 5"), Pods(3)).allowed, 0);
  EXPECT_EQ(must_reckon(budget("minAvailable: 0"), Pods(0)).allowed, 0);
}

TEST(Budget, D3_AJobCannotSayHowManyPodsItWants) {
  for (const char* spec : {"maxUnavailable: 1", "maxUnavailable: 10%", "minAvailable: 50%"}) {
    const Pods pods(2, 0, "jobs.batch");
    const auto reckoning = reckon(budget(spec), pods.list(), kNow);
    ASSERT_FALSE(reckoning.has_value());
    EXPECT_EQ(reckoning.error().message, "jobs.batch does not implement the scale subresource");
  }
  EXPECT_EQ(must_reckon(budget("minAvailable: 1"), Pods(2, 0, "jobs.batch")).allowed, 1);
}

TEST(Budget, D9_PodsWithoutAControllerAllowNothingUnderAPercentage) {
  const Reckoning reckoning = must_reckon(budget("maxUnavailable: 1"), Pods(3));
  EXPECT_EQ(reckoning.expected, 0);
  EXPECT_EQ(reckoning.allowed, 0);
  EXPECT_TRUE(reckoning.has_unmanaged);
}

TEST(Budget, D4_WhatIsGoingIsNotHealthy) {
  Pods pods(4);
  pods.all[0].deleting = true;
  Budget subject = budget("minAvailable: 1");
  api::set_time((*subject.mutable_status()->mutable_disrupted_pods())["p1"], kNow - seconds(30));
  const Reckoning reckoning = must_reckon(subject, pods);
  EXPECT_EQ(reckoning.expected, 4);
  EXPECT_EQ(reckoning.healthy, 2);
  EXPECT_EQ(reckoning.allowed, 1);
  EXPECT_THAT(reckoning.disrupted, ElementsAre(Pair("p1", kNow - seconds(30))));
  // It is stored in whole seconds, and may have been granted at the last instant of that one.
  EXPECT_EQ(reckoning.recheck, kNow + seconds(91) - nanoseconds(1));
}

TEST(Budget, D6_GrantsVanishWithThePodItsDeletionOrTime) {
  Pods pods(3);
  pods.all[0].deleting = true;
  Budget subject = budget("minAvailable: 1");
  auto& grants = *subject.mutable_status()->mutable_disrupted_pods();
  api::set_time(grants["p0"], kNow);
  api::set_time(grants["gone"], kNow);
  api::set_time(grants["p1"], kNow - seconds(121));
  const Reckoning reckoning = must_reckon(subject, pods);
  EXPECT_THAT(reckoning.disrupted, IsEmpty());
  ASSERT_EQ(reckoning.not_deleted.size(), 1u);
  EXPECT_EQ(reckoning.not_deleted[0]->name, "p1");
  EXPECT_EQ(reckoning.healthy, 2);
}

TEST(Budget, D7_SaysWhetherAndKeepsForeignConditions) {
  Budget subject = budget("minAvailable: 1");
  auto& foreign = *subject.mutable_status()->add_conditions();
  foreign.set_type("Other");
  foreign.set_status("True");
  EXPECT_TRUE(apply_reckoning(must_reckon(subject, Pods(2)), kNow, subject));
  EXPECT_EQ(subject.status().observed_generation(), 3);
  EXPECT_EQ(subject.status().disruptions_allowed(), 1);
  ASSERT_EQ(subject.status().conditions_size(), 2);
  EXPECT_EQ(subject.status().conditions(0).type(), "Other");
  EXPECT_EQ(subject.status().conditions(1).status(), "True");
  EXPECT_EQ(subject.status().conditions(1).reason(), "SufficientPods");
  EXPECT_FALSE(apply_reckoning(must_reckon(subject, Pods(2)), kNow + seconds(5), subject));
  EXPECT_TRUE(apply_reckoning(must_reckon(subject, Pods(1)), kNow + seconds(5), subject));
  EXPECT_EQ(subject.status().conditions(1).status(), "False");
  EXPECT_EQ(subject.status().conditions(1).reason(), "InsufficientPods");
}

TEST(Budget, D3_AFailureAllowsNothingAndTouchesNothingElse) {
  Budget subject = budget("maxUnavailable: 1");
  subject.mutable_status()->set_disruptions_allowed(4);
  subject.mutable_status()->set_current_healthy(4);
  EXPECT_TRUE(apply_failure("no", kNow, subject));
  EXPECT_EQ(subject.status().disruptions_allowed(), 0);
  EXPECT_EQ(subject.status().current_healthy(), 4);
  EXPECT_FALSE(subject.status().has_observed_generation());
  EXPECT_EQ(subject.status().conditions(0).reason(), "SyncFailed");
  EXPECT_EQ(subject.status().conditions(0).message(), "no");
  EXPECT_FALSE(apply_failure("no", kNow + seconds(5), subject));
}

TEST(Budget, E7_AnEmptySelectorMeansAllAndNoneMeansNone) {
  BudgetPod pod = Pods(1).all[0];
  pod.labels = {{"app", "a"}};
  EXPECT_TRUE(BudgetScope(budget("selector: {}")).has(pod));
  EXPECT_FALSE(BudgetScope(budget("")).has(pod));
  EXPECT_TRUE(BudgetScope(budget("selector: {matchLabels: {app: a}}")).has(pod));
  EXPECT_FALSE(BudgetScope(budget("selector: {matchLabels: {app: b}}")).has(pod));
  pod.ns = "other";
  EXPECT_FALSE(BudgetScope(budget("selector: {}")).has(pod));
}

}  // namespace
}  // namespace windlass::controllers::disruption
