#include "controllers/job/orphans.h"

#include <gtest/gtest.h>

#include "apiserver/testing.h"
#include "client/object_identity.h"
#include "controllers/job/adapter.h"
#include "verify/clients/intercepting_client.h"

namespace windlass::controllers::job {
namespace {

class OrphanReleaserTest : public testing::Test {
 protected:
  OrphanReleaserTest() {
    const auto pod = api.create_pod(
        "{metadata: {name: p, finalizers: [batch.kubernetes.io/job-tracking]}, spec: {containers: "
        "[{name: c, image: i}]}}");
    uid = pod->metadata().uid();
  }

  bool released() { return api.pod("p")->metadata().finalizers().empty(); }
  client::ClientEnv client_env() {
    client::ClientEnv env = api.client_env();
    return {client, env.executor, env.clock, env.random, env.log};
  }

  apiserver::testing::SimulatedApi api;
  client::InterceptingClient client{api.client, api.world.executor()};
  std::string uid;
  OrphanReleaser releaser{client_env(), std::string(engine::kTrackingFinalizer),
                          [this](const std::string&) { return uid; }};
};

// job-controller.md 1.35. The garbage collector takes off the owner at the same time: the one that
// comes second reads again, and reports nothing.
TEST_F(OrphanReleaserTest, AConflictIsTriedAgainInSilence) {
  int conflicts = 0;
  client.before = [&](const std::string& line) {
    if (line.starts_with("update pods") && conflicts++ == 0) {
      api.change<apiserver::testing::Pod>(api::kinds::pod(), "default", "p", "", [](auto& pod) {
        (*pod.mutable_metadata()->mutable_labels())["a"] = "b";
      });
    }
  };
  releaser.add("default/p");
  api.world.run_for(seconds(10));
  EXPECT_EQ(conflicts, 2);
  EXPECT_TRUE(released());
  EXPECT_FALSE(api.world.log().contains("freeing an orphaned pod failed"));
}

TEST_F(OrphanReleaserTest, AnotherErrorIsToldAndTriedAgain) {
  bool refused = false;
  client.refuse = [&](const std::string& line) -> std::optional<Status> {
    if (!line.starts_with("update pods") || std::exchange(refused, true)) {
      return std::nullopt;
    }
    return plain_error("no");
  };
  releaser.add("default/p");
  api.world.run_for(seconds(10));
  EXPECT_TRUE(released());
  EXPECT_TRUE(api.world.log().contains("freeing an orphaned pod failed"));
}

// 1.37: the cache has not told of the owner yet.
TEST_F(OrphanReleaserTest, APodThatSomethingElseOwnsByNowIsLeftAlone) {
  api.change<apiserver::testing::Pod>(api::kinds::pod(), "default", "p", "", [](auto& pod) {
    auto& owner = *pod.mutable_metadata()->add_owner_references();
    owner.set_api_version("apps/v1");
    owner.set_kind("ReplicaSet");
    owner.set_name("r");
    owner.set_uid("u");
    owner.set_controller(true);
  });
  releaser.add("default/p");
  api.world.run_for(seconds(10));
  EXPECT_FALSE(released());
}

}  // namespace
}  // namespace windlass::controllers::job
