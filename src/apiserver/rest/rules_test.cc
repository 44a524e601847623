// Rules of the generic machinery that are seen from outside only: api.md 3 and 4.
#include "apiserver/rest/rest_testing.h"

namespace windlass::apiserver {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

class RulesTest : public RestTest {
 protected:
  static constexpr const char* kJobs = "/apis/batch/v1/namespaces/default/jobs";
  static constexpr const char* kMaps = "/api/v1/namespaces/default/configmaps";
  static constexpr const char* kNodes = "/api/v1/nodes";
};

TEST_F(RulesTest, M20_M21_M22_ShapeOfAFailure) {
  EXPECT_EQ(get(std::string(kJobs) + "/x")->body,
            R"({"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure",)"
            R"("message":"jobs.batch \"x\" not found","reason":"NotFound","details":)"
            R"({"name":"x","group":"batch","kind":"jobs"},"code":404})"
            "\n");
  EXPECT_THAT(get(std::string(kMaps) + "/x")->body,
              AllOf(HasSubstr(R"("message":"configmaps \"x\" not found")"),
                    HasSubstr(R"("details":{"name":"x","kind":"configmaps"})")));
}

TEST_F(RulesTest, M24_ShapeOfAConflict) {
  must_create(config_map("a"), "{}");
  const auto stale =
      send(request("PUT", std::string(kMaps) + "/a",
                   R"({"metadata":{"name":"a","resourceVersion":"1"},"data":{"k":"v"}})"));
  EXPECT_EQ(stale->status, 409);
  EXPECT_THAT(stale->body, HasSubstr(R"("message":"Operation cannot be fulfilled on configmaps )"
                                     R"(\"a\": the object has been modified;)"));
}

TEST_F(RulesTest, M69_GetNotOlderThan) {
  must_create(config_map("a"), "{}");
  const std::string path = std::string(kMaps) + "/a?resourceVersion=";
  EXPECT_EQ(get(path + "0")->status, 200);
  EXPECT_EQ(get(path + std::to_string(store.revision()))->status, 200);
  auto later = std::make_shared<FakeExchange>();
  begin(request("GET", path + std::to_string(store.revision() + 1)), later);
  settle();
  EXPECT_FALSE(later->answered);
  must_create(config_map("b"), "{}");
  world.run_for(seconds(1));
  EXPECT_EQ(later->status, 200);
}

TEST_F(RulesTest, M131_WholeObjectsInATable) {
  must_create(config_map("a"), R"({"data":{"k":"v"}})");
  const http::Headers table = {{"Accept", "application/json;as=Table;v=v1;g=meta.k8s.io"}};
  EXPECT_THAT(get(std::string(kMaps) + "?includeObject=Object", table)->body,
              AllOf(HasSubstr(R"("object":{"kind":"ConfigMap","apiVersion":"v1")"),
                    HasSubstr(R"("data":{"k":"v"})")));
  EXPECT_THAT(get(kMaps, table)->body,
              AllOf(HasSubstr(R"("kind":"PartialObjectMetadata")"), Not(HasSubstr(R"("data":)"))));
}

TEST_F(RulesTest, P96_RetryAfterOnlyWhereTheDetailsSaySo) {
  EXPECT_EQ(get(std::string(kMaps) + "/x")->header("Retry-After"), "");
  auto waiting = std::make_shared<FakeExchange>();
  begin(request("GET", std::string(kMaps) + "?resourceVersion=999999"), waiting);
  world.run_for(seconds(5));
  EXPECT_EQ(waiting->status, 504);
  EXPECT_EQ(waiting->header("Retry-After"), "1");
}

TEST_F(RulesTest, N1_AllocatableIsTheCapacityUnlessSaidOtherwise) {
  const auto made = post(kNodes, R"({"metadata":{"name":"n"},"status":{"capacity":{"cpu":"2"}}})");
  EXPECT_EQ(made->status, 201);
  EXPECT_THAT(made->body, HasSubstr(R"("allocatable":{"cpu":"2"})"));
}

TEST_F(RulesTest, N2a_NoTaintByItself) {
  EXPECT_THAT(post(kNodes, R"({"metadata":{"name":"n"}})")->body, HasSubstr(R"("spec":{})"));
}

TEST_F(RulesTest, N3_TaintsOfANode) {
  const std::string taint = R"({"key":"x","effect":"NoSchedule"})";
  const auto twice =
      post(kNodes, R"({"metadata":{"name":"n"},"spec":{"taints":[)" + taint + "," + taint + "]}}");
  EXPECT_EQ(twice->status, 422);
  EXPECT_THAT(twice->body, HasSubstr("metadata.taints[1]: Duplicate value"));
  post(kNodes, R"({"metadata":{"name":"n"}})");
  const auto patched =
      send(request("PATCH", std::string(kNodes) + "/n", R"({"spec":{"taints":[{"key":"x"}]}})",
                   {{"Content-Type", "application/merge-patch+json"}}));
  EXPECT_EQ(patched->status, 422);
  EXPECT_THAT(patched->body, HasSubstr("metadata.taints[0].effect"));
}

TEST_F(RulesTest, N62_N63_ServiceAccountsAndPodTemplates) {
  EXPECT_EQ(post("/api/v1/namespaces/default/serviceaccounts",
                 R"({"metadata":{"name":"s"},"automountServiceAccountToken":false,)"
                 R"("secrets":[{"name":"a"}],"imagePullSecrets":[{"name":"b"}]})")
                ->status,
            201);
  EXPECT_EQ(post("/api/v1/namespaces/default/podtemplates",
                 R"({"metadata":{"name":"t"},"template":{"spec":{"containers":[{"name":"c",)"
                 R"("image":"i"}]}}})")
                ->status,
            201);
  // P78: their deletion answers with the object.
  EXPECT_THAT(send(request("DELETE", "/api/v1/namespaces/default/serviceaccounts/s"))->body,
              StartsWith(R"({"kind":"ServiceAccount")"));
}

TEST_F(RulesTest, N20_EventsInBothGroups) {
  const std::string body =
      R"({"metadata":{"name":"e"},"eventTime":"2026-11-15T10:00:00.000000Z","action":"a",)"
      R"("reason":"r","note":"n","type":"Normal","reportingController":"c","reportingInstance":)"
      R"("i","regarding":{"kind":"Pod","namespace":"default","name":"p"}})";
  const std::string path = "/apis/events.k8s.io/v1/namespaces/default/events";
  EXPECT_EQ(post(path, body)->status, 201);
  EXPECT_THAT(get("/api/v1/namespaces/default/events/e")->body,
              AllOf(StartsWith(R"({"kind":"Event","apiVersion":"v1")"),
                    HasSubstr(R"("message":"n")"), HasSubstr(R"("involvedObject":{"kind":"Pod")")));
  EXPECT_THAT(get(path)->body,
              AllOf(StartsWith(R"({"kind":"EventList","apiVersion":"events.k8s.io/v1")"),
                    HasSubstr(R"("note":"n")"), HasSubstr(R"("regarding":{"kind":"Pod")")));
  EXPECT_THAT(get(path + "?watch=true&resourceVersion=0")->body,
              AllOf(StartsWith(R"({"type":"ADDED","object":{"kind":"Event","apiVersion":)"
                               R"("events.k8s.io/v1")"),
                    HasSubstr(R"("note":"n")")));
  const http::Headers table = {{"Accept", "application/json;as=Table;v=v1;g=meta.k8s.io"}};
  EXPECT_THAT(get(path, table)->body, HasSubstr(R"("pod/p")"));
  const http::Headers protobuf = {{"Accept", "application/vnd.kubernetes.protobuf"}};
  EXPECT_THAT(get(path, protobuf)->body, HasSubstr("events.k8s.io/v1"));
  EXPECT_THAT(get("/apis/events.k8s.io/v1")->body,
              HasSubstr(R"("name":"events","singularName":"event","namespaced":true)"));
}

}  // namespace
}  // namespace windlass::apiserver
