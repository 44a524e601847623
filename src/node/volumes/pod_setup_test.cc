// Volumes and objects of pods, from the pod's spec to what the supervisor is asked for.
#include "node/volumes/pod_setup.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "node/testing.h"
#include "schema/core/v1/config_map.pb.h"
#include "schema/core/v1/event.pb.h"

namespace windlass::node {
namespace {

using api::core::v1::ConfigMap;
using api::core::v1::Event;
using api::core::v1::Secret;
using apiserver::testing::Pod;
using apiserver::testing::SimulatedApi;
using ::testing::Contains;
using ::testing::HasSubstr;
using testing::SimulatedNode;

class PodSetupTest : public ::testing::Test {
 protected:
  PodSetupTest() : node(api) {
    node.agent->start();
    run_for(milliseconds(1));
  }

  void run_for(Duration duration) { api.world.run_for(duration); }
  void add_pod(const std::string& volumes, const std::string& mounts,
               const std::string& more = "") {
    api.create_pod(fmt::format(
        "{{metadata: {{name: p, labels: {{app: x}}}}, spec: {{nodeName: node-1, restartPolicy: "
        "Never, volumes: [{}], containers: [{{name: c, image: i, command: [run, '5', '0'], "
        "volumeMounts: [{}], {}}}]}}}}",
        volumes, mounts, more));
    run_for(milliseconds(1));
  }
  void add_config_map() {
    api.create<ConfigMap>(api::kinds::config_map(),
                          "{metadata: {name: cm}, data: {a: one, b: two}}");
  }
  std::string phase() { return api.pod("p")->status().phase(); }
  std::string volume(const std::string& name) {
    return "/data/volumes/" + api.pod("p")->metadata().uid() + "/" + name;
  }
  // The mount with this target, of the newest container.
  env::ContainerMount mount(const std::string& target) {
    for (const auto& each : node.spawned.back().isolation.mounts) {
      if (each.target == target) {
        return each;
      }
    }
    ADD_FAILURE() << "nothing is mounted at " << target;
    return {};
  }
  std::vector<std::string> events(const std::string& reason) {
    run_for(seconds(2));
    std::vector<std::string> found;
    const auto list = api.server.list({&api::kinds::event(), "default", "", ""}, {});
    for (const auto& object : list->items) {
      const auto event = api::object_as<Event>(object);
      if (event->reason() == reason) {
        found.push_back(event->message());
      }
    }
    return found;
  }

  SimulatedApi api;
  SimulatedNode node;
};

TEST_F(PodSetupTest, AnEmptyDirLivesAsLongAsItsPod) {
  add_pod("{name: v, emptyDir: {}}", "{name: v, mountPath: /scratch}");
  EXPECT_EQ(mount("/scratch").source, volume("v"));
  EXPECT_FALSE(mount("/scratch").read_only);
  EXPECT_EQ(node.files.mode(volume("v")), 0777u);
  run_for(seconds(6));
  EXPECT_EQ(phase(), "Succeeded");
  EXPECT_FALSE(node.files.type(volume("v")).has_value());
}

TEST_F(PodSetupTest, AnEmptyDirInMemoryIsAsLargeAsItsLimits) {
  add_pod(
      "{name: v, emptyDir: {medium: Memory, sizeLimit: 1Mi}}, {name: w, emptyDir: {medium: "
      "Memory}}",
      "{name: v, mountPath: /v}, {name: w, mountPath: /w}", "resources: {limits: {memory: 2Mi}}");
  EXPECT_EQ(mount("/v").kind, env::ContainerMount::Kind::tmpfs);
  EXPECT_EQ(mount("/v").size_bytes, 1024u * 1024);
  EXPECT_EQ(mount("/w").size_bytes, 2048u * 1024);
}

TEST_F(PodSetupTest, AllContainersOfAPodShareAnEmptyDirInMemory) {
  api.create_pod(
      "{metadata: {name: p}, spec: {nodeName: node-1, restartPolicy: OnFailure, securityContext: "
      "{fsGroup: 77}, volumes: [{name: v, emptyDir: {medium: Memory, sizeLimit: 1Mi}}], "
      "initContainers: [{name: i, image: i, command: [run, '0', '0'], volumeMounts: "
      "[{name: v, mountPath: /v}]}], containers: [{name: c, image: i, command: [run, '5', '0'], "
      "volumeMounts: [{name: v, mountPath: /v}, {name: v, mountPath: /w, readOnly: true}]}]}}");
  run_for(seconds(1));
  ASSERT_EQ(node.spawned.size(), 2u);
  const env::ContainerMount& first = node.spawned[0].isolation.mounts.back();
  EXPECT_EQ(first.kind, env::ContainerMount::Kind::tmpfs);
  EXPECT_EQ(first.source, api.pod("p")->metadata().uid() + "/v");
  EXPECT_EQ(first.group, 77u);
  EXPECT_EQ(mount("/v"), first);
  EXPECT_EQ(mount("/w").source, first.source);
  EXPECT_TRUE(mount("/w").read_only);
  EXPECT_FALSE(node.files.type(volume("v")).has_value());
}

TEST_F(PodSetupTest, MemoryOfPodsWhoseContainersAllHaveLimitsIsTheirSum) {
  PodSpecView spec;
  for (const int64_t limit : {2'000'000, 3'000'000}) {
    ContainerSpecView& container = spec.containers.emplace_back();
    container.mounts = {{"v", "/v", "", "", false}};
    container.limits = {{"memory", limit}};  // in thousandths
  }
  VolumePlan volume;
  volume.name = "v";
  volume.in_memory = true;
  spec.volumes = {volume};
  const env::ContainerSupport support;
  HostFacts facts;
  const auto size = [&] {
    PodSetup setup({api.client, node.files, support, facts}, spec, "/volumes");
    setup.prepare(false, [](const Result<void>& done) { EXPECT_TRUE(done.has_value()); });
    return setup.volumes().at("v").memory_bytes.value_or(1);
  };
  EXPECT_EQ(size(), 5'000u);
  facts.allocatable = {{"memory", 4'000'000}};
  EXPECT_EQ(size(), 4'000u);
  spec.containers[0].limits.clear();
  EXPECT_EQ(size(), 4'000u);
  facts.allocatable.clear();
  EXPECT_EQ(size(), 0u) << "as the kernel has it";
}

// A supervisor of an older version runs on when the agent is replaced.
TEST_F(PodSetupTest, AnEmptyDirInMemoryIsAFolderWhereMemoryCannotBeShared) {
  node.containers.set_support({.shared_memory = false, .missing = {}});
  node.make_agent(api);
  node.agent->start();
  run_for(milliseconds(1));
  add_pod("{name: v, emptyDir: {medium: Memory}}", "{name: v, mountPath: /v}");
  EXPECT_EQ(mount("/v").kind, env::ContainerMount::Kind::bind);
  EXPECT_EQ(mount("/v").source, volume("v"));
}

// As a kubelet has it.
TEST_F(PodSetupTest, AMountPathWithoutASlashBeginsAtTheRoot) {
  add_pod("{name: v, emptyDir: {}}", "{name: v, mountPath: scratch}");
  EXPECT_EQ(mount("/scratch").source, volume("v"));
}

TEST_F(PodSetupTest, ConfigMapsAndSecretsBecomeFiles) {
  add_config_map();
  api.create<Secret>(api::kinds::secret(), "{metadata: {name: s}, data: {key: aGlkZGVu}}");
  add_pod(
      "{name: m, configMap: {name: cm, items: [{key: b, path: deep/er}]}}, "
      "{name: s, secret: {secretName: s, defaultMode: 256}}",
      "{name: m, mountPath: /m}, {name: s, mountPath: /s}");
  EXPECT_TRUE(mount("/m").read_only);
  EXPECT_EQ(node.files.read(volume("m") + "/deep/er", 100).value_or("missing"), "two");
  EXPECT_EQ(node.files.mode(volume("m") + "/deep/er"), 0644u);
  EXPECT_FALSE(node.files.type(volume("m") + "/a").has_value());
  EXPECT_EQ(node.files.read(volume("s") + "/key", 100).value_or("missing"), "hidden");
  EXPECT_EQ(node.files.mode(volume("s") + "/key"), 0400u);
}

TEST_F(PodSetupTest, ProjectedVolumesPutThemTogether) {
  add_config_map();
  add_pod(
      "{name: v, projected: {sources: [{configMap: {name: cm}}, {secret: {name: none, optional: "
      "true}}, {downwardAPI: {items: [{path: labels, fieldRef: {fieldPath: metadata.labels}}, "
      "{path: cpu, resourceFieldRef: {containerName: c, resource: limits.cpu}}]}}]}}",
      "{name: v, mountPath: /v}");
  EXPECT_EQ(node.files.read(volume("v") + "/a", 100).value_or("missing"), "one");
  EXPECT_EQ(node.files.read(volume("v") + "/labels", 100).value_or("missing"), "app=\"x\"");
  EXPECT_EQ(node.files.read(volume("v") + "/cpu", 100).value_or("missing"), "4");
}

TEST_F(PodSetupTest, K18_APodWaitsForItsConfigMap) {
  add_pod("{name: v, configMap: {name: cm}}", "{name: v, mountPath: /v}");
  EXPECT_TRUE(node.spawned.empty());
  EXPECT_EQ(phase(), "Pending");
  EXPECT_EQ(api.pod("p")->status().container_statuses(0).state().waiting().reason(),
            "ContainerCreating");
  EXPECT_THAT(events("FailedMount"),
              Contains("MountVolume.SetUp failed for volume \"v\" : configmap \"cm\" not found"));
  add_config_map();
  run_for(seconds(11));
  EXPECT_EQ(phase(), "Running");
}

TEST_F(PodSetupTest, K18_AContainerWaitsForTheObjectsOfItsEnvironment) {
  add_pod("", "", "envFrom: [{configMapRef: {name: cm}}]");
  EXPECT_TRUE(node.spawned.empty());
  EXPECT_EQ(api.pod("p")->status().container_statuses(0).state().waiting().reason(),
            "CreateContainerConfigError");
  add_config_map();
  run_for(seconds(11));
  EXPECT_EQ(phase(), "Running");
  EXPECT_THAT(node.spawned.back().environment, Contains("b=two"));
}

TEST_F(PodSetupTest, K38_APodThatWaitsForAVolumeCanBeDeleted) {
  add_pod("{name: v, configMap: {name: cm}}", "{name: v, mountPath: /v}");
  ASSERT_TRUE(api.remove_pod("p").answer);
  run_for(seconds(1));
  EXPECT_FALSE(api.pod("p"));
  add_config_map();
  run_for(seconds(20));
  EXPECT_TRUE(node.spawned.empty());
}

TEST_F(PodSetupTest, AHostPathIsCheckedAsItsTypeSays) {
  node.files.put("/srv/data/file", "x");
  struct HostPathCase {
    const char* path;
    const char* type;
    bool fits;
  };
  const HostPathCase cases[] = {
      {"/srv/data", "", true},
      {"/srv/data", "Directory", true},
      {"/srv/data", "File", false},
      {"/srv/data/file", "File", true},
      {"/srv/none", "", false},
      {"/srv/none", "Directory", false},
      {"/srv/made", "DirectoryOrCreate", true},
      {"/srv/data/new", "FileOrCreate", true},
  };
  PodSpecView spec;
  spec.containers.emplace_back().mounts = {{"v", "/v", "", "", false}};
  const env::ContainerSupport support;
  const HostFacts facts;
  for (const HostPathCase& c : cases) {
    VolumePlan volume;
    volume.name = "v";
    volume.kind = VolumePlan::Kind::host_path;
    volume.text = c.path;
    volume.path_type = c.type;
    spec.volumes = {volume};
    PodSetup setup({api.client, node.files, support, facts}, spec, "/volumes");
    bool fits = false;
    setup.prepare(false, [&fits](const Result<void>& done) { fits = done.has_value(); });
    EXPECT_EQ(fits, c.fits) << c.path << " " << c.type;
  }
}

TEST_F(PodSetupTest, PartsOfVolumes) {
  add_config_map();
  add_pod("{name: v, configMap: {name: cm}}, {name: w, emptyDir: {medium: Memory}}",
          "{name: v, mountPath: /etc/a, subPath: a}, {name: w, mountPath: /w, subPath: x/y}");
  EXPECT_EQ(mount("/etc/a").source, volume("v"));
  EXPECT_EQ(mount("/etc/a").sub_path, "a");
  EXPECT_EQ(mount("/w").kind, env::ContainerMount::Kind::tmpfs);
  EXPECT_EQ(mount("/w").sub_path, "x/y");
}

TEST_F(PodSetupTest, ChangesReachTheVolumesOfRunningPods) {
  add_config_map();
  api.create_pod(
      "{metadata: {name: p}, spec: {nodeName: node-1, restartPolicy: Never, securityContext: "
      "{fsGroup: 77}, volumes: [{name: v, configMap: {name: cm}}, {name: e, emptyDir: {}}], "
      "containers: [{name: c, image: i, command: [run, '600', '0'], volumeMounts: "
      "[{name: v, mountPath: /v}, {name: e, mountPath: /e}]}]}}");
  run_for(milliseconds(10));
  const std::string before = node.files.link(volume("v") + "/..data");
  EXPECT_EQ(node.files.group(volume("e")), 77u);
  EXPECT_EQ(node.files.mode(volume("e")), 02777u);
  run_for(minutes(3));
  EXPECT_EQ(node.files.link(volume("v") + "/..data"), before) << "nothing has changed";
  api.change<api::core::v1::ConfigMap>(api::kinds::config_map(), "default", "cm", "",
                                       [](auto& map) { (*map.mutable_data())["a"] = "changed"; });
  run_for(minutes(1));
  EXPECT_EQ(*node.files.read(volume("v") + "/a", 100), "changed");
  EXPECT_NE(node.files.link(volume("v") + "/..data"), before);
  ASSERT_TRUE(api.remove(api::kinds::config_map(), "default", "cm", {}).answer);
  run_for(minutes(2));
  EXPECT_EQ(*node.files.read(volume("v") + "/a", 100), "changed") << "what was there stays";
  EXPECT_EQ(phase(), "Running");
}

TEST_F(PodSetupTest, LabelsAndAnnotationsReachDownwardVolumesOfRunningPods) {
  add_config_map();
  api.create_pod(
      "{metadata: {name: p, labels: {app: one}}, spec: {nodeName: node-1, restartPolicy: Never, "
      "volumes: [{name: v, downwardAPI: {items: [{path: labels, fieldRef: {fieldPath: "
      "metadata.labels}}, {path: note, fieldRef: {fieldPath: "
      "\"metadata.annotations['note']\"}}]}}, "
      "{name: w, projected: {sources: [{configMap: {name: cm}}, {downwardAPI: {items: [{path: "
      "labels, fieldRef: {fieldPath: metadata.labels}}]}}]}}], "
      "containers: [{name: c, image: i, command: [run, '600', '0'], volumeMounts: "
      "[{name: v, mountPath: /v}, {name: w, mountPath: /w}]}]}}");
  run_for(milliseconds(10));
  EXPECT_EQ(*node.files.read(volume("v") + "/labels", 100), "app=\"one\"");
  EXPECT_EQ(*node.files.read(volume("v") + "/note", 100), "");
  const std::string before = node.files.link(volume("v") + "/..data");
  api.change<Pod>(api::kinds::pod(), "default", "p", "", [](Pod& pod) {
    (*pod.mutable_metadata()->mutable_labels())["app"] = "two";
    (*pod.mutable_metadata()->mutable_annotations())["note"] = "new";
  });
  run_for(seconds(1));
  EXPECT_EQ(*node.files.read(volume("v") + "/labels", 100), "app=\"two\"");
  EXPECT_EQ(*node.files.read(volume("v") + "/note", 100), "new");
  EXPECT_NE(node.files.link(volume("v") + "/..data"), before) << "all files at once";
  EXPECT_EQ(*node.files.read(volume("w") + "/labels", 100), "app=\"two\"");
  EXPECT_EQ(*node.files.read(volume("w") + "/a", 100), "one");
  const std::string after = node.files.link(volume("v") + "/..data");
  run_for(minutes(5));
  EXPECT_EQ(node.files.link(volume("v") + "/..data"), after) << "nothing has changed since";
}

TEST_F(PodSetupTest, LabelsThatChangedWithoutAnAgentAreSeenByTheNext) {
  api.create_pod(
      "{metadata: {name: p, labels: {app: one}}, spec: {nodeName: node-1, restartPolicy: Never, "
      "volumes: [{name: v, downwardAPI: {items: [{path: labels, fieldRef: {fieldPath: "
      "metadata.labels}}]}}], containers: [{name: c, image: i, command: [run, '600', '0'], "
      "volumeMounts: [{name: v, mountPath: /v}]}]}}");
  run_for(milliseconds(10));
  node.agent.reset();
  api.change<Pod>(api::kinds::pod(), "default", "p", "",
                  [](Pod& pod) { (*pod.mutable_metadata()->mutable_labels())["app"] = "two"; });
  node.make_agent(api);
  node.agent->start();
  run_for(seconds(1));
  EXPECT_EQ(*node.files.read(volume("v") + "/labels", 100), "app=\"two\"");
}

TEST_F(PodSetupTest, WhatIsNotToBeHadSaysSo) {
  add_pod("{name: v, nfs: {server: s, path: /p}}", "{name: v, mountPath: /v}");
  EXPECT_THAT(events("FailedMount"), Contains(HasSubstr("nfs is not supported by this node")));
  EXPECT_EQ(phase(), "Pending");
}

TEST_F(PodSetupTest, UsersAndGroupsGoToTheSupervisor) {
  add_pod("", "", "securityContext: {runAsUser: 1000, runAsGroup: 100}");
  EXPECT_EQ(node.spawned.back().isolation.uid, 1000u);
  EXPECT_EQ(node.spawned.back().isolation.gid, 100u);
  EXPECT_EQ(node.spawned.back().working_directory, "/") << "the pod's directory is not theirs";
}

TEST_F(PodSetupTest, K62_R7_APodBeyondItsLocalStorageIsEvictedAndNotDisrupted) {
  api.create_pod(
      "{metadata: {name: p}, spec: {nodeName: node-1, restartPolicy: Never, volumes: [{name: v, "
      "emptyDir: {sizeLimit: 1Ki}}], containers: [{name: c, image: i, command: [run, '-1', '0', "
      "'60', '0'], volumeMounts: [{name: v, mountPath: /v}]}]}}");
  run_for(seconds(11));
  EXPECT_EQ(phase(), "Running");
  node.files.put(volume("v") + "/big", std::string(2000, 'x'));
  run_for(seconds(13));
  EXPECT_EQ(phase(), "Failed");
  EXPECT_EQ(api.pod("p")->status().reason(), "Evicted");
  EXPECT_EQ(api.pod("p")->status().message(),
            "Usage of EmptyDir volume \"v\" exceeds the limit \"1Ki\". ");
  EXPECT_EQ(api.pod("p")->status().container_statuses(0).state().terminated().exit_code(), 137);
  for (const auto& condition : api.pod("p")->status().conditions()) {
    EXPECT_NE(condition.type(), "DisruptionTarget");
  }
}

TEST_F(PodSetupTest, ANewAgentLeavesTheFilesOfARunningPodAlone) {
  add_config_map();
  add_pod("{name: v, configMap: {name: cm}}", "{name: v, mountPath: /v}");
  node.files.put(volume("v") + "/..1/a", "as the container sees it");
  node.make_agent(api);
  node.agent->start();
  run_for(seconds(1));
  EXPECT_EQ(phase(), "Running");
  EXPECT_EQ(node.files.read(volume("v") + "/a", 100).value_or(""), "as the container sees it");
  run_for(seconds(6));
  EXPECT_EQ(phase(), "Succeeded");
}

TEST_F(PodSetupTest, AVolumeIsThereAlthoughAnotherOneCameLate) {
  add_config_map();
  add_pod("{name: v, configMap: {name: cm}}, {name: w, configMap: {name: late}}",
          "{name: v, mountPath: /v}, {name: w, mountPath: /w}");
  run_for(seconds(25));
  EXPECT_EQ(phase(), "Pending");
  api.create<ConfigMap>(api::kinds::config_map(), "{metadata: {name: late}, data: {c: three}}");
  run_for(seconds(6));
  EXPECT_EQ(phase(), "Running");
  EXPECT_EQ(node.files.read(volume("v") + "/..1/a", 100).value_or("missing"), "one");
  EXPECT_EQ(node.files.read(volume("w") + "/..1/c", 100).value_or("missing"), "three");
}

}  // namespace
}  // namespace windlass::node
