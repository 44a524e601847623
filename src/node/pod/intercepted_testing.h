// For tests only: a node agent whose calls to the API server can be seen, refused and kept from it,
// and the pod "p" on it. Included by *_test.cc only.
#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "node/testing.h"
#include "schema/core/v1/event.pb.h"
#include "verify/clients/intercepting_client.h"

namespace windlass::node::testing {

class InterceptedNodeTest : public ::testing::Test {
 protected:
  InterceptedNodeTest() : calls(api.client, api.world.executor()), node(api) {
    const env::Env env{api.world.clock(), api.world.random(), api.world.executor(), api.world.log(),
                       node.files};
    node.agent = std::make_unique<Agent>(env, node.containers, calls, node.config, &node.observer,
                                         &node.network, &node.host_resources);
    node.agent->start();
    run_for(milliseconds(1));
  }

  void run_for(Duration duration) { api.world.run_for(duration); }

  // `more` goes into the spec.
  void add_pod(const std::string& command, const std::string& more = "restartPolicy: Never") {
    api.create_pod(fmt::format(
        "{{metadata: {{name: p, finalizers: [example.com/hold]}}, spec: {{nodeName: node-1, {}, "
        "containers: [{{name: c, image: i, command: [{}]}}]}}}}",
        more, command));
    run_for(milliseconds(1));
  }
  template <class Change>
  void change_status(Change change) {
    api.change<apiserver::testing::Pod>(
        api::kinds::pod(), "default", "p", "status",
        [&change](apiserver::testing::Pod& pod) { change(*pod.mutable_status()); });
  }

  api::core::v1::PodStatus status() { return api.pod("p")->status(); }
  std::string phase() { return status().phase(); }
  api::core::v1::ContainerState state() { return status().container_statuses(0).state(); }
  // `True`, `False PodFailed`, or `absent`.
  std::string condition(const std::string& type) {
    const api::core::v1::PodStatus now = status();
    for (const auto& each : now.conditions()) {
      if (each.type() == type) {
        return each.status() + (each.reason().empty() ? "" : " " + each.reason());
      }
    }
    return "absent";
  }
  // `<type> <message>` of the pod's event with this reason.
  std::string event(const std::string& reason) {
    const auto list = api.server.list({&api::kinds::event(), "default", "", ""}, {});
    for (const auto& object : list->items) {
      const auto each = api::object_as<api::core::v1::Event>(object);
      if (each->reason() == reason) {
        return each->type() + " " + each->message();
      }
    }
    return "absent";
  }

  apiserver::testing::SimulatedApi api;
  client::InterceptingClient calls;
  SimulatedNode node;
};

}  // namespace windlass::node::testing
