#include "controllers/namespaces/namespace_controller.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "apiserver/testing.h"
#include "schema/core/v1/config_map.pb.h"
#include "schema/core/v1/event.pb.h"
#include "schema/core/v1/namespace.pb.h"
#include "schema/core/v1/pod.pb.h"
#include "schema/core/v1/service_account.pb.h"
#include "verify/clients/intercepting_client.h"

namespace windlass::controllers::namespaces {
namespace {

using api::core::v1::ConfigMap;
using api::core::v1::Namespace;
using api::core::v1::Pod;

class NamespaceControllerTest : public testing::Test {
 protected:
  NamespaceControllerTest() { controller.start(); }

  client::ClientEnv env() {
    const client::ClientEnv direct = api.client_env();
    return {client, direct.executor, direct.clock, direct.random, direct.log};
  }

  void create_namespace(const std::string& name) {
    api.create<Namespace>(api::kinds::namespace_(), "metadata: {name: " + name + "}");
  }
  void create_running_pod(const std::string& name, const std::string& metadata = "") {
    api.create_pod("{metadata: {namespace: work, name: " + name + ", " + metadata +
                   "}, spec: {nodeName: n1, containers: [{name: c, image: i}]}}");
    api.change<Pod>(api::kinds::pod(), "work", name, "status",
                    [](Pod& pod) { pod.mutable_status()->set_phase("Running"); });
  }
  // `status reason: message` of a condition of the namespace `work`.
  std::string condition(const std::string& type) {
    for (const auto& each :
         api.find<Namespace>(api::kinds::namespace_(), "", "work")->status().conditions()) {
      if (each.type() == type) {
        return fmt::format("{} {}: {}", each.status(), each.reason(), each.message());
      }
    }
    return "";
  }
  bool has_map(const std::string& name) {
    return api.find<ConfigMap>(api::kinds::config_map(), "work", name) != nullptr;
  }
  bool exists(const std::string& name) {
    return api.find<Namespace>(api::kinds::namespace_(), "", name) != nullptr;
  }

  apiserver::testing::SimulatedApi api;
  client::InterceptingClient client{api.client, api.world.executor()};
  NamespaceController controller{env(), {.ca_certificate = "PEM"}};
};

TEST_F(NamespaceControllerTest, N15_EveryNamespaceIsCompleted) {
  create_namespace("work");
  api.world.run_for(seconds(1));
  for (const char* ns : {"default", "kube-system", "work"}) {
    const auto certificate = api.find<ConfigMap>(api::kinds::config_map(), ns, "kube-root-ca.crt");
    ASSERT_NE(certificate, nullptr) << ns;
    EXPECT_EQ(certificate->data().at("ca.crt"), "PEM");
    EXPECT_NE(api.find<api::core::v1::ServiceAccount>(*api::find_kind("v1", "ServiceAccount"), ns,
                                                      "default"),
              nullptr)
        << ns;
  }
}

// As after `kubectl delete configmap,serviceaccount --all`: without the account no pod could be
// created in the namespace any more.
TEST_F(NamespaceControllerTest, N15_WhatIsDeletedOfItComesBack) {
  api.world.run_for(seconds(1));
  const api::Kind& accounts = *api::find_kind("v1", "ServiceAccount");
  ASSERT_TRUE(api.remove(accounts, "default", "default").answer.has_value());
  ASSERT_TRUE(
      api.remove(api::kinds::config_map(), "default", "kube-root-ca.crt").answer.has_value());
  api.world.run_for(seconds(1));
  EXPECT_NE(api.find<api::core::v1::ServiceAccount>(accounts, "default", "default"), nullptr);
  EXPECT_NE(api.find<ConfigMap>(api::kinds::config_map(), "default", "kube-root-ca.crt"), nullptr);
}

TEST_F(NamespaceControllerTest, N15_TheCertificateIsTheServersOwn) {
  api.world.run_for(seconds(1));
  api.change<ConfigMap>(api::kinds::config_map(), "default", "kube-root-ca.crt", "",
                        [](ConfigMap& map) { (*map.mutable_data())["ca.crt"] = "another"; });
  api.world.run_for(seconds(1));
  EXPECT_EQ(api.find<ConfigMap>(api::kinds::config_map(), "default", "kube-root-ca.crt")
                ->data()
                .at("ca.crt"),
            "PEM");
}

TEST_F(NamespaceControllerTest, N11_ADeletedNamespaceIsEmptiedAndGoes) {
  create_namespace("work");
  for (int i = 0; i < 250; ++i) {
    api.create<ConfigMap>(api::kinds::config_map(),
                          "metadata: {namespace: work, name: c" + std::to_string(i) + "}");
  }
  api.create_pod(
      "{metadata: {namespace: work, name: p}, spec: {containers: [{name: c, image: i}]}}");
  api.world.run_for(seconds(1));
  ASSERT_TRUE(api.remove(api::kinds::namespace_(), "", "work").answer.has_value());
  api.world.run_for(seconds(10));
  EXPECT_FALSE(exists("work"));
  EXPECT_TRUE(api.pods("work").empty());
  EXPECT_TRUE(exists("default"));
}

TEST_F(NamespaceControllerTest, N11_AFinalizerInsideHoldsTheNamespace) {
  create_namespace("work");
  api.create<ConfigMap>(api::kinds::config_map(),
                        "metadata: {namespace: work, name: c, finalizers: [x.io/a]}");
  ASSERT_TRUE(api.remove(api::kinds::namespace_(), "", "work").answer.has_value());
  api.world.run_for(seconds(10));
  EXPECT_TRUE(exists("work"));
  api.change<ConfigMap>(api::kinds::config_map(), "work", "c", "",
                        [](ConfigMap& map) { map.mutable_metadata()->clear_finalizers(); });
  api.world.run_for(seconds(10));
  EXPECT_FALSE(exists("work"));
}

// KEP-5080: what pods use stays until they are gone.
TEST_F(NamespaceControllerTest, N11_PodsGoBeforeTheRest) {
  create_namespace("work");
  create_running_pod("p", "finalizers: [x.io/a]");
  create_running_pod("q");
  api.create<ConfigMap>(api::kinds::config_map(), "metadata: {namespace: work, name: c}");
  ASSERT_TRUE(api.remove(api::kinds::namespace_(), "", "work").answer.has_value());
  api.world.run_for(seconds(5));
  EXPECT_TRUE(api.find<Pod>(api::kinds::pod(), "work", "p")->metadata().has_deletion_timestamp());
  EXPECT_TRUE(has_map("c"));
  EXPECT_EQ(condition("NamespaceDeletionContentFailure"),
            "False ContentDeleted: All content successfully deleted, may be waiting on "
            "finalization");
  EXPECT_EQ(condition("NamespaceContentRemaining"),
            "True SomeResourcesRemain: Some resources are remaining: pods. has 2 resource "
            "instances");
  EXPECT_EQ(condition("NamespaceFinalizersRemaining"),
            "True SomeFinalizersRemain: Some content in the namespace has finalizers remaining: "
            "x.io/a in 1 resource instances");

  api.change<Pod>(api::kinds::pod(), "work", "p", "",
                  [](Pod& pod) { pod.mutable_metadata()->clear_finalizers(); });
  ASSERT_TRUE(
      api.remove(api::kinds::pod(), "work", "p", {.grace_period_seconds = 0}).answer.has_value());
  api.world.run_for(seconds(5));
  EXPECT_TRUE(has_map("c"));
  EXPECT_EQ(condition("NamespaceFinalizersRemaining"),
            "False ContentHasNoFinalizers: All content-preserving finalizers finished");

  api.world.run_for(seconds(30));  // longer than the pod was given to end
  EXPECT_EQ(condition("NamespaceDeletionContentFailure"),
            "True ContentDeletionFailed: Failed to delete all resource types, 1 remaining: "
            "unexpected items still remain in namespace: work for gvr: /v1, Resource=pods");
  ASSERT_TRUE(
      api.remove(api::kinds::pod(), "work", "q", {.grace_period_seconds = 0}).answer.has_value());
  api.world.run_for(seconds(5));
  EXPECT_FALSE(exists("work"));
}

TEST_F(NamespaceControllerTest, N11_AnotherFinalizerOfTheNamespaceShowsThatItIsEmpty) {
  api.create<Namespace>(api::kinds::namespace_(), "metadata: {name: work, finalizers: [x.io/a]}");
  api.world.run_for(seconds(1));
  ASSERT_TRUE(api.remove(api::kinds::namespace_(), "", "work").answer.has_value());
  api.world.run_for(seconds(5));
  ASSERT_TRUE(exists("work"));
  EXPECT_EQ(condition("NamespaceDeletionDiscoveryFailure"),
            "False ResourcesDiscovered: All resources successfully discovered");
  EXPECT_EQ(condition("NamespaceDeletionGroupVersionParsingFailure"),
            "False ParsedGroupVersions: All legacy kube types successfully parsed");
  EXPECT_EQ(condition("NamespaceContentRemaining"),
            "False ContentRemoved: All content successfully removed");
}

TEST_F(NamespaceControllerTest, N11_WhatCannotBeDeletedIsToldAndTriedAgain) {
  create_namespace("work");
  api.create<ConfigMap>(api::kinds::config_map(), "metadata: {namespace: work, name: c}");
  client.refuse = [](const std::string& line) -> std::optional<Status> {
    return line.starts_with("delete configmaps work/c") ? std::optional(plain_error("no"))
                                                        : std::nullopt;
  };
  ASSERT_TRUE(api.remove(api::kinds::namespace_(), "", "work").answer.has_value());
  api.world.run_for(seconds(5));
  EXPECT_EQ(condition("NamespaceDeletionContentFailure"),
            "True ContentDeletionFailed: Failed to delete all resource types, 1 remaining: no");
  EXPECT_EQ(condition("NamespaceContentRemaining"),
            "True SomeResourcesRemain: Some resources are remaining: configmaps. has 1 resource "
            "instances");
  client.refuse = {};
  api.world.run_for(minutes(2));
  EXPECT_FALSE(exists("work"));
}

// Whether pods are left is not known after an error, so what they use stays for now.
TEST_F(NamespaceControllerTest, N11_AnErrorWithThePodsHoldsTheRest) {
  create_namespace("work");
  create_running_pod("p");
  api.create<ConfigMap>(api::kinds::config_map(), "metadata: {namespace: work, name: c}");
  std::optional<bool> map_was_there;
  client.before = [&](const std::string& line) {
    if (line.starts_with("delete pods work/p")) {
      ASSERT_TRUE(api.remove(api::kinds::pod(), "work", "p", {.grace_period_seconds = 0})
                      .answer.has_value());
    } else if (line.starts_with("update namespaces/status") && !map_was_there) {
      map_was_there = has_map("c");  // at the end of the first run
    }
  };
  client.refuse = [](const std::string& line) -> std::optional<Status> {
    return line.starts_with("delete pods work/p") ? std::optional(plain_error("no")) : std::nullopt;
  };
  ASSERT_TRUE(api.remove(api::kinds::namespace_(), "", "work").answer.has_value());
  api.world.run_for(minutes(2));
  EXPECT_EQ(map_was_there, true);
  EXPECT_FALSE(exists("work"));
}

// The garbage collector does not look at events, so nothing of its may hold one.
TEST_F(NamespaceControllerTest, N11_M51_AnEventThatWasDeletedWithAPolicyHoldsNothing) {
  create_namespace("work");
  api.create<api::core::v1::Event>(
      api::kinds::event(),
      "{metadata: {namespace: work, name: e}, involvedObject: {namespace: work}}");
  ASSERT_TRUE(api.remove(api::kinds::event(), "work", "e", {.propagation_policy = "Foreground"})
                  .answer.has_value());
  ASSERT_TRUE(api.remove(api::kinds::namespace_(), "", "work").answer.has_value());
  api.world.run_for(seconds(10));
  EXPECT_FALSE(exists("work"));
}

// More objects than a page holds, and none of the first page can go yet.
TEST_F(NamespaceControllerTest, N11_WhatIsHeldDoesNotHideTheRest) {
  constexpr int kPage = 100;
  const auto held = [](int i) { return fmt::format("a{:03}", i); };
  create_namespace("work");
  for (int i = 0; i < kPage; ++i) {
    api.create<ConfigMap>(
        api::kinds::config_map(),
        fmt::format("metadata: {{namespace: work, name: {}, finalizers: [x.io/a]}}", held(i)));
  }
  api.create<ConfigMap>(api::kinds::config_map(), "metadata: {namespace: work, name: z}");
  ASSERT_TRUE(api.remove(api::kinds::namespace_(), "", "work").answer.has_value());
  api.world.run_for(seconds(10));
  EXPECT_EQ(api.find<ConfigMap>(api::kinds::config_map(), "work", "z"), nullptr);
  EXPECT_TRUE(exists("work"));
  for (int i = 0; i < kPage; ++i) {
    api.change<ConfigMap>(api::kinds::config_map(), "work", held(i), "",
                          [](ConfigMap& map) { map.mutable_metadata()->clear_finalizers(); });
  }
  api.world.run_for(seconds(10));
  EXPECT_FALSE(exists("work"));
}

// The controller hears neither that the namespace has gone nor that there is another one.
TEST_F(NamespaceControllerTest, O2_ANamespaceThatWasMadeAnewIsLeftAlone) {
  const api::Kind& accounts = *api::find_kind("v1", "ServiceAccount");
  bool made_anew = false;
  client.skip_event = [&made_anew](const client::WatchEvent& event) {
    return dynamic_cast<const Namespace*>(event.object.get()) != nullptr &&
           (made_anew || event.type == client::EventType::deleted);
  };
  const auto lose_account = [&] {
    api.create<api::core::v1::ServiceAccount>(accounts,
                                              "metadata: {namespace: work, name: default}");
    ASSERT_TRUE(api.remove(accounts, "work", "default").answer.has_value());
    api.world.run_for(seconds(10));
  };
  create_namespace("work");
  api.world.run_for(seconds(1));
  ASSERT_TRUE(api.remove(api::kinds::namespace_(), "", "work").answer.has_value());
  api.world.run_for(seconds(10));
  ASSERT_FALSE(exists("work"));
  made_anew = true;
  create_namespace("work");
  api.create<ConfigMap>(api::kinds::config_map(), "metadata: {namespace: work, name: c}");
  lose_account();
  EXPECT_NE(api.find<ConfigMap>(api::kinds::config_map(), "work", "c"), nullptr);
  // Also when there is nothing in it yet.
  ASSERT_TRUE(api.remove(api::kinds::config_map(), "work", "c").answer.has_value());
  lose_account();
  ASSERT_TRUE(exists("work"));
  EXPECT_EQ(api.find<Namespace>(api::kinds::namespace_(), "", "work")->spec().finalizers_size(), 1);
}

TEST_F(NamespaceControllerTest, O2_WhatIsDeletedIsWhatWasListed) {
  create_namespace("work");
  api.world.run_for(seconds(1));
  ASSERT_TRUE(api.remove(api::kinds::namespace_(), "", "work").answer.has_value());
  api.world.run_for(seconds(10));
  EXPECT_GE(client.count("delete "), 2u);
  for (const std::string& line : client.calls) {
    EXPECT_TRUE(!line.starts_with("delete ") || line.find(" uid=") != std::string::npos) << line;
  }
}

}  // namespace
}  // namespace windlass::controllers::namespaces
