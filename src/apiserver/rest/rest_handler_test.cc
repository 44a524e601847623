// Routing, discovery, access and the plain verbs through the whole handler.
#include "apiserver/rest/rest_testing.h"

namespace windlass::apiserver {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

constexpr const char* kPods = "/api/v1/namespaces/default/pods";
constexpr const char* kMaps = "/api/v1/namespaces/default/configmaps";

using RestHandlerTest = RestTest;

TEST_F(RestHandlerTest, M1_CreateGetUpdateDelete) {
  const auto created = post(kMaps, R"({"metadata":{"name":"a"},"data":{"k":"v"}})");
  EXPECT_EQ(created->status, 201);
  EXPECT_THAT(created->body, StartsWith(R"({"kind":"ConfigMap","apiVersion":"v1","metadata":)"));
  EXPECT_EQ(created->header("Content-Type"), "application/json");
  EXPECT_EQ(created->header("Cache-Control"), "no-cache, private");

  const auto read = get(std::string(kMaps) + "/a");
  EXPECT_EQ(read->status, 200);
  EXPECT_EQ(read->body, created->body);
  EXPECT_EQ(get(std::string(kMaps) + "/a")->body, created->body) << "the second read is cached";

  const auto updated = send(
      request("PUT", std::string(kMaps) + "/a", R"({"metadata":{"name":"a"},"data":{"k":"w"}})"));
  EXPECT_EQ(updated->status, 200);
  EXPECT_THAT(get(std::string(kMaps) + "/a")->body, HasSubstr(R"("data":{"k":"w"})"));

  const auto deleted = send(request("DELETE", std::string(kMaps) + "/a"));
  EXPECT_EQ(deleted->status, 200);
  EXPECT_EQ(get(std::string(kMaps) + "/a")->status, 404);
}

TEST_F(RestHandlerTest, M20b_DeleteAnswersWithAStatusThatNamesTheObject) {
  must_create(config_map("a"), R"({"metadata":{"uid":"x"}})");
  const std::string uid = meta(config_map("a")).uid();
  const auto deleted = send(request("DELETE", std::string(kMaps) + "/a"));
  EXPECT_EQ(deleted->body,
            R"({"kind":"Status","apiVersion":"v1","metadata":{},"status":"Success","details":)"
            R"({"name":"a","kind":"configmaps","uid":")" +
                uid + "\"}}\n");
}

TEST_F(RestHandlerTest, M20c_NotFoundIsAStatus) {
  const auto answer = get("/apis/batch/v1/namespaces/default/jobs/x");
  EXPECT_EQ(answer->status, 404);
  EXPECT_EQ(answer->body, R"({"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure",)"
                          R"("message":"jobs.batch \"x\" not found","reason":"NotFound",)"
                          R"("details":{"name":"x","group":"batch","kind":"jobs"},"code":404})"
                          "\n");
}

TEST_F(RestHandlerTest, M29_UnknownResourcesAndUnknownPaths) {
  for (const char* path : {"/api/v1/zorks", "/api/v1/namespaces/default/pods/p/zork",
                           "/apis/batch/v1/namespaces/default/jobs/j/scale", "/api/v1/pods/p",
                           "/api/v1/namespaces/default/nodes/n"}) {
    const auto answer = get(path);
    EXPECT_EQ(answer->status, 404) << path;
    EXPECT_THAT(answer->body, AllOf(HasSubstr("the server could not find the requested resource"),
                                    HasSubstr(R"("details":{},"code":404)")))
        << path;
  }
  for (const char* path : {"/zork", "/apis/zork.io", "/apis/zork.io/v1", "/apis/batch/v2/jobs",
                           "/api/v2/pods", "/api/v2", "/openapi/v4"}) {
    const auto answer = get(path);
    EXPECT_EQ(answer->status, 404) << path;
    EXPECT_EQ(answer->body, "404 page not found\n") << path;
    EXPECT_EQ(answer->header("Content-Type"), "text/plain; charset=utf-8");
  }
}

TEST_F(RestHandlerTest, M28_MethodsThatAreNotAllowed) {
  must_create_pod("p");
  const std::vector<std::pair<std::string, std::string>> refused = {
      {"POST", "/api/v1/namespaces/default/pods/p"},
      {"POST", "/api/v1/pods"},
      {"HEAD", "/api/v1/namespaces/default/pods/p"},
      {"OPTIONS", "/api/v1/namespaces/default/pods"},
      {"PUT", "/api/v1/namespaces/default/pods"},
      {"PUT", "/api/v1/namespaces/default/pods?fieldSelector=metadata.name=p"},
      {"DELETE", "/api/v1/namespaces"},
      {"DELETE", "/api/v1/pods"},
      {"GET", "/api/v1/namespaces/default/pods/p/binding"},
      {"POST", "/version"},
  };
  for (const auto& [method, path] : refused) {
    const auto answer = send(request(method, path));
    EXPECT_EQ(answer->status, 405) << method << " " << path;
    EXPECT_THAT(answer->body,
                HasSubstr("the server does not allow this method on the requested resource"));
  }
}

TEST_F(RestHandlerTest, M28_RequestsNeedCredentials) {
  const auto anonymous = send({"GET", kPods, {}, "", {}});
  EXPECT_EQ(anonymous->status, 401);
  EXPECT_THAT(anonymous->body, HasSubstr(R"("message":"Unauthorized","reason":"Unauthorized")"));
  const auto wrong = send({"GET", "/api/v1/nodes", {{"Authorization", "Bearer zork"}}, "", {}});
  EXPECT_EQ(wrong->status, 401);
  EXPECT_EQ(send({"GET", "/healthz", {}, "", {}})->status, 200);
}

// Over HTTP/2 one connection asks 250 times at once: what it does not take of the answers must be
// little enough to keep no place (net/server_limits.h, small_answer_bytes).
TEST_F(RestHandlerTest, M28_AnswersWithoutCredentialsAreSmall) {
  constexpr size_t kEnough = 65536 / 250;
  const std::string much(100'000, 'x');
  const http::Headers headers[] = {{},
                                   {{"Authorization", "Bearer " + much}},
                                   {{"Impersonate-User", much}},
                                   {{"Impersonate-Group", much}},
                                   {{"Accept", much}}};
  const std::string targets[] = {kPods,          "/healthz",
                                 "/version",     "/",
                                 "/api/" + much, std::string(kPods) + "?fieldSelector=" + much};
  for (const auto& each : headers) {
    for (const std::string& target : targets) {
      for (const char* method : {"GET", "POST", "ZORK"}) {
        const auto answer = send({method, target, each, "", {}});
        EXPECT_LE(answer->body.size(), kEnough)
            << method << ' ' << target.substr(0, 40) << ' ' << answer->body.substr(0, 300);
      }
    }
  }
}

TEST_F(RestHandlerTest, M28_WhoMayNotAskIsToldSoBeforeTheBodyComes) {
  const auto told = [&](const http::Request& head, const http::Peer& peer = {}) {
    const auto refusal = handler.screen(head, *handler.read_head(head, peer));
    return refusal ? refusal->status : 0;
  };
  const auto with = [](const char* token) {
    return http::Headers{{"Authorization", std::string("Bearer ") + token}};
  };
  EXPECT_EQ(told({"POST", kMaps}), 401);
  EXPECT_EQ(told({"GET", "/healthz"}), 401) << "everyone may read it, without a body";
  EXPECT_EQ(told({"POST", kMaps, with("zork")}), 401);
  EXPECT_EQ(told({"POST", kMaps, with(kViewerToken)}), 403);
  EXPECT_EQ(told({"POST", "/a/../b", with(kAdminToken)}), 400);
  EXPECT_EQ(told({"POST", kMaps, with(kAdminToken)}), 0);
  EXPECT_EQ(told({"POST", kMaps}, {"127.0.0.1:1", "admin", {"system:masters"}}), 0);
  EXPECT_EQ(told({"POST", "/api/v1/zorks", with(kAdminToken)}), 0) << "prepare() says 404";
  const http::Request head{"POST", kMaps};
  const auto refusal = handler.screen(head, *handler.read_head(head, {}));
  EXPECT_THAT(refusal->body, HasSubstr(R"("message":"Unauthorized","reason":"Unauthorized")"));
}

TEST_F(RestHandlerTest, M28_AViewerReadsAndNothingElse) {
  const http::Headers viewer = {{"Authorization", std::string("Bearer ") + kViewerToken}};
  EXPECT_EQ(send({"GET", kPods, viewer, "", {}})->status, 200);
  const auto refused = send({"POST", kMaps, viewer, "{}", {}});
  EXPECT_EQ(refused->status, 403);
  EXPECT_THAT(refused->body, HasSubstr("is forbidden: User \\\"viewer\\\" cannot create"));
  EXPECT_EQ(send({"GET", "/api/v1/secrets", viewer, "", {}})->status, 403);
}

TEST_F(RestHandlerTest, ANodeSeesItsOwnPodsOnly) {
  must_create(pod("mine"),
              with_spec("{}", R"({"nodeName":"n1","containers":[{"name":"c","image":"i"}]})"));
  must_create(pod("other"),
              with_spec("{}", R"({"nodeName":"n2","containers":[{"name":"c","image":"i"}]})"));
  const http::Headers node = {{"Authorization", std::string("Bearer ") + kNodeToken}};
  EXPECT_EQ(send({"GET", std::string(kPods) + "/mine", node, "", {}})->status, 200);
  EXPECT_EQ(send({"GET", std::string(kPods) + "/other", node, "", {}})->status, 403);
  EXPECT_EQ(send({"GET", kPods, node, "", {}})->status, 403);
  EXPECT_EQ(send({"DELETE", std::string(kPods) + "/other", node, "", {}})->status, 403);
  EXPECT_NE(stored(pod("other")), nullptr);
}

// Those that its pods name, however many other pods there are; whether there is another is not
// told.
TEST_F(RestHandlerTest, ANodeReadsTheSecretsThatItsPodsNameOnly) {
  const auto add_pod = [this](const std::string& name, const std::string& node,
                              const std::string& secret) {
    must_create(pod(name),
                with_spec("{}", R"({"nodeName":")" + node +
                                    R"(","containers":[{"name":"c","image":"i"}],)"
                                    R"("volumes":[{"name":"v","secret":{"secretName":")" +
                                    secret + R"("}}]})"));
  };
  constexpr int kMany = 1200;  // more than are looked at in one go
  for (int i = 0; i < kMany; ++i) {
    add_pod("p" + std::to_string(i), "n2", "others");
  }
  add_pod("q", "n1", "mine");
  add_pod("r", "n1", "missing");
  const std::string secrets = "/api/v1/namespaces/default/secrets";
  for (const char* name : {"mine", "others", "unowned"}) {
    EXPECT_EQ(post(secrets, std::string(R"({"metadata":{"name":")") + name + R"("}})")->status,
              201);
  }
  const http::Headers node = {{"Authorization", std::string("Bearer ") + kNodeToken}};
  const auto status = [&](const std::string& name) {
    return send({"GET", secrets + "/" + name, node, "", {}})->status;
  };
  EXPECT_EQ(status("mine"), 200);
  EXPECT_EQ(status("missing"), 404);
  EXPECT_EQ(status("others"), 403);
  EXPECT_EQ(status("unowned"), 403);
  EXPECT_EQ(status("not-there"), 403);
  EXPECT_EQ(send({"GET", secrets, node, "", {}})->status, 403);
}

TEST_F(RestHandlerTest, E5_ListsThatClientsInsistOnAreEmpty) {
  for (const char* path :
       {"/api/v1/replicationcontrollers", "/api/v1/namespaces/kube-system/replicationcontrollers",
        "/apis/apps/v1/namespaces/kube-system/replicasets", "/apis/apps/v1/daemonsets",
        "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"}) {
    const auto answer = get(path);
    EXPECT_EQ(answer->status, 200) << path;
    EXPECT_THAT(answer->body, HasSubstr(R"("items":[])")) << path;
  }
  EXPECT_THAT(get("/apis/apps/v1/daemonsets")->body,
              StartsWith(R"({"kind":"DaemonSetList","apiVersion":"apps/v1","metadata":)"));
  EXPECT_EQ(post("/apis/apps/v1/namespaces/default/daemonsets", "{}")->status, 404);
}

TEST_F(RestHandlerTest, M120_PlainDiscovery) {
  EXPECT_EQ(get("/api")->body,
            R"({"kind":"APIVersions","versions":["v1"],"serverAddressByClientCIDRs":)"
            R"([{"clientCIDR":"0.0.0.0/0","serverAddress":"127.0.0.1:6443"}]})"
            "\n");
  http::Request over_socket = request("GET", "/api");
  over_socket.peer.reached = "192.0.2.7:40404";
  EXPECT_THAT(send(over_socket)->body, HasSubstr(R"("serverAddress":"192.0.2.7:40404")"));
  EXPECT_THAT(get("/apis")->body,
              AllOf(StartsWith(R"({"kind":"APIGroupList","apiVersion":"v1","groups":[)"),
                    HasSubstr(R"({"name":"batch","versions":[{"groupVersion":"batch/v1",)"
                              R"("version":"v1"}],"preferredVersion":{"groupVersion":"batch/v1",)"
                              R"("version":"v1"}})")));
  EXPECT_THAT(get("/apis/batch")->body,
              StartsWith(R"({"kind":"APIGroup","apiVersion":"v1","name":"batch")"));
}

TEST_F(RestHandlerTest, M121_J153_P106_ResourcesOfAVersion) {
  const std::string core = get("/api/v1")->body;
  EXPECT_THAT(core, StartsWith(R"({"kind":"APIResourceList","groupVersion":"v1","resources":[)"));
  EXPECT_THAT(
      core,
      HasSubstr(R"({"name":"pods","singularName":"pod","namespaced":true,"kind":"Pod","verbs":)"
                R"(["create","delete","deletecollection","get","list","patch","update","watch"],)"
                R"("shortNames":["po"],"categories":["all"]})"));
  EXPECT_THAT(core, HasSubstr(R"({"name":"pods/eviction","singularName":"","namespaced":true,)"
                              R"("group":"policy","version":"v1","kind":"Eviction",)"
                              R"("verbs":["create"]})"));
  EXPECT_THAT(get("/apis/batch/v1")->body,
              AllOf(HasSubstr(R"("apiVersion":"v1","groupVersion":"batch/v1")"),
                    HasSubstr(R"({"name":"jobs/status","singularName":"","namespaced":true,)"
                              R"("kind":"Job","verbs":["get","patch","update"]})")));
}

TEST_F(RestHandlerTest, M122_AggregatedDiscovery) {
  const std::string accept =
      "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList,"
      "application/json;g=apidiscovery.k8s.io;v=v2beta1;as=APIGroupDiscoveryList,application/json";
  const auto groups = get("/apis", {{"Accept", accept}});
  EXPECT_EQ(groups->header("Content-Type"),
            "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList");
  EXPECT_THAT(groups->body,
              HasSubstr(R"({"resource":"jobs","responseKind":{"group":"","version":"",)"
                        R"("kind":"Job"},"scope":"Namespaced","singularResource":"job",)"));
  const auto core = get("/api", {{"Accept", accept}});
  EXPECT_THAT(core->body, HasSubstr(R"("items":[{"metadata":{},"versions":[{"version":"v1")"));
  EXPECT_THAT(core->body, HasSubstr(R"({"subresource":"eviction","responseKind":{"group":"policy",)"
                                    R"("version":"v1","kind":"Eviction"},"verbs":["create"]})"));
  const auto same = get("/api", {{"Accept", accept}, {"If-None-Match", core->header("ETag")}});
  EXPECT_EQ(same->status, 304);
  const auto beta = get("/api", {{"Accept",
                                  "application/json;g=apidiscovery.k8s.io;v=v2beta1;"
                                  "as=APIGroupDiscoveryList,application/json"}});
  EXPECT_THAT(beta->body, HasSubstr("apidiscovery.k8s.io/v2beta1"));
  EXPECT_THAT(get("/apis", {{"Accept", "application/json"}})->body, HasSubstr("APIGroupList"));
}

TEST_F(RestHandlerTest, M126_Version) {
  EXPECT_THAT(get("/version")->body,
              AllOf(HasSubstr("\"major\": \"1\""),
                    HasSubstr("\"gitVersion\": \"v1.33.0+windlass.0.0.0\"")));
}

TEST_F(RestHandlerTest, M127_Health) {
  EXPECT_EQ(get("/healthz")->body, "ok");
  EXPECT_EQ(get("/livez?verbose")->body, "[+]ping ok\nlivez check passed\n");
  EXPECT_EQ(get("/readyz?verbose")->body,
            "[+]ping ok\n[+]store ok\n[+]store-room ok\nreadyz check passed\n");
  EXPECT_EQ(get("/readyz/store")->body, "ok");
  EXPECT_EQ(get("/readyz/zork")->status, 404);
}

TEST_F(RestHandlerTest, MetricsCountRequestsByWhatIsServed) {
  get(kPods);
  get("/api/v1/namespaces/default/pods/none");
  send(request("ZORK", "/zork"));
  const std::string text = get("/metrics")->body;
  EXPECT_THAT(
      text,
      HasSubstr(R"(windlass_apiserver_requests_total{verb="list",resource="pods",code="200"} 1)"));
  EXPECT_THAT(
      text,
      HasSubstr(R"(windlass_apiserver_requests_total{verb="get",resource="pods",code="404"} 1)"));
  EXPECT_THAT(text, Not(HasSubstr("zork")));
  EXPECT_THAT(text, HasSubstr("windlass_store_revision "));
}

TEST_F(RestHandlerTest, M128_SelfSubjectReview) {
  // What the body claims plays no part.
  const auto viewer = send({"POST",
                            "/apis/authentication.k8s.io/v1/selfsubjectreviews",
                            {{"Authorization", std::string("Bearer ") + kViewerToken}},
                            R"({"status":{"userInfo":{"username":"root","uid":"7"}}})",
                            {}});
  EXPECT_EQ(viewer->status, 201);
  EXPECT_THAT(viewer->body, HasSubstr(R"("kind":"SelfSubjectReview")"));
  EXPECT_THAT(viewer->body, HasSubstr(R"("status":{"userInfo":{"username":"viewer",)"
                                      R"("groups":["windlass:viewers","system:authenticated"]}})"));
}

TEST_F(RestHandlerTest, M28_RequestsInTheNameOfAnotherUser) {
  const http::Headers as_viewer = {{"Impersonate-User", "bob"},
                                   {"Impersonate-Group", "windlass:viewers"},
                                   {"Impersonate-Uid", "7"}};
  EXPECT_THAT(post("/apis/authentication.k8s.io/v1/selfsubjectreviews", "{}", as_viewer)->body,
              HasSubstr(R"("status":{"userInfo":{"username":"bob","uid":"7",)"
                        R"("groups":["windlass:viewers","system:authenticated"]}})"));
  EXPECT_EQ(get(kMaps, as_viewer)->status, 200);
  const auto refused = post(kMaps, R"({"metadata":{"name":"a"}})", as_viewer);
  EXPECT_EQ(refused->status, 403);
  EXPECT_THAT(refused->body, HasSubstr(R"(User \"bob\" cannot create)"));
  EXPECT_EQ(stored(config_map("a")), nullptr);
  EXPECT_THAT(
      post("/apis/authorization.k8s.io/v1/selfsubjectaccessreviews",
           R"({"spec":{"resourceAttributes":{"verb":"create","resource":"pods"}}})", as_viewer)
          ->body,
      HasSubstr(R"("allowed":false)"));
  // Impersonation adds no rights.
  const auto viewer = send({"GET",
                            kMaps,
                            {{"Authorization", std::string("Bearer ") + kViewerToken},
                             {"Impersonate-User", "admin"},
                             {"Impersonate-Group", "system:masters"}},
                            "",
                            {}});
  EXPECT_EQ(viewer->status, 403);
  EXPECT_THAT(viewer->body,
              HasSubstr(R"(users \"admin\" is forbidden: User \"viewer\" cannot impersonate )"
                        R"(resource \"users\" in API group \"\" at the cluster scope)"));
  EXPECT_EQ(get(kMaps, {{"Impersonate-Group", "system:masters"}})->status, 500);
}

TEST_F(RestHandlerTest, M128_SelfSubjectAccessReview) {
  const std::string path = "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews";
  const std::string body =
      R"({"spec":{"resourceAttributes":{"namespace":"default","verb":"create","group":"batch",)"
      R"("resource":"jobs"}}})";
  const auto admin = post(path, body);
  EXPECT_EQ(admin->status, 201);
  EXPECT_THAT(admin->body, HasSubstr(R"("status":{"allowed":true)"));
  const auto viewer =
      send({"POST", path, {{"Authorization", std::string("Bearer ") + kViewerToken}}, body, {}});
  EXPECT_THAT(viewer->body, HasSubstr(R"("status":{"allowed":false)"));
  // kubectl asks for tables of whatever it posts; of a review there is none.
  for (const char* accept :
       {"application/json;as=Table;v=v1;g=meta.k8s.io",
        "application/json;as=Table;v=v1;g=meta.k8s.io,application/json;as=Table;v=v1beta1;"
        "g=meta.k8s.io,application/json",
        "application/vnd.kubernetes.protobuf;as=Table;v=v1;g=meta.k8s.io,application/json"}) {
    const auto review = post(path, body, {{"Accept", accept}});
    EXPECT_EQ(review->status, 201) << accept;
    EXPECT_THAT(review->body, HasSubstr(R"({"kind":"SelfSubjectAccessReview",)")) << accept;
  }
}

TEST_F(RestHandlerTest, M128_SelfSubjectRulesReview) {
  const std::string path = "/apis/authorization.k8s.io/v1/selfsubjectrulesreviews";
  const auto admin = post(path, R"({"spec":{"namespace":"default"}})");
  EXPECT_EQ(admin->status, 201);
  EXPECT_THAT(admin->body, HasSubstr(R"("kind":"SelfSubjectRulesReview")"));
  EXPECT_THAT(admin->body, HasSubstr(R"("status":{"resourceRules":[{"verbs":["*"],)"
                                     R"("apiGroups":["*"],"resources":["*"]}],)"
                                     R"("nonResourceRules":[{"verbs":["*"],)"
                                     R"("nonResourceURLs":["*"]}],"incomplete":false})"));
  const auto viewer = send({"POST",
                            path,
                            {{"Authorization", std::string("Bearer ") + kViewerToken}},
                            R"({"spec":{"namespace":"default"}})",
                            {}});
  EXPECT_THAT(viewer->body, HasSubstr(R"("resources":["pods","pods/status","pods/log"])"));
  EXPECT_EQ(viewer->body.find("secrets"), std::string::npos);
  const auto nowhere = post(path, "{}");
  EXPECT_EQ(nowhere->status, 400);
  EXPECT_THAT(nowhere->body, HasSubstr("no namespace on request"));
}

}  // namespace
}  // namespace windlass::apiserver
