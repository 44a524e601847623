#include "api/pod/defaults/default_pod.h"

#include <gtest/gtest.h>

#include "api/equality.h"
#include "api/pod/pod_testing.h"

namespace windlass::api {
namespace {

using core::v1::Container;
using core::v1::Pod;
using core::v1::PodSpec;
using core::v1::PodTemplateSpec;
using testing::from_yaml;
using testing::pod_with_spec;

PodSpec template_spec(std::string_view spec_yaml) {
  PodTemplateSpec pod_template;
  *pod_template.mutable_spec() = from_yaml<PodSpec>(spec_yaml);
  default_pod_template(pod_template);
  return pod_template.spec();
}

std::string quantity(const std::string& cpu, bool limits = false) {
  const PodSpec spec =
      template_spec("{containers: [{name: c, resources: {" +
                    std::string(limits ? "limits" : "requests") + ": {cpu: " + cpu + "}}}]}");
  const auto& resources = spec.containers(0).resources();
  return (limits ? resources.limits() : resources.requests()).at("cpu").string();
}

TEST(PodDefaults, P10_Spec) {
  const PodSpec spec = template_spec("{containers: [{name: c}]}");
  EXPECT_EQ(spec.dns_policy(), "ClusterFirst");
  EXPECT_EQ(spec.restart_policy(), "Always");
  EXPECT_TRUE(spec.has_security_context());
  EXPECT_EQ(spec.termination_grace_period_seconds(), 30);
  EXPECT_EQ(spec.scheduler_name(), "default-scheduler");
  EXPECT_FALSE(spec.has_service_account());
  EXPECT_FALSE(spec.has_service_account_name());
}

TEST(PodDefaults, P10_WhatIsSetStays) {
  const std::string yaml =
      "{dnsPolicy: Default, restartPolicy: Never, securityContext: {runAsUser: 1}, "
      "terminationGracePeriodSeconds: 0, schedulerName: mine}";
  EXPECT_TRUE(semantically_equal(template_spec(yaml), from_yaml<PodSpec>(yaml)));
}

TEST(PodDefaults, P10_ServiceAccountNamesFollowEachOther) {
  EXPECT_EQ(template_spec("{serviceAccount: a}").service_account_name(), "a");
  EXPECT_EQ(template_spec("{serviceAccountName: b}").service_account(), "b");
  const PodSpec both = template_spec("{serviceAccount: a, serviceAccountName: b}");
  EXPECT_EQ(both.service_account(), "b");
  EXPECT_EQ(both.service_account_name(), "b");
}

TEST(PodDefaults, P11_OnlyPods) {
  const std::string yaml =
      "{hostNetwork: true, terminationGracePeriodSeconds: -5,"
      " containers: [{name: c, ports: [{containerPort: 80}, {containerPort: 81, hostPort: 82}],"
      " resources: {limits: {cpu: 2, memory: 1Gi}, requests: {cpu: 1}}}],"
      " initContainers: [{name: i, resources: {limits: {cpu: 3}}}]}";
  const Pod pod = pod_with_spec(yaml);
  EXPECT_EQ(pod.spec().termination_grace_period_seconds(), 1);
  EXPECT_TRUE(pod.spec().enable_service_links());
  const Container& container = pod.spec().containers(0);
  EXPECT_EQ(container.resources().requests().at("cpu").string(), "1");
  EXPECT_EQ(container.resources().requests().at("memory").string(), "1Gi");
  EXPECT_EQ(pod.spec().init_containers(0).resources().requests().at("cpu").string(), "3");
  EXPECT_EQ(container.ports(0).host_port(), 80);
  EXPECT_EQ(container.ports(1).host_port(), 82);
}

TEST(PodDefaults, P11_RequestsOfThePodAsAWhole) {
  const auto request = [](const std::string& spec, const char* name) {
    const Pod pod = pod_with_spec(spec);
    const auto& requests = pod.spec().resources().requests();
    const auto found = requests.find(name);
    return found == requests.end() ? std::string() : found->second.string();
  };
  const std::string limits = "resources: {limits: {cpu: 4, memory: 1Gi}}";
  const std::string plain = "{" + limits + ", containers: [{name: c}]}";
  EXPECT_EQ(request(plain, "cpu"), "4") << "without a request: as much as the limit";
  EXPECT_EQ(request(plain, "memory"), "1Gi");
  const std::string asking =
      "{" + limits +
      ", containers: [{name: c, resources: {requests: {cpu: 500m, x.io/f: 1}}}, {name: d, "
      "resources: {limits: {cpu: 1}}}], initContainers: [{name: s, restartPolicy: Always, "
      "resources: {requests: {cpu: 1}}}, {name: i, resources: {requests: {cpu: 2}}}]}";
  EXPECT_EQ(request(asking, "cpu"), "3") << "the init container beside the sidecar";
  EXPECT_EQ(request(asking, "memory"), "1Gi");
  EXPECT_EQ(request(asking, "x.io/f"), "");
  const std::string without_limits =
      "{resources: {requests: {cpu: 2}}, containers: [{name: c, resources: {requests: {memory: "
      "1Gi}}}]}";
  EXPECT_EQ(request(without_limits, "memory"), "") << "only where the pod has limits";
  const std::string huge =
      "{resources: {requests: {cpu: 2}}, containers: [{name: c, resources: {limits: "
      "{hugepages-2Mi: 4Mi, cpu: 1}}}]}";
  EXPECT_EQ(request(huge, "hugepages-2Mi"), "4Mi");
  EXPECT_TRUE(template_spec(plain).resources().requests().empty()) << "of pods only";
}

TEST(PodDefaults, J49_TemplatesDoNotGetWhatOnlyPodsGet) {
  const PodSpec spec = template_spec(
      "{hostNetwork: true, terminationGracePeriodSeconds: -5, containers: [{name: c, ports: "
      "[{containerPort: 80}], resources: {limits: {cpu: 2}}}]}");
  EXPECT_EQ(spec.termination_grace_period_seconds(), -5);
  EXPECT_FALSE(spec.has_enable_service_links());
  EXPECT_TRUE(spec.containers(0).resources().requests().empty());
  EXPECT_FALSE(spec.containers(0).ports(0).has_host_port());
}

TEST(PodDefaults, P12_ImagePullPolicyAndMessages) {
  const PodSpec spec = template_spec(
      "{containers: [{name: a, image: busybox}, {name: b, image: 'busybox:1'}, {name: c, image: "
      "'busybox:latest', imagePullPolicy: Never, terminationMessagePath: /x, "
      "terminationMessagePolicy: FallbackToLogsOnError}], initContainers: [{name: d, image: "
      "'reg:5000/a'}]}");
  EXPECT_EQ(spec.containers(0).image_pull_policy(), "Always");
  EXPECT_EQ(spec.containers(0).termination_message_path(), "/dev/termination-log");
  EXPECT_EQ(spec.containers(0).termination_message_policy(), "File");
  EXPECT_EQ(spec.containers(1).image_pull_policy(), "IfNotPresent");
  EXPECT_EQ(spec.containers(2).image_pull_policy(), "Never");
  EXPECT_EQ(spec.containers(2).termination_message_path(), "/x");
  EXPECT_EQ(spec.containers(2).termination_message_policy(), "FallbackToLogsOnError");
  EXPECT_EQ(spec.init_containers(0).image_pull_policy(), "Always");
}

TEST(PodDefaults, P13_Ports) {
  const PodSpec spec = template_spec(
      "{containers: [{name: a, ports: [{containerPort: 1}, {containerPort: 2, protocol: UDP}]}]}");
  EXPECT_EQ(spec.containers(0).ports(0).protocol(), "TCP");
  EXPECT_EQ(spec.containers(0).ports(1).protocol(), "UDP");
}

TEST(PodDefaults, P14_Probes) {
  const PodSpec spec = template_spec(
      "{containers: [{name: a, livenessProbe: {httpGet: {port: 80}}, readinessProbe: {exec: "
      "{command: [a]}, timeoutSeconds: 5, periodSeconds: 6, successThreshold: 7, "
      "failureThreshold: 8}, startupProbe: {grpc: {port: 1}}, lifecycle: {preStop: {httpGet: "
      "{port: 1, path: /x, scheme: HTTPS}}, postStart: {httpGet: {port: 1}}}}]}");
  const Container& container = spec.containers(0);
  const core::v1::Probe& liveness = container.liveness_probe();
  EXPECT_EQ(liveness.timeout_seconds(), 1);
  EXPECT_EQ(liveness.period_seconds(), 10);
  EXPECT_EQ(liveness.success_threshold(), 1);
  EXPECT_EQ(liveness.failure_threshold(), 3);
  EXPECT_EQ(liveness.handler().http_get().path(), "/");
  EXPECT_EQ(liveness.handler().http_get().scheme(), "HTTP");
  const core::v1::Probe& readiness = container.readiness_probe();
  EXPECT_EQ(readiness.timeout_seconds(), 5);
  EXPECT_EQ(readiness.period_seconds(), 6);
  EXPECT_EQ(readiness.success_threshold(), 7);
  EXPECT_EQ(readiness.failure_threshold(), 8);
  EXPECT_TRUE(container.startup_probe().handler().grpc().has_service());
  EXPECT_EQ(container.lifecycle().pre_stop().http_get().scheme(), "HTTPS");
  EXPECT_EQ(container.lifecycle().pre_stop().http_get().path(), "/x");
  EXPECT_EQ(container.lifecycle().post_start().http_get().path(), "/");
}

TEST(PodDefaults, P15_Volumes) {
  const PodSpec spec = template_spec(
      "{volumes: [{name: a}, {name: b, hostPath: {path: /b}}, {name: c, secret: {secretName: s}}, "
      "{name: d, configMap: {name: m}}, {name: e, downwardAPI: {items: [{path: p, fieldRef: "
      "{fieldPath: metadata.name}}]}}, {name: f, projected: {sources: [{serviceAccountToken: "
      "{path: "
      "t}}, {downwardAPI: {items: [{path: p, fieldRef: {fieldPath: metadata.name}}]}}]}}, {name: "
      "g, "
      "secret: {secretName: s, defaultMode: 0}}]}");
  EXPECT_TRUE(spec.volumes(0).volume_source().has_empty_dir());
  EXPECT_FALSE(spec.volumes(1).volume_source().has_empty_dir());
  EXPECT_TRUE(spec.volumes(1).volume_source().host_path().has_type());
  EXPECT_EQ(spec.volumes(1).volume_source().host_path().type(), "");
  EXPECT_EQ(spec.volumes(2).volume_source().secret().default_mode(), 420);
  EXPECT_EQ(spec.volumes(3).volume_source().config_map().default_mode(), 420);
  EXPECT_EQ(spec.volumes(4).volume_source().downward_api().default_mode(), 420);
  EXPECT_EQ(spec.volumes(4).volume_source().downward_api().items(0).field_ref().api_version(),
            "v1");
  const auto& projected = spec.volumes(5).volume_source().projected();
  EXPECT_EQ(projected.default_mode(), 420);
  EXPECT_EQ(projected.sources(0).service_account_token().expiration_seconds(), 3600);
  EXPECT_EQ(projected.sources(1).downward_api().items(0).field_ref().api_version(), "v1");
  EXPECT_EQ(spec.volumes(6).volume_source().secret().default_mode(), 0);
}

TEST(PodDefaults, P16_FieldRef) {
  const PodSpec spec = template_spec(
      "{containers: [{name: a, env: [{name: A, valueFrom: {fieldRef: {fieldPath: metadata.name}}}, "
      "{name: B, valueFrom: {fieldRef: {fieldPath: metadata.name, apiVersion: v2}}}]}]}");
  EXPECT_EQ(spec.containers(0).env(0).value_from().field_ref().api_version(), "v1");
  EXPECT_EQ(spec.containers(0).env(1).value_from().field_ref().api_version(), "v2");
}

TEST(PodDefaults, P17_QuantitiesAreRoundedUpAndCanonical) {
  EXPECT_EQ(quantity("0.5"), "500m");
  EXPECT_EQ(quantity("'0.0005'"), "1m");
  EXPECT_EQ(quantity("'1e3'"), "1e3");
  EXPECT_EQ(quantity("1000m", true), "1");
  EXPECT_EQ(quantity("2", true), "2");
  const PodSpec spec = template_spec(
      "{overhead: {cpu: '0.25'}, volumes: [{name: a, emptyDir: {sizeLimit: 1024Mi}}]}");
  EXPECT_EQ(spec.overhead().at("cpu").string(), "250m");
  EXPECT_EQ(spec.volumes(0).volume_source().empty_dir().size_limit().string(), "1Gi");
}

TEST(PodDefaults, P18_PodIps) {
  const auto ips = [](const char* yaml) {
    Pod pod = from_yaml<Pod>(yaml);
    default_pod(pod);
    std::string text = pod.status().pod_ip() + ":";
    for (const auto& ip : pod.status().pod_ips()) {
      text += " " + ip.ip();
    }
    return text;
  };
  EXPECT_EQ(ips("{status: {podIP: 10.0.0.1}}"), "10.0.0.1: 10.0.0.1");
  EXPECT_EQ(ips("{status: {podIPs: [{ip: 10.0.0.2}, {ip: '::1'}]}}"), "10.0.0.2: 10.0.0.2 ::1");
  EXPECT_EQ(ips("{status: {podIP: 10.0.0.1, podIPs: [{ip: 10.0.0.2}]}}"), "10.0.0.1: 10.0.0.1");
  EXPECT_EQ(ips("{status: {podIP: 10.0.0.1, podIPs: [{ip: 10.0.0.1}, {ip: '::1'}]}}"),
            "10.0.0.1: 10.0.0.1 ::1");
  EXPECT_EQ(ips("{status: {phase: Pending}}"), ":");
}

TEST(PodDefaults, AreTheSameTheSecondTime) {
  Pod once = pod_with_spec(
      "{containers: [{name: a, image: i, resources: {limits: {cpu: 0.5}}, livenessProbe: {httpGet: "
      "{port: 80}}}], volumes: [{name: v}, {name: w, projected: {sources: []}}]}");
  Pod twice = once;
  default_pod(twice);
  EXPECT_EQ(twice.SerializeAsString(), once.SerializeAsString());
}

}  // namespace
}  // namespace windlass::api
