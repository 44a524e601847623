#include "api/pod/warnings/unsupported_fields.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "api/pod/pod_testing.h"

namespace windlass::api {
namespace {

using Effect = UnsupportedField::Effect;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

// `ignored PATH` or `REASON PATH`.
std::vector<std::string> found(const std::string& spec_fields, const std::string& container = "") {
  const auto spec = testing::from_yaml<core::v1::PodSpec>("{containers: [{name: a, image: i, " +
                                                          container + "}], " + spec_fields + "}");
  std::vector<std::string> out;
  for (const UnsupportedField& field : unsupported_fields(FieldPath("spec"), spec)) {
    out.push_back((field.effect == Effect::ignored ? "ignored" : field.reason) + " " + field.path);
  }
  return out;
}

TEST(UnsupportedFields, NoneInAPodThatAsksForWhatThereIs) {
  EXPECT_THAT(found("hostPID: true, hostIPC: true, hostAliases: [{ip: 10.0.0.1, hostnames: [a]}], "
                    "dnsConfig: {nameservers: [10.0.0.1]}, hostUsers: true, securityContext: "
                    "{runAsUser: 1, fsGroup: 2, seccompProfile: {type: Unconfined}}",
                    "securityContext: {readOnlyRootFilesystem: true, procMount: Default, "
                    "allowPrivilegeEscalation: "
                    "false, capabilities: {drop: [ALL]}}"),
              IsEmpty());
}

TEST(UnsupportedFields, WhatMakesNoDifferenceToProtectionIsIgnored) {
  EXPECT_THAT(
      found("shareProcessNamespace: true, setHostnameAsFQDN: true, securityContext: "
            "{windowsOptions: {runAsUserName: x}}",
            "stdin: true, tty: true, volumeMounts: [{name: v, mountPath: /v, mountPropagation: "
            "HostToContainer}, {name: v, mountPath: /w, mountPropagation: None}], lifecycle: "
            "{stopSignal: SIGINT}, livenessProbe: {grpc: {port: 1, mode: TLS}}, "),
      ElementsAre("ignored spec.shareProcessNamespace", "ignored spec.setHostnameAsFQDN",
                  "ignored spec.securityContext.windowsOptions", "ignored spec.containers[0].stdin",
                  "ignored spec.containers[0].tty",
                  "ignored spec.containers[0].lifecycle.stopSignal",
                  "ignored spec.containers[0].livenessProbe.grpc.mode",
                  "ignored spec.containers[0].volumeMounts[0].mountPropagation"));
}

TEST(UnsupportedFields, ProtectionThatCannotBeGivenIsRefused) {
  EXPECT_THAT(found("hostUsers: false"), ElementsAre("UnsupportedSecurityContext spec.hostUsers"));
  EXPECT_THAT(found("",
                    "securityContext: {seccompProfile: {type: Localhost}, "
                    "appArmorProfile: {type: RuntimeDefault}, seLinuxOptions: {level: x}}"),
              ElementsAre("Seccomp spec.containers[0].securityContext.seccompProfile",
                          "AppArmor spec.containers[0].securityContext.appArmorProfile",
                          "SELinux spec.containers[0].securityContext.seLinuxOptions"));
}

TEST(UnsupportedFields, WhatThePodSaysForAllIsSaidOnceAndAContainerMaySayOtherwise) {
  const std::string pod = "securityContext: {seccompProfile: {type: Localhost}}";
  EXPECT_THAT(found(pod + ", initContainers: [{name: b, image: i}]"),
              ElementsAre("Seccomp spec.securityContext.seccompProfile"));
  for (const std::string type : {"Unconfined", "RuntimeDefault"}) {
    EXPECT_THAT(found(pod, "securityContext: {seccompProfile: {type: " + type + "}}"), IsEmpty());
  }
  EXPECT_THAT(found(pod, "securityContext: {privileged: true}"), IsEmpty());
}

TEST(UnsupportedFields, SettingsOfTheMachineAreRefused) {
  const auto sysctl = [](const std::string& name) {
    return "securityContext: {sysctls: [{name: " + name + ", value: '1'}]}";
  };
  EXPECT_THAT(found(sysctl("kernel.shm_rmid_forced")), IsEmpty());
  EXPECT_THAT(found(sysctl("fs/mqueue/queues_max")), IsEmpty());
  const auto forbidden = ElementsAre("SysctlForbidden spec.securityContext.sysctls[0]");
  EXPECT_THAT(found(sysctl("net.ipv4.tcp_syncookies")), forbidden);
  EXPECT_THAT(found(sysctl("kernel.panic")), forbidden);
  EXPECT_THAT(found(sysctl("kernel.sem") + ", hostIPC: true"), forbidden);
}

TEST(UnsupportedFields, TheTextSaysWhatToDo) {
  const auto spec = testing::from_yaml<core::v1::PodSpec>(
      "{containers: [{name: a, securityContext: {seccompProfile: {type: Localhost}}, tty: "
      "true}]}");
  const auto fields = unsupported_fields(FieldPath("spec"), spec);
  ASSERT_EQ(fields.size(), 2u);
  EXPECT_EQ(fields[0].text(), "spec.containers[0].tty is ignored: a container has no terminal");
  EXPECT_EQ(fields[1].text(),
            "spec.containers[0].securityContext.seccompProfile cannot be honoured: profiles of the "
            "node are not read, so this one cannot be enforced; set type: RuntimeDefault, which is "
            "what containers without a profile have");
}

}  // namespace
}  // namespace windlass::api
