// Containers, their env, ports, probes and restart policies.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "api/pod/pod_testing.h"

namespace windlass::api {
namespace {

using testing::container_errors;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using testing::spec_errors;
using ::testing::StartsWith;

std::vector<std::string> env_errors(const std::string& env) {
  return container_errors("env: [" + env + "]");
}

std::vector<std::string> field_ref_errors(const std::string& field_path) {
  return env_errors("{name: A, valueFrom: {fieldRef: {fieldPath: \"" + field_path + "\"}}}");
}

TEST(ContainerValidation, P30_AtLeastOne) {
  EXPECT_THAT(spec_errors("{}"), ElementsAre("spec.containers: Required value"));
  EXPECT_THAT(spec_errors("{containers: [{name: a, image: b}]}"), IsEmpty());
}

TEST(ContainerValidation, P31_Name) {
  EXPECT_THAT(spec_errors("{containers: [{image: i}]}"),
              ElementsAre("spec.containers[0].name: Required value"));
  EXPECT_THAT(
      spec_errors("{containers: [{name: a.b, image: i}]}"),
      ElementsAre("spec.containers[0].name: Invalid value: \"a.b\": must not contain dots"));
  EXPECT_THAT(spec_errors("{containers: [{name: a, image: i}, {name: a, image: i}]}"),
              ElementsAre("spec.containers[1].name: Duplicate value: \"a\""));
  EXPECT_THAT(
      spec_errors("{containers: [{name: a, image: i}], initContainers: [{name: a, image: i}]}"),
      ElementsAre("spec.initContainers[0].name: Duplicate value: \"a\""));
  EXPECT_THAT(spec_errors("{containers: [{name: a, image: i}], initContainers: [{name: b, image: "
                          "i}, {name: b, image: i}]}"),
              ElementsAre("spec.initContainers[1].name: Duplicate value: \"b\""));
}

TEST(ContainerValidation, P32_Image) {
  EXPECT_THAT(spec_errors("{containers: [{name: a}]}"),
              ElementsAre("spec.containers[0].image: Required value"));
  EXPECT_THAT(spec_errors("{containers: [{name: a, image: ' i'}], initContainers: [{name: b, "
                          "image: 'i '}]}"),
              ElementsAre("spec.containers[0].image: Invalid value: \" i\": must not have leading "
                          "or trailing whitespace",
                          "spec.initContainers[0].image: Invalid value: \"i \": must not have "
                          "leading or trailing whitespace"));
}

TEST(ContainerValidation, P33_Policies) {
  EXPECT_THAT(container_errors("terminationMessagePolicy: FallbackToLogsOnError, "
                               "imagePullPolicy: Never"),
              IsEmpty());
  EXPECT_THAT(container_errors("terminationMessagePolicy: X, imagePullPolicy: Z"),
              ElementsAre("spec.containers[0].terminationMessagePolicy: Unsupported value: \"X\": "
                          "supported values: \"File\", \"FallbackToLogsOnError\"",
                          "spec.containers[0].imagePullPolicy: Unsupported value: \"Z\": supported "
                          "values: \"Always\", \"IfNotPresent\", \"Never\""));
}

TEST(ContainerValidation, P34_EnvName) {
  EXPECT_THAT(env_errors("{name: 'my var!', value: x}"), IsEmpty());
  EXPECT_THAT(env_errors("{value: x}"),
              ElementsAre("spec.containers[0].env[0].name: Required value"));
  EXPECT_THAT(env_errors("{name: A}, {name: 'a=b'}"),
              ElementsAre("spec.containers[0].env[1].name: Invalid value: \"a=b\": a valid "
                          "environment variable name must consist only of printable ASCII "
                          "characters other than '='"));
}

TEST(ContainerValidation, P34_ValueFromNeedsExactlyOneSource) {
  const std::string path = "spec.containers[0].env[0].valueFrom: Invalid value: \"\": ";
  EXPECT_THAT(env_errors("{name: A, valueFrom: {configMapKeyRef: {name: m, key: k}}}"), IsEmpty());
  EXPECT_THAT(env_errors("{name: A, valueFrom: {secretKeyRef: {name: m, key: k}}}"), IsEmpty());
  EXPECT_THAT(env_errors("{name: A, valueFrom: {}}"),
              ElementsAre(path + "must specify one of: `fieldRef`, `resourceFieldRef`, "
                                 "`configMapKeyRef`, `secretKeyRef` or `fileKeyRef`"));
  EXPECT_THAT(env_errors("{name: A, value: x, valueFrom: {secretKeyRef: {name: m, key: k}}}"),
              ElementsAre(path + "may not be specified when `value` is not empty"));
  EXPECT_THAT(env_errors("{name: A, valueFrom: {secretKeyRef: {name: m, key: k}, configMapKeyRef: "
                         "{name: m, key: k}}}"),
              ElementsAre(path + "may not have more than one field specified at a time"));
}

TEST(ContainerValidation, P3_FieldPaths) {
  for (const char* good :
       {"metadata.name", "metadata.namespace", "metadata.uid", "metadata.labels['k']",
        "metadata.annotations['batch.kubernetes.io/job-completion-index']", "spec.nodeName",
        "spec.serviceAccountName", "status.podIP", "status.podIPs", "status.hostIP",
        "status.hostIPs", "spec.host"}) {
    EXPECT_THAT(field_ref_errors(good), IsEmpty()) << good;  // P4 too
  }
}

TEST(ContainerValidation, P34_BadFieldPaths) {
  const std::string path = "spec.containers[0].env[0].valueFrom.fieldRef";
  EXPECT_THAT(field_ref_errors("metadata.zork"),
              ElementsAre(path + ".fieldPath: Invalid value: \"metadata.zork\": error converting "
                                 "fieldPath: field label not supported: metadata.zork"));
  EXPECT_THAT(field_ref_errors("metadata.labels"),
              ElementsAre(path + ".fieldPath: Unsupported value: \"metadata.labels\": supported "
                                 "values: \"metadata.name\", \"metadata.namespace\", "
                                 "\"metadata.uid\", \"spec.nodeName\", "
                                 "\"spec.serviceAccountName\", \"status.hostIP\", "
                                 "\"status.hostIPs\", \"status.podIP\", \"status.podIPs\""));
  EXPECT_THAT(field_ref_errors("metadata.name['x']"),
              ElementsAre(path + ".fieldPath: Invalid value: \"metadata.name['x']\": error "
                                 "converting fieldPath: field label does not support subscript: "
                                 "metadata.name['x']"));
  EXPECT_THAT(field_ref_errors("metadata.labels['-']"),
              ElementsAre(StartsWith(path + ": Invalid value: \"-\": name part must consist")));
  EXPECT_THAT(env_errors("{name: A, valueFrom: {fieldRef: {fieldPath: ''}}}"),
              ElementsAre(path + ".fieldPath: Required value"));
  EXPECT_THAT(env_errors("{name: A, valueFrom: {fieldRef: {fieldPath: metadata.name, apiVersion: "
                         "v2}}}"),
              ElementsAre(path + ".fieldPath: Invalid value: \"metadata.name\": error converting "
                                 "fieldPath: unsupported pod version: v2"));
}

TEST(ContainerValidation, P3_OtherReferences) {
  const std::string path = "spec.containers[0].env[0].valueFrom.";
  EXPECT_THAT(env_errors("{name: A, valueFrom: {resourceFieldRef: {resource: limits.cpu, divisor: "
                         "1m}}}, {name: B, valueFrom: {resourceFieldRef: {resource: "
                         "requests.hugepages-2Mi}}}"),
              IsEmpty());
  EXPECT_THAT(env_errors("{name: A, valueFrom: {resourceFieldRef: {resource: limits.disk}}}"),
              ElementsAre(StartsWith(path + "resourceFieldRef.resource: Unsupported value: "
                                            "\"limits.disk\": supported values: \"limits.cpu\"")));
  EXPECT_THAT(env_errors("{name: A, valueFrom: {resourceFieldRef: {resource: limits.memory, "
                         "divisor: 1m}}}"),
              ElementsAre(StartsWith(path + "resourceFieldRef.divisor: Invalid value: "
                                            "\"limits.memory\": only divisor's values 1, 1k,")));
  EXPECT_THAT(env_errors("{name: A, valueFrom: {configMapKeyRef: {name: A, key: 'a/b'}}}"),
              ElementsAre(StartsWith(path + "configMapKeyRef.name: Invalid value: \"A\": a "
                                            "lowercase RFC 1123 subdomain"),
                          StartsWith(path + "configMapKeyRef.key: Invalid value: \"a/b\": a valid "
                                            "config key must consist")));
  EXPECT_THAT(env_errors("{name: A, valueFrom: {secretKeyRef: {name: a}}}"),
              ElementsAre(path + "secretKeyRef.key: Required value"));
  EXPECT_THAT(env_errors("{name: A, valueFrom: {fileKeyRef: {volumeName: v, path: f, key: K}}}"),
              ElementsAre(path + "fileKeyRef.volumeName: Not found: \"v\""));
}

TEST(ContainerValidation, P35_EnvFrom) {
  EXPECT_THAT(container_errors("envFrom: [{configMapRef: {name: a}}, {secretRef: {name: b}, "
                               "prefix: P_}]"),
              IsEmpty());
  EXPECT_THAT(container_errors("envFrom: [{}]"),
              ElementsAre("spec.containers[0].envFrom: Invalid value: \"\": must specify one of: "
                          "`configMapRef` or `secretRef`"));
  EXPECT_THAT(container_errors("envFrom: [{configMapRef: {name: a}, secretRef: {name: b}}]"),
              ElementsAre("spec.containers[0].envFrom: Invalid value: \"\": may not have more than "
                          "one field specified at a time"));
  EXPECT_THAT(container_errors("envFrom: [{configMapRef: {}, prefix: '='}]"),
              ElementsAre(StartsWith("spec.containers[0].envFrom[0].prefix: Invalid value: \"=\""),
                          "spec.containers[0].envFrom[0].configMapRef.name: Required value"));
}

TEST(ContainerValidation, Ports) {
  EXPECT_THAT(container_errors("ports: [{containerPort: 80, name: http}, {containerPort: 53, "
                               "protocol: UDP, hostPort: 53}]"),
              IsEmpty());
  const std::string path = "spec.containers[0].ports";
  EXPECT_THAT(container_errors("ports: [{name: http}, {containerPort: 70000, name: http, "
                               "protocol: X, hostPort: -1}]"),
              ElementsAre(path + "[0].containerPort: Required value",
                          path + "[1].name: Duplicate value: \"http\"",
                          path + "[1].containerPort: Invalid value: 70000: must be between 1 and "
                                 "65535, inclusive",
                          path + "[1].hostPort: Invalid value: -1: must be between 1 and 65535, "
                                 "inclusive",
                          path + "[1].protocol: Unsupported value: \"X\": supported values: "
                                 "\"SCTP\", \"TCP\", \"UDP\""));
  EXPECT_THAT(container_errors("ports: [{containerPort: 1, hostPort: 5}, {containerPort: 2, "
                               "hostPort: 5}]"),
              ElementsAre(path + "[1].hostPort: Duplicate value: \"TCP//5\""));
}

TEST(ContainerValidation, Probes) {
  EXPECT_THAT(
      container_errors("livenessProbe: {httpGet: {port: http}}, readinessProbe: {tcpSocket: "
                       "{port: 80}, successThreshold: 2}, startupProbe: {exec: {command: "
                       "[a]}}"),
      IsEmpty());
  const std::string path = "spec.containers[0].";
  EXPECT_THAT(container_errors("livenessProbe: {}"),
              ElementsAre(path + "livenessProbe: Required value: must specify a handler type"));
  EXPECT_THAT(container_errors("livenessProbe: {exec: {}, httpGet: {port: 1}, successThreshold: 2, "
                               "periodSeconds: -1, terminationGracePeriodSeconds: 0}"),
              ElementsAre(path + "livenessProbe.exec.command: Required value",
                          path + "livenessProbe.httpGet: Forbidden: may not specify more than 1 "
                                 "handler type",
                          path + "livenessProbe.periodSeconds: Invalid value: -1: must be greater "
                                 "than or equal to 0",
                          path + "livenessProbe.terminationGracePeriodSeconds: Invalid value: 0: "
                                 "must be greater than 0",
                          path + "livenessProbe.successThreshold: Invalid value: 2: must be 1"));
  EXPECT_THAT(container_errors("readinessProbe: {httpGet: {port: 0, scheme: FTP, httpHeaders: "
                               "[{name: a_b}]}, terminationGracePeriodSeconds: 5}"),
              ElementsAre(path + "readinessProbe.httpGet.port: Invalid value: 0: must be between 1 "
                                 "and 65535, inclusive",
                          path + "readinessProbe.httpGet.scheme: Unsupported value: \"FTP\": "
                                 "supported values: \"HTTP\", \"HTTPS\"",
                          StartsWith(path + "readinessProbe.httpGet.httpHeaders: Invalid value: "
                                            "\"a_b\": a valid HTTP header"),
                          path + "readinessProbe.terminationGracePeriodSeconds: Invalid value: 5: "
                                 "must not be set for readinessProbes"));
}

TEST(ContainerValidation, Lifecycle) {
  EXPECT_THAT(container_errors("lifecycle: {preStop: {sleep: {seconds: 30}}, postStart: {exec: "
                               "{command: [a]}}}"),
              IsEmpty());
  EXPECT_THAT(container_errors("lifecycle: {preStop: {sleep: {seconds: 31}}, postStart: {}}"),
              ElementsAre("spec.containers[0].lifecycle.postStart: Required value: must specify a "
                          "handler type",
                          "spec.containers[0].lifecycle.preStop.sleep: Invalid value: 31: must be "
                          "non-negative and less than terminationGracePeriodSeconds (30)"));
}

TEST(ContainerValidation, P44_InitContainersHaveNoProbesUnlessTheyAreSidecars) {
  const std::string fields =
      "lifecycle: {postStart: {exec: {command: [a]}}}, livenessProbe: {exec: {command: [a]}}, "
      "readinessProbe: {exec: {command: [a]}}, startupProbe: {exec: {command: [a]}}";
  const std::string before =
      "{containers: [{name: c, image: i}], initContainers: [{name: n1, image: i, ";
  EXPECT_THAT(spec_errors(before + "restartPolicy: Always, " + fields + "}]}"), IsEmpty());
  const std::string forbidden =
      ": Forbidden: may not be set for init containers without restartPolicy=Always";
  EXPECT_THAT(spec_errors(before + fields + "}]}"),
              ElementsAre("spec.initContainers[0].lifecycle" + forbidden,
                          "spec.initContainers[0].livenessProbe" + forbidden,
                          "spec.initContainers[0].readinessProbe" + forbidden,
                          "spec.initContainers[0].startupProbe" + forbidden));
}

TEST(ContainerValidation, P44_RestartPolicy) {
  for (const char* good : {"Always", "Never", "OnFailure"}) {
    EXPECT_THAT(container_errors("restartPolicy: " + std::string(good)), IsEmpty()) << good;
  }
  EXPECT_THAT(container_errors("restartPolicy: Maybe"),
              ElementsAre("spec.containers[0].restartPolicy: Unsupported value: \"Maybe\": "
                          "supported values: \"Always\", \"Never\", \"OnFailure\""));
  EXPECT_THAT(
      spec_errors("{containers: [{name: c, image: i}], initContainers: [{name: d, image: i, "
                  "restartPolicy: Maybe}]}"),
      ElementsAre("spec.initContainers[0].restartPolicy: Unsupported value: \"Maybe\": "
                  "supported values: \"Always\", \"Never\", \"OnFailure\""));
}

TEST(ContainerValidation, RestartPolicyRules) {
  EXPECT_THAT(container_errors("restartPolicy: Never, restartPolicyRules: [{action: Restart, "
                               "exitCodes: {operator: In, values: [42]}}]"),
              IsEmpty());
  EXPECT_THAT(
      container_errors("restartPolicyRules: [{action: Stop, exitCodes: {operator: Like}}, {action: "
                       "RestartAllContainers}]"),
      ElementsAre("spec.containers[0].restartPolicy: Required value: must specify restartPolicy "
                  "when restart rules are used",
                  "spec.containers[0].restartPolicyRules[0].action: Unsupported value: \"Stop\": "
                  "supported values: \"Restart\", \"RestartAllContainers\"",
                  "spec.containers[0].restartPolicyRules[0].exitCodes.operator: Unsupported value: "
                  "\"Like\": supported values: \"In\", \"NotIn\"",
                  "spec.containers[0].restartPolicyRules[1].exitCodes: Required value: must be "
                  "specified"));
}

TEST(ContainerValidation, P46_SecurityContext) {
  EXPECT_THAT(container_errors("securityContext: {privileged: true, runAsUser: 0, capabilities: "
                               "{add: [ALL], drop: [NET_RAW]}, seccompProfile: {type: "
                               "RuntimeDefault}}"),
              IsEmpty());
  const std::string path = "spec.containers[0].securityContext";
  EXPECT_THAT(container_errors("securityContext: {runAsUser: -1, seccompProfile: {type: "
                               "Localhost}}"),
              ElementsAre(path + ".runAsUser: Invalid value: -1: must be between 0 and 2147483647, "
                                 "inclusive",
                          path + ".seccompProfile.localhostProfile: Required value: must be set "
                                 "when seccomp type is Localhost"));
  EXPECT_THAT(container_errors("securityContext: {privileged: true, allowPrivilegeEscalation: "
                               "false}"),
              ElementsAre(::testing::EndsWith(
                  "cannot set `allowPrivilegeEscalation` to false and `privileged` to true")));
  EXPECT_THAT(container_errors("securityContext: {allowPrivilegeEscalation: false, capabilities: "
                               "{add: [CAP_SYS_ADMIN, CAP_SYS_ADMIN]}}"),
              ElementsAre(::testing::EndsWith("cannot set `allowPrivilegeEscalation` to false and "
                                              "`capabilities.Add` CAP_SYS_ADMIN")));
}

}  // namespace
}  // namespace windlass::api
