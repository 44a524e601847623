#include "api/equality.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "api/pod/pod_testing.h"

namespace windlass::api {
namespace {

using ::testing::ElementsAre;
using testing::from_yaml;
using ::testing::IsEmpty;

bool equal_pods(std::string_view a, std::string_view b) {
  const auto pod_a = from_yaml<core::v1::Pod>(a);
  const auto pod_b = from_yaml<core::v1::Pod>(b);
  const bool equal = semantically_equal(pod_a, pod_b);
  EXPECT_EQ(semantically_equal(pod_b, pod_a), equal);
  EXPECT_TRUE(semantically_equal(pod_a, pod_a));
  return equal;
}

TEST(Equality, ZeroValuesAreAbsentOnes) {
  core::v1::Pod with;
  with.mutable_spec()->set_node_name("");
  with.mutable_spec()->set_host_network(false);
  with.mutable_metadata()->set_generation(0);
  with.mutable_metadata()->mutable_creation_timestamp();
  with.mutable_spec()->add_containers()->mutable_resources();
  core::v1::Pod without;
  without.mutable_spec()->add_containers();
  EXPECT_TRUE(semantically_equal(with, without));
  EXPECT_TRUE(semantically_equal(without, with));
}

TEST(Equality, WhatGoHoldsBehindAPointerIsNotAbsent) {
  EXPECT_FALSE(equal_pods("{spec: {activeDeadlineSeconds: 0}}", "{spec: {}}"));
  EXPECT_FALSE(equal_pods("{spec: {securityContext: {}}}", "{spec: {}}"));
  EXPECT_FALSE(equal_pods("{spec: {enableServiceLinks: false}}", "{spec: {}}"));
  EXPECT_TRUE(
      equal_pods("{spec: {activeDeadlineSeconds: 5}}", "{spec: {activeDeadlineSeconds: 5}}"));
}

TEST(Equality, QuantitiesByValue) {
  const auto pod = [](const std::string& quantity) {
    return "{spec: {containers: [{name: c, resources: {limits: {cpu: " + quantity + "}}}]}}";
  };
  EXPECT_TRUE(equal_pods(pod("500m"), pod("0.5")));
  EXPECT_TRUE(equal_pods(pod("1Ki"), pod("1024")));
  EXPECT_FALSE(equal_pods(pod("500m"), pod("501m")));
  EXPECT_FALSE(equal_pods(pod("500m"), "{spec: {containers: [{name: c}]}}"));
}

TEST(Equality, MapsWithoutOrderListsWithOrder) {
  EXPECT_TRUE(
      equal_pods("{metadata: {labels: {a: b, c: d}}}", "{metadata: {labels: {c: d, a: b}}}"));
  EXPECT_FALSE(equal_pods("{metadata: {labels: {a: b}}}", "{metadata: {labels: {a: c}}}"));
  EXPECT_FALSE(equal_pods("{metadata: {labels: {a: b}}}", "{metadata: {labels: {a: b, c: d}}}"));
  EXPECT_FALSE(equal_pods("{metadata: {finalizers: [a, b]}}", "{metadata: {finalizers: [b, a]}}"));
  EXPECT_FALSE(equal_pods("{metadata: {finalizers: [a]}}", "{metadata: {finalizers: [a, b]}}"));
  EXPECT_TRUE(equal_pods("{metadata: {labels: {}}}", "{}"));
}

TEST(Equality, TimesByTheMoment) {
  const auto pod = [](const std::string& time) {
    return "{metadata: {creationTimestamp: \"" + time + "\"}}";
  };
  EXPECT_TRUE(equal_pods(pod("2020-01-01T00:00:00Z"), pod("2020-01-01T01:00:00+01:00")));
  EXPECT_FALSE(equal_pods(pod("2020-01-01T00:00:00Z"), pod("2020-01-01T00:00:01Z")));
  EXPECT_FALSE(equal_pods(pod("2020-01-01T00:00:00Z"), "{}"));
}

TEST(Equality, UnknownFieldsCount) {
  core::v1::PodSpec a;
  core::v1::PodSpec b;
  a.mutable_unknown_fields()->AddVarint(9999, 1);
  EXPECT_FALSE(semantically_equal(a, b));
  b.mutable_unknown_fields()->AddVarint(9999, 1);
  EXPECT_TRUE(semantically_equal(a, b));
}

TEST(Equality, NamesTheDifferingFields) {
  const auto a = from_yaml<core::v1::PodSpec>("{nodeName: a, hostname: h, priority: 1}");
  const auto b = from_yaml<core::v1::PodSpec>("{nodeName: b, hostname: h}");
  EXPECT_THAT(differing_fields(a, b), ElementsAre("nodeName", "priority"));
  EXPECT_THAT(differing_fields(a, a), IsEmpty());
}

}  // namespace
}  // namespace windlass::api
