#include "plane/embedded_cluster.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "api/pod/pod_testing.h"
#include "schema/batch/v1/job.pb.h"
#include "schema/core/v1/pod.pb.h"
#include "virtual_world/virtual_containers.h"
#include "virtual_world/virtual_files.h"
#include "virtual_world/world.h"

namespace windlass::plane {
namespace {

using api::core::v1::Pod;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using Job = api::batch::v1::Job;

// The control plane as `windlass run` and `windlass up` have it, with scripted processes.
class EmbeddedClusterTest : public ::testing::Test {
 protected:
  EmbeddedClusterTest()
      : containers_(world_.executor(), world_.clock(), [this](const env::ContainerRequest&) {
          virtual_world::VirtualProcess process;
          process.duration = duration_;
          return process;
        }) {
    ClusterOptions options;
    node::AgentConfig node;
    node.node_name = "node-1";
    node.host_root = {true, true};
    node.data_dir = "/data";
    node.capacity = {{"cpu", "4"}, {"memory", "8Gi"}, {"pods", "110"}};
    options.nodes = {{node, &containers_}};
    cluster_ = std::make_unique<EmbeddedCluster>(
        env::Env{world_.clock(), world_.random(), world_.executor(), world_.log(), files_},
        options);
    bool ready = false;
    cluster_->start([&ready] { ready = true; });
    EXPECT_TRUE(world_.run_until([&ready] { return ready; }, minutes(1)));
  }

  void create_job(const std::string& spec) {
    auto job = std::make_shared<Job>(api::testing::from_yaml<Job>(
        "{metadata: {name: j, namespace: default}, spec: {" + spec +
        " template: {spec: {restartPolicy: Never, containers: [{name: c, image: i, command: "
        "[work]}]}}}}"));
    bool created = false;
    cluster_->client().create(
        {&api::kinds::job(), "default", "j"}, job,
        [&](const Result<client::ObjectPtr>& answer) { created = answer.has_value(); });
    world_.run_for(seconds(1));
    EXPECT_TRUE(created);
  }
  // As `kubectl delete job j --cascade=...` does.
  void delete_job(const std::string& policy) {
    client::DeleteOptions options;
    options.propagation_policy = policy;
    cluster_->client().remove(
        {&api::kinds::job(), "default", "j"}, options,
        [](const Result<client::ObjectPtr>& answer) { EXPECT_TRUE(answer.has_value()); });
  }
  std::vector<std::shared_ptr<const Pod>> pods() {
    std::vector<std::shared_ptr<const Pod>> found;
    cluster_->client().list({&api::kinds::pod(), "default"}, {},
                            [&](const Result<client::ObjectList>& list) {
                              for (const auto& pod : list->items) {
                                found.push_back(api::object_as<Pod>(pod));
                              }
                            });
    world_.run_for(milliseconds(1));
    return found;
  }
  bool has_job() {
    bool found = false;
    cluster_->client().get(
        {&api::kinds::job(), "default", "j"},
        [&](const Result<client::ObjectPtr>& answer) { found = answer.has_value(); });
    world_.run_for(milliseconds(1));
    return found;
  }

  virtual_world::VirtualWorld world_{7};
  virtual_world::VirtualFiles files_;
  Duration duration_ = virtual_world::VirtualProcess::kForever;
  virtual_world::VirtualContainers containers_;
  std::unique_ptr<EmbeddedCluster> cluster_;
};

TEST_F(EmbeddedClusterTest, M54_DeletedInTheBackgroundTheJobGoesFirst) {
  create_job("parallelism: 3,");
  EXPECT_THAT(pods(), SizeIs(3));
  delete_job("Background");
  world_.run_for(milliseconds(1));
  EXPECT_FALSE(has_job());
  world_.run_for(minutes(1));
  EXPECT_THAT(pods(), IsEmpty());
  EXPECT_EQ(containers_.running(), 0u);
}

TEST_F(EmbeddedClusterTest, M54_DeletedInTheForegroundItsPodsGoFirst) {
  create_job("parallelism: 3,");
  delete_job("Foreground");
  EXPECT_TRUE(world_.run_until([this] { return containers_.running() == 0; }, minutes(1)));
  world_.run_for(minutes(1));
  EXPECT_FALSE(has_job());
  EXPECT_THAT(pods(), IsEmpty());
}

TEST_F(EmbeddedClusterTest, M54_OrphanedItsPodsRunOnAndAreFree) {
  create_job("parallelism: 3,");
  delete_job("Orphan");
  world_.run_for(minutes(5));
  EXPECT_FALSE(has_job());
  ASSERT_THAT(pods(), SizeIs(3));
  EXPECT_EQ(containers_.running(), 3u);
  for (const auto& pod : pods()) {
    EXPECT_EQ(pod->status().phase(), "Running");
    EXPECT_THAT(pod->metadata().owner_references(), IsEmpty());
    EXPECT_THAT(pod->metadata().finalizers(), IsEmpty());  // job-controller.md 10.6, L206
  }
}

TEST_F(EmbeddedClusterTest, AFinishedJobGoesWithItsPodsAfterItsTtl) {
  duration_ = seconds(10);
  create_job("completions: 2, parallelism: 2, ttlSecondsAfterFinished: 60,");
  world_.run_for(seconds(60));
  EXPECT_TRUE(has_job());
  EXPECT_THAT(pods(), SizeIs(2));
  world_.run_for(seconds(15));
  EXPECT_FALSE(has_job());
  EXPECT_THAT(pods(), IsEmpty());
}

}  // namespace
}  // namespace windlass::plane
