// Writes through the whole handler: bodies, validation of fields, deletes, subresources.
#include "api/codec/protobuf.h"
#include "apiserver/rest/rest_testing.h"
#include "schema/core/v1/config_map.pb.h"
#include "schema/core/v1/pod.pb.h"
#include "schema/meta/v1/options.pb.h"

namespace windlass::apiserver {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

class WriteCallsTest : public RestTest {
 protected:
  static constexpr const char* kMaps = "/api/v1/namespaces/default/configmaps";
  static constexpr const char* kJobs = "/apis/batch/v1/namespaces/default/jobs";
  static constexpr const char* kPods = "/api/v1/namespaces/default/pods";

  static http::Headers type(std::string value) { return {{"Content-Type", std::move(value)}}; }
  std::string outcome(const std::shared_ptr<FakeExchange>& answer) {
    return std::to_string(answer->status) + " " + answer->body;
  }
  static std::vector<std::string> warnings(const FakeExchange& exchange) {
    std::vector<std::string> all;
    for (const http::Header& header : exchange.headers) {
      if (header.name == "Warning") {
        all.push_back(header.value);
      }
    }
    return all;
  }
};

TEST_F(WriteCallsTest, M6_X1_ProtobufBodies) {
  api::core::v1::ConfigMap map;
  map.mutable_metadata()->set_name("a");
  (*map.mutable_data())["k"] = "v";
  const auto created = post(kMaps, api::seal_envelope({"v1", "ConfigMap"}, map),
                            {{"Content-Type", "application/vnd.kubernetes.protobuf"},
                             {"Accept", "application/vnd.kubernetes.protobuf,application/json"}});
  EXPECT_EQ(created->status, 201);
  const auto envelope = api::open_envelope(created->body);
  ASSERT_TRUE(envelope);
  EXPECT_EQ(envelope->type.kind, "ConfigMap");
  EXPECT_THAT(get(std::string(kMaps) + "/a")->body, HasSubstr(R"("data":{"k":"v"})"));

  api::meta::v1::DeleteOptions options;
  options.set_propagation_policy("Background");
  const auto deleted = send(request("DELETE", std::string(kMaps) + "/a",
                                    api::seal_envelope({"v1", "DeleteOptions"}, options),
                                    type("application/vnd.kubernetes.protobuf")));
  EXPECT_EQ(deleted->status, 200) << deleted->body;
}

TEST_F(WriteCallsTest, M3_YamlBodies) {
  const auto created =
      post(kMaps, "metadata:\n  name: a\ndata:\n  k: v\n", type("application/yaml"));
  EXPECT_EQ(created->status, 201) << created->body;
}

TEST_F(WriteCallsTest, M3_BodiesThatCannotBeRead) {
  EXPECT_THAT(outcome(post(kJobs, "x", type("text/plain"))),
              AllOf(StartsWith("415 "), HasSubstr("the body of the request was in an unknown "
                                                  "format - accepted media types include: "
                                                  "application/json, application/yaml, "
                                                  "application/vnd.kubernetes.protobuf")));
  EXPECT_THAT(outcome(post(kJobs, "")),
              AllOf(StartsWith("400 "),
                    HasSubstr("the object provided is unrecognized (must be of type Job): couldn't "
                              "get version/kind; json parse error: ")));
  EXPECT_THAT(outcome(post(kJobs, "k8x", type("application/vnd.kubernetes.protobuf"))),
              HasSubstr("provided data does not appear to be a protobuf message, expected prefix "
                        "[107 56 115 0] (6b3878)"));
}

// Others are shown the beginning of what they sent; what was to be a Secret may be one already.
TEST_F(WriteCallsTest, M3_AnUnreadableSecretIsNotShown) {
  const auto told = [this](const std::string& body, const std::string& content_type) {
    return outcome(post("/api/v1/namespaces/default/secrets", body, type(content_type)));
  };
  EXPECT_THAT(told("k8x", "application/vnd.kubernetes.protobuf"), HasSubstr("([redacted])"));
  EXPECT_THAT(told("{\"data\":\"canary", "application/json"), Not(HasSubstr("canary")));
}

TEST_F(WriteCallsTest, M31_TheTypeMustBeThatOfTheEndpoint) {
  EXPECT_THAT(outcome(post(kJobs, R"({"apiVersion":"batch/v2","kind":"Job"})")),
              HasSubstr(R"(Job in version \"v2\" cannot be handled as a Job: no kind \"Job\" is )"
                        R"(registered for version \"batch/v2\" in scheme)"));
  EXPECT_THAT(outcome(post(kJobs, R"({"apiVersion":"v1","kind":"Pod"})")),
              HasSubstr(R"(Pod in version \"v1\" cannot be handled as a Job: converting (v1.Pod) )"
                        R"(to (batch.Job): unknown conversion)"));
  EXPECT_THAT(outcome(post("/api/v1/namespaces/default/events",
                           R"({"apiVersion":"events.k8s.io/v1","kind":"Event"})")),
              HasSubstr("the API version in the data (events.k8s.io/v1) does not match the "
                        "expected API version (v1)"));
  EXPECT_THAT(outcome(post(kJobs, R"({"spec":{"parallelism":"x"}})")),
              HasSubstr(R"(Job in version \"v1\" cannot be handled as a Job: json: cannot )"
                        R"(unmarshal string into Go struct field JobSpec.spec.parallelism)"));
}

TEST_F(WriteCallsTest, M10_WarningsStayWithinWhatClientsRead) {
  std::string body = R"({"metadata":{"name":"a"})";
  for (int i = 0; i < 90; ++i) {
    body += fmt::format(R"(,"{}{}":1)", std::string(400, 'z'), i);
  }
  const auto warned = post(std::string(kMaps) + "?fieldValidation=Warn&dryRun=All", body + "}");
  EXPECT_EQ(warned->status, 201);
  EXPECT_EQ(warnings(*warned).size(), 16u);
  for (const std::string& warning : warnings(*warned)) {
    EXPECT_LE(warning.size(), 270u);
  }
}

TEST_F(WriteCallsTest, M110_FieldValidation) {
  const std::string body =
      R"({"metadata":{"name":"a"},"zork":1,"data":{"k":"v"},"data":{"k":"w"}})";
  const auto strict = post(std::string(kMaps) + "?fieldValidation=Strict", body);
  EXPECT_THAT(
      outcome(strict),
      AllOf(StartsWith("400 "), HasSubstr(R"(strict decoding error: unknown field \"zork\")")));
  const auto warned = post(std::string(kMaps) + "?fieldValidation=Warn&dryRun=All", body);
  EXPECT_EQ(warned->status, 201);
  EXPECT_THAT(warnings(*warned), testing::Contains(R"(299 - "unknown field \"zork\"")"));
  EXPECT_THAT(warnings(*post(std::string(kMaps) + "?dryRun=All", body)), Not(testing::IsEmpty()))
      << "to warn is the default";
  EXPECT_THAT(warnings(*post(std::string(kMaps) + "?fieldValidation=Ignore", body)),
              testing::IsEmpty());
  const auto unknown = post(std::string(kMaps) + "?fieldValidation=Zork", body);
  EXPECT_EQ(unknown->status, 422);
}

TEST_F(WriteCallsTest, M56_DryRunStoresNothing) {
  const store::Revision before = store.revision();
  const auto created = post(std::string(kMaps) + "?dryRun=All", R"({"metadata":{"name":"a"}})");
  EXPECT_EQ(created->status, 201);
  EXPECT_THAT(created->body, Not(HasSubstr("resourceVersion")));
  EXPECT_EQ(store.revision(), before);
  EXPECT_EQ(get(std::string(kMaps) + "/a")->status, 404);
  must_create(config_map("a"), "{}");
  send(request("DELETE", std::string(kMaps) + "/a", R"({"dryRun":["All"]})"));
  send(request("DELETE", std::string(kMaps) + "/a?dryRun=All"));
  EXPECT_EQ(get(std::string(kMaps) + "/a")->status, 200);
  const auto unknown = post(std::string(kMaps) + "?dryRun=x", "{}");
  EXPECT_EQ(unknown->status, 422);
}

TEST_F(WriteCallsTest, M38_AnUpdateThatCreatesAnswers201) {
  const std::string lease = "/apis/coordination.k8s.io/v1/namespaces/default/leases/l";
  const std::string body = R"({"metadata":{"name":"l"},"spec":{"holderIdentity":"x"}})";
  EXPECT_EQ(send(request("PUT", lease, body))->status, 201);
  EXPECT_EQ(
      send(request("PUT", std::string(kMaps) + "/none", R"({"metadata":{"name":"none"}})"))->status,
      404);
}

TEST_F(WriteCallsTest, M90_PatchTypes) {
  must_create(config_map("a"), R"({"data":{"k":"v"}})");
  const auto merged = send(request("PATCH", std::string(kMaps) + "/a", R"({"data":{"l":"w"}})",
                                   type("application/merge-patch+json; charset=utf-8")));
  EXPECT_EQ(merged->status, 200) << merged->body;
  EXPECT_THAT(merged->body, HasSubstr(R"("data":{"k":"v","l":"w"})"));
  for (const char* unsupported : {"application/json", "", "text/plain"}) {
    EXPECT_THAT(
        outcome(send(request("PATCH", std::string(kMaps) + "/a", "{}", type(unsupported)))),
        AllOf(StartsWith("415 "), HasSubstr(R"("message":"415: Unsupported Media Type",)"
                                            R"("reason":"UnsupportedMediaType","details":{})")));
  }
}

TEST_F(WriteCallsTest, M50_DeleteOptionsFromBodyOrQuery) {
  must_create_job("j");
  EXPECT_THAT(outcome(send(request("DELETE", std::string(kJobs) + "/j",
                                   R"({"orphanDependents":true,"propagationPolicy":"Orphan"})"))),
              AllOf(StartsWith("422 "),
                    HasSubstr("DeleteOptions.meta.k8s.io \\\"\\\" is invalid: propagationPolicy"),
                    HasSubstr("orphanDependents and deletionPropagation cannot be both set")));
  EXPECT_EQ(send(request("DELETE", std::string(kJobs) + "/j?gracePeriodSeconds=x"))->status, 400);
  EXPECT_EQ(send(request("DELETE", std::string(kJobs) + "/j", "{"))->status, 400);
  EXPECT_THAT(outcome(send(request("DELETE", std::string(kJobs) + "/j",
                                   R"({"kind":"Foo","apiVersion":"v1"})"))),
              AllOf(StartsWith("400 "), HasSubstr(R"(no kind \"Foo\" is registered)")));
  const auto kept = send(request("DELETE", std::string(kJobs) + "/j"));
  EXPECT_EQ(kept->status, 200);
  EXPECT_THAT(kept->body, StartsWith(R"({"kind":"Job")")) << "the orphan finalizer holds it";
  EXPECT_THAT(warnings(*kept), testing::ElementsAre(HasSubstr("child pods are preserved")));
  const auto gone = send(request("DELETE", std::string(kJobs) + "/j?propagationPolicy=Background"));
  EXPECT_THAT(gone->body, HasSubstr(R"("status":"Success","details":{"name":"j","group":"batch",)"
                                    R"("kind":"jobs","uid":")"));
}

TEST_F(WriteCallsTest, M50_DeleteOptionsAreCheckedBeforeAnythingIsLookedFor) {
  const std::string policies = R"(supported values: \"Foreground\", \"Background\", )"
                               R"(\"Orphan\", \"nil\")";
  EXPECT_THAT(outcome(send(request(
                  "DELETE", std::string(kJobs) + "?labelSelector=no%3Done&propagationPolicy=Foo"))),
              AllOf(StartsWith("422 "), HasSubstr(policies)));
  EXPECT_THAT(
      outcome(send(request("DELETE", std::string(kJobs) + "/none", R"({"propagationPolicy":""})"))),
      AllOf(StartsWith("422 "),
            HasSubstr(R"(propagationPolicy: Unsupported value: \"\": )" + policies)));
  EXPECT_THAT(
      outcome(send(request("DELETE", std::string(kJobs) + "/none?propagationPolicy=Foo&dryRun=x"))),
      AllOf(StartsWith("422 "), HasSubstr("[propagationPolicy: Unsupported value"),
            HasSubstr("dryRun: Unsupported value")));
}

TEST_F(WriteCallsTest, J150_TheWarningComesAlsoWithoutJobs) {
  const auto missing = send(request("DELETE", std::string(kJobs) + "/none"));
  EXPECT_EQ(missing->status, 404);
  EXPECT_THAT(warnings(*missing), testing::ElementsAre(HasSubstr("child pods are preserved")));
  const auto none = send(request("DELETE", kJobs));
  EXPECT_EQ(none->status, 200);
  EXPECT_THAT(warnings(*none), testing::ElementsAre(HasSubstr("child pods are preserved")));
  must_create_job("a");
  must_create_job("b");
  EXPECT_EQ(warnings(*send(request("DELETE", kJobs))).size(), 1U) << "once for all of them";
}

TEST_F(WriteCallsTest, M1_OrphanDependentsFalseIsAcceptedUntilItIsDone) {
  must_create_job("held", R"({"finalizers":["a.io/b"]})");
  must_create_job("free");
  const char* body = R"({"orphanDependents":false})";
  const auto held = send(request("DELETE", std::string(kJobs) + "/held", body));
  EXPECT_EQ(held->status, 202);
  EXPECT_THAT(held->body, StartsWith(R"({"kind":"Job")"));
  EXPECT_EQ(send(request("DELETE", std::string(kJobs) + "/free", body))->status, 200);
  EXPECT_EQ(send(request("DELETE", std::string(kJobs) + "/none", body))->status, 404);
}

TEST_F(WriteCallsTest, P78_SomeDeletesAnswerWithTheObject) {
  must_create_pod("p");
  const auto deleted = send(request("DELETE", std::string(kPods) + "/p"));
  EXPECT_EQ(deleted->status, 200);
  EXPECT_THAT(deleted->body, StartsWith(R"({"kind":"Pod")"));
  const std::string services = "/api/v1/namespaces/default/services";
  ASSERT_EQ(send(request("POST", services, R"({"metadata":{"name":"s"}})"))->status, 201);
  EXPECT_THAT(send(request("DELETE", services + "/s"))->body, StartsWith(R"({"kind":"Service")"));
}

TEST_F(WriteCallsTest, M55_DeleteCollectionAnswersWithWhatWasThere) {
  must_create(config_map("a"), R"({"metadata":{"labels":{"l":"1"}}})");
  must_create(config_map("b"), R"({"metadata":{"labels":{"l":"2"}}})");
  const auto deleted = send(request("DELETE", std::string(kMaps) + "?labelSelector=l%3D1"));
  EXPECT_EQ(deleted->status, 200);
  EXPECT_THAT(deleted->body, AllOf(StartsWith(R"({"kind":"ConfigMapList")"),
                                   HasSubstr(R"("name":"a")"), Not(HasSubstr(R"("name":"b")"))));
  EXPECT_EQ(stored(config_map("a")), nullptr);
  EXPECT_NE(stored(config_map("b")), nullptr);
  EXPECT_THAT(send(request("DELETE", std::string(kMaps) + "?labelSelector=l%3D1"))->body,
              HasSubstr(R"("items":[])"));
}

TEST_F(WriteCallsTest, P80_P81_Binding) {
  must_create_pod("p");
  const std::string path = std::string(kPods) + "/p/binding";
  EXPECT_THAT(
      outcome(post(path, R"({"metadata":{"name":"q"},"target":{"name":"n1"}})")),
      AllOf(StartsWith("400 "), HasSubstr("name in URL does not match name in Binding object")));
  EXPECT_THAT(
      outcome(post(path, R"({"metadata":{"name":"p"},"target":{"kind":"Foo"}})")),
      AllOf(StartsWith("500 "),
            HasSubstr(
                R"("message":"[target.kind: Unsupported value: \"Foo\": supported values: )"
                R"(\"Node\", \"\u003cempty\u003e\", target.name: Required value]","code":500)")));
  EXPECT_THAT(outcome(post(path, R"({"metadata":{"name":"p","resourceVersion":"1"},)"
                                 R"("target":{"name":"n1"}})")),
              AllOf(StartsWith("409 "), HasSubstr("ResourceVersion in precondition: 1,")));
  const auto bound = post(path, R"({"apiVersion":"v1","kind":"Binding","metadata":)"
                                R"({"name":"p","annotations":{"a":"b"}},)"
                                R"("target":{"kind":"Node","name":"n1"}})");
  EXPECT_EQ(outcome(bound),
            R"(201 {"kind":"Status","apiVersion":"v1","metadata":{},"status":"Success","code":201})"
            "\n");
  EXPECT_EQ(api::object_as<api::core::v1::Pod>(stored(pod("p")))->spec().node_name(), "n1");
  EXPECT_EQ(meta(pod("p")).annotations().at("a"), "b");
  EXPECT_EQ(post("/api/v1/namespaces/default/bindings",
                 R"({"metadata":{"name":"p"},"target":{"name":"n2"}})")
                ->status,
            409);
}

TEST_F(WriteCallsTest, M30_WhatHasNoNamespaceLosesTheOneInTheBody) {
  const std::string node =
      R"({"apiVersion":"v1","kind":"Node","metadata":{"name":"n","namespace":"team",)"
      R"("labels":{"l":)";
  const std::string path = "/api/v1/nodes/n";
  EXPECT_THAT(outcome(post("/api/v1/nodes", node + R"("1"}}})")), StartsWith("201 "));
  EXPECT_THAT(outcome(send(request("PUT", path, node + R"("2"}}})"))), StartsWith("200 "));
  EXPECT_THAT(outcome(send(request("PATCH", path, R"({"metadata":{"namespace":"team"}})",
                                   type("application/merge-patch+json")))),
              StartsWith("200 "));
  const auto applied = send(request("PATCH", path + "?fieldManager=m&force=true",
                                    node + R"("3"}}})", type("application/apply-patch+yaml")));
  EXPECT_THAT(outcome(applied),
              AllOf(StartsWith("200 "), HasSubstr(R"("l":"3")"), Not(HasSubstr(R"("namespace")"))));
}

TEST_F(WriteCallsTest, P90_Eviction) {
  must_create_pod("p");
  const std::string path = std::string(kPods) + "/p/eviction";
  EXPECT_THAT(
      outcome(post(path, R"({"metadata":{"name":"q"}})")),
      AllOf(StartsWith("400 "), HasSubstr("name in URL does not match name in Eviction object")));
  EXPECT_EQ(post(std::string(kPods) + "/none/eviction", R"({"metadata":{"name":"none"}})")->status,
            404);
  const auto evicted = post(path, R"({"apiVersion":"policy/v1beta1","kind":"Eviction",)"
                                  R"("metadata":{"name":"p"},"deleteOptions":{}})");
  EXPECT_EQ(outcome(evicted),
            R"(201 {"kind":"Status","apiVersion":"v1","metadata":{},"status":"Success","code":201})"
            "\n");
  EXPECT_EQ(stored(pod("p")), nullptr);
}

TEST_F(WriteCallsTest, P101_P102_P103_Logs) {
  must_create_pod("p");
  const std::string path = std::string(kPods) + "/p/log";
  EXPECT_EQ(get(path)->status, 204);
  EXPECT_EQ(get(std::string(kPods) + "/none/log")->status, 404);
  EXPECT_THAT(outcome(get(path + "?container=x")), HasSubstr("container x is not valid for pod p"));
  EXPECT_THAT(outcome(get(path + "?tailLines=-1")),
              AllOf(StartsWith("422 "), HasSubstr("must be greater than or equal to 0"),
                    HasSubstr(R"("kind":"PodLogOptions")")));
  EXPECT_THAT(outcome(get(path + "?limitBytes=0")), HasSubstr("must be greater than 0"));
  EXPECT_THAT(outcome(get(path + "?sinceSeconds=1&sinceTime=2026-01-01T00:00:00Z")),
              HasSubstr("at most one of `sinceTime` or `sinceSeconds` may be specified"));
  EXPECT_THAT(outcome(get(path + "?tailLines=abc")),
              HasSubstr(R"(strconv.ParseInt: parsing \"abc\": invalid syntax)"));
}

TEST_F(WriteCallsTest, P101_LogsOfWhichContainer) {
  must_create(pod("two"), R"({"spec":{"containers":[{"name":"a","image":"i"},)"
                          R"({"name":"b","image":"i"}]}})");
  EXPECT_THAT(outcome(get(std::string(kPods) + "/two/log")),
              HasSubstr(R"(must be specified for pod two, choose one of: [a b]",)"));
  must_create(pod("more"),
              R"({"spec":{"initContainers":[{"name":"i1","image":"i"},{"name":"i2","image":"i"}],)"
              R"("containers":[{"name":"a","image":"i"},{"name":"b","image":"i"}]}})");
  EXPECT_THAT(outcome(get(std::string(kPods) + "/more/log")),
              HasSubstr("choose one of: [a b] or one of the init containers: [i1 i2]"));
}

TEST_F(WriteCallsTest, StatusIsASubresource) {
  must_create_pod("p");
  const auto changed =
      send(request("PATCH", std::string(kPods) + "/p/status", R"({"status":{"phase":"Running"}})",
                   type("application/merge-patch+json")));
  EXPECT_EQ(changed->status, 200) << changed->body;
  EXPECT_THAT(get(std::string(kPods) + "/p/status")->body, HasSubstr(R"("phase":"Running")"));
  EXPECT_EQ(get(std::string(kMaps) + "/a/status")->status, 404);
}

TEST_F(WriteCallsTest, M10_WarningsCannotBreakTheHeader) {
  const auto warned = post(kMaps, "{\"metadata\":{\"name\":\"a\"},\"x\\r\\nEvil: 1\":1}");
  EXPECT_EQ(warned->status, 201);
  for (const std::string& warning : warnings(*warned)) {
    EXPECT_EQ(warning.find_first_of("\r\n"), std::string::npos) << warning;
  }
}

TEST_F(WriteCallsTest, E2_DryRunInTwoPlacesMustBeTheSame) {
  must_create_pod("p");
  const std::string path = std::string(kPods) + "/p/eviction";
  const auto evict = [&](const std::string& query, const std::string& options) {
    return outcome(post(path + query, R"({"apiVersion":"policy/v1","kind":"Eviction","metadata":)"
                                      R"({"name":"p"},"deleteOptions":)" +
                                          options + "}"));
  };
  EXPECT_THAT(evict("?dryRun=All", R"({"dryRun":["X"]})"),
              AllOf(StartsWith("500 "),
                    HasSubstr("Non-matching dry-run options in request and content: [All] and "
                              "[X]"),
                    Not(HasSubstr(R"("reason")"))));
  EXPECT_THAT(evict("", R"({"dryRun":["X"]})"), StartsWith("422 "));
  EXPECT_THAT(evict("?dryRun=X", "{}"), StartsWith("422 "));
  EXPECT_THAT(evict("?dryRun=All", R"({"dryRun":["All"]})"), StartsWith("201 "));
  EXPECT_THAT(evict("?dryRun=All", "{}"), StartsWith("201 "));
  EXPECT_FALSE(meta(pod("p")).has_deletion_timestamp());
}

TEST_F(WriteCallsTest, M105_AnEmptyListInAPutClears) {
  for (const char* fields : {"[]", "[{}]"}) {
    const std::string path = std::string(kMaps) + "/a";
    send(request("DELETE", path));
    post(std::string(kMaps) + "?fieldManager=m", R"({"metadata":{"name":"a"},"data":{"k":"v"}})");
    ASSERT_EQ(meta(config_map("a")).managed_fields_size(), 1) << fields;
    const auto put = send(request("PUT", path + "?fieldManager=m",
                                  R"({"metadata":{"name":"a","managedFields":)" +
                                      std::string(fields) + R"(},"data":{"k":"w"}})"));
    EXPECT_EQ(put->status, 200) << put->body;
    EXPECT_EQ(meta(config_map("a")).managed_fields_size(), 0) << fields;
  }
  // Without any list the owners stay.
  post(std::string(kMaps) + "?fieldManager=m", R"({"metadata":{"name":"b"},"data":{"k":"v"}})");
  send(request("PUT", std::string(kMaps) + "/b?fieldManager=m",
               R"({"metadata":{"name":"b"},"data":{"k":"w"}})"));
  EXPECT_EQ(meta(config_map("b")).managed_fields_size(), 1);
}

TEST_F(WriteCallsTest, M55_BigCollectionsGoInBatches) {
  constexpr int kMany = 1'234;
  for (int i = 0; i < kMany; ++i) {
    must_create(config_map("m" + std::to_string(i)), "{}");
  }
  const auto deleted = send(request("DELETE", kMaps));
  EXPECT_EQ(deleted->status, 200);
  EXPECT_EQ(server.list({&api::kinds::config_map(), "default", "", ""}, {})->items.size(), 0u);
  EXPECT_THAT(deleted->body, AllOf(HasSubstr(R"("name":"m0")"), HasSubstr(R"("name":"m1233")")));
}

}  // namespace
}  // namespace windlass::apiserver
