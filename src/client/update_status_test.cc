#include "client/update_status.h"

#include <gtest/gtest.h>

#include "schema/core/v1/pod.pb.h"
#include "verify/clients/scripted_client.h"

namespace windlass::client {
namespace {

using api::core::v1::Pod;

ObjectPtr pod(const std::string& uid, const std::string& version) {
  auto made = std::make_shared<Pod>();
  made->mutable_metadata()->set_name("p");
  made->mutable_metadata()->set_uid(uid);
  made->mutable_metadata()->set_resource_version(version);
  return made;
}

struct UpdateStatus : ::testing::Test {
  void update(bool wanted = true) {
    update_status(
        client, {&api::kinds::pod(), "default", "p"}, "u",
        [wanted](api::Message& object) {
          static_cast<Pod&>(object).mutable_status()->set_phase("Failed");
          return wanted;
        },
        [this](const Result<ObjectPtr>& result) { answer = result; });
  }
  void answer_get(Result<ObjectPtr> object) {
    const auto get = client.gets.front();
    client.gets.pop_front();
    get.done(std::move(object));
  }

  ScriptedClient client;
  std::optional<Result<ObjectPtr>> answer;
};

TEST_F(UpdateStatus, WritesWhatItReadWithTheChange) {
  update();
  answer_get(pod("u", "7"));
  ASSERT_EQ(client.writes.size(), 1u);
  EXPECT_EQ(client.writes[0].subresource, "status");
  const auto& written = static_cast<const Pod&>(*client.writes[0].object);
  EXPECT_EQ(written.status().phase(), "Failed");
  EXPECT_EQ(written.metadata().resource_version(), "7");
  EXPECT_FALSE(answer);
  client.answer_write(pod("u", "8"));
  EXPECT_TRUE(answer && *answer);
}

TEST_F(UpdateStatus, ReadsAgainAfterAConflictButNotForEver) {
  update();
  for (int i = 0; i <= kMaxStatusConflicts; ++i) {
    ASSERT_EQ(client.gets.size(), 1u);
    EXPECT_FALSE(answer);
    answer_get(pod("u", std::to_string(i + 1)));
    client.answer_write(fail(conflict({"", "pods", "p"}, "changed")));
  }
  EXPECT_TRUE(client.gets.empty());
  ASSERT_TRUE(answer && !*answer);
  EXPECT_TRUE(is_conflict(answer->error()));
}

TEST_F(UpdateStatus, AnotherUidIsNotFound) {
  update();
  answer_get(pod("other", "7"));
  EXPECT_TRUE(client.writes.empty());
  ASSERT_TRUE(answer && !*answer);
  EXPECT_TRUE(is_not_found(answer->error()));
}

TEST_F(UpdateStatus, NothingToWriteIsFine) {
  update(false);
  answer_get(pod("u", "7"));
  EXPECT_TRUE(client.writes.empty());
  EXPECT_TRUE(answer && *answer);
}

TEST_F(UpdateStatus, OtherErrorsAreTheAnswer) {
  update();
  answer_get(fail(internal_error("no")));
  EXPECT_TRUE(answer && !*answer);
  answer.reset();
  update();
  answer_get(pod("u", "7"));
  client.answer_write(fail(internal_error("no")));
  EXPECT_TRUE(answer && !*answer);
  EXPECT_TRUE(client.gets.empty());
}

}  // namespace
}  // namespace windlass::client
