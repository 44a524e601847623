#include "api/pod/pod_references.h"

#include <gtest/gtest.h>

#include "api/pod/pod_testing.h"
#include "schema/core/v1/pod.pb.h"

namespace windlass::api {
namespace {

core::v1::PodSpec spec_of(const std::string& yaml) {
  return testing::from_yaml<core::v1::Pod>("{spec: {" + yaml + "}}").spec();
}

struct Place {
  const char* config_map;
  const char* secret;
};

const Place kPlaces[] = {
    {"volumes: [{name: v, configMap: {name: x}}]", "volumes: [{name: v, secret: {secretName: x}}]"},
    {"volumes: [{name: v, projected: {sources: [{secret: {name: other}}, {configMap: {name: "
     "x}}]}}]",
     "volumes: [{name: v, projected: {sources: [{configMap: {name: other}}, {secret: {name: "
     "x}}]}}]"},
    {"containers: [{name: c, env: [{name: A, valueFrom: {configMapKeyRef: {name: x, key: k}}}]}]",
     "containers: [{name: c, env: [{name: A, valueFrom: {secretKeyRef: {name: x, key: k}}}]}]"},
    {"initContainers: [{name: c, envFrom: [{configMapRef: {name: x}}]}]",
     "initContainers: [{name: c, envFrom: [{secretRef: {name: x}}]}]"},
};

TEST(PodReferences, EveryPlaceThatNamesOne) {
  for (const Place& place : kPlaces) {
    EXPECT_TRUE(names_config_map(spec_of(place.config_map), "x")) << place.config_map;
    EXPECT_FALSE(names_secret(spec_of(place.config_map), "x")) << place.config_map;
    EXPECT_TRUE(names_secret(spec_of(place.secret), "x")) << place.secret;
    EXPECT_FALSE(names_config_map(spec_of(place.secret), "x")) << place.secret;
    EXPECT_FALSE(names_secret(spec_of(place.secret), "z")) << place.secret;
  }
  EXPECT_TRUE(names_secret(spec_of("imagePullSecrets: [{name: x}]"), "x"));
}

// An empty reference has the name "", which no object has.
TEST(PodReferences, NothingNamesNothing) {
  const auto spec =
      spec_of("containers: [{name: c, env: [{name: A, value: b}]}], volumes: [{name: v}]");
  EXPECT_FALSE(names_config_map(spec, ""));
  EXPECT_FALSE(names_secret(spec, ""));
}

}  // namespace
}  // namespace windlass::api
