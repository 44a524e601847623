#include "controllers/job/writer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "apiserver/testing.h"
#include "verify/clients/intercepting_client.h"

namespace windlass::controllers::job {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

class PodWrites : public ::testing::Test, public WriteAnswers {
 protected:
  PodWrites() { client.calls.clear(); }

  std::string create_pod(const std::string& finalizers) {
    api.create_pod("{metadata: {name: p, finalizers: " + finalizers +
                   "}, spec: {nodeName: n1, containers: [{name: c, image: i}]}}");
    return api.pod("p")->metadata().uid();
  }
  engine::PodWrite release_of(const std::string& uid) {
    return {engine::PodOp::release, uid, "p", 0};
  }
  // What became of it; nothing for success.
  std::optional<engine::WriteError> send(const engine::PodWrite& write) {
    engine::Decision decision;
    decision.pod_writes.push_back(write);
    answer.reset();
    writer.send(apiserver::testing::Job(), decision);
    api.world.run_for(seconds(1));
    EXPECT_TRUE(answer.has_value());
    return !answer || *answer ? std::nullopt : std::optional(classify(answer->error()));
  }
  std::vector<std::string> finalizers() {
    const auto pod = api.pod("p");
    return {pod->metadata().finalizers().begin(), pod->metadata().finalizers().end()};
  }

  void on_status(const Result<client::ObjectPtr>&) override {}
  void on_create(uint32_t, const Result<client::ObjectPtr>&) override {}
  void on_pod_write(const engine::PodWrite&, const Result<client::ObjectPtr>& pod) override {
    answer = pod;
  }

  apiserver::testing::SimulatedApi api;
  client::InterceptingClient client{api.client, api.world.executor()};
  Writer writer{client, "example.com/tracking", "default", "j", *this};
  std::optional<Result<client::ObjectPtr>> answer;
};

// api.md P76: one request, and nothing of the pod but this finalizer is touched.
TEST_F(PodWrites, P76_ReleaseTakesOneFinalizerOffInOneRequest) {
  const std::string uid = create_pod("[a.io/b, example.com/tracking, c.io/d]");
  EXPECT_EQ(send(release_of(uid)), std::nullopt);
  EXPECT_THAT(finalizers(), ElementsAre("a.io/b", "c.io/d"));
  EXPECT_EQ(client.calls.size(), 1u);
  EXPECT_EQ(client.count("patch pods default/p"), 1u);
  EXPECT_EQ(send(release_of(uid)), std::nullopt);  // it is not there any more: all is well
}

TEST_F(PodWrites, P73_ReleaseLetsADeletedPodGo) {
  const std::string uid = create_pod("[example.com/tracking]");
  apiserver::DeleteOptions now;
  now.grace_period_seconds = 0;
  ASSERT_TRUE(api.remove(api::kinds::pod(), "default", "p", now).answer.has_value());
  EXPECT_EQ(send(release_of(uid)), std::nullopt);
  EXPECT_EQ(send(release_of(uid)), engine::WriteError::not_found);
}

TEST_F(PodWrites, M39_APodOfAnotherUidUnderTheNameIsLeftAlone) {
  create_pod("[example.com/tracking]");
  for (const engine::PodOp op :
       {engine::PodOp::release, engine::PodOp::drop, engine::PodOp::delete_pod}) {
    EXPECT_EQ(send({op, "another", "p", 0}), engine::WriteError::not_found);
  }
  EXPECT_THAT(finalizers(), ElementsAre("example.com/tracking"));
  EXPECT_THAT(api.pod("p")->metadata().annotations(), IsEmpty());
}

TEST_F(PodWrites, ADecisionAboutAnOlderVersionIsAConflict) {
  const std::string uid = create_pod("[example.com/tracking]");
  for (const engine::PodOp op : {engine::PodOp::release, engine::PodOp::drop}) {
    EXPECT_EQ(send({op, uid, "p", 1}), engine::WriteError::conflict);
  }
  EXPECT_THAT(finalizers(), ElementsAre("example.com/tracking"));
}

}  // namespace
}  // namespace windlass::controllers::job
