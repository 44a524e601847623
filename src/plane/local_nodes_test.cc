#include "plane/local_nodes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "apiserver/testing.h"
#include "virtual_world/virtual_containers.h"
#include "virtual_world/virtual_files.h"

namespace windlass::plane {
namespace {

using apiserver::testing::Node;
using apiserver::testing::SimulatedApi;
using ::testing::ElementsAre;

// Supervisors by directory; they outlive the nodes that use them.
class LocalNodesTest : public ::testing::Test {
 protected:
  void start(size_t count) {
    begin(count);
    api_.world.run_for(seconds(1));
  }
  void begin(size_t count) {
    nodes_ = std::make_unique<LocalNodes>(
        env::Env{api_.world.clock(), api_.world.random(), api_.world.executor(), api_.world.log(),
                 files_},
        [this](const std::string& directory, ContainerLife life) {
          EXPECT_EQ(life, ContainerLife::outlive_owner);
          return supervisor(directory);
        },
        api_.client,
        LocalNodes::Options{
            numbered_nodes(count),
            "/data/nodes",
            ends_others_,
            {.capacity = {{"cpu", "2"}, {"pods", "10"}}, .images = {"", {true, true}}}});
    ready_ = false;
    nodes_->start([this] { ready_ = true; }, [](const std::vector<std::string>&) {});
  }

  std::shared_ptr<virtual_world::VirtualContainers> supervisor(const std::string& directory) {
    auto& found = supervisors_[directory];
    if (!found) {
      found = std::make_shared<virtual_world::VirtualContainers>(
          api_.world.executor(), api_.world.clock(),
          [](const env::ContainerRequest&) -> Result<virtual_world::VirtualProcess> {
            virtual_world::VirtualProcess process;
            process.duration = virtual_world::VirtualProcess::kForever;
            return process;
          });
    }
    return found;
  }
  size_t running(const std::string& node) {
    return supervisor("/data/nodes/" + node + "/supervisor")->running();
  }
  void add_pod(const std::string& name, const std::string& node) {
    api_.create_pod("{metadata: {name: " + name + "}, spec: {nodeName: " + node +
                    ", containers: [{name: c, image: i}]}}");
    api_.world.run_for(seconds(1));
  }
  bool has_node(const std::string& name) {
    return api_.find<Node>(api::kinds::node(), "", name) != nullptr;
  }

  SimulatedApi api_;
  virtual_world::VirtualFiles files_;
  std::map<std::string, std::shared_ptr<virtual_world::VirtualContainers>> supervisors_;
  std::unique_ptr<LocalNodes> nodes_;
  bool ready_ = false;
  bool ends_others_ = true;
};

TEST_F(LocalNodesTest, EachHasAnAgentAFolderAndASupervisor) {
  start(2);
  EXPECT_TRUE(ready_);
  EXPECT_TRUE(has_node("node-1") && has_node("node-2") && !has_node("node-3"));
  EXPECT_EQ(nodes_->directory_of("node-2"), "/data/nodes/node-2");
  EXPECT_EQ(nodes_->directory_of("node-3"), std::nullopt);
  add_pod("a", "node-2");
  EXPECT_EQ(running("node-1"), 0u);
  EXPECT_EQ(running("node-2"), 1u);
  EXPECT_EQ(nodes_->running_pods(), 1u);
  EXPECT_THAT(node_directories(files_, up_nodes_folder("/data")),
              ElementsAre("/data/nodes/node-1", "/data/nodes/node-2"));
}

TEST_F(LocalNodesTest, KillEndsContainersWithoutTheirGracePeriods) {
  start(2);
  add_pod("a", "node-2");
  bool killed = false;
  nodes_->kill([&killed] { killed = true; });
  api_.world.run_for(milliseconds(100));
  EXPECT_TRUE(killed);
  EXPECT_EQ(running("node-2"), 0u);
  EXPECT_EQ(nodes_->running_pods(), 0u);
}

TEST_F(LocalNodesTest, PodsOutliveTheProcessAndEndWithDown) {
  start(1);
  add_pod("a", "node-1");
  nodes_.reset();
  api_.world.run_for(minutes(1));
  EXPECT_EQ(running("node-1"), 1u);
  start(1);
  EXPECT_EQ(nodes_->running_pods(), 1u);
  bool stopped = false;
  nodes_->stop([&stopped] { stopped = true; });
  api_.world.run_for(minutes(1));
  EXPECT_TRUE(stopped);
  EXPECT_EQ(running("node-1"), 0u);
  EXPECT_EQ(api_.pod("a")->status().phase(), "Failed");
}

TEST_F(LocalNodesTest, K71_AMachineThatGoesDownEndsAllPodsAndMayStayUpAfterAll) {
  start(2);
  add_pod("a", "node-1");
  add_pod("b", "node-2");
  bool done = false;
  nodes_->prepare_for_shutdown([&done] { done = true; });
  api_.world.run_for(minutes(1));
  EXPECT_TRUE(done);
  EXPECT_EQ(nodes_->running_pods(), 0u);
  EXPECT_EQ(api_.pod("b")->status().reason(), "Terminated");
  nodes_->stay_up();
  add_pod("c", "node-1");
  EXPECT_EQ(running("node-1"), 1u);
}

TEST_F(LocalNodesTest, K74_PodsEndGracefullyAlsoWhenTheirNodeHasNotSeenThemYet) {
  start(1);
  add_pod("a", "node-1");
  nodes_.reset();
  begin(1);
  bool stopped = false;
  nodes_->stop([&stopped] { stopped = true; });
  api_.world.run_for(minutes(1));
  EXPECT_TRUE(stopped);
  EXPECT_EQ(running("node-1"), 0u);
  const auto pod = api_.pod("a");
  EXPECT_EQ(pod->status().phase(), "Failed");
  EXPECT_EQ(pod->status().reason(), "Terminated");
  EXPECT_EQ(pod->status().container_statuses(0).state().terminated().exit_code(), 143);
}

TEST_F(LocalNodesTest, WhatRunsOnANodeThatIsNotWantedAnyMoreEnds) {
  start(3);
  add_pod("a", "node-1");
  add_pod("b", "node-3");
  nodes_.reset();
  start(1);
  EXPECT_TRUE(ready_);
  EXPECT_EQ(running("node-1"), 1u);
  EXPECT_EQ(running("node-3"), 0u);
  EXPECT_TRUE(has_node("node-1"));
  EXPECT_FALSE(has_node("node-3")) << "so that its pods are ended for good (G-6)";
  EXPECT_FALSE(files_.type("/data/nodes/node-3").has_value());
}

TEST_F(LocalNodesTest, OtherNodesInTheFolderAreLeftAloneByThoseWhoShareIt) {
  start(3);
  add_pod("b", "node-3");
  nodes_.reset();
  ends_others_ = false;
  start(1);
  EXPECT_TRUE(ready_);
  EXPECT_EQ(running("node-3"), 1u);
  EXPECT_TRUE(has_node("node-3"));
}

TEST_F(LocalNodesTest, AllOfThemMayBeDropped) {
  start(1);
  add_pod("a", "node-1");
  nodes_.reset();
  start(0);
  EXPECT_TRUE(ready_);
  EXPECT_EQ(running("node-1"), 0u);
  EXPECT_FALSE(has_node("node-1"));
  bool stopped = false;
  nodes_->stop([&stopped] { stopped = true; });
  EXPECT_TRUE(stopped);
}

}  // namespace
}  // namespace windlass::plane
