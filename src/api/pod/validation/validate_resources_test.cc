#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "api/pod/pod_testing.h"

namespace windlass::api {
namespace {

using ::testing::ElementsAre;
using testing::from_yaml;
using ::testing::IsEmpty;

// Without the defaults of pods, which would fill requests from limits.
std::vector<std::string> resource_errors(const std::string& resources) {
  core::v1::PodTemplateSpec pod_template = from_yaml<core::v1::PodTemplateSpec>(
      "{spec: {containers: [{name: c, image: i, resources: {" + resources + "}}]}}");
  default_pod_template(pod_template);
  FieldErrors errors;
  validate_pod_template_spec(errors, FieldPath("t"), pod_template);
  return testing::error_texts(errors);
}

const std::string kPath = "t.spec.containers[0].resources.";

TEST(ResourceValidation, P38_Good) {
  EXPECT_THAT(resource_errors("limits: {cpu: 1, memory: 1Gi, ephemeral-storage: 1, x.io/f: 2}, "
                              "requests: {cpu: 500m, memory: 1Gi, x.io/f: 2}"),
              IsEmpty());
}

TEST(ResourceValidation, P38_Negative) {
  EXPECT_THAT(resource_errors("requests: {memory: -1}"),
              ElementsAre(kPath + "requests[memory]: Invalid value: \"-1\": must be greater than "
                                  "or equal to 0"));
}

TEST(ResourceValidation, P38_RequestAboveLimit) {
  EXPECT_THAT(resource_errors("limits: {cpu: 1}, requests: {cpu: 1500m}"),
              ElementsAre(kPath + "requests: Invalid value: \"1500m\": must be less than or equal "
                                  "to cpu limit of 1"));
  EXPECT_THAT(resource_errors("limits: {cpu: 1}, requests: {cpu: 1000m}"), IsEmpty());
}

TEST(ResourceValidation, P38_ExtendedResources) {
  EXPECT_THAT(resource_errors("requests: {x.io/f: 1}"),
              ElementsAre(kPath + "limits: Required value: Limit must be set for non "
                                  "overcommitable resources"));
  EXPECT_THAT(resource_errors("limits: {x.io/f: 2}, requests: {x.io/f: 1}"),
              ElementsAre(kPath + "requests: Invalid value: \"1\": must be equal to x.io/f limit "
                                  "of 2"));
  EXPECT_THAT(resource_errors("limits: {x.io/f: 0.5}"),
              ElementsAre(kPath + "limits[x.io/f]: Invalid value: \"500m\": must be an integer"));
}

TEST(ResourceValidation, P38_UnknownNames) {
  EXPECT_THAT(resource_errors("limits: {foo: 1}"),
              ElementsAre(kPath + "limits[foo]: Invalid value: \"foo\": must be a standard "
                                  "resource type or fully qualified",
                          kPath + "limits[foo]: Invalid value: \"foo\": must be a standard "
                                  "resource for containers"));
  EXPECT_THAT(resource_errors("limits: {pods: 1}"),
              ElementsAre(kPath + "limits[pods]: Invalid value: \"pods\": must be a standard "
                                  "resource for containers"));
  EXPECT_THAT(resource_errors("limits: {requests.x.io/f: 1}"),
              ElementsAre(kPath + "limits[requests.x.io/f]: Invalid value: \"requests.x.io/f\": "
                                  "doesn't follow extended resource name standard"));
}

TEST(ResourceValidation, HugePages) {
  EXPECT_THAT(resource_errors("limits: {cpu: 1, hugepages-2Mi: 4Mi}, requests: {hugepages-2Mi: "
                              "4Mi}"),
              IsEmpty());
  EXPECT_THAT(resource_errors("limits: {hugepages-2Mi: 3Mi}"),
              ElementsAre(kPath + "limits[hugepages-2Mi]: Invalid value: \"3Mi\": 3Mi is not "
                                  "positive integer multiple of hugepages-2Mi",
                          "t.spec.containers[0].resources: Forbidden: HugePages require cpu or "
                          "memory"));
}

TEST(ResourceValidation, ErrorsAreInTheOrderOfNames) {
  EXPECT_THAT(
      resource_errors("limits: {memory: -1, cpu: -1}"),
      ElementsAre(::testing::HasSubstr("limits[cpu]"), ::testing::HasSubstr("limits[memory]")));
}

std::vector<std::string> whole_errors(const std::string& resources,
                                      const std::string& of_container = "") {
  core::v1::PodTemplateSpec pod_template = from_yaml<core::v1::PodTemplateSpec>(
      "{spec: {resources: {" + resources + "}, containers: [{name: c, image: i, resources: {" +
      of_container + "}}]}}");
  default_pod_template(pod_template);
  FieldErrors errors;
  validate_pod_template_spec(errors, FieldPath("t"), pod_template);
  return testing::error_texts(errors);
}

TEST(ResourceValidation, P38_ThePodAsAWhole) {
  const std::string path = "t.spec.resources.";
  EXPECT_THAT(whole_errors("limits: {cpu: 2, memory: 1Gi}, requests: {cpu: 1}",
                           "limits: {cpu: 2}, requests: {cpu: 1, memory: 1}"),
              IsEmpty());
  EXPECT_THAT(whole_errors("limits: {cpu: -1}"),
              ElementsAre(path + "limits[cpu]: Invalid value: \"-1\": must be greater than or "
                                 "equal to 0"));
  EXPECT_THAT(whole_errors("limits: {foo: 1, ephemeral-storage: 1, x.io/f: 1}"),
              ElementsAre(path + "limits[ephemeral-storage]: Unsupported value: "
                                 "\"ephemeral-storage\": supported values: \"cpu\", "
                                 "\"hugepages-\", \"memory\"",
                          path + "limits[foo]: Invalid value: \"foo\": must be a standard "
                                 "resource type or fully qualified",
                          path + "limits[x.io/f]: Unsupported value: \"x.io/f\": supported "
                                 "values: \"cpu\", \"hugepages-\", \"memory\""));
  EXPECT_THAT(whole_errors("limits: {cpu: 1}, requests: {cpu: 2}"),
              ElementsAre(path + "requests: Invalid value: \"2\": must be less than or equal to "
                                 "cpu limit of 1"));
  EXPECT_THAT(whole_errors("requests: {cpu: 1}", "requests: {cpu: 2}"),
              ElementsAre(path + "requests[cpu]: Invalid value: \"1\": must be greater than or "
                                 "equal to aggregate container requests of 2"));
  EXPECT_THAT(whole_errors("limits: {cpu: 2}", "limits: {cpu: 3}"),
              ElementsAre(path + "containers[0][cpu].limits: Invalid value: \"3\": must be less "
                                 "than or equal to pod limits of 2"));
  EXPECT_THAT(whole_errors("claims: [{name: a}]"),
              ElementsAre(path + "claims: Forbidden: claims may not be set for Resources at "
                                 "pod-level"));
}

}  // namespace
}  // namespace windlass::api
