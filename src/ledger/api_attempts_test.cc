#include "ledger/api_attempts.h"

#include <gtest/gtest.h>

#include "schema/ledger/v1/attempt.pb.h"
#include "verify/clients/scripted_client.h"

namespace windlass::ledger {
namespace {

TEST(ApiAttemptSource, AsksTheServerWithASelector) {
  client::ScriptedClient client;
  ApiAttemptSource source(client);
  Result<AttemptPage> answer = fail(plain_error("none yet"));
  const auto take = [&](Result<AttemptPage> page) { answer = std::move(page); };
  source.find({.ns = "batch", .job = "train", .exit_code = 42}, 0, "page-2", take);
  ASSERT_EQ(client.lists.size(), 1u);
  EXPECT_EQ(client.lists[0].collection.kind, &api::kinds::attempt());
  EXPECT_EQ(client.lists[0].collection.ns, "batch");
  EXPECT_EQ(client.lists[0].collection.field_selector, "job.name=train,exitCode=42");
  EXPECT_EQ(client.lists[0].options.limit, 500);
  EXPECT_EQ(client.lists[0].options.continue_token, "page-2");
  auto attempt = std::make_shared<api::ledger::v1::Attempt>();
  attempt->set_pod_name("train-0");
  client.answer_list(client::ObjectList{{attempt}, "", "page-3"});
  ASSERT_TRUE(answer);
  ASSERT_EQ(answer->items.size(), 1u);
  EXPECT_EQ(answer->items[0]->pod_name(), "train-0");
  EXPECT_EQ(answer->next, "page-3");
}

TEST(ApiAttemptSource, PassesErrorsOn) {
  client::ScriptedClient client;
  ApiAttemptSource source(client);
  int code = 0;
  source.find({}, 10, "", [&](const Result<AttemptPage>& page) { code = page.error().code; });
  client.answer_list(fail(not_found({"ledger.windlass.dev", "attempts", ""})));
  EXPECT_EQ(code, 404);
}

}  // namespace
}  // namespace windlass::ledger
