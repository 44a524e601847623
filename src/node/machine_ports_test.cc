#include "node/machine_ports.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "node/testing.h"
#include "schema/core/v1/event.pb.h"

namespace windlass::node {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;

TEST(MachinePorts, NamesThePodOfAnotherNodeThatHasThePort) {
  MachinePorts ports;
  ports.take("u", {"node-1", "default/a", {{"TCP", "0.0.0.0", 80}}});
  EXPECT_THAT(ports.conflict({"node-2", "default/b", {{"TCP", "127.0.0.1", 80}}}).value_or(""),
              HasSubstr("hostPort 80/TCP is taken by pod default/a on node node-1"));
  EXPECT_FALSE(ports.conflict({"node-1", "default/b", {{"TCP", "0.0.0.0", 80}}}));
  EXPECT_FALSE(ports.conflict({"node-2", "default/b", {{"UDP", "0.0.0.0", 80}}}));
  ports.release("u");
  EXPECT_FALSE(ports.conflict({"node-2", "default/b", {{"TCP", "0.0.0.0", 80}}}));
}

TEST(MachinePorts, TheSecondPodOnAMachineIsWarned) {
  MachinePorts ports;
  apiserver::testing::SimulatedApi api;
  testing::SimulatedNode first(api, "node-1");
  testing::SimulatedNode second(api, "node-2");
  for (testing::SimulatedNode* node : {&first, &second}) {
    node->agent->share_ports(ports);
    node->agent->start();
  }
  const auto warnings = [&api] {
    api.world.run_for(seconds(1));
    std::vector<std::string> lines;
    const auto list = api.server.list({&api::kinds::event(), "default", "", ""}, {});
    for (const auto& object : list->items) {
      const auto event = api::object_as<api::core::v1::Event>(object);
      lines.push_back(event->involved_object().name() + " " + event->reason());
    }
    return lines;
  };
  for (const char* name : {"a", "b"}) {
    api.create_pod(fmt::format(
        "{{metadata: {{name: {}}}, spec: {{nodeName: node-{}, restartPolicy: Never, containers: "
        "[{{name: c, image: i, command: [run, '5', '0'], ports: [{{containerPort: 80, hostPort: "
        "80}}]}}]}}}}",
        name, name[0] == 'a' ? 1 : 2));
    api.world.run_for(seconds(1));
  }
  EXPECT_THAT(warnings(), Contains("b HostPortConflict"));
  api.world.run_for(seconds(30));
  api.create_pod(
      "{metadata: {name: d}, spec: {nodeName: node-1, restartPolicy: Never, containers: [{name: c, "
      "image: i, command: [run, '5', '0'], ports: [{containerPort: 80, hostPort: 80}]}]}}");
  EXPECT_THAT(warnings(), ::testing::Not(Contains("d HostPortConflict")));
}

}  // namespace
}  // namespace windlass::node
