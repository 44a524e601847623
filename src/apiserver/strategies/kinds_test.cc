// PodDisruptionBudget, PriorityClass, Service and what is there from the start: api.md N15,
// N40-N42, N50-N52.
#include "apiserver/server_testing.h"
#include "apiserver/strategies/strategies.h"
#include "apiserver/system_objects.h"
#include "verify/journals/manual_journal.h"

namespace windlass::apiserver {
namespace {

class Kinds : public ServerTest {
 protected:
  static ObjectRef budget(std::string name) { return {&budget_kind(), "default", std::move(name)}; }
  static ObjectRef priority(std::string name) {
    return {&priority_class_kind(), "", std::move(name)};
  }
  std::string json(const ObjectRef& ref) { return api::to_json(*stored(ref)); }
};

TEST_F(Kinds, N50_BudgetAmounts) {
  const auto refused = [&](std::string_view spec) {
    return error(create(budget("b"), R"({"spec":)" + std::string(spec) + "}"));
  };
  const std::string prefix = "422 Invalid: PodDisruptionBudget.policy \"b\" is invalid: ";
  EXPECT_EQ(refused(R"({"minAvailable":"101%"})"),
            prefix + R"(spec.minAvailable: Invalid value: "101%": must not be greater than 100%)");
  EXPECT_TRUE(refused(R"({"maxUnavailable":"x"})")
                  .starts_with(prefix + R"(spec.maxUnavailable: Invalid value: "x": a valid )"));
  EXPECT_EQ(refused(R"({"minAvailable":-1})"),
            prefix + "spec.minAvailable: Invalid value: -1: must be greater than or equal to 0");
  EXPECT_TRUE(refused(R"({"minAvailable":1,"maxUnavailable":1})")
                  .ends_with("minAvailable and maxUnavailable cannot be both set"));
  EXPECT_TRUE(refused(R"({"unhealthyPodEvictionPolicy":"Foo"})")
                  .ends_with(R"(supported values: "AlwaysAllow", "IfHealthyBudget")"));
  EXPECT_EQ(refused(R"({"minAvailable":"100%"})"), "");
}

TEST_F(Kinds, N50_J90_BudgetSelector) {
  const std::string bad =
      R"({"spec":{"selector":{"matchExpressions":[{"key":"a","operator":"X"}]}}})";
  EXPECT_EQ(
      error(create(budget("b"), bad)),
      "422 Invalid: PodDisruptionBudget.policy \"b\" is invalid: "
      "spec.selector.matchExpressions[0].operator: Invalid value: \"X\": not a valid selector "
      "operator");
  must_create(budget("b"), R"({"spec":{"selector":{"matchLabels":{"a":"b"}}}})");
  EXPECT_EQ(server.patch(budget("b"), "", PatchType::merge, bad).answer.error().code, 422);
}

TEST_F(Kinds, N50_TheNameOfABudgetNeedOnlyFitIntoAPath) {
  must_create(budget("My_Budget"), R"({"metadata":{"finalizers":["foo"]}})");
  EXPECT_EQ(error(create(budget("a%b"), "{}")),
            "422 Invalid: PodDisruptionBudget.policy \"a%b\" is invalid: metadata.name: Invalid "
            "value: \"a%b\": may not contain '%'");
  EXPECT_EQ(error(create(budget("a/b"), R"({"spec":{"minAvailable":-1}})")),
            "422 Invalid: PodDisruptionBudget.policy \"a/b\" is invalid: spec.minAvailable: "
            "Invalid value: -1: must be greater than or equal to 0")
      << "the kind's own rules come first";
  EXPECT_EQ(error(server.patch(budget("My_Budget"), "", PatchType::merge,
                               R"({"spec":{"minAvailable":1}})")),
            "");
}

TEST_F(Kinds, N51_BudgetGenerationAndVersion) {
  must_create(budget("b"), R"({"spec":{"minAvailable":1},"status":{"currentHealthy":7}})");
  EXPECT_EQ(meta(budget("b")).generation(), 1);
  EXPECT_NE(json(budget("b")).find(R"("currentHealthy":0)"), std::string::npos);
  ASSERT_EQ(
      error(server.patch(budget("b"), "", PatchType::merge, R"({"spec":{"minAvailable":2}})")), "");
  EXPECT_EQ(meta(budget("b")).generation(), 2);
  EXPECT_EQ(error(server.update(budget("b"), "",
                                from_json(budget_kind(), R"({"metadata":{"name":"b"}})"))),
            "422 Invalid: poddisruptionbudgets.policy \"b\" is invalid: metadata.resourceVersion: "
            "Invalid value: 0: must be specified for an update");
  EXPECT_EQ(
      server
          .patch(budget("b"), "status", PatchType::merge, R"({"status":{"disruptionsAllowed":-1}})")
          .answer.error()
          .code,
      422);
}

TEST_F(Kinds, N30_FieldsOfCoordinatedLeaderElectionAreNotTaken) {
  const ObjectRef lease{&api::kinds::lease(), "default", "l"};
  must_create(lease, R"({"spec":{"holderIdentity":"h","strategy":"s","preferredHolder":"p"}})");
  EXPECT_EQ(json(lease).find("strategy"), std::string::npos);
  ASSERT_EQ(error(server.patch(lease, "", PatchType::merge, R"({"spec":{"preferredHolder":"p"}})")),
            "");
  EXPECT_EQ(json(lease).find("preferredHolder"), std::string::npos);
}

TEST_F(Kinds, N1_WhatANodeMayNotChange) {
  const ObjectRef node{&api::kinds::node(), "", "n"};
  const std::string prefix = "422 Invalid: Node \"n\" is invalid: ";
  EXPECT_EQ(error(create(node, R"({"status":{"capacity":{"cpu":"-1"}}})")),
            prefix +
                "[status.capacity.cpu: Invalid value: \"-1\": must be greater than or equal "
                "to 0, status.allocatable.cpu: Invalid value: \"-1\": must be greater than "
                "or equal to 0]");
  EXPECT_EQ(error(create(node, R"({"status":{"capacity":{"pods":"1.5"},)"
                               R"("allocatable":{"pods":"1","cpu":"1.5"}}})")),
            prefix + "status.capacity.pods: Invalid value: \"1500m\": must be an integer");
  must_create(node, R"({"spec":{"providerID":"a","podCIDRs":["10.0.0.0/24"]}})");
  const auto patch = [&](std::string_view subresource, std::string_view body) {
    return error(server.patch(node, subresource, PatchType::merge, body));
  };
  EXPECT_EQ(patch("", R"({"spec":{"providerID":"b"}})"),
            prefix +
                "spec.providerID: Forbidden: node updates may not change providerID except "
                "from \"\" to valid");
  EXPECT_EQ(patch("", R"({"spec":{"podCIDRs":["10.0.1.0/24"]}})"),
            prefix +
                "spec.podCIDRs: Forbidden: node updates may not change podCIDR except from "
                "\"\" to valid");
  EXPECT_EQ(patch("status", R"({"status":{"addresses":[{"type":"InternalIP","address":"1.1.1.1"},
      {"type":"InternalIP","address":"1.1.1.1"}]}})"),
            prefix +
                "status.addresses[1]: Duplicate value: "
                "{\"Type\":\"InternalIP\",\"Address\":\"1.1.1.1\"}");
  EXPECT_EQ(patch("status", R"({"status":{"addresses":[{"type":"InternalIP","address":"1.1.1.1"},
      {"type":"Hostname","address":"1.1.1.1"}],"capacity":{"cpu":"4"}}})"),
            "");
}

TEST_F(Kinds, N10_ANamespaceKeepsTheLabelWithItsName) {
  const ObjectRef ns{&api::kinds::namespace_(), "", "team"};
  must_create(ns, R"({"metadata":{"labels":{"a":"b"}}})");
  constexpr const char* kLabel = "kubernetes.io/metadata.name";
  EXPECT_EQ(meta(ns).labels().at(kLabel), "team");
  ASSERT_EQ(error(server.update(ns, "", from_json(*ns.kind, R"({"metadata":{"name":"team"}})"))),
            "");
  EXPECT_EQ(meta(ns).labels().size(), 1U);
  EXPECT_EQ(meta(ns).labels().at(kLabel), "team");
  ASSERT_EQ(error(server.patch(ns, "", PatchType::merge,
                               R"({"metadata":{"labels":{"kubernetes.io/metadata.name":"x"}}})")),
            "");
  EXPECT_EQ(meta(ns).labels().at(kLabel), "team");
}

TEST_F(Kinds, J49_PodTemplates) {
  const ObjectRef ref{&pod_template_kind(), "default", "t"};
  const std::string prefix = "422 Invalid: PodTemplate \"t\" is invalid: ";
  EXPECT_EQ(error(create(ref, R"({"template":{"spec":{"containers":[]}}})")),
            prefix + "template.spec.containers: Required value");
  const std::string good = R"("spec":{"containers":[{"name":"c","image":"i"}]})";
  EXPECT_TRUE(error(create(ref, R"({"template":{"metadata":{"labels":{"a":"$"}},)" + good + "}}"))
                  .starts_with(prefix + R"(template.labels: Invalid value: "$")"));
  must_create(ref, R"({"template":{)" + good + "}}");
  EXPECT_EQ(meta(ref).generation(), 1);
  EXPECT_NE(json(ref).find(R"("restartPolicy":"Always")"), std::string::npos);
  EXPECT_NE(json(ref).find(R"("dnsPolicy":"ClusterFirst")"), std::string::npos);
  const auto patch = [&](std::string_view body) {
    return server.patch(ref, "", PatchType::merge, body);
  };
  ASSERT_EQ(error(patch(R"({"metadata":{"labels":{"a":"b"}}})")), "");
  EXPECT_EQ(meta(ref).generation(), 1);
  const WriteResult twice = patch(R"({"template":{"spec":{"containers":[{"name":"c","image":"i",
      "env":[{"name":"A","value":"1"},{"name":"A","value":"2"}]}]}}})");
  ASSERT_EQ(error(twice), "");
  EXPECT_EQ(meta(ref).generation(), 2);
  ASSERT_EQ(twice.warnings.size(), 1U);
  EXPECT_TRUE(twice.warnings.front().starts_with("template.spec.containers[0].env[1]"))
      << twice.warnings.front();
  EXPECT_EQ(patch(R"({"template":{"spec":{"containers":[]}}})").answer.error().code, 422);
}

TEST_F(Kinds, N40_N41_PriorityClasses) {
  must_create(priority("p"), R"({"value":5})");
  EXPECT_EQ(meta(priority("p")).generation(), 1);
  EXPECT_NE(json(priority("p")).find(R"("preemptionPolicy":"PreemptLowerPriority")"),
            std::string::npos);
  EXPECT_EQ(error(server.patch(priority("p"), "", PatchType::merge, R"({"value":6})")),
            "422 Invalid: PriorityClass.scheduling.k8s.io \"p\" is invalid: value: Forbidden: may "
            "not be changed in an update.");
  EXPECT_TRUE(
      error(server.patch(priority("p"), "", PatchType::merge, R"({"preemptionPolicy":"Never"})"))
          .ends_with("field is immutable"));
  EXPECT_TRUE(error(create(priority("big"), R"({"value":1000000001})"))
                  .ends_with("value: Forbidden: maximum allowed value of a user defined priority "
                             "is 1000000000"));
  EXPECT_TRUE(error(create(priority("system-foo"), R"({"value":1})"))
                  .ends_with("metadata.name: Forbidden: priority class names with 'system-' prefix "
                             "are reserved for system use only. error: system-foo is not a known "
                             "system priority class"));
  EXPECT_TRUE(error(create(priority("system-node-critical"), R"({"value":1})"))
                  .ends_with("error: value of system-node-critical PriorityClass must be "
                             "2000001000"));
  EXPECT_TRUE(error(create(priority("system-node-critical"),
                           R"({"value":2000001000,"globalDefault":true})"))
                  .ends_with("error: globalDefault of system-node-critical PriorityClass must be "
                             "false"));
  EXPECT_TRUE(error(create(priority("q"), R"({"value":1,"preemptionPolicy":"Foo"})"))
                  .ends_with(R"(supported values: "PreemptLowerPriority", "Never")"));
  EXPECT_TRUE(error(create(priority("q"), R"({"value":1,"preemptionPolicy":""})"))
                  .ends_with("preemptionPolicy: Required value"));
}

TEST_F(Kinds, N15_N41_WhatIsThereFromTheStart) {
  const SystemObjects objects{.ca_certificate = "PEM", .port = 6443};
  create_system_objects(server, objects);
  const store::Revision once = store.head_revision();
  create_system_objects(server, objects);
  EXPECT_EQ(store.head_revision(), once) << "a second start changes nothing";
  EXPECT_NE(json(priority("system-node-critical")).find(R"("value":2000001000)"),
            std::string::npos);
  EXPECT_NE(json(priority("system-cluster-critical")).find(R"("value":2000000000)"),
            std::string::npos);
  EXPECT_EQ(error(server.remove(priority("system-node-critical"), {})),
            "403 Forbidden: priorityclasses.scheduling.k8s.io \"system-node-critical\" is "
            "forbidden: this is a system priority class and cannot be deleted");
  for (const char* ns : {"default", "kube-system", "kube-public", "kube-node-lease"}) {
    EXPECT_NE(stored({&service_account_kind(), ns, "default"}), nullptr) << ns;
    EXPECT_NE(json({&api::kinds::config_map(), ns, "kube-root-ca.crt"}).find(R"("ca.crt":"PEM")"),
              std::string::npos)
        << ns;
  }
  EXPECT_NE(json({&service_kind(), "default", "kubernetes"})
                .find(R"("name":"https","protocol":"TCP","port":6443,"targetPort":6443)"),
            std::string::npos);
}

class AdmissionTest : public Kinds {
 protected:
  AdmissionTest() {
    create_system_objects(server, {});
    server.set_admission(Admission::all());
  }
  std::string refused(std::string_view spec) {
    const std::string rest = R"("containers":[{"name":"c","image":"i"}]})";
    return error(create(pod("p"), with_spec("{}", std::string(spec) + rest)));
  }
};

TEST_F(AdmissionTest, P19_ServiceAccounts) {
  EXPECT_EQ(refused(R"({"serviceAccountName":"x",)"),
            "403 Forbidden: pods \"p\" is forbidden: error looking up service account default/x: "
            "serviceaccount \"x\" not found");
  must_create_pod("p");
  EXPECT_NE(json(pod("p")).find(R"("serviceAccountName":"default","serviceAccount":"default")"),
            std::string::npos);
}

TEST_F(AdmissionTest, P19_ThePullSecretsOfTheAccountAreThePods) {
  const ObjectRef account{&service_account_kind(), "default", "default"};
  ASSERT_EQ(error(server.patch(account, "", PatchType::merge,
                               R"({"imagePullSecrets":[{"name":"r"}],)"
                               R"("secrets":[{"name":"s","kind":"Secret","uid":"u"}]})")),
            "");
  EXPECT_NE(json(account).find(R"("secrets":[{"name":"s"}])"), std::string::npos) << json(account);
  must_create_pod("p");
  EXPECT_NE(json(pod("p")).find(R"("imagePullSecrets":[{"name":"r"}])"), std::string::npos);
  must_create(pod("q"), with_spec("{}", R"({"imagePullSecrets":[{"name":"own"}],)"
                                        R"("containers":[{"name":"c","image":"i"}]})"));
  EXPECT_NE(json(pod("q")).find(R"("imagePullSecrets":[{"name":"own"}])"), std::string::npos);
}

TEST_F(AdmissionTest, P20_Priorities) {
  const std::string prefix = "403 Forbidden: pods \"p\" is forbidden: ";
  EXPECT_EQ(refused(R"({"priorityClassName":"x",)"),
            prefix + "no PriorityClass with name x was found");
  EXPECT_EQ(refused(R"({"priority":3,)"),
            prefix +
                "the integer value of priority (3) must not be provided in pod spec; priority "
                "admission controller computed 0 from the given PriorityClass name");
  EXPECT_EQ(refused(R"({"preemptionPolicy":"Never",)"),
            prefix +
                "the string value of PreemptionPolicy (Never) must not be provided in pod "
                "spec; priority admission controller computed PreemptLowerPriority from the "
                "given PriorityClass name");
  must_create(priority("high"), R"({"value":7,"preemptionPolicy":"Never"})");
  ASSERT_EQ(refused(R"({"priorityClassName":"high","priority":7,)"), "");
  const std::string made = json(pod("p"));
  EXPECT_NE(made.find(R"("priorityClassName":"high","priority":7)"), std::string::npos) << made;
  EXPECT_NE(made.find(R"("preemptionPolicy":"Never")"), std::string::npos) << made;
}

TEST_F(AdmissionTest, P20_N42_OneDefaultClass) {
  must_create(priority("usual"), R"({"value":7,"globalDefault":true})");
  EXPECT_EQ(error(create(priority("other"), R"({"value":8,"globalDefault":true})")),
            "403 Forbidden: priorityclasses.scheduling.k8s.io \"other\" is forbidden: "
            "PriorityClass usual is already marked as default. Only one default can exist");
  EXPECT_EQ(create(priority("other"), R"({"value":8,"globalDefault":true,"preemptionPolicy":"X"})")
                .answer.error()
                .code,
            422)
      << "what is invalid is told first";
  must_create(priority("other"), R"({"value":8})");
  EXPECT_EQ(server.patch(priority("other"), "", PatchType::merge, R"({"globalDefault":true})")
                .answer.error()
                .code,
            403);
  EXPECT_EQ(error(server.patch(priority("usual"), "", PatchType::merge, R"({"description":"d"})")),
            "");
  must_create_pod("p");
  EXPECT_NE(json(pod("p")).find(R"("priorityClassName":"usual","priority":7)"), std::string::npos);
}

TEST_F(AdmissionTest, P21_Tolerations) {
  must_create_pod("p");
  EXPECT_NE(json(pod("p")).find(
                R"("tolerations":[{"key":"node.kubernetes.io/not-ready","operator":"Exists",)"
                R"("effect":"NoExecute","tolerationSeconds":300},)"
                R"({"key":"node.kubernetes.io/unreachable","operator":"Exists",)"
                R"("effect":"NoExecute","tolerationSeconds":300}])"),
            std::string::npos);
  const ObjectRef calm = pod("calm");
  must_create(calm, with_spec("{}", R"({"tolerations":[{"operator":"Exists"}],)"
                                    R"("containers":[{"name":"c","image":"i"}]})"));
  EXPECT_EQ(json(calm).find("not-ready"), std::string::npos);
}

TEST_F(AdmissionTest, P20_P21_AnUpdateWithoutThemKeepsPriorityAndTolerations) {
  must_create(priority("high"), R"({"value":7,"preemptionPolicy":"Never"})");
  ASSERT_EQ(refused(R"({"priorityClassName":"high",)"), "");
  const std::string before = json(pod("p"));
  ASSERT_EQ(error(server.patch(
                pod("p"), "", PatchType::merge,
                R"({"spec":{"priority":null,"preemptionPolicy":null,"tolerations":null}})")),
            "");
  EXPECT_EQ(json(pod("p")), before);
  ASSERT_EQ(error(server.patch(pod("p"), "status", PatchType::merge,
                               R"({"spec":{"priority":null},"status":{"phase":"Running"}})")),
            "");
  EXPECT_EQ(server.patch(pod("p"), "", PatchType::merge, R"({"spec":{"priority":9}})")
                .answer.error()
                .code,
            422);
}

TEST_F(AdmissionTest, APodThatAsksForAnUnknownRuntimeClassIsRefused) {
  EXPECT_EQ(refused(R"({"runtimeClassName":"gvisor",)"),
            "403 Forbidden: pods \"p\" is forbidden: pod rejected: RuntimeClass \"gvisor\" not "
            "found");
}

TEST_F(AdmissionTest, N5a_ANewNodeTakesNoPodsUntilItIsReady) {
  const ObjectRef fresh{&api::kinds::node(), "", "fresh"};
  must_create(fresh, R"({"metadata":{"name":"fresh"}})");
  const char* taint = R"("taints":[{"key":"node.kubernetes.io/not-ready","effect":"NoSchedule"}])";
  EXPECT_NE(json(fresh).find(taint), std::string::npos);
  const ObjectRef marked{&api::kinds::node(), "", "marked"};
  must_create(marked, std::string(R"({"metadata":{"name":"marked"},"spec":{)") + taint + "}}");
  EXPECT_NE(json(marked).find(taint), std::string::npos);
}

// Reads and deletions go on there, so a start must get so far.
TEST(SystemObjects, N15_AFullDiskIsNoReasonNotToStart) {
  virtual_world::VirtualWorld world(1);
  store::ManualJournal journal;
  store::Store store(&journal);
  Server server(store, world.clock(), world.random(), api::FeatureGates());
  journal.be_full(plain_error("no room"));
  create_system_objects(server, {});
  EXPECT_EQ(store.head({"namespaces", "", "kube-node-lease"}), nullptr);
  journal.have_room();
  create_system_objects(server, {});
  EXPECT_NE(store.head({"namespaces", "", "kube-node-lease"}), nullptr);
}

}  // namespace
}  // namespace windlass::apiserver
