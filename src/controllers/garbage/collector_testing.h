// For tests only: the collector beside an API server in a simulated world.
#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "apiserver/testing.h"
#include "controllers/garbage/collector.h"
#include "schema/core/v1/config_map.pb.h"
#include "schema/core/v1/event.pb.h"
#include "verify/clients/intercepting_client.h"

namespace windlass::controllers::garbage {

using apiserver::testing::Job;
using apiserver::testing::Node;
using apiserver::testing::Pod;
using ConfigMap = api::core::v1::ConfigMap;

struct CollectorWorld {
  explicit CollectorWorld(uint64_t seed = 1) : api(seed), client(api.client, api.world.executor()) {
    start();
  }

  // A new one, in place of any that was there.
  void start() {
    GarbageCollector::Options options;
    for (const api::Kind& kind : api::all_kinds()) {
      if (apiserver::find_strategy(kind) != nullptr) {
        options.kinds.push_back(&kind);
      }
    }
    collector.reset();
    client::ClientEnv env = api.client_env();
    collector = std::make_unique<GarbageCollector>(
        client::ClientEnv{client, env.executor, env.clock, env.random, env.log}, options);
    collector->start();
    settle();
    ASSERT_TRUE(collector->has_synced());
  }

  void settle(Duration duration = milliseconds(10)) { api.world.run_for(duration); }

  // `{apiVersion: ..., uid: ...}`, as it is in metadata.ownerReferences.
  template <class T>
  static std::string owner(const std::shared_ptr<const T>& object, const std::string& more = "") {
    return fmt::format("{{{}, name: {}, uid: {}{}}}", type_of(*object), object->metadata().name(),
                       object->metadata().uid(), more);
  }
  template <class T>
  static std::string blocking(const std::shared_ptr<const T>& object) {
    return owner(object, ", blockOwnerDeletion: true");
  }

  std::shared_ptr<const Job> create_job(const std::string& name, const std::string& meta = "") {
    return api.create_job(
        fmt::format("{{metadata: {{name: {}{}}}, spec: {{template: {{spec: {{restartPolicy: Never, "
                    "containers: [{{name: c, image: i}}]}}}}}}}}",
                    name, meta));
  }
  std::shared_ptr<const Pod> create_pod(const std::string& name, const std::string& owners,
                                        const std::string& meta = "") {
    return api.create_pod(
        fmt::format("{{metadata: {{name: {}, ownerReferences: [{}]{}}}, spec: "
                    "{{containers: [{{name: c, image: i}}]}}}}",
                    name, owners, meta));
  }
  std::shared_ptr<const ConfigMap> create_map(const std::string& name,
                                              const std::string& owners = "",
                                              const std::string& meta = "") {
    return api.create<ConfigMap>(
        api::kinds::config_map(),
        fmt::format("{{metadata: {{name: {}, ownerReferences: [{}]{}}}}}", name, owners, meta));
  }

  std::shared_ptr<const ConfigMap> map(const std::string& name, const std::string& ns = "default") {
    return api.find<ConfigMap>(api::kinds::config_map(), ns, name);
  }
  bool has_map(const std::string& name, const std::string& ns = "default") {
    return map(name, ns) != nullptr;
  }

  apiserver::WriteResult remove(const api::Kind& kind, const std::string& name,
                                const std::string& policy) {
    client::DeleteOptions options;
    options.propagation_policy = policy;
    return api.remove(kind, "default", name, options);
  }
  void remove_job(const std::string& name, const std::string& policy) {
    ASSERT_TRUE(remove(api::kinds::job(), name, policy).answer.has_value());
  }
  void remove_map(const std::string& name, const std::string& policy) {
    ASSERT_TRUE(remove(api::kinds::config_map(), name, policy).answer.has_value());
  }

  // Takes everything that holds a pod or map off it.
  template <class T>
  void release(const api::Kind& kind, const std::string& name) {
    api.change<T>(kind, "default", name, "",
                  [](T& object) { object.mutable_metadata()->clear_finalizers(); });
  }

  std::vector<std::string> events(const std::string& ns = "default") {
    std::vector<std::string> texts;
    const auto list = api.server.list({&api::kinds::event(), ns, "", ""}, {});
    for (const auto& item : list->items) {
      const auto event = api::object_as<api::core::v1::Event>(item);
      texts.push_back(fmt::format("{} {} {}/{}: {}", event->type(), event->reason(),
                                  event->involved_object().kind(), event->involved_object().name(),
                                  event->message()));
    }
    return texts;
  }

  apiserver::testing::SimulatedApi api;
  client::InterceptingClient client;
  std::unique_ptr<GarbageCollector> collector;

 private:
  static std::string type_of(const Job&) { return "apiVersion: batch/v1, kind: Job"; }
  static std::string type_of(const Pod&) { return "apiVersion: v1, kind: Pod"; }
  static std::string type_of(const Node&) { return "apiVersion: v1, kind: Node"; }
  static std::string type_of(const ConfigMap&) { return "apiVersion: v1, kind: ConfigMap"; }
};

}  // namespace windlass::controllers::garbage
