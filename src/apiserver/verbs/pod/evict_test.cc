// Eviction: disruption.md E-1 to E-11, api.md P90-P95.
#include "apiserver/verbs/pod/evict_budget.h"

#include "apiserver/server_testing.h"
#include "apiserver/strategies/strategies.h"

namespace windlass::apiserver {
namespace {

constexpr const char* kRunning = R"({"status":{"phase":"Running"}})";
constexpr const char* kReady =
    R"({"status":{"phase":"Running","conditions":[{"type":"Ready","status":"True"}]}})";

class Evict : public ServerTest {
 protected:
  static ObjectRef budget(std::string name) { return {&budget_kind(), "default", std::move(name)}; }

  void make_pod(std::string_view status) {
    must_create_pod("p", R"({"labels":{"app":"x"}})");
    CHECK(server.bind(pod("p"), {.node = "n"}).answer.has_value(), "a new pod");
    set_status(pod("p"), status);
  }
  void make_budget(const std::string& name, std::string_view status,
                   std::string_view selector = R"({"matchLabels":{"app":"x"}})") {
    must_create(budget(name),
                R"({"spec":{"minAvailable":1,"selector":)" + std::string(selector) + "}}");
    set_status(budget(name), R"({"status":)" + std::string(status) + "}");
  }
  void set_status(const ObjectRef& ref, std::string_view patch) {
    const WriteResult done = server.patch(ref, "status", PatchType::merge, patch);
    CHECK(done.answer.has_value(), error(done));
  }
  // The message of the only cause.
  std::string cause() {
    const WriteResult result = server.evict(pod("p"), {});
    if (result.answer) {
      return "";
    }
    const Status& status = result.answer.error();
    EXPECT_EQ(status.code, 429);
    EXPECT_EQ(status.reason, "TooManyRequests");
    EXPECT_EQ(status.message, "Cannot evict pod as it would violate the pod's disruption budget.");
    EXPECT_EQ(status.details.causes.at(0).reason, "DisruptionBudget");
    return status.details.causes.at(0).message;
  }
  std::string json(const ObjectRef& ref) { return api::to_json(*stored(ref)); }
  bool is_terminating() { return meta(pod("p")).has_deletion_timestamp(); }
};

TEST_F(Evict, E1_UnknownPod) {
  EXPECT_EQ(error(server.evict(pod("p"), {})), "404 NotFound: pods \"p\" not found");
}

TEST_F(Evict, E6_E10_TheConditionIsStoredBeforeTheDeletion) {
  make_pod(kReady);
  const store::Revision before = store.head_revision();
  ASSERT_EQ(error(server.evict(pod("p"), {})), "");
  EXPECT_TRUE(is_terminating());
  EXPECT_THAT(events(api::kinds::pod(), before),
              testing::ElementsAre("~default/p@" + std::to_string(before + 1),
                                   "~default/p@" + std::to_string(before + 2)));
  const std::string after = json(pod("p"));
  EXPECT_NE(after.find(R"("type":"DisruptionTarget")"), std::string::npos) << after;
  EXPECT_NE(after.find(R"("reason":"EvictionByEvictionAPI","message":"Eviction API: evicting")"),
            std::string::npos)
      << after;
}

TEST_F(Evict, F1_WithoutTheGateItIsADeletionAndNothingElse) {
  make_pod(kReady);
  Server plain(store, world.clock(), world.random(),
               api::FeatureGates().with(api::Feature::pod_disruption_conditions, false));
  ASSERT_EQ(error(plain.evict(pod("p"), {})), "");
  EXPECT_TRUE(is_terminating());
  EXPECT_EQ(json(pod("p")).find("DisruptionTarget"), std::string::npos);
}

TEST_F(Evict, E3_P91_BudgetsAreIgnored) {
  make_budget("b", "{}");
  must_create_pod("p", R"({"labels":{"app":"x"}})");
  EXPECT_TRUE(server.evict(pod("p"), {}).removed) << "pending";
  for (const char* phase : {"Succeeded", "Failed"}) {
    make_pod(R"({"status":{"phase":")" + std::string(phase) + R"("}})");
    EXPECT_EQ(error(server.evict(pod("p"), {})), "") << phase;
    EXPECT_EQ(stored(pod("p")), nullptr) << phase;
  }
}

TEST_F(Evict, E5_P92_TwoBudgets) {
  make_pod(kReady);
  make_budget("a", R"({"observedGeneration":1,"disruptionsAllowed":1})");
  make_budget("b", R"({"observedGeneration":1,"disruptionsAllowed":1})", "{}");
  EXPECT_EQ(error(server.evict(pod("p"), {})),
            "500 : This pod has more than one PodDisruptionBudget, which the eviction subresource "
            "does not support.");
}

TEST_F(Evict, E7_Selectors) {
  make_pod(kReady);
  make_budget("none", "{}", "null");
  make_budget("other", "{}", R"({"matchLabels":{"app":"y"}})");
  EXPECT_EQ(error(server.evict(pod("p"), {})), "");
}

TEST_F(Evict, E8_P93_UnreadyPodsOfAHealthyBudgetAreFree) {
  make_pod(kRunning);
  make_budget("b", R"({"observedGeneration":1,"desiredHealthy":1,"currentHealthy":1})");
  EXPECT_EQ(error(server.evict(pod("p"), {})), "");
  EXPECT_EQ(json(budget("b")).find("disruptedPods"), std::string::npos);
}

TEST_F(Evict, E8_AlwaysAllow) {
  make_pod(kRunning);
  make_budget("b", R"({"observedGeneration":2,"desiredHealthy":5})");
  EXPECT_EQ(cause(), "The disruption budget b needs 5 healthy pods and has 0 currently");
  ASSERT_EQ(error(server.patch(budget("b"), "", PatchType::merge,
                               R"({"spec":{"unhealthyPodEvictionPolicy":"AlwaysAllow"}})")),
            "");
  EXPECT_EQ(error(server.evict(pod("p"), {})), "");
}

TEST_F(Evict, E9a_P94_NotYetProcessed) {
  make_pod(kReady);
  make_budget("b", "{}");
  EXPECT_EQ(cause(), "The disruption budget b is still being processed by the server.");
  EXPECT_EQ(server.evict(pod("p"), {}).answer.error().details.retry_after_seconds, 10);
}

TEST_F(Evict, E9c_TooManyUnconfirmed) {
  make_pod(kReady);
  std::string pods;
  for (int i = 0; i <= kMaxDisruptedPods; ++i) {
    pods += (i == 0 ? "" : ",") + ("\"p" + std::to_string(i)) + R"(":"2026-01-01T00:00:00Z")";
  }
  make_budget("b",
              R"({"observedGeneration":1,"disruptionsAllowed":1,"disruptedPods":{)" + pods + "}}");
  EXPECT_EQ(error(server.evict(pod("p"), {})),
            "403 Forbidden: poddisruptionbudget.policy \"b\" is forbidden: DisruptedPods map too "
            "big - too many evictions not confirmed by PDB controller");
}

TEST_F(Evict, E9d_WhyNoneIsLeft) {
  make_pod(kReady);
  make_budget("b", R"({"observedGeneration":1,"desiredHealthy":2,"currentHealthy":2})");
  EXPECT_EQ(cause(), "The disruption budget b needs 2 healthy pods and has 2 currently");
  EXPECT_EQ(server.evict(pod("p"), {}).answer.error().details.retry_after_seconds, 0);
  set_status(budget("b"), R"({"status":{"currentHealthy":3}})");
  EXPECT_EQ(cause(), "The disruption budget b does not allow evicting pods currently");
  const auto condition = [&](const char* reason) {
    set_status(budget("b"),
               R"({"status":{"conditions":[{"type":"DisruptionAllowed","status":"False",)"
               R"("reason":")" +
                   std::string(reason) +
                   R"(","message":"m","lastTransitionTime":"2026-01-01T00:00:00Z"}]}})");
  };
  condition("SyncFailed");
  EXPECT_EQ(cause(),
            "The disruption budget b does not allow evicting pods currently because it failed "
            "sync: m");
  condition("Other");
  EXPECT_EQ(cause(), "The disruption budget b does not allow evicting pods currently (Other): m");
  EXPECT_FALSE(is_terminating());
}

TEST_F(Evict, E9e_TheBudgetPays) {
  make_pod(kReady);
  make_budget("b", R"({"observedGeneration":1,"disruptionsAllowed":1,"currentHealthy":2})");
  ASSERT_EQ(error(server.evict(pod("p"), {})), "");
  const std::string after = json(budget("b"));
  EXPECT_NE(after.find(R"("disruptedPods":{"p":)"), std::string::npos) << after;
  EXPECT_NE(after.find(R"("disruptionsAllowed":0)"), std::string::npos) << after;
  EXPECT_NE(after.find(R"("reason":"InsufficientPods")"), std::string::npos) << after;
}

TEST_F(Evict, E2_DryRunChecksTheBudgetAndWritesNothing) {
  const WriteOptions dry{.dry_run = true};
  make_pod(kReady);
  make_budget("b", R"({"observedGeneration":1,"disruptionsAllowed":1,"currentHealthy":2})");
  const store::Revision before = store.head_revision();
  EXPECT_EQ(error(server.evict(pod("p"), {}, dry)), "");
  EXPECT_EQ(store.head_revision(), before);
  set_status(budget("b"), R"({"status":{"disruptionsAllowed":0}})");
  EXPECT_EQ(server.evict(pod("p"), {}, dry).answer.error().code, 429);
}

TEST_F(Evict, E10_PreconditionsComeBeforeTheBudget) {
  make_pod(kReady);
  make_budget("b", R"({"observedGeneration":1,"disruptionsAllowed":1,"currentHealthy":2})");
  EXPECT_EQ(server.evict(pod("p"), {.preconditions = {.uid = "x"}}).answer.error().code, 409);
  EXPECT_EQ(
      server.evict(pod("p"), {.preconditions = {.resource_version = "1"}}).answer.error().code,
      409);
  EXPECT_EQ(json(budget("b")).find("disruptedPods"), std::string::npos);
  const std::string version = meta(pod("p")).resource_version();
  EXPECT_EQ(error(server.evict(pod("p"), {.preconditions = {.resource_version = version}})), "");
}

TEST_F(Evict, E11_ATerminatingPodIsMarkedToo) {
  make_pod(kReady);
  ASSERT_EQ(error(server.remove(pod("p"), {})), "");
  ASSERT_EQ(error(server.evict(pod("p"), {})), "");
  EXPECT_NE(json(pod("p")).find("EvictionByEvictionAPI"), std::string::npos);
}

}  // namespace
}  // namespace windlass::apiserver
