#include "node/images/image_pull.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "images/catalog/catalog_testing.h"
#include "node/testing.h"
#include "schema/core/v1/event.pb.h"
#include "virtual_world/virtual_files.h"

namespace windlass::node {
namespace {

using apiserver::testing::SimulatedApi;
using ::testing::Contains;
using ::testing::HasSubstr;
using testing::SimulatedNode;

constexpr const char* kError =
    "image \"i:1\" is not on this node: get it with `windlass image pull i:1`";

ContainerSpecView container_of(const std::string& image) {
  ContainerSpecView container;
  container.image = image;
  return container;
}

void add_image(virtual_world::VirtualFiles& files, const std::string& name,
               const std::string& root) {
  images::put_image(files, "/images", name, {.id = "1", .root = root});
}

TEST(ImagePulls, NamesThatAreNotKnownStandForTheHostsRoot) {
  ImagePulls none(std::nullopt, false);
  EXPECT_EQ(none.look(0, container_of("i:1"), MonotonicTime()).id, "host:/");
  virtual_world::VirtualFiles files;
  add_image(files, "i", "/roots/i");
  ImagePulls some(images::ImageCatalog(files, "/images"), false);
  EXPECT_EQ(some.look(0, container_of("i:1"), MonotonicTime()).root, "/roots/i");
  EXPECT_EQ(some.look(0, container_of("i:1"), MonotonicTime()).id, "sha256:1");
  EXPECT_EQ(some.look(0, container_of("other"), MonotonicTime()).root, "");
  EXPECT_EQ(some.look(0, container_of("Not A Name"), MonotonicTime()).id, "host:/");
}

TEST(ImagePulls, K18_ErrorAndBackOffTakeTurns) {
  virtual_world::VirtualFiles files;
  ImagePulls pulls(images::ImageCatalog(files, "/images"), true);
  MonotonicTime now{seconds(1000)};
  for (const int delay : {10, 20, 40, 80, 160, 300, 300}) {
    const ImageAnswer error = pulls.look(0, container_of("i:1"), now);
    ASSERT_TRUE(error.wait);
    EXPECT_EQ(error.wait->reason, "ErrImagePull");
    EXPECT_EQ(error.wait->message, kError);
    const ImageAnswer back_off = pulls.look(0, container_of("i:1"), error.look_again);
    ASSERT_TRUE(back_off.wait);
    EXPECT_EQ(back_off.wait->reason, "ImagePullBackOff");
    EXPECT_EQ(back_off.wait->message,
              std::string("Back-off pulling image \"i:1\": ErrImagePull: ") + kError);
    EXPECT_EQ(back_off.look_again, now + seconds(delay));
    now = back_off.look_again;
  }
  add_image(files, "i:1", "/roots/i");
  EXPECT_EQ(pulls.look(0, container_of("i:1"), now).root, "/roots/i");
}

TEST(ImagePulls, K18_NeverAndNoName) {
  virtual_world::VirtualFiles files;
  ImagePulls pulls(images::ImageCatalog(files, "/images"), true);
  ContainerSpecView never = container_of("i:1");
  never.never_pull = true;
  EXPECT_EQ(pulls.look(0, never, MonotonicTime()).wait->reason, "ErrImageNeverPull");
  EXPECT_EQ(pulls.look(0, never, MonotonicTime()).wait->message,
            "Container image \"i:1\" is not present with pull policy of Never");
  const ImageAnswer invalid = pulls.look(1, container_of("A:1"), MonotonicTime());
  EXPECT_EQ(invalid.wait->reason, "InvalidImageName");
  EXPECT_EQ(invalid.wait->message,
            "Failed to apply default image tag \"A:1\": couldn't parse image name \"A:1\": invalid "
            "reference format: repository name (A) must be lowercase");
}

TEST(ImagePulls, E72_PauseIsAlwaysThere) {
  ImagePulls pulls(std::nullopt, true);
  EXPECT_FALSE(pulls.look(0, container_of("registry.k8s.io/pause:3.10"), MonotonicTime()).wait);
}

class ImagePodTest : public ::testing::Test {
 protected:
  ImagePodTest()
      : node(api, "node-1", [](AgentConfig& config) {
          config.image_dir = "/images";
          config.require_images = true;
        }) {
    node.agent->start();
    run_for(milliseconds(1));
    api.create_pod(
        "{metadata: {name: p}, spec: {nodeName: node-1, restartPolicy: Never, containers: [{name: "
        "c, image: 'i:1', command: [run, '5', '0']}]}}");
    run_for(milliseconds(1));
  }

  void run_for(Duration duration) { api.world.run_for(duration); }
  const api::core::v1::ContainerStatus& container() {
    pod = api.pod("p");
    return pod->status().container_statuses(0);
  }

  SimulatedApi api;
  SimulatedNode node;
  std::shared_ptr<const apiserver::testing::Pod> pod;
};

TEST_F(ImagePodTest, K18_APodWaitsForItsImageAndRunsOnItsRoot) {
  EXPECT_EQ(container().state().waiting().reason(), "ErrImagePull");
  EXPECT_EQ(container().image_id(), "");
  run_for(seconds(2));
  EXPECT_EQ(container().state().waiting().reason(), "ImagePullBackOff");
  EXPECT_EQ(pod->status().phase(), "Pending");
  EXPECT_TRUE(node.spawned.empty());
  add_image(node.files, "i", "/roots/i");
  run_for(seconds(10));
  ASSERT_EQ(node.spawned.size(), 1u);
  EXPECT_EQ(container().image_id(), "sha256:1");
  const env::ContainerRequest& request = node.spawned.front();
  EXPECT_EQ(request.isolation.root, "/roots/i");
  EXPECT_EQ(request.isolation.layer, "/data/layers/" + pod->metadata().uid() + "/c");
  EXPECT_EQ(request.working_directory, "/");
  ASSERT_EQ(request.isolation.mounts.size(), 1u) << "the host's directories are not seen";
  EXPECT_EQ(request.isolation.mounts[0].target, "/dev/termination-log");
  run_for(seconds(10));
  EXPECT_EQ(api.pod("p")->status().phase(), "Succeeded");
}

TEST_F(ImagePodTest, R15_APodThatWaitsForItsImageCanBeDeleted) {
  ASSERT_TRUE(api.remove_pod("p").answer);
  run_for(seconds(1));
  EXPECT_FALSE(api.pod("p"));
  add_image(node.files, "i", "/roots/i");
  run_for(seconds(20));
  EXPECT_TRUE(node.spawned.empty());
}

TEST_F(ImagePodTest, ANewAgentKnowsWhatAContainerRunsOn) {
  add_image(node.files, "i", "/roots/i");
  run_for(seconds(11));
  ASSERT_EQ(api.pod("p")->status().phase(), "Running");
  node.make_agent(api);
  node.agent->start();
  run_for(seconds(1));
  EXPECT_EQ(container().image_id(), "sha256:1");
  run_for(seconds(5));
  EXPECT_EQ(container().image_id(), "sha256:1");
  EXPECT_EQ(pod->status().phase(), "Succeeded");
}

}  // namespace
}  // namespace windlass::node
