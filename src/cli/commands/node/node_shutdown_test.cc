#include "cli/commands/node/node_shutdown.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>

#include "apiserver/testing.h"
#include "cli/output/captured_output_testing.h"
#include "node/node_object.h"

namespace windlass::cli {
namespace {

using apiserver::testing::Node;
using apiserver::testing::SimulatedApi;
using ::testing::HasSubstr;

struct NodeCommand {
  explicit NodeCommand(const std::string& runtime = "windlass://processes") {
    api.create_node("{metadata: {name: node-a}, status: {nodeInfo: {containerRuntimeVersion: '" +
                    runtime + "'}}}");
  }
  ExitCode run(const std::string& node, bool cancel = false) {
    std::optional<ExitCode> code;
    order_node_shutdown(api.client, {{}, node, cancel}, api.world.clock().now(), output,
                        [&code](ExitCode finished) { code = finished; });
    api.world.run_for(seconds(1));
    return code.value();
  }
  bool ordered() {
    return node::has_shutdown_order(*api.find<Node>(api::kinds::node(), "", "node-a"));
  }

  SimulatedApi api;
  cli::testing::TextOutput output;
};

TEST(NodeCommand, OrdersAShutdownAndTakesItBack) {
  NodeCommand command;
  EXPECT_EQ(command.run("node-a"), ExitCode::ok);
  EXPECT_TRUE(command.ordered());
  EXPECT_EQ(command.run("node-a", true), ExitCode::ok);
  EXPECT_FALSE(command.ordered());
  EXPECT_EQ(command.output.out_text,
            "node/node-a is shutting down\nnode/node-a takes pods again\n");
}

TEST(NodeCommand, SaysThatThereIsNothingToTakeBack) {
  NodeCommand command;
  EXPECT_EQ(command.run("node-a", true), ExitCode::ok);
  EXPECT_EQ(command.output.out_text, "node/node-a is not shutting down\n");
}

TEST(NodeCommand, SaysThatAnAgentDoesNotAnswer) {
  NodeCommand command;
  command.api.change<Node>(api::kinds::node(), "", "node-a", "status", [](Node& node) {
    auto& ready = *node.mutable_status()->add_conditions();
    ready.set_type("Ready");
    ready.set_status("Unknown");
  });
  EXPECT_EQ(command.run("node-a"), ExitCode::ok);
  EXPECT_TRUE(command.ordered());
  EXPECT_EQ(command.output.out_text,
            "node/node-a shuts down once its agent answers; it does not answer now\n");
}

TEST(NodeCommand, SaysWhatIsWrong) {
  NodeCommand command("containerd://2.1");
  EXPECT_EQ(command.run("node-a"), ExitCode::failed);
  EXPECT_EQ(command.run("node-b"), ExitCode::failed);
  EXPECT_FALSE(command.ordered());
  EXPECT_THAT(command.output.err_text,
              HasSubstr("node \"node-a\" does not belong to `windlass up` or `windlass node`"));
  EXPECT_THAT(command.output.err_text, HasSubstr("nodes \"node-b\" not found"));
}

}  // namespace
}  // namespace windlass::cli
