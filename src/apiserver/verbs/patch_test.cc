// PATCH on the server: api.md M42, M90-M96, M110, M111. The patches themselves are tested in
// api/patch.
#include "apiserver/server_testing.h"

namespace windlass::apiserver {
namespace {

class Patch : public ServerTest {
 protected:
  WriteResult patch(const ObjectRef& ref, PatchType type, std::string_view body,
                    const WriteOptions& options = {}) {
    return server.patch(ref, "", type, body, options);
  }
  static WriteOptions strict() { return {.field_validation = FieldValidation::strict}; }
  std::string json(const ObjectRef& ref) { return api::to_json(*stored(ref)); }
};

TEST_F(Patch, M91_JsonPatch) {
  must_create_pod("p", R"({"finalizers":["x.io/a","x.io/b"]})");
  ASSERT_EQ(error(patch(pod("p"), PatchType::json,
                        R"([{"op":"test","path":"/metadata/finalizers/0","value":"x.io/a"},)"
                        R"({"op":"remove","path":"/metadata/finalizers/0"}])")),
            "");
  EXPECT_THAT(meta(pod("p")).finalizers(), testing::ElementsAre("x.io/b"));
  const WriteResult failed =
      patch(pod("p"), PatchType::json, R"([{"op":"remove","path":"/metadata/zork"}])");
  EXPECT_EQ(error(failed),
            "422 Invalid: the server rejected our request due to an error in our request");
  EXPECT_EQ(failed.answer.error().details, StatusDetails());
}

TEST_F(Patch, M94_StrategicMerge) {
  must_create_pod("p");
  ASSERT_EQ(error(patch(pod("p"), PatchType::strategic,
                        R"({"spec":{"containers":[{"name":"c","image":"other"}]}})")),
            "");
  EXPECT_NE(json(pod("p")).find(R"("image":"other")"), std::string::npos);
}

TEST_F(Patch, P76_AnyPatchTakesAFinalizerAway) {
  for (const auto& [type, body] : std::vector<std::pair<PatchType, const char*>>{
           {PatchType::json, R"([{"op":"remove","path":"/metadata/finalizers"}])"},
           {PatchType::merge, R"({"metadata":{"finalizers":null}})"},
           {PatchType::strategic,
            R"({"metadata":{"$deleteFromPrimitiveList/finalizers":["x.io/a"]}})"}}) {
    must_create_pod("p", R"({"finalizers":["x.io/a"]})");
    ASSERT_EQ(error(server.remove(pod("p"), {})), "");
    const WriteResult released = patch(pod("p"), type, body);
    ASSERT_EQ(error(released), "");
    EXPECT_TRUE(released.removed);
    EXPECT_EQ(stored(pod("p")), nullptr);
  }
}

// The way that most of these patches take, and the one that all others take.
TEST_F(Patch, M94_FinalizersGoTheSameOnBothWays) {
  for (const char* more : {"", R"(,"labels":{})"}) {
    must_create_pod("p", R"({"finalizers":["x.io/a","x.io/b","x.io/c"]})");
    const std::string metadata =
        R"("$deleteFromPrimitiveList/finalizers":["x.io/c","x.io/a"])" + std::string(more);
    const std::string uid = meta(pod("p")).uid();
    EXPECT_NE(error(patch(pod("p"), PatchType::strategic,
                          R"({"metadata":{"uid":"other",)" + metadata + "}}")),
              "");
    EXPECT_NE(error(patch(pod("p"), PatchType::strategic,
                          R"({"metadata":{"resourceVersion":"1",)" + metadata + "}}")),
              "");
    ASSERT_EQ(error(patch(pod("p"), PatchType::strategic,
                          R"({"metadata":{"uid":")" + uid + "\"," + metadata + "}}")),
              "");
    EXPECT_THAT(meta(pod("p")).finalizers(), testing::ElementsAre("x.io/b"));
    ASSERT_EQ(error(patch(pod("p"), PatchType::merge, R"({"metadata":{"finalizers":null}})")), "");
    ASSERT_EQ(error(server.remove(pod("p"), {})), "");
  }
}

TEST_F(Patch, M42_OnlyAVersionInThePatchCanConflict) {
  must_create(config_map("c"), R"({"data":{"a":"1"}})");
  const std::string old = meta(config_map("c")).resource_version();
  ASSERT_EQ(error(patch(config_map("c"), PatchType::merge, R"({"data":{"a":"2"}})")), "");
  const std::string stale = R"({"metadata":{"resourceVersion":")" + old + R"("},"data":{}})";
  for (const PatchType type : {PatchType::merge, PatchType::strategic}) {
    EXPECT_EQ(
        error(patch(config_map("c"), type, stale)),
        "409 Conflict: Operation cannot be fulfilled on configmaps \"c\": the object has been "
        "modified; please apply your changes to the latest version and try again");
  }
}

TEST_F(Patch, M92_M93_WhatIsNoPatch) {
  must_create_pod("p");
  EXPECT_EQ(patch(pod("p"), PatchType::strategic, "{").answer.error().code, 400);
  EXPECT_EQ(patch(pod("p"), PatchType::strategic, "[]").answer.error().code, 400);
  EXPECT_EQ(patch(pod("p"), PatchType::merge, "[]").answer.error().code, 400);
  EXPECT_EQ(
      error(patch(pod("p"), PatchType::strategic, R"({"spec":{"containers":[{"image":"x"}]}})")),
      "500 : map: map[image:x] does not contain declared merge key: name");
  EXPECT_EQ(error(patch(pod("p"), PatchType::strategic, R"({"spec":"x"})")),
            R"(422 Invalid:  "" is invalid: patch: Invalid value: "map[spec:x]": )"
            "cannot restore struct from: string");
}

TEST_F(Patch, M95_AResultThatDoesNotDecode) {
  must_create(config_map("c"), "{}");
  for (const auto& [type, body] : std::vector<std::pair<PatchType, const char*>>{
           {PatchType::merge, R"({"data":{"a":1}})"},
           {PatchType::json, R"([{"op":"add","path":"/data","value":{"a":1}}])"}}) {
    const Status status = patch(config_map("c"), type, body).answer.error();
    EXPECT_EQ(status.code, 422);
    EXPECT_TRUE(status.message.starts_with(R"( "" is invalid: patch: Invalid value: "{)"));
    EXPECT_EQ(status.details.causes.at(0).field, "patch");
    EXPECT_EQ(status.details.kind, "");
  }
  EXPECT_EQ(error(patch(config_map("c"), PatchType::merge, R"({"metadata":{"name":"d"}})")),
            "400 BadRequest: the name of the object (d) does not match the name on the URL (c)");
  EXPECT_EQ(patch(config_map("no"), PatchType::json, "[]").answer.error().code, 404);
}

TEST_F(Patch, M95_AnErrorDoesNotShowASecret) {
  const ObjectRef secret{&api::kinds::secret(), "default", "s"};
  must_create(secret, R"({"data":{"a":"Y2FuYXJ5"}})");
  for (const PatchType type : {PatchType::merge, PatchType::strategic}) {
    for (const char* body : {R"({"type":1})", R"({"data":{"b":"canary, not base64"}})",
                             R"({"data":"canary"})", R"({"stringData":{"b":["canary"]}})"}) {
      const std::string told = error(patch(secret, type, body));
      EXPECT_TRUE(
          told.starts_with(R"(422 Invalid:  "" is invalid: patch: Invalid value: "[redacted]")"))
          << told;
      EXPECT_EQ(told.find("canary"), std::string::npos) << told;
    }
  }
}

// What loses its name loses all that the patch did not mention: it must not be stored.
TEST_F(Patch, M30_AResultWithoutANameIsRefused) {
  must_create(config_map("m"), R"({"metadata":{"labels":{"a":"1"},"finalizers":["x.io/a"]},)"
                               R"("data":{"k":"v"}})");
  const std::string before = json(config_map("m"));
  const std::string nameless =
      "400 BadRequest: the name of the object (m based on URL) was undeterminable: name must be "
      "provided";
  for (const auto& [type, body] : std::vector<std::pair<PatchType, const char*>>{
           {PatchType::merge, R"({"metadata":null})"},
           {PatchType::merge, R"({"metadata":{"name":null}})"},
           {PatchType::merge, R"({"metadata":{"name":""}})"},
           {PatchType::merge, R"({"apiVersion":null,"data":{"k":"w"}})"},
           {PatchType::json, R"([{"op":"remove","path":"/metadata"}])"},
           {PatchType::json, R"([{"op":"remove","path":"/metadata/name"}])"},
           {PatchType::json, R"([{"op":"replace","path":"","value":{}}])"},
           {PatchType::strategic, R"({"metadata":null})"},
           {PatchType::strategic, R"({"metadata":{"name":null}})"},
           {PatchType::strategic, R"({"metadata":{"$patch":"replace"}})"},
           {PatchType::strategic, R"({"$patch":"delete"})"},
           {PatchType::strategic, R"({"$patch":"replace","data":{}})"}}) {
    EXPECT_EQ(error(patch(config_map("m"), type, body)), nameless) << body;
  }
  EXPECT_EQ(json(config_map("m")), before);
}

TEST_F(Patch, M31_APatchDoesNotChangeTheType) {
  must_create(config_map("m"), R"({"data":{"k":"v"}})");
  const std::string before = json(config_map("m"));
  const auto refused = [&](PatchType type, const char* body, const std::string& why) {
    EXPECT_THAT(error(patch(config_map("m"), type, body)),
                testing::AllOf(
                    testing::StartsWith(R"(422 Invalid:  "" is invalid: patch: Invalid value: "{)"),
                    testing::EndsWith(why)))
        << body;
  };
  const std::string scheme = R"( in scheme "pkg/api/legacyscheme/scheme.go:30")";
  refused(PatchType::merge, R"({"kind":"Pod"})",
          R"(}": converting (v1.Pod) to (core.ConfigMap): unknown conversion)");
  refused(PatchType::merge, R"({"kind":"Zork"})",
          R"(}": no kind "Zork" is registered for version "v1")" + scheme);
  refused(PatchType::json, R"([{"op":"replace","path":"/apiVersion","value":"v2"}])",
          R"(}": no kind "ConfigMap" is registered for version "v2")" + scheme);
  // Without a kind it is that of the endpoint; and a strategic merge patch works on a value that
  // has its type already.
  EXPECT_EQ(error(patch(config_map("m"), PatchType::merge, R"({"kind":null})")), "");
  EXPECT_EQ(
      error(patch(config_map("m"), PatchType::strategic, R"({"kind":"Pod","apiVersion":"v2"})")),
      "");
  EXPECT_EQ(json(config_map("m")), before);
}

TEST_F(Patch, M91_AnOptionalFieldThatIsUnsetCanBeReplaced) {
  must_create_job("j", R"({"labels":{"old":"x"}})");
  ASSERT_EQ(error(patch(job("j"), PatchType::json,
                        R"([{"op":"replace","path":"/spec/ttlSecondsAfterFinished","value":60},)"
                        R"({"op":"replace","path":"/metadata/labels/new","value":"x"}])")),
            "");
  EXPECT_THAT(json(job("j")), testing::AllOf(testing::HasSubstr(R"("ttlSecondsAfterFinished":60)"),
                                             testing::HasSubstr(R"("new":"x")")));
}

// M93: what only lacks a merge key is a new list, and validated as one.
TEST_F(Patch, M93_AnOwnerWithoutAUidIsInvalid) {
  must_create_pod("p");
  EXPECT_THAT(
      error(patch(pod("p"), PatchType::strategic,
                  R"({"metadata":{"ownerReferences":[{"apiVersion":"v1","kind":"Pod",)"
                  R"("name":"x"}]}})")),
      testing::AllOf(testing::StartsWith("422 Invalid: "),
                     testing::HasSubstr(
                         "metadata.ownerReferences.uid: Invalid value: \"\": must not be empty")));
  EXPECT_EQ(
      error(patch(pod("p"), PatchType::strategic, R"({"spec":{"$retainKeys":"containers"}})")),
      "400 BadRequest: invalid patch format of retainKeys");
  EXPECT_EQ(error(patch(pod("p"), PatchType::strategic,
                        R"({"spec":{"$retainKeys":["containers"],"nodeName":"n"}})")),
            "400 BadRequest: invalid patch format of retainKeys");
}

TEST_F(Patch, M94_NoDirectiveClearsFinalizersByMistake) {
  must_create_pod("p", R"({"finalizers":["x.io/a"]})");
  EXPECT_THAT(error(patch(pod("p"), PatchType::strategic,
                          R"({"metadata":{"finalizers":[{"$patch":"replace"}]}})")),
              testing::HasSubstr("list element types are not identical"));
  EXPECT_THAT(meta(pod("p")).finalizers(), testing::ElementsAre("x.io/a"));
}

TEST_F(Patch, M110_UnknownFieldsWarn) {
  must_create(config_map("c"), "{}");
  EXPECT_THAT(
      patch(config_map("c"), PatchType::merge, R"({"zork":1,"data":{"a":"1","a":"2"}})").warnings,
      testing::ElementsAre(R"(unknown field "zork")", R"(duplicate field "data.a")"));
  const WriteOptions ignore{.field_validation = FieldValidation::ignore};
  EXPECT_THAT(patch(config_map("c"), PatchType::strategic, R"({"zork":1})", ignore).warnings,
              testing::IsEmpty());
}

TEST_F(Patch, M111_StrictRefusesThem) {
  must_create(config_map("c"), "{}");
  const Status merged =
      patch(config_map("c"), PatchType::merge, R"({"zork":1})", strict()).answer.error();
  EXPECT_EQ(merged.code, 422);
  EXPECT_TRUE(merged.message.ends_with(R"(: strict decoding error: unknown field "zork")"));
  EXPECT_EQ(error(patch(config_map("c"), PatchType::strategic, R"({"data":{"a":"1","a":"1"}})",
                        strict())),
            R"(422 Invalid:  "" is invalid: patch: Invalid value: "map[data:map[a:1]]": strict )"
            R"(decoding error: duplicate field "data.a")");
  EXPECT_EQ(patch(config_map("c"), PatchType::json, R"([{"op":"add","path":"/zork","value":1}])",
                  strict())
                .answer.error()
                .code,
            422);
}

TEST_F(Patch, M41_WhatChangesNothingWritesNothing) {
  must_create(config_map("c"), R"({"data":{"a":"1"}})");
  const store::Revision before = store.head_revision();
  EXPECT_EQ(error(patch(config_map("c"), PatchType::json, "[]")), "");
  EXPECT_EQ(error(patch(config_map("c"), PatchType::strategic, R"({"data":{"a":"1"}})")), "");
  EXPECT_EQ(store.head_revision(), before);
}

TEST_F(Patch, C50_CordonAndUncordon) {
  const ObjectRef node{&api::kinds::node(), "", "n"};
  must_create(node, "{}");
  ASSERT_EQ(error(patch(node, PatchType::strategic, R"({"spec":{"unschedulable":true}})")), "");
  EXPECT_NE(json(node).find(R"("unschedulable":true)"), std::string::npos);
  ASSERT_EQ(error(patch(node, PatchType::strategic, R"({"spec":{"unschedulable":null}})")), "");
  EXPECT_EQ(json(node).find("unschedulable"), std::string::npos);
}

}  // namespace
}  // namespace windlass::apiserver
