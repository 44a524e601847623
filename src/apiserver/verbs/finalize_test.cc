#include "apiserver/server_testing.h"
#include "schema/core/v1/namespace.pb.h"

namespace windlass::apiserver {
namespace {

class Finalize : public ServerTest {
 protected:
  const ObjectRef ns{&api::kinds::namespace_(), "", "n"};
  WriteResult finalize(std::string_view json) {
    auto object = from_json(api::kinds::namespace_(), json);
    api::mutable_metadata_of(*object).set_name(ns.name);
    return server.update(ns, "finalize", std::move(object));
  }
};

TEST_F(Finalize, N11_TheLastFinalizerOfADeletedNamespaceReleasesIt) {
  must_create(ns, "{}");
  ASSERT_EQ(error(server.remove(ns, {})), "");
  ASSERT_EQ(error(finalize(R"({"spec":{"finalizers":["kubernetes"]}})")), "");
  ASSERT_NE(stored(ns), nullptr);
  const WriteResult released = finalize("{}");
  ASSERT_EQ(error(released), "");
  EXPECT_TRUE(released.removed);
  EXPECT_EQ(stored(ns), nullptr);
}

TEST_F(Finalize, N11_ALivingNamespaceStays) {
  must_create(ns, "{}");
  const WriteResult emptied = finalize("{}");
  ASSERT_EQ(error(emptied), "");
  EXPECT_FALSE(emptied.removed);
  ASSERT_NE(stored(ns), nullptr);
  EXPECT_TRUE(server.remove(ns, {}).removed) << "nothing holds it";
}

TEST_F(Finalize, M40_AStaleVersionConflicts) {
  must_create(ns, "{}");
  EXPECT_EQ(finalize(R"({"metadata":{"resourceVersion":"1"}})").answer.error().code, 409);
  EXPECT_EQ(server
                .update(pod("p"), "finalize",
                        from_json(api::kinds::pod(), R"({"metadata":{"name":"p"}})"))
                .answer.error()
                .code,
            404);
}

TEST_F(Finalize, N11_TheListIsReplacedAndChecked) {
  must_create(ns, "{}");
  const WriteResult other = finalize(
      R"({"metadata":{"labels":{"a":"b"}},"spec":{"finalizers":["a.io/b"]},"status":{"phase":"X"}})");
  ASSERT_EQ(error(other), "");
  const auto& changed = static_cast<const api::core::v1::Namespace&>(*stored(ns));
  EXPECT_THAT(changed.spec().finalizers(), testing::ElementsAre("a.io/b"));
  EXPECT_EQ(changed.metadata().labels().at("a"), "b");
  EXPECT_EQ(changed.metadata().labels().at("kubernetes.io/metadata.name"), "n");
  EXPECT_EQ(changed.status().phase(), "Active");
  const store::Revision before = store.revision();
  ASSERT_EQ(error(server.update(ns, "finalize", copy_of(changed))), "");
  EXPECT_EQ(store.revision(), before);
  EXPECT_EQ(error(finalize(R"({"spec":{"finalizers":["kubernetes","foo"]}})")),
            "422 Invalid: Namespace \"n\" is invalid: spec.finalizers[1]: Invalid value: \"foo\": "
            "name is neither a standard finalizer name nor is it fully qualified");
}

TEST_F(Finalize, N10_FinalizersOfACreateAreKept) {
  EXPECT_EQ(error(create(ns, R"({"spec":{"finalizers":["foo"]}})")),
            "422 Invalid: Namespace \"n\" is invalid: spec.finalizers: Invalid value: \"foo\": "
            "name is neither a standard finalizer name nor is it fully qualified");
  must_create(ns, R"({"spec":{"finalizers":["a.io/b"]}})");
  EXPECT_THAT(static_cast<const api::core::v1::Namespace&>(*stored(ns)).spec().finalizers(),
              testing::ElementsAre("a.io/b", "kubernetes"));
}

TEST_F(Finalize, N10_ThePhaseSaysWhetherTheNamespaceIsDeleted) {
  must_create(ns, "{}");
  const auto set_phase = [&](const std::string& phase) {
    return error(
        server.patch(ns, "status", PatchType::merge, R"({"status":{"phase":)" + phase + "}}"));
  };
  EXPECT_EQ(set_phase("\"Terminating\""),
            "422 Invalid: Namespace \"n\" is invalid: status.Phase: Invalid value: "
            "\"Terminating\": may only be 'Active' if `deletionTimestamp` is empty");
  EXPECT_EQ(set_phase("null"), "");
  EXPECT_EQ(static_cast<const api::core::v1::Namespace&>(*stored(ns)).status().phase(), "Active");
  server.remove(ns, {});
  EXPECT_EQ(set_phase("null"),
            "422 Invalid: Namespace \"n\" is invalid: status.Phase: Invalid value: \"Active\": "
            "may only be 'Terminating' if `deletionTimestamp` is not empty");
}

}  // namespace
}  // namespace windlass::apiserver
