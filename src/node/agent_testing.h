// The fixture of the agent's tests: one node, and the pod "p" on it. Included by *_test.cc only.
#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "node/testing.h"

namespace windlass::node::testing {

class AgentTest : public ::testing::Test {
 protected:
  AgentTest() : node(api) {
    node.agent->start();
    run_for(milliseconds(1));
  }

  void run_for(Duration duration) { api.world.run_for(duration); }

  // A pod bound to the node with one container that has this command.
  void add_pod(const std::string& command, const std::string& more = "",
               const std::string& container_more = "") {
    api.create_pod(fmt::format(
        "{{metadata: {{name: p, finalizers: [example.com/hold]}}, spec: {{nodeName: node-1, "
        "restartPolicy: Never, {} containers: [{{name: c, image: i, {} command: [{}]}}]}}}}",
        more, container_more, command));
    run_for(milliseconds(1));
  }
  // The same with a whole spec.
  void add_pod_spec(const std::string& spec) {
    api.create_pod("{metadata: {name: p}, spec: {nodeName: node-1, " + spec + "}}");
    run_for(milliseconds(1));
  }

  using Pod = apiserver::testing::Pod;

  std::shared_ptr<const Pod> pod() { return api.pod("p"); }
  std::string phase() { return pod()->status().phase(); }
  api::core::v1::ContainerStatus container(int i = 0) {
    return pod()->status().container_statuses(i);
  }
  std::string condition(const std::string& type) {
    for (const auto& each : pod()->status().conditions()) {
      if (each.type() == type) {
        return each.status() + (each.reason().empty() ? "" : " " + each.reason());
      }
    }
    return "absent";
  }

  apiserver::testing::SimulatedApi api;
  SimulatedNode node;
};

}  // namespace windlass::node::testing
