#include "apiserver/server_testing.h"
#include "schema/core/v1/pod.pb.h"

namespace windlass::apiserver {
namespace {

using api::core::v1::Pod;

using BindTest = ServerTest;

TEST_F(BindTest, P83_APodGetsItsNodeAndCondition) {
  must_create_pod("p");
  server.patch(pod("p"), "status", PatchType::merge, R"({"status":{"nominatedNodeName":"n"}})");
  ASSERT_EQ(error(server.bind(pod("p"), {.node = "nowhere", .target_kind = "Node"})), "");
  const auto bound = api::object_as<Pod>(stored(pod("p")));
  EXPECT_EQ(bound->spec().node_name(), "nowhere") << "P80: the node need not exist";
  ASSERT_EQ(bound->status().conditions_size(), 1);
  EXPECT_EQ(bound->status().conditions(0).type(), "PodScheduled");
  EXPECT_EQ(bound->status().conditions(0).status(), "True");
  EXPECT_EQ(bound->status().conditions(0).last_transition_time().seconds(),
            unix_seconds(world.clock().now()));
  EXPECT_FALSE(bound->status().has_nominated_node_name());
  EXPECT_EQ(bound->metadata().generation(), 1);
}

TEST_F(BindTest, P81_ABadTargetIsAPlain500) {
  must_create_pod("p");
  EXPECT_EQ(error(server.bind(pod("p"), {.target_kind = "Foo"})),
            "500 : [target.kind: Unsupported value: \"Foo\": supported values: \"Node\", "
            "\"<empty>\", target.name: Required value]");
  EXPECT_EQ(error(server.bind(pod("p"), {})), "500 : target.name: Required value");
}

TEST_F(BindTest, P82_APodIsBoundOnce) {
  must_create_pod("p");
  server.bind(pod("p"), {.node = "a"});
  const WriteResult again = server.bind(pod("p"), {.node = "b"});
  EXPECT_EQ(error(again),
            "409 Conflict: Operation cannot be fulfilled on pods/binding \"p\": pod p is already "
            "assigned to node \"a\"");
  EXPECT_EQ(again.answer.error().details.kind, "pods/binding");
}

TEST_F(BindTest, P82_NotADeletedNorAGatedOne) {
  must_create_pod("p", R"({"finalizers":["a.io/x"]})");
  server.remove(pod("p"), {});
  EXPECT_EQ(error(server.bind(pod("p"), {.node = "a"})),
            "409 Conflict: Operation cannot be fulfilled on pods/binding \"p\": pod p is being "
            "deleted, cannot be assigned to a host");
  must_create(pod("g"), R"({"spec":{"schedulingGates":[{"name":"a.io/b"}],
      "containers":[{"name":"c","image":"i"}]}})");
  EXPECT_EQ(error(server.bind(pod("g"), {.node = "a"})),
            "409 Conflict: Operation cannot be fulfilled on pods/binding \"g\": pod g has "
            "non-empty .spec.schedulingGates");
}

TEST_F(BindTest, P82_MissingPodAndOtherUid) {
  EXPECT_EQ(error(server.bind(pod("p"), {.node = "a"})), "404 NotFound: pods \"p\" not found");
  must_create_pod("p");
  const WriteResult other = server.bind(pod("p"), {.node = "a", .uid = "u"});
  EXPECT_EQ(other.answer.error().code, 409);
  EXPECT_EQ(other.answer.error().details.kind, "pods");
}

TEST_F(BindTest, P80_P83_VersionAndAnnotations) {
  must_create_pod("p", R"({"annotations":{"a":"1","b":"1"}})");
  const std::string version = meta(pod("p")).resource_version();
  EXPECT_EQ(error(server.bind(pod("p"), {.node = "a", .resource_version = "1"})),
            "409 Conflict: Operation cannot be fulfilled on pods \"p\": StorageError: invalid "
            "object, Code: 4, Key: /registry/pods/default/p, ResourceVersion: 0, "
            "AdditionalErrorMsg: Precondition failed: ResourceVersion in precondition: 1, "
            "ResourceVersion in object meta: " +
                version);
  ASSERT_EQ(error(server.bind(pod("p"), {.node = "a",
                                         .resource_version = version,
                                         .annotations = {{"b", "2"}, {"c", "2"}}})),
            "");
  const auto& annotations = meta(pod("p")).annotations();
  EXPECT_EQ(annotations.size(), 3U);
  EXPECT_EQ(annotations.at("b"), "2");
  EXPECT_EQ(annotations.at("c"), "2");
}

}  // namespace
}  // namespace windlass::apiserver
