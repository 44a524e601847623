#include "cli/node_command.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>

#include "apiserver/testing.h"
#include "cli/command_line.h"
#include "cli/testing.h"
#include "node/shutdown_order.h"

namespace windlass::cli {
namespace {

using apiserver::testing::Node;
using apiserver::testing::SimApi;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

template <class Options>
Options node_parsed(const std::vector<std::string>& arguments) {
  CommandLine line = parse_command_line(arguments);
  EXPECT_TRUE(std::holds_alternative<Options>(line));
  return std::get<Options>(line);
}

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

  SimApi api;
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
  EXPECT_EQ(command.output.out_text, "node/node-a has no order to shut down\n");
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
            "node/node-a is to shut down when its agent answers, which it does not now\n");
}

TEST(NodeCommand, SaysWhatIsWrong) {
  NodeCommand command("containerd://2.1");
  EXPECT_EQ(command.run("node-a"), ExitCode::failed);
  EXPECT_EQ(command.run("node-b"), ExitCode::failed);
  EXPECT_FALSE(command.ordered());
  EXPECT_THAT(command.output.err_text,
              HasSubstr("node \"node-a\" is not one that `windlass up` or `windlass node` runs"));
  EXPECT_THAT(command.output.err_text, HasSubstr("nodes \"node-b\" not found"));
}

TEST(NodeCommand, TakesItsFlags) {
  const auto options = node_parsed<NodeShutdownOptions>(
      {"node", "shutdown", "node/node-1", "--cancel", "--kubeconfig", "k"});
  EXPECT_EQ(options.node, "node-1");
  EXPECT_TRUE(options.cancel);
  EXPECT_EQ(options.cluster.kubeconfig, "k");
  EXPECT_TRUE(node_parsed<Usage>({"node"}).is_error);
  EXPECT_TRUE(node_parsed<Usage>({"node", "shutdown"}).is_error);
}

TEST(NodeCommand, K70_UpTakesGracePeriods) {
  EXPECT_THAT(node_parsed<UpOptions>({"up"}).shutdown, IsEmpty());
  EXPECT_THAT(node_parsed<UpOptions>({"up", "--shutdown-grace-period", "30s",
                                      "--shutdown-grace-period-critical-pods", "10s"})
                  .shutdown,
              ElementsAre(node::ShutdownGroup{0, seconds(20)},
                          node::ShutdownGroup{node::kCriticalPriority, seconds(10)}));
  EXPECT_THAT(node_parsed<UpOptions>(
                  {"up", "--shutdown-grace-period-by-pod-priority", "1000=5s,0=1m,-5=3s"})
                  .shutdown,
              ElementsAre(node::ShutdownGroup{-5, seconds(3)}, node::ShutdownGroup{0, minutes(1)},
                          node::ShutdownGroup{1000, seconds(5)}));
}

TEST(NodeCommand, RefusesGracePeriodsThatMakeNoSense) {
  const std::vector<std::vector<std::string>> cases = {
      {"--shutdown-grace-period", "0s"},
      {"--shutdown-grace-period-critical-pods", "5s"},
      {"--shutdown-grace-period", "5s", "--shutdown-grace-period-critical-pods", "6s"},
      {"--shutdown-grace-period", "5s", "--shutdown-grace-period-by-pod-priority", "0=5s"},
      {"--shutdown-grace-period-by-pod-priority", "0"},
      {"--shutdown-grace-period-by-pod-priority", "x=5s"},
      {"--shutdown-grace-period-by-pod-priority", "0=5s,0=6s"},
  };
  for (std::vector<std::string> arguments : cases) {
    arguments.insert(arguments.begin(), "up");
    EXPECT_TRUE(node_parsed<Usage>(arguments).is_error) << arguments[1] << " " << arguments[2];
  }
}

}  // namespace
}  // namespace windlass::cli
