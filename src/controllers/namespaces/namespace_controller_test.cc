#include "controllers/namespaces/namespace_controller.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "apiserver/testing.h"
#include "client/intercepting_client.h"
#include "schema/core/v1/config_map.pb.h"
#include "schema/core/v1/event.pb.h"
#include "schema/core/v1/namespace.pb.h"
#include "schema/core/v1/service_account.pb.h"

namespace windlass::controllers::namespaces {
namespace {

using api::core::v1::ConfigMap;
using api::core::v1::Namespace;

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
  bool exists(const std::string& name) {
    return api.find<Namespace>(api::kinds::namespace_(), "", name) != nullptr;
  }

  apiserver::testing::SimApi api;
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
