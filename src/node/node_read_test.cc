// Pods that wait for a look at their Node, whose labels the agent may not have heard of yet.
#include <gtest/gtest.h>

#include "node/pod/intercepted_testing.h"
#include "schema/core/v1/node.pb.h"

namespace windlass::node {
namespace {

using apiserver::testing::Node;

class NodeReadTest : public testing::InterceptedNodeTest {
 protected:
  // The agent's watch does not tell of the label.
  void label_unheard() {
    calls.skip_event = [](const client::WatchEvent& event) {
      return dynamic_cast<const Node*>(event.object.get()) != nullptr;
    };
    api.change<Node>(api::kinds::node(), "", "node-1", "", [](Node& changed) {
      (*changed.mutable_metadata()->mutable_labels())["disk"] = "fast";
    });
  }
  void refuse_reads(const Status& why) {
    calls.refuse = [why](const std::string& line) {
      return line.starts_with("get nodes") ? std::optional(why) : std::nullopt;
    };
  }
  void add_picky_pod(const std::string& name) {
    api.create_pod("{metadata: {name: " + name +
                   "}, spec: {nodeName: node-1, restartPolicy: Never, nodeSelector: {disk: fast}, "
                   "containers: [{name: c, image: i, command: [run, '60', '0']}]}}");
    run_for(milliseconds(1));
  }
};

TEST_F(NodeReadTest, K5_WithoutALookAtTheNodeNoPodIsRejected) {
  label_unheard();
  refuse_reads({503, "ServiceUnavailable", "not now", {}});
  add_picky_pod("p");
  add_picky_pod("q");
  calls.calls.clear();
  run_for(seconds(5));
  EXPECT_EQ(phase(), "Pending");
  EXPECT_LE(calls.count("get nodes"), 6u) << "one question for all who wait";
  EXPECT_GE(calls.count("get nodes"), 4u);
  calls.refuse = nullptr;
  run_for(seconds(2));
  EXPECT_EQ(phase(), "Running");
  EXPECT_EQ(api.pod("q")->status().phase(), "Running");
}

TEST_F(NodeReadTest, K5_ADeletedPodDoesNotWaitForTheLook) {
  label_unheard();
  refuse_reads(internal_error("no"));
  add_picky_pod("p");
  ASSERT_TRUE(api.remove_pod("p", 1).answer);
  run_for(seconds(3));
  EXPECT_EQ(api.pod("p"), nullptr);
  calls.refuse = nullptr;
  run_for(seconds(5));
  EXPECT_TRUE(node.spawned.empty());
}

TEST_F(NodeReadTest, K5_OfANodeThatIsGoneWhatIsKnownHasToDo) {
  refuse_reads(not_found({"", "nodes", "node-1"}));
  add_picky_pod("p");
  run_for(milliseconds(10));
  EXPECT_EQ(status().reason(), "NodeAffinity");
}

}  // namespace
}  // namespace windlass::node
