// For tests only: an API server in a simulated world, with a client, and verbs that answer at once
// for the test itself.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <string_view>

#include "api/pod/pod_testing.h"
#include "apiserver/client/in_process_client.h"
#include "apiserver/server.h"
#include "client/reflector.h"
#include "schema/batch/v1/job.pb.h"
#include "schema/core/v1/node.pb.h"
#include "store/store.h"
#include "virtual_world/world.h"

namespace windlass::apiserver::testing {

using api::core::v1::Node;
using api::core::v1::Pod;
using Job = api::batch::v1::Job;

struct SimulatedApi {
  explicit SimulatedApi(uint64_t seed = 1, api::FeatureGates gates = {})
      : world(seed),
        server(store, world.clock(), world.random(), gates),
        client(server, world.executor()) {
    server.create_system_namespaces();
  }

  client::ClientEnv client_env() {
    return {client, world.executor(), world.clock(), world.random(), world.log()};
  }

  template <class T>
  std::shared_ptr<const T> create(const api::Kind& kind, std::string_view yaml) {
    auto object = std::make_unique<T>(api::testing::from_yaml<T>(yaml));
    const ObjectRef ref = ref_of(kind, *object);
    return answer<T>(server.create(ref, std::move(object)));
  }
  std::shared_ptr<const Job> create_job(std::string_view yaml) {
    return create<Job>(api::kinds::job(), yaml);
  }
  std::shared_ptr<const Pod> create_pod(std::string_view yaml) {
    return create<Pod>(api::kinds::pod(), yaml);
  }
  std::shared_ptr<const Node> create_node(std::string_view yaml) {
    return create<Node>(api::kinds::node(), yaml);
  }

  // nullptr when it is not there.
  template <class T>
  std::shared_ptr<const T> find(const api::Kind& kind, const std::string& ns,
                                const std::string& name) {
    const Result<ObjectPtr> found = server.get({&kind, ns, name});
    return found ? api::object_as<T>(*found) : nullptr;
  }
  std::shared_ptr<const Job> job(const std::string& name, const std::string& ns = "default") {
    return find<Job>(api::kinds::job(), ns, name);
  }
  std::shared_ptr<const Pod> pod(const std::string& name, const std::string& ns = "default") {
    return find<Pod>(api::kinds::pod(), ns, name);
  }
  std::vector<std::shared_ptr<const Pod>> pods(const std::string& ns = "default") {
    std::vector<std::shared_ptr<const Pod>> all;
    const Result<ObjectList> list = server.list({&api::kinds::pod(), ns, "", ""}, {});
    for (const ObjectPtr& pod : list->items) {
      all.push_back(api::object_as<Pod>(pod));
    }
    return all;
  }

  // Changes an object as it is now, and writes it back.
  template <class T, class Change>
  std::shared_ptr<const T> change(const api::Kind& kind, const std::string& ns,
                                  const std::string& name, std::string_view subresource,
                                  Change change_it) {
    const auto now = find<T>(kind, ns, name);
    if (!now) {
      ADD_FAILURE() << "no " << kind.kind << " " << name;
      return nullptr;
    }
    auto changed = std::make_unique<T>(*now);
    change_it(*changed);
    return answer<T>(server.update({&kind, ns, name}, subresource, std::move(changed)));
  }

  WriteResult remove(const api::Kind& kind, const std::string& ns, const std::string& name,
                     const DeleteOptions& options = {}) {
    return server.remove({&kind, ns, name}, options);
  }
  WriteResult remove_pod(const std::string& name, std::optional<int64_t> grace = std::nullopt) {
    DeleteOptions options;
    options.grace_period_seconds = grace;
    return remove(api::kinds::pod(), "default", name, options);
  }

  virtual_world::VirtualWorld world;
  store::Store store;
  Server server;
  InProcessClient client;

 private:
  template <class T>
  static ObjectRef ref_of(const api::Kind& kind, T& object) {
    if (kind.namespaced && object.metadata().namespace_().empty()) {
      object.mutable_metadata()->set_namespace_("default");
    }
    return {&kind, object.metadata().namespace_(), object.metadata().name()};
  }
  template <class T>
  static std::shared_ptr<const T> answer(const WriteResult& result) {
    if (!result.answer) {
      ADD_FAILURE() << result.answer.error().message;
      return nullptr;
    }
    return api::object_as<T>(*result.answer);
  }
};

}  // namespace windlass::apiserver::testing
