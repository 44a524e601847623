#include "api/pod/validation/validate_pod_update.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "api/pod/pod_testing.h"

namespace windlass::api {
namespace {

using core::v1::Pod;
using ::testing::ElementsAre;
using testing::from_yaml;
using ::testing::IsEmpty;
using testing::pod_with_spec;
using ::testing::StartsWith;

const std::string kSpec =
    "containers: [{name: c, image: i}], initContainers: [{name: d, image: i}]";

Pod pod_of(const std::string& fields) {
  return pod_with_spec("{" + kSpec + ", " + fields + "}");
}

std::vector<std::string> errors_of(const Pod& pod, const Pod& old) {
  FieldErrors errors;
  validate_pod_update(errors, pod, old);
  return testing::error_texts(errors);
}

std::vector<std::string> update_errors(const std::string& fields, const std::string& old_fields) {
  return errors_of(pod_of(fields), pod_of(old_fields));
}

std::vector<std::string> status_errors(const std::string& status, const std::string& old_status,
                                       const std::string& spec = "restartPolicy: Never") {
  Pod old = pod_of(spec);
  Pod pod = old;
  *pod.mutable_status() = from_yaml<core::v1::PodStatus>(status);
  *old.mutable_status() = from_yaml<core::v1::PodStatus>(old_status);
  FieldErrors errors;
  validate_pod_status_update(errors, pod, old);
  return testing::error_texts(errors);
}

TEST(PodUpdate, P50_ImagesMayChange) {
  const Pod old = pod_of("");
  Pod pod = old;
  pod.mutable_spec()->mutable_containers(0)->set_image("j");
  pod.mutable_spec()->mutable_init_containers(0)->set_image("k");
  EXPECT_THAT(errors_of(pod, old), IsEmpty());
  EXPECT_THAT(errors_of(old, old), IsEmpty());
  pod.mutable_spec()->mutable_containers(0)->set_image("");
  EXPECT_THAT(errors_of(pod, old), ElementsAre("spec.containers[0].image: Required value",
                                               "spec.containers[0].image: Required value"));
}

TEST(PodUpdate, P50_ActiveDeadlineSeconds) {
  const std::string ten = "activeDeadlineSeconds: 10";
  EXPECT_THAT(update_errors(ten, ""), IsEmpty());
  EXPECT_THAT(update_errors("activeDeadlineSeconds: 5", ten), IsEmpty());
  EXPECT_THAT(update_errors("activeDeadlineSeconds: 11", ten),
              ElementsAre("spec.activeDeadlineSeconds: Invalid value: 11: must be less than or "
                          "equal to previous value"));
  EXPECT_THAT(update_errors("", ten),
              ElementsAre("spec.activeDeadlineSeconds: Invalid value: null: must not update from a "
                          "positive integer to nil value"));
}

TEST(PodUpdate, P50_TolerationsMayOnlyBeAdded) {
  const std::string one = "{key: a, operator: Exists, effect: NoExecute, tolerationSeconds: 5}";
  const std::string longer = "{key: a, operator: Exists, effect: NoExecute, tolerationSeconds: 9}";
  EXPECT_THAT(update_errors("tolerations: [" + one + ", {key: b, operator: Exists}]",
                            "tolerations: [" + one + "]"),
              IsEmpty());
  EXPECT_THAT(update_errors("tolerations: [" + longer + "]", "tolerations: [" + one + "]"),
              IsEmpty());
  EXPECT_THAT(update_errors("", "tolerations: [" + one + "]"),
              ElementsAre("spec.tolerations: Forbidden: existing toleration can not be modified "
                          "except its tolerationSeconds"));
}

TEST(PodUpdate, P50_SchedulingGatesMayOnlyBeRemoved) {
  EXPECT_THAT(update_errors("", "schedulingGates: [{name: a}]"), IsEmpty());
  EXPECT_THAT(
      update_errors("schedulingGates: [{name: a}, {name: b}]", "schedulingGates: [{name: a}]"),
      ElementsAre("spec.schedulingGates[1].name: Forbidden: only deletion is allowed, but "
                  "found new scheduling gate 'b'"));
}

TEST(PodUpdate, P50_GatedPodsMayBeNarrowedDown) {
  const std::string gate = "schedulingGates: [{name: g}], ";
  EXPECT_THAT(update_errors(gate + "nodeSelector: {a: b, c: d}", gate + "nodeSelector: {a: b}"),
              IsEmpty());
  EXPECT_THAT(update_errors(gate + "nodeSelector: {a: x}", gate + "nodeSelector: {a: b}"),
              ElementsAre("spec.nodeSelector: Invalid value: {\"a\":\"x\"}: only additions to "
                          "spec.nodeSelector are allowed (no mutations or deletions)"));
  EXPECT_THAT(update_errors("nodeSelector: {a: b}", ""),
              ElementsAre(StartsWith("spec: Forbidden: pod updates may not change fields")));
}

TEST(PodUpdate, P50_GatedNodeAffinity) {
  const std::string gate = "schedulingGates: [{name: g}]";
  const auto affinity = [&](const std::string& expressions) {
    return gate +
           ", affinity: {nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution: "
           "{nodeSelectorTerms: [{matchExpressions: [" +
           expressions + "]}]}}}";
  };
  const std::string a = "{key: a, operator: Exists}";
  const std::string b = "{key: b, operator: Exists}";
  EXPECT_THAT(update_errors(affinity(a), gate), IsEmpty());
  EXPECT_THAT(update_errors(affinity(a + "," + b), affinity(a)), IsEmpty());
  const auto changed = update_errors(affinity(b), affinity(a));
  ASSERT_EQ(changed.size(), 1U);
  EXPECT_THAT(changed[0],
              StartsWith("spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution"
                         ".nodeSelectorTerms[0]: Invalid value: {"));
  EXPECT_THAT(changed[0],
              ::testing::EndsWith(": only additions are allowed (no mutations or deletions)"));
  EXPECT_THAT(update_errors(gate, affinity(a)),
              ElementsAre(::testing::EndsWith(
                  ": no additions/deletions to non-empty NodeSelectorTerms list are allowed")));
}

TEST(PodUpdate, P50_NegativeGracePeriodMayBecomeOne) {
  Pod old = pod_of("");
  old.mutable_spec()->set_termination_grace_period_seconds(-1);
  Pod pod = old;
  pod.mutable_spec()->set_termination_grace_period_seconds(1);
  EXPECT_THAT(errors_of(pod, old), IsEmpty());
  pod.mutable_spec()->set_termination_grace_period_seconds(2);
  EXPECT_THAT(errors_of(pod, old), ElementsAre(StartsWith("spec: Forbidden: pod updates may not")));
}

TEST(PodUpdate, P51_NothingElse) {
  EXPECT_THAT(update_errors("hostname: b, priority: 5", "hostname: a"),
              ElementsAre("spec: Forbidden: pod updates may not change fields other than "
                          "`spec.containers[*].image`,`spec.initContainers[*].image`,"
                          "`spec.activeDeadlineSeconds`,`spec.tolerations` (only additions to "
                          "existing tolerations),`spec.terminationGracePeriodSeconds` (allow it to "
                          "be set to 1 if it was previously negative)\nchanged: hostname, "
                          "priority"));
  EXPECT_THAT(errors_of(pod_with_spec("{containers: [{name: c, image: i}]}"), pod_of("")),
              ElementsAre("spec.initContainers: Forbidden: pod updates may not add or remove "
                          "containers"));
}

TEST(PodUpdate, P52_MetadataMayChange) {
  Pod old = pod_of("");
  *old.mutable_metadata() = from_yaml<meta::v1::ObjectMeta>(
      "{name: p, namespace: default, labels: {a: b}, annotations: {c: d}, finalizers: [x.io/a], "
      "ownerReferences: [{apiVersion: v1, kind: Pod, name: a, uid: u}]}");
  EXPECT_THAT(errors_of(pod_of(""), old), IsEmpty());
}

TEST(PodUpdate, P75_NewFinalizersOfADyingPodGiveTwoCauses) {
  Pod old = pod_of("");
  old.mutable_metadata()->mutable_deletion_timestamp()->set_seconds(5);
  Pod pod = old;
  pod.mutable_metadata()->add_finalizers("x.io/a");
  const std::string text =
      "metadata.finalizers: Forbidden: no new finalizers can be added if the object is being "
      "deleted, found new finalizers []string{\"x.io/a\"}";
  EXPECT_THAT(errors_of(pod, old), ElementsAre(text, text));
}

TEST(PodStatusUpdate, P60_QosClassIsImmutable) {
  EXPECT_THAT(status_errors("{qosClass: BestEffort}", "{qosClass: BestEffort}"), IsEmpty());
  EXPECT_THAT(status_errors("{qosClass: Burstable}", "{qosClass: BestEffort}"),
              ElementsAre("status.qosClass: Invalid value: \"Burstable\": field is immutable"));
}

const std::string kRunning = "{containerStatuses: [{name: c, state: {running: {}}}]}";
std::string terminated(int exit_code) {
  return "{containerStatuses: [{name: c, state: {terminated: {exitCode: " +
         std::to_string(exit_code) + "}}}]}";
}

TEST(PodStatusUpdate, P61_TerminatedStaysTerminated) {
  const std::vector<std::string> forbidden = {
      "status.containerStatuses[0].state: Forbidden: may not be transitioned to non-terminated "
      "state"};
  EXPECT_THAT(status_errors(terminated(1), kRunning), IsEmpty());
  EXPECT_THAT(status_errors(terminated(2), terminated(1)), IsEmpty());
  EXPECT_EQ(status_errors(kRunning, terminated(1)), forbidden);
  EXPECT_EQ(status_errors("{containerStatuses: [{name: c}]}", terminated(0)), forbidden);
  EXPECT_EQ(status_errors(kRunning, terminated(0), "restartPolicy: OnFailure"), forbidden);
  EXPECT_THAT(status_errors(kRunning, terminated(1), "restartPolicy: OnFailure"), IsEmpty());
  EXPECT_THAT(status_errors(kRunning, terminated(0), "restartPolicy: Always"), IsEmpty());
}

TEST(PodStatusUpdate, P61_ContainersOwnRestartPolicyDecides) {
  const auto errors = [&](const std::string& container, int exit_code) {
    Pod old = pod_with_spec("{restartPolicy: Never, containers: [{name: c, image: i, " + container +
                            "}]}");
    Pod pod = old;
    *pod.mutable_status() = from_yaml<core::v1::PodStatus>(kRunning);
    *old.mutable_status() = from_yaml<core::v1::PodStatus>(terminated(exit_code));
    FieldErrors found;
    validate_pod_status_update(found, pod, old);
    return found.size();
  };
  EXPECT_EQ(errors("restartPolicy: Always", 0), 0U);
  EXPECT_EQ(errors("restartPolicy: OnFailure", 1), 0U);
  EXPECT_EQ(errors("restartPolicy: OnFailure", 0), 1U);
  const std::string rule =
      "restartPolicy: Never, restartPolicyRules: [{action: Restart, exitCodes: {operator: In, "
      "values: [42]}}]";
  EXPECT_EQ(errors(rule, 42), 0U);
  EXPECT_EQ(errors(rule, 43), 1U);
}

TEST(PodStatusUpdate, P61_SidecarsMayRestart) {
  const auto errors = [&](const std::string& init) {
    Pod old = pod_with_spec(
        "{restartPolicy: Never, containers: [{name: c, image: i}], "
        "initContainers: [{name: s, image: i" +
        init + "}]}");
    Pod pod = old;
    *pod.mutable_status() = from_yaml<core::v1::PodStatus>(
        "{initContainerStatuses: [{name: s, state: {running: {}}}]}");
    *old.mutable_status() = from_yaml<core::v1::PodStatus>(
        "{initContainerStatuses: [{name: s, state: {terminated: {exitCode: 1}}}]}");
    FieldErrors found;
    validate_pod_status_update(found, pod, old);
    return testing::error_texts(found);
  };
  EXPECT_THAT(errors(", restartPolicy: Always"), IsEmpty());
  EXPECT_THAT(errors(""), ElementsAre("status.initContainerStatuses[0].state: Forbidden: may not "
                                      "be transitioned to non-terminated state"));
}

TEST(PodStatusUpdate, P62_ConditionTypes) {
  EXPECT_THAT(status_errors("{conditions: [{type: DisruptionTarget, status: 'True'}, {type: Ready, "
                            "status: anything}, {type: example.com/x}]}",
                            "{}"),
              IsEmpty());
  EXPECT_THAT(status_errors("{conditions: [{type: Ready}, {type: 'a b'}]}", "{}"),
              ElementsAre(StartsWith("status.conditions[1].Type: Invalid value: \"a b\": name "
                                     "part must consist")));
}

TEST(PodStatusUpdate, P63_AnyPhaseIsStored) {
  EXPECT_THAT(status_errors("{phase: Zork}", "{phase: Failed}"), IsEmpty());
}

TEST(PodStatusUpdate, NominatedNode) {
  EXPECT_THAT(status_errors("{nominatedNodeName: n1}", "{}"), IsEmpty());
  EXPECT_THAT(status_errors("{nominatedNodeName: n1}", "{}", "nodeName: n2"),
              ElementsAre("status.nominatedNodeName: Forbidden: may not be set on pods that are "
                          "already bound to a node"));
  EXPECT_THAT(status_errors("{observedGeneration: -1}", "{}"),
              ElementsAre("status.observedGeneration: Invalid value: -1: must be a non-negative "
                          "integer"));
}

TEST(PodStatusUpdate, P60_Addresses) {
  const std::string good =
      "{podIP: 10.0.0.1, podIPs: [{ip: 10.0.0.1}, {ip: 'fd00::1'}], hostIP: "
      "10.0.0.2, hostIPs: [{ip: 10.0.0.2}]}";
  EXPECT_THAT(status_errors(good, "{}"), IsEmpty());
  EXPECT_THAT(status_errors("{podIPs: [{ip: x}]}", "{}"),
              ElementsAre("status.podIPs[0]: Invalid value: \"x\": must be a valid IP address, "
                          "(e.g. 10.9.8.7 or 2001:db8::ffff)"));
  EXPECT_THAT(status_errors("{podIPs: [{ip: x}]}", "{podIPs: [{ip: x}]}"), IsEmpty())
      << "what is there stays";
  EXPECT_THAT(status_errors("{podIPs: [{ip: 10.0.0.1}, {ip: 10.0.0.2}]}", "{}"),
              ElementsAre("status.podIPs: Invalid value: [{\"IP\":\"10.0.0.1\"},{\"IP\":"
                          "\"10.0.0.2\"}]: may specify no more than one IP for each IP family"));
  EXPECT_THAT(status_errors("{hostIPs: [{ip: 10.0.0.2}]}", "{}"),
              ElementsAre("status.hostIPs[0].ip: Invalid value: \"10.0.0.2\": must be equal to "
                          "`hostIP`"));
}

TEST(PodStatusUpdate, P61_EphemeralContainersNeverStartAgain) {
  EXPECT_THAT(
      status_errors("{ephemeralContainerStatuses: [{name: e, state: {running: {}}}]}",
                    "{ephemeralContainerStatuses: [{name: e, state: {terminated: {exitCode: 1}}}]}",
                    "restartPolicy: Always"),
      ElementsAre("status.ephemeralContainerStatuses[0].state: Forbidden: may not be transitioned "
                  "to non-terminated state"));
}

}  // namespace
}  // namespace windlass::api
