#include "api/pod/validation/validate_pod_spec.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "api/pod/pod_testing.h"

namespace windlass::api {
namespace {

using ::testing::ElementsAre;
using testing::errors_with;
using testing::from_yaml;
using ::testing::IsEmpty;
using ::testing::StartsWith;

std::vector<std::string> template_errors(std::string_view yaml) {
  core::v1::PodTemplateSpec pod_template = from_yaml<core::v1::PodTemplateSpec>(yaml);
  default_pod_template(pod_template);
  FieldErrors errors;
  validate_pod_template_spec(errors, FieldPath("spec").child("template"), pod_template);
  return testing::error_texts(errors);
}

TEST(PodValidation, P39_Policies) {
  for (const char* good : {"Always", "OnFailure", "Never"}) {
    EXPECT_THAT(errors_with("restartPolicy: " + std::string(good)), IsEmpty()) << good;
  }
  for (const char* good : {"ClusterFirstWithHostNet", "ClusterFirst", "Default"}) {
    EXPECT_THAT(errors_with("dnsPolicy: " + std::string(good)), IsEmpty()) << good;
  }
  EXPECT_THAT(errors_with("restartPolicy: Maybe, dnsPolicy: Some"),
              ElementsAre("spec.restartPolicy: Unsupported value: \"Maybe\": supported values: "
                          "\"Always\", \"OnFailure\", \"Never\"",
                          "spec.dnsPolicy: Unsupported value: \"Some\": supported values: "
                          "\"ClusterFirstWithHostNet\", \"ClusterFirst\", \"Default\", \"None\""));
}

TEST(PodValidation, P40_ActiveDeadlineSeconds) {
  EXPECT_THAT(errors_with("activeDeadlineSeconds: 1"), IsEmpty());
  EXPECT_THAT(errors_with("activeDeadlineSeconds: 2147483647"), IsEmpty());
  for (const char* bad : {"0", "-1", "2147483648"}) {
    EXPECT_THAT(errors_with("activeDeadlineSeconds: " + std::string(bad)),
                ElementsAre("spec.activeDeadlineSeconds: Invalid value: " + std::string(bad) +
                            ": must be between 1 and 2147483647, inclusive"));
  }
}

TEST(PodValidation, P41_Names) {
  EXPECT_THAT(errors_with("hostname: h, subdomain: s, nodeName: n.o, serviceAccountName: s.a, "
                          "priorityClassName: p.c, nodeSelector: {a: b}, runtimeClassName: r"),
              IsEmpty());
  EXPECT_THAT(
      errors_with("hostname: a.b, subdomain: c.d, nodeName: A, serviceAccountName: B, "
                  "priorityClassName: C, nodeSelector: {k: $}, runtimeClassName: D"),
      ElementsAre(StartsWith("spec.nodeSelector: Invalid value: \"$\": a valid label must be"),
                  StartsWith("spec.serviceAccountName: Invalid value: \"B\": a lowercase RFC 1123 "
                             "subdomain"),
                  StartsWith("spec.nodeName: Invalid value: \"A\": a lowercase RFC 1123 subdomain"),
                  "spec.hostname: Invalid value: \"a.b\": must not contain dots",
                  "spec.subdomain: Invalid value: \"c.d\": must not contain dots",
                  StartsWith("spec.priorityClassName: Invalid value: \"C\""),
                  StartsWith("spec.runtimeClassName: Invalid value: \"D\"")));
}

TEST(PodValidation, P43_PreemptionPolicy) {
  EXPECT_THAT(errors_with("preemptionPolicy: Never"), IsEmpty());
  EXPECT_THAT(errors_with("preemptionPolicy: Always"),
              ElementsAre("spec.preemptionPolicy: Unsupported value: \"Always\": supported values: "
                          "\"PreemptLowerPriority\", \"Never\""));
}

TEST(PodValidation, P43_SchedulingGates) {
  EXPECT_THAT(errors_with("schedulingGates: [{name: example.com/a}, {name: b}]"), IsEmpty());
  EXPECT_THAT(errors_with("schedulingGates: [{name: a}, {name: a}, {name: -}]"),
              ElementsAre("spec.schedulingGates[1]: Duplicate value: \"a\"",
                          StartsWith("spec.schedulingGates[2]: Invalid value: \"-\": name part")));
  EXPECT_THAT(errors_with("schedulingGates: [{name: a}], nodeName: n1"),
              ElementsAre("spec.nodeName: Forbidden: cannot be set until all schedulingGates have "
                          "been cleared"));
}

TEST(PodValidation, ReadinessGatesAndOs) {
  EXPECT_THAT(errors_with("readinessGates: [{conditionType: example.com/x}], os: {name: linux}"),
              IsEmpty());
  EXPECT_THAT(errors_with("readinessGates: [{conditionType: -}], os: {name: plan9}"),
              ElementsAre(StartsWith("spec.readinessGates[0].conditionType: Invalid value: \"-\""),
                          "spec.os: Unsupported value: \"plan9\": supported values: \"linux\", "
                          "\"windows\""));
}

TEST(PodValidation, P46_SecurityContext) {
  EXPECT_THAT(errors_with("securityContext: {runAsUser: 1000, fsGroup: 5, supplementalGroups: [1], "
                          "sysctls: [{name: net.ipv4.x, value: '1'}], fsGroupChangePolicy: "
                          "Always}"),
              IsEmpty());
  EXPECT_THAT(errors_with("hostPID: true, shareProcessNamespace: true, securityContext: "
                          "{runAsGroup: -1, sysctls: [{name: 'a b'}], fsGroupChangePolicy: X}"),
              ElementsAre("spec.securityContext.runAsGroup: Invalid value: -1: must be between 0 "
                          "and 2147483647, inclusive",
                          "spec.securityContext.shareProcessNamespace: Invalid value: true: "
                          "ShareProcessNamespace and HostPID cannot both be enabled",
                          StartsWith("spec.securityContext.sysctls[0].name: Invalid value: \"a "
                                     "b\": must have at most 253 characters and match regex ^("),
                          "spec.securityContext.fsGroupChangePolicy: Unsupported value: \"X\": "
                          "supported values: \"Always\", \"OnRootMismatch\""));
}

TEST(PodValidation, P46_SysctlsOfTheNode) {
  const auto with = [](std::string_view shared, std::string_view name) {
    return errors_with(std::string(shared) + ": true, securityContext: {sysctls: [{name: " +
                       std::string(name) + ", value: '1'}]}");
  };
  for (const char* name : {"kernel.shmmax", "kernel.shm_rmid_forced", "kernel/sem", "kernel.msgmni",
                           "fs.mqueue.msg_max", "fs/mqueue/msg_max"}) {
    EXPECT_THAT(with("hostIPC", name),
                ElementsAre("spec.securityContext.sysctls[0].name: Invalid value: \"" +
                            std::string(name) + "\": may not be specified when 'hostIPC' is true"));
    EXPECT_THAT(with("hostNetwork", name), IsEmpty());
  }
  EXPECT_THAT(with("hostNetwork", "net.ipv4.tcp_syncookies"),
              ElementsAre("spec.securityContext.sysctls[0].name: Invalid value: "
                          "\"net.ipv4.tcp_syncookies\": may not be specified when 'hostNetwork' is "
                          "true"));
  EXPECT_THAT(with("hostIPC", "net.ipv4.tcp_syncookies"), IsEmpty());
  EXPECT_THAT(with("hostIPC", "kernel.pid_max"), IsEmpty());
}

TEST(PodValidation, Network) {
  EXPECT_THAT(errors_with("dnsPolicy: None, dnsConfig: {nameservers: [10.0.0.1, '::1'], searches: "
                          "[a.b., _tcp.c, .]}, hostAliases: [{ip: 127.0.0.1, hostnames: [a]}]"),
              IsEmpty());
  EXPECT_THAT(errors_with("dnsPolicy: None"),
              ElementsAre("spec.dnsConfig: Required value: must provide `dnsConfig` when "
                          "`dnsPolicy` is None"));
  EXPECT_THAT(
      errors_with("dnsConfig: {nameservers: [x], searches: [A], options: [{}]}, "
                  "hostAliases: [{ip: y1, hostnames: [A]}]"),
      ElementsAre("spec.dnsConfig.nameservers[0]: Invalid value: \"x\": must be a valid IP "
                  "address, (e.g. 10.9.8.7 or 2001:db8::ffff)",
                  StartsWith("spec.dnsConfig.searches[0]: Invalid value: \"A\": a lowercase"),
                  "spec.dnsConfig.options[0]: Required value: must not be empty",
                  StartsWith("spec.hostAliases[0].ip: Invalid value: \"y1\": must be a"),
                  StartsWith("spec.hostAliases[0].hostnames[0]: Invalid value: \"A\"")));
}

TEST(PodValidation, P22_MetadataComesFirst) {
  core::v1::Pod pod = testing::pod_with_spec("{}");
  pod.mutable_metadata()->set_name("A");
  FieldErrors errors;
  validate_pod(errors, pod);
  EXPECT_THAT(testing::error_texts(errors),
              ElementsAre(StartsWith("metadata.name: Invalid value: \"A\""),
                          "spec.containers: Required value"));
}

TEST(PodValidation, EphemeralContainersOnlyLater) {
  EXPECT_THAT(errors_with("ephemeralContainers: [{name: e, image: i}]"),
              ElementsAre("spec.ephemeralContainers: Forbidden: cannot be set on create"));
  EXPECT_THAT(template_errors("{spec: {containers: [{name: c, image: i}], ephemeralContainers: "
                              "[{name: e, image: i}]}}"),
              ElementsAre("spec.template.spec.ephemeralContainers: Forbidden: ephemeral containers "
                          "not allowed in pod template"));
}

TEST(PodTemplateValidation, J60a_LabelsAndAnnotationsHaveNoMetadataInTheirPath) {
  const std::string name(64, 'j');
  EXPECT_THAT(template_errors("{metadata: {labels: {job-name: " + name +
                              "}, annotations: {'a b': c}}, spec: {containers: [{name: c, image: "
                              "i}]}}"),
              ElementsAre("spec.template.labels: Invalid value: \"" + name +
                              "\": must be no more than 63 bytes",
                          StartsWith("spec.template.annotations: Invalid value: \"a b\"")));
}

TEST(PodTemplateValidation, J94_PathsAreUnderTheTemplate) {
  EXPECT_THAT(template_errors("{spec: {containers: [{name: c, image: ' i', env: [{name: A, "
                              "valueFrom: {}}]}]}}"),
              ElementsAre(StartsWith("spec.template.spec.containers[0].env[0].valueFrom: Invalid "
                                     "value: \"\": must specify one of")));
  EXPECT_THAT(template_errors("{spec: {}}"),
              ElementsAre("spec.template.spec.containers: Required value"));
}

TEST(PodTemplateValidation, HostPortsMayBeLeftOutWithHostNetwork) {
  EXPECT_THAT(template_errors("{spec: {hostNetwork: true, containers: [{name: c, image: i, ports: "
                              "[{containerPort: 80}]}]}}"),
              IsEmpty());
  EXPECT_THAT(template_errors("{spec: {hostNetwork: true, containers: [{name: c, image: i, ports: "
                              "[{containerPort: 80, hostPort: 81}]}]}}"),
              ElementsAre("spec.template.spec.containers[0].ports[0].hostPort: Invalid value: 81: "
                          "must match `containerPort` when `hostNetwork` is true"));
}

TEST(PodValidation, HostUsersAndHostnameOverride) {
  EXPECT_THAT(errors_with("hostUsers: true, hostNetwork: true"), IsEmpty());
  EXPECT_THAT(errors_with("hostUsers: false, hostPID: true, hostIPC: true"),
              ElementsAre("spec.HostPID: Forbidden: when `hostUsers` is false",
                          "spec.HostIPC: Forbidden: when `hostUsers` is false"));
  EXPECT_THAT(errors_with("hostnameOverride: a.b"), IsEmpty());
  EXPECT_THAT(errors_with("hostnameOverride: a.b, setHostnameAsFQDN: true"),
              ElementsAre("spec.hostnameOverride: Forbidden: may not be specified when "
                          "setHostnameAsFQDN is true"));
}

// Where one pod has many errors, they come in the order of Kubernetes.
TEST(PodValidation, OrderOfErrors) {
  EXPECT_THAT(
      errors_with("volumes: [{name: ''}], restartPolicy: X, tolerations: [{key: -}], "
                  "activeDeadlineSeconds: 0, affinity: {nodeAffinity: "
                  "{requiredDuringSchedulingIgnoredDuringExecution: {}}}, "
                  "initContainers: [{name: c, image: i}]"),
      ElementsAre(StartsWith("spec.volumes[0].name"),
                  StartsWith("spec.initContainers[0].name: Duplicate"),
                  StartsWith("spec.restartPolicy"), StartsWith("spec.affinity"),
                  StartsWith("spec.activeDeadlineSeconds"), StartsWith("spec.tolerations[0].key")));
}

}  // namespace
}  // namespace windlass::api
