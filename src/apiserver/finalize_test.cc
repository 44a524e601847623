#include "apiserver/server_testing.h"

namespace windlass::apiserver {
namespace {

class Finalize : public ServerTest {
 protected:
  const ObjectRef ns{&api::kinds::namespace_(), "", "n"};
  Decision finalize(std::string_view json) {
    return server.update(ns, "finalize", from_json(api::kinds::namespace_(), json));
  }
};

TEST_F(Finalize, N11_TheLastFinalizerOfADeletedNamespaceReleasesIt) {
  must_create(ns, "{}");
  ASSERT_EQ(error(server.remove(ns, {})), "");
  ASSERT_EQ(error(finalize(R"({"spec":{"finalizers":["kubernetes"]}})")), "");
  ASSERT_NE(stored(ns), nullptr);
  const Decision released = finalize("{}");
  ASSERT_EQ(error(released), "");
  EXPECT_TRUE(released.removed);
  EXPECT_EQ(stored(ns), nullptr);
}

TEST_F(Finalize, N11_ALivingNamespaceStays) {
  must_create(ns, "{}");
  const Decision emptied = finalize("{}");
  ASSERT_EQ(error(emptied), "");
  EXPECT_FALSE(emptied.removed);
  ASSERT_NE(stored(ns), nullptr);
  EXPECT_TRUE(server.remove(ns, {}).removed) << "nothing holds it";
}

TEST_F(Finalize, M40_AStaleVersionConflicts) {
  must_create(ns, "{}");
  EXPECT_EQ(finalize(R"({"metadata":{"resourceVersion":"1"}})").answer.error().code, 409);
  EXPECT_EQ(
      server.update(pod("p"), "finalize", from_json(api::kinds::pod(), "{}")).answer.error().code,
      404);
}

}  // namespace
}  // namespace windlass::apiserver
