#include "plane/control_plane.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "api/kind.h"
#include "api/pod/pod_testing.h"
#include "schema/core/v1/node.pb.h"
#include "schema/core/v1/pod.pb.h"
#include "store/store.h"
#include "virtual_world/virtual_files.h"
#include "virtual_world/world.h"

namespace windlass::plane {
namespace {

using ::testing::HasSubstr;

class ControlPlaneTest : public ::testing::Test {
 protected:
  ControlPlaneTest() {
    plane.start();
    world.run_for(seconds(1));
  }

  template <class T>
  void create(const api::Kind& kind, const std::string& ns, const std::string& name,
              const std::string& yaml) {
    auto object = std::make_unique<T>(api::testing::from_yaml<T>(yaml));
    object->mutable_metadata()->set_namespace_(ns);
    object->mutable_metadata()->set_name(name);
    const apiserver::WriteResult made = plane.server().create({&kind, ns, name}, std::move(object));
    ASSERT_TRUE(made.answer.has_value()) << made.answer.error().message;
    world.run_for(seconds(1));
  }
  void create_pod(const std::string& name, const std::string& more = "") {
    create<api::core::v1::Pod>(api::kinds::pod(), "default", name,
                               "{spec: {" + more +
                                   "containers: [{name: c, image: i, resources: {requests: {cpu: "
                                   "'1'}}}]}}");
  }

  virtual_world::VirtualWorld world{1};
  virtual_world::VirtualFiles files;
  store::Store store;
  std::shared_ptr<MetricRegistry> metrics = std::make_shared<MetricRegistry>();
  ControlPlane plane{{world.clock(), world.random(), world.executor(), world.log(), files},
                     store,
                     {.metrics = metrics}};
};

TEST_F(ControlPlaneTest, P23_PreemptionsAreAmongTheMetrics) {
  create<api::core::v1::Node>(
      api::kinds::node(), "", "n1",
      "{status: {allocatable: {cpu: '1', memory: 1Gi, pods: '10'}, conditions: [{type: Ready, "
      "status: 'True'}]}}");
  world.run_for(seconds(10));
  create_pod("low");
  EXPECT_THAT(metrics->text(), HasSubstr("scheduler_preemption_attempts_total 0\n"));
  create_pod("urgent", "priorityClassName: system-cluster-critical, ");
  EXPECT_THAT(metrics->text(), HasSubstr("scheduler_preemption_attempts_total 1\n"));
  EXPECT_THAT(metrics->text(), HasSubstr("scheduler_preemption_victims_count 1\n"));
}

}  // namespace
}  // namespace windlass::plane
