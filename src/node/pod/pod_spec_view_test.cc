#include "node/pod/pod_spec_view.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "api/pod/pod_testing.h"
#include "schema/core/v1/pod.pb.h"

namespace windlass::node {
namespace {

using api::core::v1::Pod;
using api::testing::from_yaml;
using ::testing::ElementsAre;
using Source = EnvironmentEntry::Source;

TEST(PodSpecView, ReadsTheSpec) {
  const PodSpecView spec = read_spec(from_yaml<Pod>(R"(
metadata: {name: p, namespace: ns, uid: u, labels: {a: b}, annotations: {c: d}}
spec:
  nodeName: node-1
  serviceAccountName: sa
  hostname: h
  restartPolicy: OnFailure
  terminationGracePeriodSeconds: 5
  activeDeadlineSeconds: 60
  initContainers:
  - {name: i, image: x}
  - {name: s, image: x, restartPolicy: Always}
  containers:
  - name: c
    image: img
    command: [sh, -c]
    args: ['echo $(A)']
    workingDir: /w
    resources: {limits: {cpu: 500m}, requests: {memory: 1Ki}}
)"));
  EXPECT_EQ(spec.ns, "ns");
  EXPECT_EQ(spec.name, "p");
  EXPECT_EQ(spec.uid, "u");
  EXPECT_EQ(spec.labels.at("a"), "b");
  EXPECT_EQ(spec.annotations.at("c"), "d");
  EXPECT_EQ(spec.node_name, "node-1");
  EXPECT_EQ(spec.service_account, "sa");
  EXPECT_EQ(spec.hostname, "h");
  EXPECT_EQ(spec.restart_policy, RestartPolicy::on_failure);
  EXPECT_EQ(spec.grace, seconds(5));
  EXPECT_EQ(spec.active_deadline, seconds(60));
  ASSERT_EQ(spec.init_containers.size(), 2u);
  EXPECT_FALSE(spec.init_containers[0].sidecar);
  EXPECT_TRUE(spec.init_containers[1].sidecar);
  const ContainerSpecView& container = spec.containers.at(0);
  EXPECT_EQ(container.image, "img");
  EXPECT_THAT(container.command, ElementsAre("sh", "-c"));
  EXPECT_THAT(container.args, ElementsAre("echo $(A)"));
  EXPECT_EQ(container.working_dir, "/w");
  EXPECT_EQ(container.limits.at("cpu"), 500);
  EXPECT_EQ(container.requests.at("memory"), 1024 * 1000);
}

TEST(PodSpecView, ReadsEveryKindOfVariable) {
  const PodSpecView spec = read_spec(from_yaml<Pod>(R"(
spec:
  containers:
  - name: c
    image: x
    env:
    - {name: A, value: v}
    - {name: B, valueFrom: {fieldRef: {fieldPath: metadata.name}}}
    - name: C
      valueFrom: {resourceFieldRef: {containerName: c, resource: limits.cpu, divisor: 1m}}
    - {name: D, valueFrom: {resourceFieldRef: {resource: limits.cpu}}}
    - {name: E, valueFrom: {configMapKeyRef: {name: cm, key: k}}}
    - {name: F, valueFrom: {secretKeyRef: {name: s, key: k}}}
)"));
  const auto& env = spec.containers.at(0).environment;
  ASSERT_EQ(env.size(), 6u);
  EXPECT_EQ(env[0].source, Source::value);
  EXPECT_EQ(env[0].text, "v");
  EXPECT_EQ(env[1].source, Source::field);
  EXPECT_EQ(env[1].text, "metadata.name");
  EXPECT_EQ(env[2].source, Source::resource);
  EXPECT_EQ(env[2].container, "c");
  EXPECT_EQ(env[2].milli_divisor, 1);
  EXPECT_EQ(env[3].milli_divisor, 1000);
  EXPECT_EQ(env[4].source, Source::config_map);
  EXPECT_EQ(env[4].text, "cm");
  EXPECT_EQ(env[5].source, Source::secret);
}

TEST(PodSpecView, P44_ReadsHowAContainerRestartsByItself) {
  const PodSpecView spec = read_spec(from_yaml<Pod>(R"(
spec:
  restartPolicy: Never
  containers:
  - {name: a, image: x}
  - {name: b, image: x, restartPolicy: OnFailure}
  - name: c
    image: x
    restartPolicy: Never
    restartPolicyRules:
    - {action: Restart, exitCodes: {operator: In, values: [42]}}
    - {action: Restart, exitCodes: {operator: NotIn, values: [0, 42, 43]}}
    - {action: RestartAllContainers, exitCodes: {operator: In, values: [43]}}
)"));
  EXPECT_TRUE(spec.containers[0].restart.runs_once(RestartPolicy::never));
  EXPECT_EQ(spec.containers[1].restart.policy, RestartPolicy::on_failure);
  const OwnRestart& own = spec.containers[2].restart;
  EXPECT_FALSE(own.runs_once(RestartPolicy::never));
  EXPECT_TRUE(own.has_rule_for(42));
  EXPECT_TRUE(own.has_rule_for(7));
  EXPECT_FALSE(own.has_rule_for(43));
  EXPECT_FALSE(own.has_rule_for(0));
}

TEST(PodSpecView, ReadsConfinementAndNetworkFiles) {
  const PodSpecView spec = read_spec(from_yaml<Pod>(R"(
spec:
  hostPID: true
  hostAliases: [{ip: 10.0.0.1, hostnames: [a, b]}]
  dnsPolicy: None
  dnsConfig: {nameservers: [10.0.0.53], options: [{name: ndots, value: "2"}, {name: edns0}]}
  securityContext: {sysctls: [{name: kernel/shm_rmid_forced, value: "1"}]}
  containers:
  - name: c
    image: x
    tty: true
    securityContext: {readOnlyRootFilesystem: true, capabilities: {add: [A], drop: [ALL]}}
)"));
  const env::ContainerConfinement want = {true, {"A"}, {"ALL"}, {"kernel.shm_rmid_forced=1"},
                                          true, false};
  EXPECT_EQ(spec.containers.at(0).confinement, want);
  ASSERT_EQ(spec.host_aliases.size(), 1u);
  EXPECT_THAT(spec.host_aliases[0].names, ElementsAre("a", "b"));
  ASSERT_TRUE(spec.dns);
  EXPECT_TRUE(spec.dns->alone);
  EXPECT_EQ(spec.dns->options.size(), 2u);
  ASSERT_EQ(spec.unsupported.size(), 1u);
  EXPECT_EQ(spec.unsupported[0].path, "spec.containers[0].tty");
}

TEST(PodSpecView, ReadsVolumesAndMounts) {
  const PodSpecView spec = read_spec(from_yaml<Pod>(R"(
spec:
  volumes:
  - {name: scratch, emptyDir: {}}
  - {name: host, hostPath: {path: /srv, type: Directory}}
  - name: settings
    configMap: {name: cm, defaultMode: 256, items: [{key: k, path: a/b, mode: 384}]}
  - {name: keys, secret: {secretName: s, optional: true}}
  - name: all
    projected:
      sources:
      - configMap: {name: cm}
      - downwardAPI: {items: [{path: l, fieldRef: {fieldPath: metadata.labels}}]}
  - {name: claim, persistentVolumeClaim: {claimName: c}}
  - {name: token, projected: {sources: [{serviceAccountToken: {path: t}}]}}
  containers:
  - name: c
    image: x
    envFrom: [{prefix: P_, secretRef: {name: s, optional: true}}]
    volumeMounts:
    - {name: scratch, mountPath: /v, readOnly: true}
    - {name: settings, mountPath: /s, subPath: k}
)"));
  using Kind = VolumePlan::Kind;
  ASSERT_EQ(spec.volumes.size(), 7u);
  EXPECT_EQ(spec.volumes[0].kind, Kind::empty_dir);
  EXPECT_EQ(spec.volumes[1].text, "/srv");
  EXPECT_EQ(spec.volumes[1].path_type, "Directory");
  EXPECT_EQ(spec.volumes[2].sources.at(0).items.at(0).mode, 0600u);
  EXPECT_EQ(spec.volumes[2].sources.at(0).default_mode, 0400u);
  EXPECT_TRUE(spec.volumes[3].sources.at(0).optional);
  EXPECT_EQ(spec.volumes[3].sources.at(0).object, (ObjectName{ObjectName::Kind::secret, "s"}));
  EXPECT_EQ(spec.volumes[4].sources.size(), 2u);
  EXPECT_EQ(spec.volumes[4].sources[1].items.at(0).mode, 0644u);
  EXPECT_EQ(spec.volumes[5].kind, Kind::unsupported);
  EXPECT_EQ(spec.volumes[5].text, "persistentVolumeClaim");
  EXPECT_EQ(spec.volumes[6].text, "projected serviceAccountToken");
  const ContainerSpecView& container = spec.containers.at(0);
  EXPECT_TRUE(container.mounts.at(0).read_only);
  EXPECT_EQ(container.mounts.at(1).sub_path, "k");
  EXPECT_EQ(container.environment_from.at(0).prefix, "P_");
  EXPECT_TRUE(container.environment_from.at(0).optional);
}

TEST(PodSpecView, WhatTheContainerSaysOfUsersComesFirst) {
  const PodSpecView spec = read_spec(from_yaml<Pod>(R"(
spec:
  securityContext: {runAsUser: 1000, runAsGroup: 100, runAsNonRoot: true, fsGroup: 7,
                    supplementalGroups: [8]}
  containers:
  - {name: a, image: x}
  - {name: b, image: x, securityContext: {runAsUser: 0, runAsNonRoot: false, privileged: true}}
)"));
  EXPECT_EQ(spec.containers.at(0).identity.user, 1000u);
  EXPECT_EQ(spec.containers.at(0).identity.group, 100u);
  EXPECT_TRUE(spec.containers.at(0).identity.non_root);
  EXPECT_THAT(spec.containers.at(0).identity.more_groups, ElementsAre(8u, 7u));
  EXPECT_EQ(spec.containers.at(1).identity.user, 0u);
  EXPECT_FALSE(spec.containers.at(1).identity.non_root);
  EXPECT_TRUE(spec.containers.at(1).identity.privileged);
}

TEST(PodSpecView, HostnameIsThePodsNameUnlessSet) {
  EXPECT_EQ(read_spec(from_yaml<Pod>("{metadata: {name: p-1}}")).hostname, "p-1");
}

TEST(PodSeen, ReadsWhatTheApiSays) {
  const PodSeen seen = read_seen(from_yaml<Pod>(R"(
metadata: {deletionTimestamp: "2024-01-01T00:00:30Z", deletionGracePeriodSeconds: 30}
status:
  phase: Running
  startTime: "2024-01-01T00:00:00Z"
  initContainerStatuses:
  - {name: i, state: {terminated: {exitCode: 3, reason: Error, finishedAt: "2024-01-01T00:00:01Z"}}}
  containerStatuses:
  - {name: a, restartCount: 2, state: {running: {startedAt: "2024-01-01T00:00:02Z"}},
     lastState: {terminated: {exitCode: 1}}, containerID: "x://1"}
  - {name: b, state: {waiting: {reason: CrashLoopBackOff}}}
)"));
  EXPECT_EQ(seen.phase, "Running");
  EXPECT_TRUE(seen.deleting);
  EXPECT_EQ(seen.deletion_grace, seconds(30));
  EXPECT_EQ(seen.start_time, time_from_unix(1704067200));
  ASSERT_EQ(seen.containers.size(), 3u);
  EXPECT_EQ(std::get<Terminated>(seen.containers[0].state).exit_code, 3);
  EXPECT_EQ(std::get<Terminated>(seen.containers[0].state).finished_at, time_from_unix(1704067201));
  EXPECT_FALSE(std::get<Terminated>(seen.containers[0].state).started_at);
  EXPECT_EQ(std::get<Running>(seen.containers[1].state).started_at, time_from_unix(1704067202));
  EXPECT_EQ(seen.containers[1].last->exit_code, 1);
  EXPECT_EQ(seen.containers[1].restarts, 2);
  EXPECT_EQ(seen.containers[1].container_id, "x://1");
  EXPECT_EQ(std::get<Waiting>(seen.containers[2].state).reason, "CrashLoopBackOff");
}

}  // namespace
}  // namespace windlass::node
