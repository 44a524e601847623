#include "node/images/image_pull.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "images/catalog/catalog_testing.h"
#include "node/testing.h"
#include "schema/core/v1/config_map.pb.h"
#include "schema/core/v1/event.pb.h"
#include "virtual_world/virtual_files.h"

namespace windlass::node {
namespace {

using apiserver::testing::SimulatedApi;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::IsSupersetOf;
using testing::SimulatedNode;
using ::testing::UnorderedElementsAre;

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
  EXPECT_EQ(none.look(0, container_of("i:1"), {}, MonotonicTime()).id, "host:/");
  virtual_world::VirtualFiles files;
  add_image(files, "i", "/roots/i");
  ImagePulls some(images::ImageCatalog(files, "/images"), false);
  EXPECT_EQ(some.look(0, container_of("i:1"), {}, MonotonicTime()).root, "/roots/i");
  EXPECT_EQ(some.look(0, container_of("i:1"), {}, MonotonicTime()).id, "sha256:1");
  EXPECT_EQ(some.look(0, container_of("other"), {}, MonotonicTime()).root, "");
  EXPECT_EQ(some.look(0, container_of("Not A Name"), {}, MonotonicTime()).id, "host:/");
}

TEST(ImagePulls, K18_ErrorAndBackOffTakeTurns) {
  virtual_world::VirtualFiles files;
  ImagePulls pulls(images::ImageCatalog(files, "/images"), true);
  MonotonicTime now{seconds(1000)};
  for (const int delay : {10, 20, 40, 80, 160, 300, 300}) {
    const ImageAnswer error = pulls.look(0, container_of("i:1"), {}, now);
    ASSERT_TRUE(error.wait);
    EXPECT_EQ(error.wait->reason, "ErrImagePull");
    EXPECT_EQ(error.wait->message, kError);
    const ImageAnswer back_off = pulls.look(0, container_of("i:1"), {}, error.look_again);
    ASSERT_TRUE(back_off.wait);
    EXPECT_EQ(back_off.wait->reason, "ImagePullBackOff");
    EXPECT_EQ(back_off.wait->message,
              std::string("Back-off pulling image \"i:1\": ErrImagePull: ") + kError);
    EXPECT_EQ(back_off.look_again, now + seconds(delay));
    now = back_off.look_again;
  }
  add_image(files, "i:1", "/roots/i");
  EXPECT_EQ(pulls.look(0, container_of("i:1"), {}, now).root, "/roots/i");
}

TEST(ImagePulls, K18_NeverAndNoName) {
  virtual_world::VirtualFiles files;
  ImagePulls pulls(images::ImageCatalog(files, "/images"), true);
  ContainerSpecView never = container_of("i:1");
  never.pull_policy = PullPolicy::never;
  EXPECT_EQ(pulls.look(0, never, {}, MonotonicTime()).wait->reason, "ErrImageNeverPull");
  EXPECT_EQ(pulls.look(0, never, {}, MonotonicTime()).wait->message,
            "Container image \"i:1\" is not present with pull policy of Never");
  const ImageAnswer invalid = pulls.look(1, container_of("A:1"), {}, MonotonicTime());
  EXPECT_EQ(invalid.wait->reason, "InvalidImageName");
  EXPECT_EQ(invalid.wait->message,
            "Failed to apply default image tag \"A:1\": couldn't parse image name \"A:1\": invalid "
            "reference format: repository name (A) must be lowercase");
}

TEST(ImagePulls, E72_PauseIsAlwaysThere) {
  ImagePulls pulls(std::nullopt, true);
  EXPECT_FALSE(pulls.look(0, container_of("registry.k8s.io/pause:3.10"), {}, MonotonicTime()).wait);
}

// A registry that answers when the test says so.
class ScriptedPuller final : public images::ImagePuller {
 public:
  void pull(const Request& request, OnPulled on_pulled) override {
    asked.push_back(request);
    waiting.push_back(std::move(on_pulled));
  }
  std::optional<Pulled> recent(const Request&) override { return answer; }

  void finish(const Result<Pulled>& result) {
    for (const OnPulled& on_pulled : std::exchange(waiting, {})) {
      on_pulled(result);
    }
  }

  std::vector<Request> asked;
  std::vector<OnPulled> waiting;
  std::optional<Pulled> answer;
};

class ImagePodTest : public ::testing::Test {
 protected:
  explicit ImagePodTest(images::ImagePuller* puller = nullptr)
      : node(api, "node-1", [puller](AgentConfig& config) {
          config.image_dir = "/images";
          config.host_root = {};
          config.image_puller = puller;
        }) {
    node.agent->start();
    run_for(milliseconds(1));
    if (puller == nullptr) {
      create("i:1");
    }
  }

  void create(const std::string& image, const std::string& container = "",
              const std::string& spec = "") {
    api.create_pod("{metadata: {name: p}, spec: {nodeName: node-1, restartPolicy: Never, " + spec +
                   "containers: [{name: c, image: '" + image + "', " + container +
                   "command: [run, '5', '0']}]}}");
    run_for(milliseconds(1));
  }
  // Of the pod p.
  std::vector<std::string> events() {
    std::vector<std::string> all;
    const auto list = api.server.list({&api::kinds::event(), "default", "", ""}, {});
    for (const apiserver::ObjectPtr& object : list->items) {
      const auto& event = static_cast<const api::core::v1::Event&>(*object);
      if (event.involved_object().kind() == "Pod") {
        all.push_back(event.type() + " " + event.reason() + ": " + event.message());
      }
    }
    return all;
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

// With a puller.
class PulledPodTest : public ImagePodTest {
 protected:
  PulledPodTest() : ImagePodTest(&puller) {}

  // As `windlass image pull` leaves it.
  void put_pulled(const std::string& name) {
    images::put_image(node.files, "/images", name, {.id = "1", .root = "/roots/i"},
                      "sha256:" + std::string(64, 'a'));
  }
  std::string waiting() {
    const auto& state = container().state().waiting();
    return state.reason() + ": " + state.message();
  }

  ScriptedPuller puller;
};

TEST_F(PulledPodTest, K18_AnImageThatIsMissingIsPulledAndThePodRuns) {
  create("i:1");
  ASSERT_EQ(puller.asked.size(), 1u);
  EXPECT_EQ(puller.asked.front().image, "i:1");
  EXPECT_EQ(waiting(), "ContainerCreating: Pulling image \"i:1\"");
  run_for(minutes(30));
  EXPECT_EQ(puller.asked.size(), 1u) << "a pull takes what it takes";
  EXPECT_TRUE(node.spawned.empty());
  put_pulled("i:1");
  puller.finish(images::ImagePuller::Pulled{true, 1234, seconds(3)});
  run_for(seconds(10));
  EXPECT_EQ(api.pod("p")->status().phase(), "Succeeded");
  EXPECT_EQ(container().image_id(), "i@sha256:" + std::string(64, 'a'));
  EXPECT_THAT(events(),
              UnorderedElementsAre(
                  "Normal Pulling: Pulling image \"i:1\"",
                  "Normal Pulled: Successfully pulled image \"i:1\" in 3s (30m0.001s including "
                  "waiting). Image size: 1234 bytes."));
}

TEST_F(PulledPodTest, K18_AFailedPullShowsItsCauseAndIsTriedAgain) {
  create("i:1");
  puller.finish(fail(plain_error("the registry has no such tag or digest")));
  run_for(milliseconds(1));
  EXPECT_EQ(waiting(), "ErrImagePull: the registry has no such tag or digest");
  run_for(seconds(2));
  EXPECT_EQ(waiting(),
            "ImagePullBackOff: Back-off pulling image \"i:1\": ErrImagePull: the registry has no "
            "such tag or digest");
  EXPECT_EQ(puller.asked.size(), 1u);
  run_for(seconds(8));
  EXPECT_EQ(puller.asked.size(), 2u);
  EXPECT_EQ(waiting(), "ContainerCreating: Pulling image \"i:1\"");
  EXPECT_THAT(events(), IsSupersetOf({"Warning Failed: Failed to pull image \"i:1\": the registry "
                                      "has no such tag or digest",
                                      "Warning Failed: Error: ErrImagePull",
                                      "Normal BackOff: Back-off pulling image \"i:1\"",
                                      "Warning Failed: Error: ImagePullBackOff"}));
}

TEST_F(PulledPodTest, AlwaysAsksTheRegistryUnlessItHasJustAnswered) {
  put_pulled("i:latest");
  create("i");
  ASSERT_EQ(puller.asked.size(), 1u) << "a name without a tag is :latest, which is Always";
  puller.finish(images::ImagePuller::Pulled{false, 1, seconds(1)});
  run_for(seconds(10));
  EXPECT_EQ(api.pod("p")->status().phase(), "Succeeded");
  ASSERT_TRUE(api.remove_pod("p").answer);
  run_for(seconds(1));
  puller.answer = images::ImagePuller::Pulled{false, 1, seconds(1)};
  create("i");
  run_for(seconds(10));
  EXPECT_EQ(api.pod("p")->status().phase(), "Succeeded");
  EXPECT_EQ(puller.asked.size(), 1u);
}

TEST_F(PulledPodTest, WhatIsThereIsNotPulled) {
  const std::string digest = "sha256:" + std::string(64, 'a');
  put_pulled("i:1");
  put_pulled("i@" + digest);
  add_image(node.files, "loaded", "/roots/loaded");
  for (const auto& [image, policy] : {std::pair<std::string, std::string>("i:1", "IfNotPresent"),
                                      {"i@" + digest, "Always"},
                                      {"loaded", "Always"},
                                      {"i:1", "Never"},
                                      {"registry.k8s.io/pause:3.10", "Always"}}) {
    create(image, "imagePullPolicy: " + policy + ", ");
    run_for(seconds(10));
    EXPECT_EQ(api.pod("p")->status().phase(), "Succeeded") << image;
    ASSERT_TRUE(api.remove_pod("p").answer);
    run_for(seconds(1));
  }
  EXPECT_TRUE(puller.asked.empty());
}

TEST_F(PulledPodTest, NeverDoesNotPull) {
  create("i:1", "imagePullPolicy: Never, ");
  EXPECT_EQ(waiting(),
            "ErrImageNeverPull: Container image \"i:1\" is not present with pull policy of Never");
  EXPECT_TRUE(puller.asked.empty());
}

TEST_F(PulledPodTest, PullSecretsAreLogins) {
  api.create<api::core::v1::Secret>(
      api::kinds::secret(),
      "{metadata: {name: hub}, type: kubernetes.io/dockerconfigjson, stringData: "
      "{.dockerconfigjson: '{\"auths\":{\"r.example\":{\"auth\":\"eA==\"}}}'}}");
  create("r.example/i:1", "", "imagePullSecrets: [{name: none}, {name: hub}], ");
  run_for(milliseconds(10));
  ASSERT_EQ(puller.asked.size(), 1u);
  EXPECT_THAT(puller.asked.front().logins,
              ElementsAre(R"({"auths":{"r.example":{"auth":"eA=="}}})"));
  EXPECT_THAT(events(), Contains("Warning FailedToRetrieveImagePullSecret: Unable to retrieve some "
                                 "image pull secrets (none); attempting to pull the image may not "
                                 "succeed."));
}

TEST_F(PulledPodTest, R15_APodThatIsDeletedDuringItsPullNeverStarts) {
  create("i:1");
  ASSERT_TRUE(api.remove_pod("p").answer);
  run_for(seconds(1));
  EXPECT_FALSE(api.pod("p"));
  put_pulled("i:1");
  puller.finish(images::ImagePuller::Pulled{true, 1, seconds(1)});
  run_for(seconds(10));
  EXPECT_TRUE(node.spawned.empty());
}

TEST_F(PulledPodTest, ANewAgentPullsAgain) {
  create("i:1");
  node.make_agent(api);
  node.agent->start();
  run_for(seconds(1));
  EXPECT_EQ(puller.asked.size(), 2u);
  put_pulled("i:1");
  puller.finish(images::ImagePuller::Pulled{true, 1, seconds(1)});
  run_for(seconds(10));
  EXPECT_EQ(api.pod("p")->status().phase(), "Succeeded");
  EXPECT_EQ(node.spawned.size(), 1u);
}

}  // namespace
}  // namespace windlass::node
