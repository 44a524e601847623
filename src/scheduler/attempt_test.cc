#include "scheduler/attempt.h"

#include <gtest/gtest.h>

#include "scheduler/cluster/model_testing.h"

namespace windlass::scheduler {
namespace {

using testing::cpu_shape;
using testing::make_node;
using testing::make_pod;
using testing::on_node;
using testing::spec_pod;

class AttemptTest : public ::testing::Test {
 protected:
  void add_node(const std::string& name, Labels labels) {
    NodeInfo node = make_node(name);
    node.labels.insert(labels.begin(), labels.end());
    cluster.set_node(node);
  }
  void add_pod(const std::string& uid, const std::string& node, Labels labels,
               const std::string& spec = "") {
    cluster.set_pod(on_node(spec_pod(uid, spec, std::move(labels)), node));
  }
  Fit fit(const PodPtr& pod, const std::string& name) {
    const NodeState& node = *cluster.find(name);
    return Attempt(*pod, cluster, nominations, counts).fit(node, node.usage);
  }
  std::vector<std::string> fitting(const PodPtr& pod) {
    std::vector<std::string> names;
    for (size_t slot = 0; slot < cluster.slot_count(); ++slot) {
      if (cluster.at(slot) != nullptr && fit(pod, cluster.at(slot)->info.name).fits()) {
        names.push_back(cluster.at(slot)->info.name);
      }
    }
    return names;
  }

  Cluster cluster;
  Nominations nominations;
  MatchCounts counts{cluster};
};

using Names = std::vector<std::string>;

std::string spread(const std::string& more = "") {
  return "topologySpreadConstraints: [{maxSkew: 1, topologyKey: zone, whenUnsatisfiable: "
         "DoNotSchedule, labelSelector: {matchLabels: {app: web}}" +
         more + "}]";
}

TEST_F(AttemptTest, Row7_S11_SkewMustNotExceedTheMaximum) {
  add_node("a", {{"zone", "1"}});
  add_node("b", {{"zone", "2"}});
  add_pod("w1", "a", {{"app", "web"}});
  EXPECT_EQ(fitting(spec_pod("p", spread(), {{"app", "web"}})), Names{"b"});
  // One that does not count itself may go to either.
  EXPECT_EQ(fitting(spec_pod("q", spread(), {{"app", "other"}})), (Names{"a", "b"}));
  add_pod("w2", "b", {{"app", "web"}});
  EXPECT_EQ(fitting(spec_pod("p", spread(), {{"app", "web"}})), (Names{"a", "b"}));
  const Fit no = [&] {
    add_pod("w3", "a", {{"app", "web"}});
    return fit(spec_pod("p", spread(), {{"app", "web"}}), "a");
  }();
  EXPECT_EQ(no, (Fit{bit(Reason::spread), false}));
}

TEST_F(AttemptTest, Row7_ANodeWithoutTheLabelIsHopeless) {
  add_node("a", {});
  EXPECT_EQ(fit(spec_pod("p", spread()), "a"), (Fit{bit(Reason::spread_label), true}));
}

TEST_F(AttemptTest, Row7_TooFewDomainsCountAsAnEmptyOne) {
  add_node("a", {{"zone", "1"}});
  add_pod("w1", "a", {{"app", "web"}});
  EXPECT_EQ(fitting(spec_pod("p", spread(), {{"app", "web"}})), Names{"a"});
  EXPECT_EQ(fitting(spec_pod("p", spread(", minDomains: 2"), {{"app", "web"}})), Names{});
}

TEST_F(AttemptTest, Row7_NodesThatThePodCannotUseHaveNoDomain) {
  add_node("a", {{"zone", "1"}, {"disk", "ssd"}});
  add_node("b", {{"zone", "2"}});
  add_pod("w1", "a", {{"app", "web"}});
  const std::string selector = "nodeSelector: {disk: ssd}, ";
  EXPECT_EQ(fitting(spec_pod("p", selector + spread(), {{"app", "web"}})), Names{"a"});
  EXPECT_EQ(
      fitting(spec_pod("p", selector + spread(", nodeAffinityPolicy: Ignore"), {{"app", "web"}})),
      Names{});
}

std::string affinity(const std::string& kind, const std::string& label) {
  return "affinity: {" + kind +
         ": {requiredDuringSchedulingIgnoredDuringExecution: [{topologyKey: zone, labelSelector: "
         "{matchLabels: {app: " +
         label + "}}}]}}";
}

TEST_F(AttemptTest, Row8_RequiredAffinityWantsCompany) {
  add_node("a", {{"zone", "1"}});
  add_node("b", {{"zone", "1"}});
  add_node("c", {{"zone", "2"}});
  add_node("d", {});
  add_pod("db", "a", {{"app", "db"}});
  const PodPtr pod = spec_pod("p", affinity("podAffinity", "db"));
  EXPECT_EQ(fitting(pod), (Names{"a", "b"}));
  EXPECT_EQ(fit(pod, "c"), (Fit{bit(Reason::pod_affinity), true}));
}

TEST_F(AttemptTest, Row8_TheFirstOfAGroupMayGoAnywhereWithTheLabel) {
  add_node("a", {{"zone", "1"}});
  add_node("d", {});
  EXPECT_EQ(fitting(spec_pod("p", affinity("podAffinity", "web"), {{"app", "web"}})), Names{"a"});
  EXPECT_EQ(fitting(spec_pod("p", affinity("podAffinity", "web"))), Names{});
}

TEST_F(AttemptTest, Row8_RequiredAntiAffinityKeepsAway) {
  add_node("a", {{"zone", "1"}});
  add_node("b", {{"zone", "2"}});
  add_pod("db", "a", {{"app", "db"}});
  const PodPtr pod = spec_pod("p", affinity("podAntiAffinity", "db"));
  EXPECT_EQ(fitting(pod), Names{"b"});
  EXPECT_EQ(fit(pod, "a"), (Fit{bit(Reason::pod_anti_affinity), false}));
}

TEST_F(AttemptTest, Row8_AntiAffinityOfPodsThatAreThere) {
  add_node("a", {{"zone", "1"}});
  add_node("b", {{"zone", "2"}});
  add_pod("db", "a", {{"app", "db"}}, affinity("podAntiAffinity", "web"));
  const PodPtr pod = make_pod("p", cpu_shape(0), {{"app", "web"}});
  EXPECT_EQ(fitting(pod), Names{"b"});
  EXPECT_EQ(fit(pod, "a"), (Fit{bit(Reason::existing_anti_affinity), false}));
  EXPECT_EQ(fitting(make_pod("q", cpu_shape(0))), (Names{"a", "b"}));
}

TEST_F(AttemptTest, PodsComeAndGoAsIf) {
  add_node("a", {{"zone", "1"}});
  add_node("b", {{"zone", "2"}});
  add_pod("w1", "a", {{"app", "web"}});
  const NodeState& a = *cluster.find("a");
  const PodInfo there = *a.pods.at("w1");
  for (const std::string& spec : {spread(), affinity("podAntiAffinity", "web")}) {
    const PodPtr pod = spec_pod("p", spec, {{"app", "web"}});
    Attempt attempt(*pod, cluster, nominations, counts);
    EXPECT_FALSE(attempt.fit(a, a.usage).fits());
    attempt.remove(there, a);
    EXPECT_TRUE(attempt.fit(a, a.usage).fits());
    attempt.add(there, a);
    EXPECT_FALSE(attempt.fit(a, a.usage).fits());
  }
}

TEST_F(AttemptTest, S12_NominatedPodsOfAtLeastItsPriorityCount) {
  cluster.set_node(make_node("a", 1000));
  const PodPtr nominated = make_pod("n", cpu_shape(1000, 5));
  nominations.set(nominated, "a");
  EXPECT_EQ(fit(make_pod("p", cpu_shape(1, 5)), "a").reasons, bit(Reason::cpu));
  EXPECT_EQ(fit(make_pod("p", cpu_shape(1, 4)), "a").reasons, bit(Reason::cpu));
  EXPECT_TRUE(fit(make_pod("p", cpu_shape(1, 6)), "a").fits());
  EXPECT_TRUE(fit(nominated, "a").fits());
}

TEST_F(AttemptTest, S12_AndBothLooksMustPass) {
  add_node("a", {{"zone", "1"}});
  nominations.set(spec_pod("n", "priority: 5", {{"app", "db"}}), "a");
  // Company that is only nominated is not there yet.
  EXPECT_FALSE(fit(spec_pod("p", affinity("podAffinity", "db")), "a").fits());
}

TEST_F(AttemptTest, CountsAreTakenAgainOnlyWhereSomethingChanged) {
  add_node("a", {});
  add_node("b", {});
  add_pod("p1", "a", {});
  int looked = 0;
  const auto count = [&] {
    looked = 0;
    return counts.count("k", [&looked](const PodInfo&) {
      ++looked;
      return true;
    });
  };
  EXPECT_EQ(count(), (std::vector<int64_t>{1, 0}));
  EXPECT_EQ(looked, 1);
  add_pod("p2", "b", {});
  EXPECT_EQ(count(), (std::vector<int64_t>{1, 1}));
  EXPECT_EQ(looked, 1);
  cluster.set_namespace("default", {{"a", "b"}});
  EXPECT_EQ(count(), (std::vector<int64_t>{1, 1}));
  EXPECT_EQ(looked, 2);
}

}  // namespace
}  // namespace windlass::scheduler
