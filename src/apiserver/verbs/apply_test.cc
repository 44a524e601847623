// Server-side apply and managedFields: api.md M100-M105, M111, C27.
#include "apiserver/field_manager/apply_conflicts.h"
#include "apiserver/field_manager/managed_fields.h"
#include "apiserver/server_testing.h"

namespace windlass::apiserver {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

class Apply : public ServerTest {
 protected:
  WriteResult apply(const ObjectRef& ref, std::string_view body, const std::string& manager = "m",
                    bool force = false, std::string_view subresource = "") {
    return server.patch(ref, subresource, PatchType::apply, body,
                        {.field_manager = manager, .force = force});
  }
  // {"apiVersion":"v1","kind":"ConfigMap", and the rest.
  static std::string config(std::string_view rest) {
    return R"({"apiVersion":"v1","kind":"ConfigMap")" +
           (rest.empty() ? "" : "," + std::string(rest)) + "}";
  }
  static std::string data(std::string_view members) {
    return config(R"("data":{)" + std::string(members) + "}");
  }
  WriteResult update(std::string_view json, const std::string& manager) {
    auto object = from_json(api::kinds::config_map(), json);
    api::mutable_metadata_of(*object).set_name("c");
    return server.update(config_map("c"), "", std::move(object), {.field_manager = manager});
  }
  WriteResult tracked_create(const ObjectRef& ref, std::string_view json,
                             const std::string& manager) {
    return server.create(ref, from_json(*ref.kind, json), {.field_manager = manager});
  }
  std::string data_of(const std::string& name) {
    const std::string json = api::to_json(*stored(config_map(name)));
    const size_t at = json.find(R"("data":)");
    return at == std::string::npos ? "" : json.substr(at + 7, json.find('}', at) - at - 6);
  }
  // `m Apply: {"f:data":...}`
  std::vector<std::string> owners(const ObjectRef& ref) {
    std::vector<std::string> texts;
    for (const auto& entry : meta(ref).managed_fields()) {
      texts.push_back(entry.manager() + " " + entry.operation() +
                      (entry.subresource().empty() ? "" : "/" + entry.subresource()) + ": " +
                      entry.fields_v1().raw());
    }
    return texts;
  }
};

TEST_F(Apply, M100_WhatIsMeantForAnObjectThatIsGoneMakesNoOther) {
  EXPECT_EQ(error(apply(config_map("c"), config(R"("metadata":{"uid":"u"})"))),
            "409 Conflict: Operation cannot be fulfilled on configmaps \"c\": uid mismatch: the "
            "provided object specified uid u, and no existing object was found");
  EXPECT_EQ(stored(config_map("c")), nullptr);
}

TEST_F(Apply, M100_CreatesWhatIsNotThere) {
  const WriteResult result =
      apply(config_map("c"), "apiVersion: v1\nkind: ConfigMap\ndata: {a: x}\n");
  ASSERT_EQ(error(result), "");
  EXPECT_TRUE(result.created);
  EXPECT_EQ(data_of("c"), R"({"a":"x"})");
  EXPECT_THAT(owners(config_map("c")), ElementsAre(R"(m Apply: {"f:data":{"f:a":{}}})"));
  EXPECT_TRUE(meta(config_map("c")).managed_fields(0).has_time());
  const std::string job_status = R"({"apiVersion":"batch/v1","kind":"Job","status":{}})";
  EXPECT_EQ(apply(job("j"), job_status, "m", false, "status").answer.error().code, 404);
  EXPECT_EQ(error(apply(config_map("c"), config(R"("metadata":{"name":"d"})"))),
            "400 BadRequest: the name of the object (d) does not match the name on the URL (c)");
}

TEST_F(Apply, M101_WhatIsNoConfiguration) {
  EXPECT_EQ(error(apply(config_map("c"), config(R"("metadata":{"managedFields":[]})"))),
            "400 BadRequest: metadata.managedFields must be nil");
  EXPECT_EQ(error(apply(job("j"), R"({"apiVersion":"batch/v2","kind":"Job"})")),
            "400 BadRequest: invalid object type: batch/v2, Kind=Job");
  EXPECT_EQ(error(apply(job("j"), "{}")), "400 BadRequest: invalid object type: /, Kind=");
  EXPECT_EQ(error(apply(job("j"), config(""))),
            "400 BadRequest: invalid object type: /v1, Kind=ConfigMap");
  EXPECT_TRUE(error(apply(job("j"), "{a: [")).starts_with("400 BadRequest: error decoding YAML: "));
}

TEST_F(Apply, M111_UnknownFieldsFailInEveryMode) {
  EXPECT_EQ(error(apply(job("s"), R"({"apiVersion":"batch/v1","kind":"Job","metadata":)"
                                  R"({"name":"s"},"spec":{"foo":1}})")),
            "500 : failed to create typed patch object (/s; batch/v1, Kind=Job): .spec.foo: field "
            "not declared in schema");
}

TEST_F(Apply, M102_AFieldOfAnotherManagerConflicts) {
  ASSERT_EQ(error(apply(config_map("c"), data(R"("a":"1","b":"1")"), "one")), "");
  const Status status = apply(config_map("c"), data(R"("a":"2")"), "two").answer.error();
  EXPECT_EQ(status.code, 409);
  EXPECT_EQ(status.reason, "Conflict");
  EXPECT_EQ(status.message, "Apply failed with 1 conflict: conflict with \"one\": .data.a");
  EXPECT_THAT(status.details.causes,
              ElementsAre(StatusCause{"FieldManagerConflict", "conflict with \"one\"", ".data.a"}));
  EXPECT_EQ(status.details.name, "");
  EXPECT_EQ(error(apply(config_map("c"), data(R"("a":"2","b":"2")"), "two")),
            "409 Conflict: Apply failed with 2 conflicts: conflicts with \"one\":\n- .data.a\n"
            "- .data.b");
  EXPECT_EQ(data_of("c"), R"({"a":"1","b":"1"})");
}

TEST_F(Apply, M102_NamesTheVersionOfAnUpdate) {
  const ObjectRef ref = job("j");
  ASSERT_EQ(error(tracked_create(ref, with_spec("{}", kJobSpec), "kubectl-create")), "");
  const std::string more = R"({"apiVersion":"batch/v1","kind":"Job","spec":{"parallelism":3}})";
  EXPECT_EQ(error(apply(ref, more)),
            "409 Conflict: Apply failed with 1 conflict: conflict with \"kubectl-create\" using "
            "batch/v1: .spec.parallelism");
}

TEST_F(Apply, M102_EqualValuesAreShared) {
  ASSERT_EQ(error(apply(config_map("c"), data(R"("a":"1")"), "one")), "");
  ASSERT_EQ(error(apply(config_map("c"), data(R"("a":"1")"), "two")), "");
  EXPECT_THAT(owners(config_map("c")), ElementsAre(R"(one Apply: {"f:data":{"f:a":{}}})",
                                                   R"(two Apply: {"f:data":{"f:a":{}}})"));
  // Neither can change it alone, nor does it go while one of them keeps it.
  EXPECT_EQ(apply(config_map("c"), data(R"("a":"2")"), "one").answer.error().code, 409);
  ASSERT_EQ(error(apply(config_map("c"), config(""), "one")), "");
  EXPECT_EQ(data_of("c"), R"({"a":"1"})");
  ASSERT_EQ(error(apply(config_map("c"), config(""), "two")), "");
  EXPECT_EQ(data_of("c"), "");
}

TEST_F(Apply, M102_ForceTakesIt) {
  ASSERT_EQ(error(apply(config_map("c"), data(R"("a":"1","b":"1")"), "one")), "");
  ASSERT_EQ(error(apply(config_map("c"), data(R"("a":"2")"), "two", true)), "");
  EXPECT_EQ(data_of("c"), R"({"a":"2","b":"1"})");
  EXPECT_THAT(owners(config_map("c")), ElementsAre(R"(one Apply: {"f:data":{"f:b":{}}})",
                                                   R"(two Apply: {"f:data":{"f:a":{}}})"));
}

TEST_F(Apply, M103_WhatIsNoLongerAppliedGoes) {
  ASSERT_EQ(error(apply(config_map("c"), data(R"("a":"1","b":"1")"), "one")), "");
  ASSERT_EQ(error(apply(config_map("c"), data(R"("x":"1")"), "two")), "");
  ASSERT_EQ(error(apply(config_map("c"), data(R"("b":"1")"), "one")), "");
  EXPECT_EQ(data_of("c"), R"({"b":"1","x":"1"})");
}

TEST_F(Apply, M41_ApplyingAgainWritesNothing) {
  ASSERT_EQ(error(apply(config_map("c"), data(R"("a":"1")"))), "");
  const store::Revision before = store.head_revision();
  world.run_for(seconds(100));
  ASSERT_EQ(error(apply(config_map("c"), data(R"("a":"1")"))), "");
  EXPECT_EQ(store.head_revision(), before);
}

TEST_F(Apply, M104_ListsMergeByTheirKeys) {
  const auto job_with = [](std::string_view containers) {
    return R"({"apiVersion":"batch/v1","kind":"Job","spec":{"suspend":true,"template":{"spec":)"
           R"({"restartPolicy":"Never","containers":[)" +
           std::string(containers) + "]}}}}";
  };
  ASSERT_EQ(error(apply(job("j"), job_with(R"({"name":"c","image":"i"})"))), "");
  EXPECT_THAT(owners(job("j")),
              ElementsAre(R"(m Apply: {"f:spec":{"f:suspend":{},"f:template":{"f:spec":{)"
                          R"("f:containers":{"k:{\"name\":\"c\"}":{".":{},"f:image":{},)"
                          R"("f:name":{}}},"f:restartPolicy":{}}}}})"));
}

TEST_F(Apply, M104_AnEmptyListConflictsWithNothing) {
  const auto finalizers = [](std::string_view items) {
    return config(R"("metadata":{"finalizers":[)" + std::string(items) + "]}");
  };
  ASSERT_EQ(error(apply(config_map("c"), finalizers(""), "empty")), "");
  EXPECT_THAT(owners(config_map("c")), IsEmpty());
  ASSERT_EQ(error(apply(config_map("c"), data(R"("a":"1")"), "one")), "");
  ASSERT_EQ(error(apply(config_map("c"), finalizers(""), "empty")), "");
  ASSERT_EQ(error(apply(config_map("c"), finalizers(R"("a/b")"), "two")), "");
  ASSERT_EQ(error(apply(config_map("c"), finalizers(""), "empty")), "");
  EXPECT_THAT(meta(config_map("c")).finalizers(), ElementsAre("a/b"));
  EXPECT_THAT(owners(config_map("c")),
              ElementsAre(R"(one Apply: {"f:data":{"f:a":{}}})",
                          R"(two Apply: {"f:metadata":{"f:finalizers":{"v:\"a/b\"":{}}}})"));
}

// What is empty or false is not stored, but it changes a field that has another value.
TEST_F(Apply, M102_EmptyAndFalseConflictWithOtherValues) {
  const auto pod_with = [](std::string_view container) {
    return R"({"apiVersion":"v1","kind":"Pod","spec":{"containers":[{"name":"c","image":"i")" +
           std::string(container) + "}]}}";
  };
  ASSERT_EQ(error(apply(pod("p"), pod_with(R"(,"tty":true,"args":["x"])"), "one")), "");
  EXPECT_EQ(error(apply(pod("p"), pod_with(R"(,"args":[])"), "two")),
            "409 Conflict: Apply failed with 1 conflict: conflict with \"one\": "
            ".spec.containers[name=\"c\"].args");
  EXPECT_EQ(error(apply(pod("p"), pod_with(R"(,"tty":false)"), "two")),
            "409 Conflict: Apply failed with 1 conflict: conflict with \"one\": "
            ".spec.containers[name=\"c\"].tty");
  EXPECT_EQ(error(apply(pod("p"), pod_with(R"(,"tty":null)"), "two")),
            "409 Conflict: Apply failed with 1 conflict: conflict with \"one\": "
            ".spec.containers[name=\"c\"].tty");
}

class ApplyJob : public Apply {
 protected:
  WriteResult apply_containers(std::string_view containers, const std::string& manager = "m") {
    return apply(job("j"),
                 R"({"apiVersion":"batch/v1","kind":"Job","spec":{"suspend":true,"template":{)"
                 R"("spec":{"restartPolicy":"Never","containers":[)" +
                     std::string(containers) + "]}}}}",
                 manager);
  }
};

TEST_F(ApplyJob, M104_AnItemMayLeaveOutSomeOfItsKeys) {
  EXPECT_EQ(error(apply_containers(R"({"name":"c","image":"i","ports":[{"hostPort":80}]})")),
            "422 Invalid: Job.batch \"j\" is invalid: "
            "spec.template.spec.containers[0].ports[0].containerPort: Required value");
  EXPECT_EQ(apply_containers(R"({"image":"i"})").answer.error().code, 500);
}

TEST_F(Apply, M103_AnItemGoesWithWhatAnUpdateHasSetInIt) {
  const ObjectRef ref{api::find_kind("v1", "Service"), "default", "s"};
  const auto apply_ports = [&](std::string_view ports) {
    return apply(ref, R"({"apiVersion":"v1","kind":"Service","spec":{"ports":[)" +
                          std::string(ports) + "]}}");
  };
  ASSERT_EQ(error(apply_ports(R"({"name":"a","port":80},{"name":"b","port":81})")), "");
  ASSERT_EQ(error(server.patch(ref, "", PatchType::strategic,
                               R"({"spec":{"ports":[{"port":80,"targetPort":8080}]}})",
                               {.field_manager = "kubectl-edit"})),
            "");
  ASSERT_THAT(owners(ref), testing::SizeIs(2));
  ASSERT_EQ(error(apply_ports(R"({"name":"b","port":81})")), "");
  const std::string json = api::to_json(*stored(ref));
  EXPECT_EQ(json.find(R"("port":80)"), std::string::npos) << json;
  EXPECT_NE(json.find(R"("port":81)"), std::string::npos) << json;
  EXPECT_THAT(owners(ref), testing::SizeIs(1));
}

TEST_F(Apply, M103_WhatTheControlPlaneHasWrittenStays) {
  const auto labels = [](std::string_view members) {
    return config(R"("metadata":{"labels":{)" + std::string(members) + "}}");
  };
  ASSERT_EQ(error(apply(config_map("c"), labels(R"("a":"1")"))), "");
  ASSERT_EQ(error(server.patch(config_map("c"), "", PatchType::merge,
                               R"({"metadata":{"labels":{"z":"1"},"finalizers":["f/f"]}})")),
            "");
  ASSERT_EQ(error(apply(config_map("c"), config(R"("data":{"x":"1"})"))), "");
  EXPECT_THAT(meta(config_map("c")).labels(), ElementsAre(testing::Pair("z", "1")));
  EXPECT_THAT(meta(config_map("c")).finalizers(), ElementsAre("f/f"));
}

TEST_F(Apply, M105_EntriesOfOneSecondKeepTheirPlaces) {
  ASSERT_EQ(error(tracked_create(config_map("c"), R"({"data":{"k":"v"}})", "z")), "");
  world.run_for(milliseconds(300));
  ASSERT_EQ(error(server.patch(config_map("c"), "", PatchType::merge, R"({"data":{"l":"v"}})",
                               {.field_manager = "a"})),
            "");
  EXPECT_THAT(owners(config_map("c")),
              ElementsAre(testing::StartsWith("a "), testing::StartsWith("z ")));
  const store::Revision before = store.head_revision();
  for (const PatchType type : {PatchType::merge, PatchType::strategic}) {
    ASSERT_EQ(error(server.patch(config_map("c"), "", type, "{}", {.field_manager = "a"})), "");
    EXPECT_EQ(store.head_revision(), before);
  }
  ASSERT_EQ(error(server.patch(config_map("c"), "", PatchType::json, "[]", {.field_manager = "b"})),
            "");
  EXPECT_EQ(store.head_revision(), before);
}

TEST_F(Apply, M105_ACreateOwnsItsDefaultsButNotWhatTheServerMakes) {
  ASSERT_EQ(error(tracked_create(job("j"), with_spec(R"({"labels":{"a":"b"}})", kJobSpec), "k")),
            "");
  const std::string owned = owners(job("j")).at(0);
  EXPECT_TRUE(owned.starts_with(R"(k Update: {"f:metadata":{"f:labels":{".":{},"f:a":{}}},)"))
      << owned;
  EXPECT_NE(owned.find(R"("f:backoffLimit":{})"), std::string::npos) << owned;
  EXPECT_EQ(owned.find("f:selector"), std::string::npos) << owned;
  EXPECT_EQ(owned.find("f:status"), std::string::npos) << owned;
  EXPECT_EQ(owned.find("f:name\""), owned.rfind("f:name\"")) << "only the container's: " << owned;
}

TEST_F(Apply, M105_AnUpdateTakesWhatItChanges) {
  ASSERT_EQ(error(apply(config_map("c"), data(R"("a":"1","b":"1")"), "one")), "");
  ASSERT_EQ(error(update(R"({"data":{"a":"2","b":"1","c":"3"}})", "kubectl-replace")), "");
  EXPECT_THAT(owners(config_map("c")),
              ElementsAre(R"(one Apply: {"f:data":{"f:b":{}}})",
                          R"(kubectl-replace Update: {"f:data":{"f:a":{},"f:c":{}}})"));
  ASSERT_EQ(error(update(R"({"data":{"a":"2"}})", "kubectl-replace")), "");
  EXPECT_THAT(owners(config_map("c")),
              ElementsAre(R"(kubectl-replace Update: {"f:data":{"f:a":{}}})"));
}

TEST_F(Apply, M105_StatusIsOwnedApart) {
  ASSERT_EQ(error(tracked_create(pod("p"), with_spec("{}", kPodSpec), "k")), "");
  ASSERT_EQ(error(server.patch(pod("p"), "status", PatchType::merge,
                               R"({"status":{"phase":"Running"},"spec":{"nodeName":"n"}})",
                               {.field_manager = "node"})),
            "");
  EXPECT_EQ(owners(pod("p")).at(1), R"(node Update/status: {"f:status":{"f:phase":{}}})");
}

TEST_F(Apply, M105_NoMoreThanTenUpdaters) {
  ASSERT_EQ(error(tracked_create(config_map("c"), R"({"data":{"k":"v"}})", "m0")), "");
  for (int i = 1; i <= 14; ++i) {
    world.run_for(seconds(1));
    const std::string number = std::to_string(i);
    ASSERT_EQ(error(server.patch(config_map("c"), "", PatchType::merge,
                                 R"({"data":{"k)" + number + R"(":"v"}})",
                                 {.field_manager = "m" + number})),
              "");
  }
  const std::vector<std::string> all = owners(config_map("c"));
  ASSERT_EQ(all.size(), 10U);
  EXPECT_EQ(all.at(0), R"(ancient-changes Update: {"f:data":{".":{},"f:k":{},"f:k1":{},"f:k2":{},)"
                       R"("f:k3":{},"f:k4":{},"f:k5":{}}})");
  EXPECT_EQ(all.at(9), R"(m14 Update: {"f:data":{"f:k14":{}}})");
}

TEST_F(Apply, M105_NoMoreThanTenUpdatersWhateverTheyAreCalled) {
  must_create(config_map("c"), R"({"data":{"a":"1"}})");
  const auto send = [&](int count, bool versions) {
    std::unique_ptr<Message> sent = copy_of(*stored(config_map("c")));
    auto& metadata = api::mutable_metadata_of(*sent);
    metadata.clear_managed_fields();
    for (int i = 0; i < count; ++i) {
      auto& entry = *metadata.add_managed_fields();
      entry.set_manager("ancient-changes");
      entry.set_operation("Update");
      entry.set_api_version(versions ? "v" + std::to_string(i) : "v1");
      entry.set_subresource("s" + std::to_string(i));
      entry.mutable_fields_v1()->set_raw(R"({"f:data":{"f:a":{}}})");
    }
    return error(server.update(config_map("c"), "", std::move(sent), {.field_manager = "k"}));
  };
  ASSERT_EQ(send(11, false), "");
  const std::vector<std::string> kept = owners(config_map("c"));
  EXPECT_EQ(kept.size(), 10U);
  EXPECT_EQ(kept.at(0), R"(ancient-changes Update: {"f:data":{"f:a":{}}})");
  ASSERT_EQ(send(kMaxManagedEntries + 1, false), "");
  EXPECT_EQ(owners(config_map("c")), kept) << "a list of that length is not taken";
  // Entries of different versions cannot be taken together.
  ASSERT_EQ(send(12, true), "");
  EXPECT_EQ(owners(config_map("c")).size(), 12U);
}

TEST_F(Apply, M105_AnEmptyListClears) {
  const std::vector<std::pair<PatchType, const char*>> patches = {
      {PatchType::merge, R"({"metadata":{"managedFields":[{}]}})"},
      {PatchType::merge, R"({"metadata":{"managedFields":[]}})"},
      {PatchType::json, R"([{"op":"replace","path":"/metadata/managedFields","value":[{}]}])"},
      {PatchType::json, R"([{"op":"replace","path":"/metadata/managedFields","value":[]}])"}};
  for (const auto& [type, body] : patches) {
    ASSERT_EQ(error(apply(config_map("c"), data(R"("a":"1")"), "m", true)), "");
    ASSERT_THAT(owners(config_map("c")), testing::SizeIs(testing::Gt(0U)));
    ASSERT_EQ(error(server.patch(config_map("c"), "", type, body, {.field_manager = "k"})), "");
    EXPECT_THAT(owners(config_map("c")), IsEmpty()) << body;
  }
  ASSERT_EQ(error(apply(config_map("c"), data(R"("a":"1")"), "m", true)), "");
  const size_t before = owners(config_map("c")).size();
  ASSERT_EQ(error(update(R"({"data":{"a":"1"}})", "k")), "");
  EXPECT_EQ(owners(config_map("c")).size(), before) << "a client that knows nothing of them";
}

TEST_F(Apply, M105_EntriesThatCannotBeReadAreNotTaken) {
  ASSERT_EQ(error(apply(config_map("c"), data(R"("a":"1")"))), "");
  const std::vector<std::string> before = owners(config_map("c"));
  std::string deep = "{}";
  for (int i = 0; i < 990; ++i) {
    deep = R"({"f:a":)" + deep + "}";
  }
  for (const std::string& raw : {deep, std::string("not JSON"), std::string()}) {
    std::unique_ptr<Message> sent = copy_of(*stored(config_map("c")));
    api::mutable_metadata_of(*sent).mutable_managed_fields(0)->mutable_fields_v1()->set_raw(raw);
    ASSERT_EQ(error(server.update(config_map("c"), "", std::move(sent), {.field_manager = "k"})),
              "");
    EXPECT_EQ(owners(config_map("c")), before);
  }
}

TEST_F(Apply, UntrackedObjectsStaySo) {
  must_create(config_map("c"), R"({"data":{"a":"1"}})");
  ASSERT_EQ(error(update(R"({"data":{"a":"2"}})", "kubectl-replace")), "");
  EXPECT_THAT(owners(config_map("c")), IsEmpty());
  // An apply meets the earlier content.
  EXPECT_EQ(
      error(apply(config_map("c"), data(R"("a":"3")"))),
      "409 Conflict: Apply failed with 1 conflict: conflict with \"before-first-apply\" using "
      "v1: .data.a");
  ASSERT_EQ(error(apply(config_map("c"), data(R"("b":"3")"))), "");
  EXPECT_THAT(owners(config_map("c")),
              ElementsAre(R"(m Apply: {"f:data":{"f:b":{}}})",
                          R"(before-first-apply Update: {"f:data":{".":{},"f:a":{}}})"));
}

TEST_F(Apply, WritesOfTheControlPlaneLeaveTheEntriesAlone) {
  ASSERT_EQ(error(apply(config_map("c"), data(R"("a":"1")"))), "");
  const std::vector<std::string> before = owners(config_map("c"));
  ASSERT_EQ(error(server.patch(config_map("c"), "", PatchType::merge, R"({"data":{"z":"1"}})")),
            "");
  EXPECT_EQ(owners(config_map("c")), before);
  EXPECT_EQ(data_of("c"), R"({"a":"1","z":"1"})");
}

TEST_F(Apply, M56_DryRun) {
  const WriteResult dry = server.patch(config_map("c"), "", PatchType::apply, data(R"("a":"1")"),
                                       {.dry_run = true, .field_manager = "m"});
  ASSERT_EQ(error(dry), "");
  EXPECT_EQ(api::metadata_of(**dry.answer).managed_fields_size(), 1);
  EXPECT_EQ(stored(config_map("c")), nullptr);
}

// What kubectl apply --server-side does with an object that it applied by itself before.
TEST_F(Apply, C27_FromClientSideApply) {
  const std::string annotated =
      R"({"metadata":{"annotations":{")" + std::string(kLastApplied) +
      R"(":"{\"apiVersion\":\"v1\",\"data\":{\"a\":\"1\"},\"kind\":\"ConfigMap\"}"}},)"
      R"("data":{"a":"1"}})";
  ASSERT_EQ(error(tracked_create(config_map("c"), annotated, "kubectl-client-side-apply")), "");
  EXPECT_EQ(apply(config_map("c"), data(R"("a":"2")"), "other").answer.error().code, 409);
  ASSERT_EQ(error(apply(config_map("c"), data(R"("a":"2")"), "kubectl")), "");
  EXPECT_EQ(data_of("c"), R"({"a":"2"})");
  EXPECT_EQ(meta(config_map("c")).annotations().at(kLastApplied),
            R"({"apiVersion":"v1","data":{"a":"2"},"kind":"ConfigMap"})"
            "\n");
  // kubectl then makes all of it its own by a JSON patch.
  const std::string mine =
      R"([{"op":"replace","path":"/metadata/managedFields","value":[{"manager":"kubectl",)"
      R"("operation":"Apply","apiVersion":"v1","fieldsType":"FieldsV1","fieldsV1":)"
      R"({"f:data":{"f:a":{}},"f:metadata":{"f:annotations":{}}}}]},{"op":"replace",)"
      R"("path":"/metadata/resourceVersion","value":")" +
      meta(config_map("c")).resource_version() + R"("}])";
  ASSERT_EQ(
      error(server.patch(config_map("c"), "", PatchType::json, mine, {.field_manager = "kubectl"})),
      "");
  EXPECT_THAT(
      owners(config_map("c")),
      ElementsAre(R"(kubectl Apply: {"f:data":{"f:a":{}},"f:metadata":{"f:annotations":{}}})"));
}

TEST_F(Apply, EntriesSurviveProtobuf) {
  ASSERT_EQ(error(apply(config_map("c"), data(R"("a":"1")"))), "");
  const std::string before = api::to_json(*stored(config_map("c")));
  std::unique_ptr<Message> again = api::kinds::config_map().make();
  ASSERT_TRUE(again->ParseFromString(stored(config_map("c"))->SerializeAsString()));
  EXPECT_EQ(api::to_json(*again), before);
  EXPECT_NE(before.find(R"("fieldsV1":{"f:data":{"f:a":{}}})"), std::string::npos) << before;
}

TEST_F(Apply, M102_NamesTheSubresourceOfAnOwner) {
  ASSERT_EQ(error(tracked_create(pod("p"), with_spec("{}", kPodSpec), "k")), "");
  ASSERT_EQ(error(server.patch(pod("p"), "status", PatchType::merge,
                               R"({"status":{"phase":"Running"}})", {.field_manager = "node"})),
            "");
  const WriteOptions other{.field_manager = "other"};
  EXPECT_EQ(
      error(server.patch(pod("p"), "status", PatchType::apply,
                         R"({"apiVersion":"v1","kind":"Pod","status":{"phase":"Failed"}})", other)),
      "409 Conflict: Apply failed with 1 conflict: conflict with \"node\" with subresource "
      "\"status\" using v1: .status.phase");
}

}  // namespace
}  // namespace windlass::apiserver
