// Fields that a node honours only in part, and those that it cannot honour at all.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "node/agent_testing.h"
#include "schema/core/v1/event.pb.h"

namespace windlass::node {
namespace {

using testing::AgentTest;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::UnorderedElementsAre;

class ProtectionTest : public AgentTest {
 protected:
  void add_pod_with(const std::string& spec, const std::string& container = "") {
    add_pod_spec(fmt::format(
        "restartPolicy: Never, {} containers: [{{name: c, image: i, {} command: [run, '5', '0']}}]",
        spec, container));
  }
  std::vector<std::string> warnings() {
    run_for(seconds(1));
    std::vector<std::string> lines;
    const auto list = api.server.list({&api::kinds::event(), "default", "", ""}, {});
    for (const auto& object : list->items) {
      const auto event = api::object_as<api::core::v1::Event>(object);
      if (event->type() == "Warning") {
        lines.push_back(event->reason() + ": " + event->message());
      }
    }
    return lines;
  }
  std::string file_at(const std::string& target) {
    for (const env::ContainerMount& mount : node.spawned.back().isolation.mounts) {
      if (mount.target == target) {
        return node.files.read(mount.source, 10'000).value_or("unreadable");
      }
    }
    return "not mounted";
  }
};

// Credentials, the store and other pods are in the node's directories.
TEST_F(ProtectionTest, DirectoriesOfTheNodeAreHiddenOnTheHostsRoot) {
  node.config.private_directories = {"/data", "/images"};
  node.make_agent(api);
  node.agent->start();
  add_pod_with("");
  EXPECT_EQ(phase(), "Running");
  EXPECT_EQ(node.spawned.back().isolation.boundary.hidden, node.config.private_directories);
  EXPECT_FALSE(node.spawned.back().isolation.boundary.unmasked_proc);
}

TEST_F(ProtectionTest, TheHostsRootIsReadOnlyUnlessTheNodeSaysOtherwise) {
  node.config.host_root = {true, false};
  node.config.protection = {.allow_privileged = true, .max_pids = 77};
  node.make_agent(api);
  node.agent->start();
  add_pod_with("");
  EXPECT_TRUE(node.spawned.back().isolation.confinement.read_only_root);
  EXPECT_EQ(node.spawned.back().limits.pids, 77u);
}

TEST_F(ProtectionTest, PrivilegedContainersRunWhereTheNodeAllowsThem) {
  node.config.host_root = {true, false};
  node.config.protection.allow_privileged = true;
  node.make_agent(api);
  node.agent->start();
  add_pod_with("", "securityContext: {privileged: true},");
  EXPECT_EQ(phase(), "Running");
  EXPECT_FALSE(node.spawned.back().isolation.confinement.read_only_root) << "it has the machine";
}

TEST_F(ProtectionTest, PrivilegedContainersAreRejectedElsewhere) {
  add_pod_with("", "securityContext: {privileged: true},");
  EXPECT_EQ(phase(), "Failed");
  EXPECT_TRUE(node.spawned.empty());
  EXPECT_THAT(warnings(),
              ElementsAre("PrivilegedForbidden: container \"c\" is privileged, and this "
                          "node runs no privileged containers: start it with "
                          "--allow-privileged"));
}

TEST_F(ProtectionTest, WhatIsIgnoredIsSaidInAnEvent) {
  add_pod_with("shareProcessNamespace: true,", "tty: true,");
  EXPECT_EQ(phase(), "Running");
  EXPECT_THAT(warnings(),
              UnorderedElementsAre(
                  "UnsupportedField: spec.shareProcessNamespace is ignored: each container "
                  "has a process namespace of its own",
                  "UnsupportedField: spec.containers[0].tty is ignored: a container has no "
                  "terminal"));
}

TEST_F(ProtectionTest, K2_ProtectionThatCannotBeGivenRejectsThePod) {
  add_pod_with("securityContext: {seccompProfile: {type: Localhost, localhostProfile: a.json}},");
  EXPECT_EQ(phase(), "Failed");
  EXPECT_EQ(pod()->status().reason(), "Seccomp");
  EXPECT_THAT(pod()->status().message(),
              HasSubstr("spec.securityContext.seccompProfile cannot be honoured"));
  EXPECT_THAT(warnings(), Contains(HasSubstr("Seccomp: spec.securityContext.seccompProfile")));
  EXPECT_TRUE(node.spawned.empty());
}

TEST_F(ProtectionTest, TheFilterOfSystemCallsIsLeftOutOnlyWhereAsked) {
  add_pod_with("securityContext: {seccompProfile: {type: RuntimeDefault}},");
  ASSERT_EQ(node.spawned.size(), 1u);
  EXPECT_EQ(node.spawned[0].isolation.boundary.unfiltered, false);
}

TEST_F(ProtectionTest, UnconfinedContainersAreNotFiltered) {
  add_pod_with("securityContext: {seccompProfile: {type: Unconfined}},");
  ASSERT_EQ(node.spawned.size(), 1u);
  EXPECT_EQ(node.spawned[0].isolation.boundary.unfiltered, true);
}

// A supervisor that an older program has started.
TEST_F(ProtectionTest, AFilterThatIsAskedForIsNeverMissingInSilence) {
  node.containers.set_support({.boundary = false, .missing = {}});
  node.make_agent(api);
  node.agent->start();
  add_pod_with("securityContext: {seccompProfile: {type: RuntimeDefault}},");
  EXPECT_TRUE(node.spawned.empty());
  EXPECT_EQ(phase(), "Pending");
}

TEST_F(ProtectionTest, ASysctlOfTheMachineRejectsThePod) {
  add_pod_with("securityContext: {sysctls: [{name: net.ipv4.ip_forward, value: '1'}]},");
  EXPECT_EQ(phase(), "Failed");
  EXPECT_EQ(pod()->status().reason(), "SysctlForbidden");
}

TEST_F(ProtectionTest, TheSupervisorIsAskedForTheRest) {
  add_pod_with("hostPID: true, securityContext: {sysctls: [{name: kernel.sem, value: '1 2 3 4'}]},",
               "securityContext: {readOnlyRootFilesystem: true, capabilities: {drop: [ALL]}},");
  ASSERT_EQ(node.spawned.size(), 1u);
  const env::ContainerConfinement want = {true, {}, {"ALL"}, {"kernel.sem=1 2 3 4"}, true, false};
  EXPECT_EQ(node.spawned[0].isolation.confinement, want);
  EXPECT_THAT(warnings(), ::testing::IsEmpty());
}

TEST_F(ProtectionTest, HostAliasesAndDnsConfigAreFilesOfThePod) {
  node.files.put("/etc/hosts", "127.0.0.1 localhost\n");
  node.files.put("/etc/resolv.conf", "nameserver 10.0.0.53\n");
  add_pod_with(
      "hostAliases: [{ip: 10.0.0.1, hostnames: [db]}], dnsConfig: {searches: [example.com]},");
  ASSERT_EQ(node.spawned.size(), 1u);
  EXPECT_THAT(file_at("/etc/hosts"), HasSubstr("127.0.0.1 localhost\n10.0.0.1\tdb\n"));
  EXPECT_EQ(file_at("/etc/resolv.conf"), "search example.com\nnameserver 10.0.0.53\n");
  const std::string place = "/data/volumes/" + pod()->metadata().uid();
  EXPECT_TRUE(node.files.type(place));
  run_for(seconds(10));
  EXPECT_EQ(phase(), "Succeeded");
  EXPECT_FALSE(node.files.type(place));
}

TEST_F(ProtectionTest, AMountOfTheContainersOwnGoesBeforeThePodsFile) {
  add_pod_with(
      "hostAliases: [{ip: 10.0.0.1, hostnames: [db]}], volumes: [{name: v, hostPath: {path: "
      "/}}],",
      "volumeMounts: [{name: v, mountPath: /etc/hosts}],");
  run_for(seconds(1));
  size_t mounted = 0;
  for (const auto& spawned : node.spawned) {
    for (const env::ContainerMount& mount : spawned.isolation.mounts) {
      mounted += mount.target == "/etc/hosts" ? 1U : 0U;
    }
  }
  EXPECT_EQ(mounted, 1u);
}

}  // namespace
}  // namespace windlass::node
