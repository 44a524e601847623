#include "apiserver/stored_form.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "apiserver/server_testing.h"
#include "schema/core/v1/pod.pb.h"

namespace windlass::apiserver {
namespace {

// An object whose stored bytes are no longer of its kind, as another version of the program may
// have left it behind.
class UndecodableObject : public ServerTest {
 protected:
  void SetUp() override {
    must_create_pod("good");
    for (const char* resource : {"pods", "jobs", "events", "configmaps"}) {
      const auto planted = store.put({resource, "default", "bad"}, 0, "\x0a\xff", nullptr);
      ASSERT_TRUE(planted.has_value());
    }
  }
};

TEST_F(UndecodableObject, IsListedByItsNameBesideTheOthers) {
  const auto pods = server.list({&api::kinds::pod(), "default"}, {});
  ASSERT_TRUE(pods.has_value());
  ASSERT_EQ(pods->items.size(), 2u);
  const auto& bad = api::metadata_of(*pods->items[0]);
  EXPECT_EQ(bad.name(), "bad");
  EXPECT_EQ(bad.namespace_(), "default");
  EXPECT_TRUE(bad.annotations().contains("windlass.dev/undecodable"));
  EXPECT_EQ(api::metadata_of(*pods->items[1]).name(), "good");
  const api::Kind& new_events = *api::find_kind("events.k8s.io/v1", "Event");
  EXPECT_EQ(server.list({&new_events, "default"}, {})->items.size(), 1u);
  EXPECT_TRUE(server.list({&api::kinds::job(), "default"}, {}).has_value());
}

TEST_F(UndecodableObject, IsNotChanged) {
  EXPECT_THAT(
      error(server.patch(pod("bad"), "", PatchType::merge, R"({"metadata":{"labels":{"a":"b"}}})")),
      testing::Not(testing::IsEmpty()));
  EXPECT_EQ(error(server.patch(config_map("bad"), "", PatchType::merge, R"({"data":{"a":"b"}})")),
            "500 InternalError: Internal error occurred: the stored object cannot be decoded, "
            "delete it first");
  EXPECT_EQ(store.head({"configmaps", "default", "bad"})->bytes(), "\x0a\xff");
}

TEST_F(UndecodableObject, CanBeDeleted) {
  for (const ObjectRef& ref : {pod("bad"), config_map("bad")}) {
    const WriteResult removed = server.remove(ref, {});
    EXPECT_EQ(error(removed), "");
    EXPECT_TRUE(removed.removed);
    EXPECT_EQ(server.get(ref).error().code, 404);
  }
  must_create_pod("bad");
}

}  // namespace
}  // namespace windlass::apiserver
