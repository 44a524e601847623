// dryRun=All: api.md M56, M56a.
#include "apiserver/server_testing.h"

namespace windlass::apiserver {
namespace {

constexpr const char* kData = R"({"data":{"a":"1"}})";

class DryRun : public ServerTest {
 protected:
  const WriteOptions dry{.dry_run = true};
  store::Revision before = 0;

  void SetUp() override {
    must_create(config_map("there"), kData);
    must_create_pod("p");
    before = store.head_revision();
  }
  void TearDown() override { EXPECT_EQ(store.head_revision(), before) << "a dry run stored"; }
};

TEST_F(DryRun, M56_CreateAnswersWithEverythingButAVersion) {
  const WriteResult result =
      server.create(pod("new"), from_json(api::kinds::pod(), with_spec("{}", kPodSpec)), dry);
  ASSERT_EQ(error(result), "");
  EXPECT_TRUE(result.created);
  const auto& metadata = api::metadata_of(**result.answer);
  EXPECT_FALSE(metadata.uid().empty());
  EXPECT_TRUE(metadata.has_creation_timestamp());
  EXPECT_EQ(metadata.generation(), 1);
  EXPECT_FALSE(metadata.has_resource_version());
  EXPECT_EQ(stored(pod("new")), nullptr);
}

TEST_F(DryRun, M56_UpdateAndPatchShowTheCurrentVersion) {
  const std::string version = meta(config_map("there")).resource_version();
  const WriteResult updated = server.update(
      config_map("there"), "",
      from_json(api::kinds::config_map(), R"({"metadata":{"name":"there"},"data":{"a":"2"}})"),
      dry);
  ASSERT_EQ(error(updated), "");
  EXPECT_EQ(api::metadata_of(**updated.answer).resource_version(), version);
  EXPECT_NE(api::to_json(**updated.answer).find(R"({"a":"2"})"), std::string::npos);
  const WriteResult patched =
      server.patch(config_map("there"), "", PatchType::merge, R"({"data":{"a":"3"}})", dry);
  ASSERT_EQ(error(patched), "");
  EXPECT_EQ(api::metadata_of(**patched.answer).resource_version(), version);
  EXPECT_NE(api::to_json(*stored(config_map("there"))).find(R"({"a":"1"})"), std::string::npos);
}

TEST_F(DryRun, M56_DeleteAndBindLeaveTheObject) {
  const std::string version = meta(pod("p")).resource_version();
  const WriteResult removed = server.remove(pod("p"), {}, dry);
  ASSERT_EQ(error(removed), "");
  EXPECT_TRUE(removed.removed);
  const auto& metadata = api::metadata_of(**removed.answer);
  EXPECT_EQ(metadata.resource_version(), version);
  EXPECT_EQ(metadata.generation(), 2) << "already counted up";
  EXPECT_FALSE(meta(pod("p")).has_deletion_timestamp());
  ASSERT_EQ(error(server.bind(pod("p"), {.node = "n"}, dry)), "");
  EXPECT_EQ(api::to_json(*stored(pod("p"))).find("nodeName"), std::string::npos);
}

TEST_F(DryRun, M56a_FailsAsTheWriteWould) {
  const auto body = [](const char* json) { return from_json(api::kinds::config_map(), json); };
  EXPECT_EQ(error(server.create(config_map("there"), body(kData), dry)),
            R"(409 AlreadyExists: configmaps "there" already exists)");
  EXPECT_EQ(error(server.update(config_map("no"), "", body(R"({"metadata":{"name":"no"}})"), dry)),
            R"(404 NotFound: configmaps "no" not found)");
  EXPECT_EQ(server
                .update(config_map("there"), "",
                        body(R"({"metadata":{"name":"there","resourceVersion":"1"}})"), dry)
                .answer.error()
                .reason,
            "Conflict");
  EXPECT_EQ(
      server.remove(config_map("there"), {.preconditions = {.uid = "x"}}, dry).answer.error().code,
      409);
}

}  // namespace
}  // namespace windlass::apiserver
