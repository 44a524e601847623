#include "node/container/handler_plan.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "api/pod/pod_testing.h"
#include "schema/core/v1/container.pb.h"

namespace windlass::node {
namespace {

using api::core::v1::Container;
using api::testing::from_yaml;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Pair;

ContainerChecks read(std::string_view yaml) {
  return read_checks(from_yaml<Container>(yaml));
}

TEST(HandlerPlan, ReadsProbes) {
  const ContainerChecks checks = read(R"(
ports: [{name: web, containerPort: 8080}]
startupProbe: {exec: {command: [a, b]}, periodSeconds: 2, failureThreshold: 30}
livenessProbe:
  httpGet: {path: /live, port: web, scheme: HTTPS, host: 10.0.0.1,
    httpHeaders: [{name: A, value: b}]}
  initialDelaySeconds: 7
  timeoutSeconds: 3
  terminationGracePeriodSeconds: 11
readinessProbe: {tcpSocket: {port: 9090}, successThreshold: 2}
)");
  const ProbePlan& startup = *checks.startup;
  EXPECT_EQ(startup.handler.kind, HandlerPlan::Kind::exec);
  EXPECT_THAT(startup.handler.command, ElementsAre("a", "b"));
  EXPECT_EQ(startup.period, seconds(2));
  EXPECT_EQ(startup.failure_threshold, 30);
  EXPECT_FALSE(startup.grace);
  const ProbePlan& liveness = *checks.liveness;
  EXPECT_EQ(liveness.handler.kind, HandlerPlan::Kind::http);
  EXPECT_TRUE(liveness.handler.tls);
  EXPECT_EQ(liveness.handler.host, "10.0.0.1");
  EXPECT_EQ(liveness.handler.port, 8080);
  EXPECT_EQ(liveness.handler.path, "/live");
  EXPECT_THAT(liveness.handler.headers, ElementsAre(Pair("A", "b")));
  EXPECT_EQ(liveness.initial_delay, seconds(7));
  EXPECT_EQ(liveness.timeout, seconds(3));
  EXPECT_EQ(liveness.period, seconds(10));
  EXPECT_EQ(liveness.failure_threshold, 3);
  EXPECT_EQ(liveness.grace, seconds(11));
  const ProbePlan& readiness = *checks.readiness;
  EXPECT_EQ(readiness.handler.kind, HandlerPlan::Kind::tcp);
  EXPECT_EQ(readiness.handler.port, 9090);
  EXPECT_EQ(readiness.success_threshold, 2);
}

TEST(HandlerPlan, ReadsHooks) {
  const ContainerChecks checks = read(
      "lifecycle: {postStart: {httpGet: {port: 80}}, preStop: {sleep: {seconds: 4}}, "
      "stopSignal: SIGUSR1}");
  EXPECT_EQ(checks.post_start->kind, HandlerPlan::Kind::http);
  EXPECT_EQ(checks.post_start->path, "/");
  EXPECT_EQ(checks.pre_stop->kind, HandlerPlan::Kind::sleep);
  EXPECT_EQ(checks.pre_stop->pause, seconds(4));
}

TEST(HandlerPlan, APortThatIsNotThereIsZero) {
  EXPECT_EQ(read("livenessProbe: {tcpSocket: {port: nope}}").liveness->handler.port, 0);
  EXPECT_EQ(read("livenessProbe: {tcpSocket: {port: 70000}}").liveness->handler.port, 0);
}

TEST(HandlerPlan, ReadsGrpc) {
  const ContainerChecks checks = read(
      "{livenessProbe: {grpc: {port: 5000}}, readinessProbe: {grpc: {port: 5001, service: db}}}");
  EXPECT_EQ(checks.liveness->handler.kind, HandlerPlan::Kind::grpc);
  EXPECT_EQ(checks.liveness->handler.port, 5000);
  EXPECT_EQ(checks.liveness->handler.service, "");
  EXPECT_EQ(checks.readiness->handler.service, "db");
}

TEST(HandlerPlan, OnlyThePlainWayToConnectIsHere) {
  const ContainerChecks checks = read("livenessProbe: {grpc: {port: 1, mode: Other}}");
  EXPECT_FALSE(checks.liveness);
}

}  // namespace
}  // namespace windlass::node
