#include "api/pod/warnings/warnings_pod.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "api/pod/pod_testing.h"

namespace windlass::api {
namespace {

using ::testing::ElementsAre;
using testing::from_yaml;
using ::testing::IsEmpty;

std::vector<std::string> template_warnings(const std::string& fields) {
  auto pod_template = from_yaml<core::v1::PodTemplateSpec>(
      "{spec: {containers: [{name: c, image: i}], " + fields + "}}");
  default_pod_template(pod_template);
  return pod_template_warnings(FieldPath("spec").child("template"), pod_template);
}

std::vector<std::string> container_warnings(const std::string& fields) {
  return template_warnings("initContainers: [{name: d, image: i, " + fields + "}]");
}

const std::string kInit = "spec.template.spec.initContainers[0].";

TEST(PodWarnings, NoneForAGoodPod) {
  EXPECT_THAT(pod_warnings(testing::pod_with_spec("{containers: [{name: c, image: i}]}")),
              IsEmpty());
  EXPECT_THAT(template_warnings("restartPolicy: Never"), IsEmpty());
}

TEST(PodWarnings, P22_NameWithADot) {
  core::v1::Pod pod = testing::pod_with_spec("{containers: [{name: c, image: i}]}");
  pod.mutable_metadata()->set_name("a.b");
  EXPECT_THAT(pod_warnings(pod),
              ElementsAre("metadata.name: this is used in the Pod's hostname, which can result in "
                          "surprising behavior; a DNS label is recommended: [must not contain "
                          "dots]"));
}

TEST(PodWarnings, J151_NegativeGracePeriod) {
  EXPECT_THAT(template_warnings("terminationGracePeriodSeconds: -1"),
              ElementsAre("spec.template.spec.terminationGracePeriodSeconds: must be >= 0; "
                          "negative values are invalid and will be treated as 1"));
  EXPECT_THAT(template_warnings("terminationGracePeriodSeconds: 0"), IsEmpty());
}

TEST(PodWarnings, J151_DuplicateEnv) {
  EXPECT_THAT(container_warnings("env: [{name: A, value: x}, {name: B}, {name: A, value: z}]"),
              ElementsAre(kInit + "env[2]: hides previous definition of \"A\", which may be "
                                  "dropped when using apply"));
  EXPECT_THAT(container_warnings("env: [{name: P, value: /a}, {name: P, value: '$(P):/b'}]"),
              IsEmpty());
  EXPECT_EQ(container_warnings("env: [{name: P, value: /a}, {name: P, value: '$(P)'}]").size(), 1U);
}

TEST(PodWarnings, OldNodeLabels) {
  EXPECT_THAT(
      template_warnings("nodeSelector: {beta.kubernetes.io/os: linux, a: b}"),
      ElementsAre("spec.template.spec.nodeSelector[beta.kubernetes.io/os]: deprecated since "
                  "v1.14; use \"kubernetes.io/os\" instead"));
  EXPECT_THAT(
      template_warnings("affinity: {nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution: "
                        "{nodeSelectorTerms: [{matchExpressions: [{key: beta.kubernetes.io/arch, "
                        "operator: Exists}]}]}}}"),
      ElementsAre("spec.template.spec.affinity.nodeAffinity."
                  "requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms[0]."
                  "matchExpressions[0].key: beta.kubernetes.io/arch is deprecated since v1.14; use "
                  "\"kubernetes.io/arch\" instead"));
}

TEST(PodWarnings, NullSelectors) {
  EXPECT_THAT(
      template_warnings("topologySpreadConstraints: [{topologyKey: a}], affinity: "
                        "{podAffinity: {requiredDuringSchedulingIgnoredDuringExecution: "
                        "[{topologyKey: a}]}, podAntiAffinity: "
                        "{preferredDuringSchedulingIgnoredDuringExecution: [{weight: 1}]}}"),
      ElementsAre("spec.template.spec.topologySpreadConstraints[0].labelSelector: a null "
                  "labelSelector results in matching no pod",
                  "spec.template.spec.affinity.podAffinity."
                  "requiredDuringSchedulingIgnoredDuringExecution[0].labelSelector: a null "
                  "labelSelector results in matching no pod",
                  "spec.template.spec.affinity.podAntiAffinity."
                  "preferredDuringSchedulingIgnoredDuringExecution[0].podAffinityTerm."
                  "labelSelector: a null labelSelector results in matching no pod"));
}

TEST(PodWarnings, FractionsOfBytes) {
  EXPECT_THAT(container_warnings("resources: {limits: {memory: 1500m, cpu: 1500m}}"),
              ElementsAre(kInit + "resources.limits[memory]: fractional byte value \"1500m\" is "
                                  "invalid, must be an integer"));
  // 2^63 and more: too many to count thousandths of them.
  EXPECT_THAT(container_warnings("resources: {limits: {memory: 9223372036854775808}, "
                                 "requests: {memory: 8Ei, ephemeral-storage: 10E}}"),
              IsEmpty());
}

TEST(PodWarnings, FractionsOfAClaim) {
  EXPECT_THAT(template_warnings("volumes: [{name: v, ephemeral: {volumeClaimTemplate: {spec: "
                                "{resources: {requests: {storage: 1500m}}}}}}]"),
              ElementsAre("spec.template.spec.volumes[0].ephemeral.volumeClaimTemplate.spec."
                          "resources.requests[storage]: fractional byte value \"1500m\" is "
                          "invalid, must be an integer"));
}

TEST(PodWarnings, EmptyProjectedSources) {
  EXPECT_THAT(
      template_warnings("volumes: [{name: v, projected: {sources: [{}, {secret: {name: s}}, "
                        "{}]}}, {name: w, projected: {}}]"),
      ElementsAre("volume \"v\" (Projected) has no sources provided",
                  "volume \"v\" (Projected) has no sources provided"));
}

TEST(PodWarnings, HostAddressWithoutHostPort) {
  EXPECT_THAT(container_warnings("ports: [{containerPort: 80, hostIP: 10.0.0.1}, "
                                 "{containerPort: 81, hostIP: 10.0.0.1, hostPort: 81}]"),
              ElementsAre(kInit + "ports[0]: hostIP set without hostPort: {Name: HostPort:0 "
                                  "ContainerPort:80 Protocol:TCP HostIP:10.0.0.1}"));
}

TEST(PodWarnings, Ports) {
  EXPECT_THAT(
      container_warnings("ports: [{containerPort: 80, name: a}, {containerPort: 80, name: "
                         "b}, {containerPort: 80, hostPort: 5}, {containerPort: 81, name: "
                         "a}]"),
      ElementsAre(kInit + "ports[1]: duplicate port definition with " + kInit + "ports[0]",
                  kInit + "ports[2]: overlapping port definition with " + kInit + "ports[0]",
                  kInit + "ports[2]: overlapping port definition with " + kInit + "ports[1]",
                  kInit + "ports[3]: duplicate port name \"a\" with " + kInit +
                      "ports[0], services and probes that select ports by name will use " + kInit +
                      "ports[0]"));
}

TEST(PodWarnings, RepeatedNames) {
  EXPECT_THAT(template_warnings("imagePullSecrets: [{name: a}, {name: a}, {}], hostAliases: [{ip: "
                                "10.0.0.1}, {ip: 10.0.0.1}]"),
              ElementsAre("spec.template.spec.hostAliases[1].ip: duplicate ip \"10.0.0.1\"",
                          "spec.template.spec.imagePullSecrets[1].name: duplicate name \"a\"",
                          "spec.template.spec.imagePullSecrets[2].name: invalid empty name \"\""));
}

TEST(PodWarnings, AreLimited) {
  core::v1::Pod pod = testing::pod_with_spec("{containers: [{name: c, image: i}]}");
  for (int i = 0; i < 5000; ++i) {
    pod.mutable_spec()->mutable_containers(0)->add_ports()->set_container_port(80);
  }
  EXPECT_LE(pod_warnings(pod).size(), 200U);
}

}  // namespace
}  // namespace windlass::api
