// What a node's credential may write, through the whole handler: the rules of Kubernetes' admission
// plugin NodeRestriction, and what our own agents write.
#include "apiserver/strategies/node_restriction.h"
#include "apiserver/rest/rest_testing.h"

namespace windlass::apiserver {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

TEST(NodeRestrictionLabels, TheClustersOwnAreNotTheNodes) {
  for (const char* key :
       {"disk", "example.com/disk", "kubernetes.io/hostname", "kubernetes.io/os",
        "kubernetes.io/arch", "beta.kubernetes.io/os", "beta.kubernetes.io/arch",
        "topology.kubernetes.io/zone", "topology.kubernetes.io/region",
        "failure-domain.beta.kubernetes.io/zone", "failure-domain.beta.kubernetes.io/region",
        "node.kubernetes.io/instance-type", "beta.kubernetes.io/instance-type",
        "kubelet.kubernetes.io/x", "a.kubelet.kubernetes.io/x", "node.kubernetes.io/x",
        "a.node.kubernetes.io/x", "notkubernetes.io/x", "kubernetes.io.example.com/x"}) {
    EXPECT_TRUE(node_may_set_label(key)) << key;
  }
  for (const char* key :
       {"node-restriction.kubernetes.io/x", "a.node-restriction.kubernetes.io/x", "kubernetes.io/x",
        "k8s.io/x", "a.k8s.io/x", "node-role.kubernetes.io/control-plane",
        "topology.kubernetes.io/rack", "xnode.kubernetes.io/x"}) {
    EXPECT_FALSE(node_may_set_label(key)) << key;
  }
}

class NodeRestrictionTest : public RestTest {
 protected:
  static constexpr const char* kNode = "/api/v1/nodes/n1";
  static constexpr const char* kPod = "/api/v1/namespaces/default/pods/p";

  std::shared_ptr<FakeExchange> as_node(std::string method, std::string target, std::string body,
                                        std::string type = "application/json") {
    return send({std::move(method),
                 std::move(target),
                 {{"Authorization", std::string("Bearer ") + kNodeToken},
                  {"Content-Type", std::move(type)}},
                 std::move(body),
                 {}});
  }
  std::shared_ptr<FakeExchange> merge(std::string target, std::string body) {
    return as_node("PATCH", std::move(target), std::move(body), "application/merge-patch+json");
  }
  void register_node() {
    ASSERT_EQ(as_node("POST", "/api/v1/nodes", R"({"metadata":{"name":"n1","labels":{"disk":"ssd",
        "kubernetes.io/hostname":"n1"}},"spec":{"taints":[{"key":"k","effect":"NoSchedule"}]}})")
                  ->status,
              201);
  }
  void make_bound_pod() {
    ASSERT_EQ(post("/api/v1/namespaces/default/pods",
                   R"({"metadata":{"name":"p","labels":{"job-name":"j"},"finalizers":)"
                   R"(["batch.kubernetes.io/job-tracking"],"annotations":{"a":"1"}},"spec":)"
                   R"({"nodeName":"n1","containers":[{"name":"c","image":"i"}]}})")
                  ->status,
              201);
  }
};

TEST_F(NodeRestrictionTest, RegistersWithItsTaintsButWithoutLabelsOfTheCluster) {
  const auto refused = as_node("POST", "/api/v1/nodes", R"({"metadata":{"name":"n1","labels":{
      "node-restriction.kubernetes.io/b":"1","kubernetes.io/a":"","kubernetes.io/os":"linux"}}})");
  EXPECT_EQ(refused->status, 403);
  EXPECT_THAT(refused->body,
              HasSubstr(R"(nodes \"n1\" is forbidden: node \"n1\" is not allowed to set the )"
                        R"(following labels: kubernetes.io/a, node-restriction.kubernetes.io/b)"));
  const auto owned = as_node("POST", "/api/v1/nodes", R"({"metadata":{"name":"n1",
      "ownerReferences":[{"apiVersion":"v1","kind":"Pod","name":"p","uid":"u"}]}})");
  EXPECT_EQ(owned->status, 403);
  EXPECT_THAT(owned->body, HasSubstr("is not allowed to modify ownerReferences"));
  register_node();
}

TEST_F(NodeRestrictionTest, ApplyIsNoWayAround) {
  const auto refused = as_node("PATCH", std::string(kNode) + "?fieldManager=m",
                               R"({"apiVersion":"v1","kind":"Node","metadata":{"name":"n1","labels":
                               {"node-restriction.kubernetes.io/b":"1"}}})",
                               "application/apply-patch+yaml");
  EXPECT_EQ(refused->status, 403) << refused->body;
  EXPECT_EQ(get(kNode)->status, 404);
}

TEST_F(NodeRestrictionTest, ChangesNoTaintsOwnersOrLabelsOfTheCluster) {
  register_node();
  const auto admin = send(request(
      "PATCH", kNode,
      R"({"metadata":{"labels":{"node-restriction.kubernetes.io/team":"a","kubernetes.io/x":"1"}}})",
      {{"Content-Type", "application/merge-patch+json"}}));
  ASSERT_EQ(admin->status, 200);
  for (const char* subresource : {"", "/status"}) {
    const std::string path = kNode + std::string(subresource);
    const auto taints = merge(path, R"({"spec":{"taints":[]}})");
    EXPECT_EQ(taints->status, 403) << subresource;
    EXPECT_THAT(taints->body, HasSubstr(R"(node \"n1\" is not allowed to modify taints)"));
    // One that is changed, one that is taken off, one that is added.
    const auto labels = merge(path, R"({"metadata":{"labels":{"kubernetes.io/x":null,
        "node-restriction.kubernetes.io/team":"b","k8s.io/new":"1","disk":"hdd"}}})");
    EXPECT_EQ(labels->status, 403) << subresource;
    EXPECT_THAT(labels->body, HasSubstr("is not allowed to modify labels: k8s.io/new, "
                                        "kubernetes.io/x, node-restriction.kubernetes.io/team"));
    const auto owners = merge(path, R"({"metadata":{"ownerReferences":[{"apiVersion":"v1",
        "kind":"Pod","name":"p","uid":"u"}]}})");
    EXPECT_EQ(owners->status, 403) << subresource;
    EXPECT_THAT(owners->body, HasSubstr("is not allowed to modify ownerReferences"));
  }
  EXPECT_THAT(get(kNode)->body, AllOf(HasSubstr(R"("node-restriction.kubernetes.io/team":"a")"),
                                      HasSubstr(R"("key":"k")"), HasSubstr(R"("disk":"ssd")")));
}

TEST_F(NodeRestrictionTest, WritesWhatAnAgentWrites) {
  register_node();
  EXPECT_EQ(merge(kNode, R"({"metadata":{"labels":{"disk":"hdd","topology.kubernetes.io/zone":"z"},
      "annotations":{"windlass.dev/agent":"x"}}})")
                ->status,
            200);
  // As it was read, and with a new status.
  const std::string read = as_node("GET", kNode, "")->body;
  EXPECT_EQ(as_node("PUT", kNode, read)->status, 200);
  EXPECT_EQ(merge(std::string(kNode) + "/status",
                  R"({"status":{"conditions":[{"type":"Ready","status":"True"}]}})")
                ->status,
            200);
}

TEST_F(NodeRestrictionTest, OfAPodTheStatusAlone) {
  make_bound_pod();
  const std::string status = std::string(kPod) + "/status";
  const auto labels = merge(status, R"({"metadata":{"labels":{"job-name":"other"}}})");
  EXPECT_EQ(labels->status, 403);
  EXPECT_THAT(
      labels->body,
      HasSubstr(R"(pods \"p\" is forbidden: node \"n1\" cannot update labels through pod status)"));
  const auto finalizers = merge(status, R"({"metadata":{"finalizers":[]}})");
  EXPECT_EQ(finalizers->status, 403);
  EXPECT_THAT(finalizers->body, HasSubstr("cannot update finalizers through pod status"));
  // The patch that is carried out without JSON.
  EXPECT_EQ(as_node("PATCH", status,
                    R"({"metadata":{"$deleteFromPrimitiveList/finalizers":)"
                    R"(["batch.kubernetes.io/job-tracking"]}})",
                    "application/strategic-merge-patch+json")
                ->status,
            403);
  EXPECT_THAT(merge(status, R"({"metadata":{"annotations":{"a":"2"}}})")->body,
              HasSubstr("cannot update annotations through pod status"));
  EXPECT_THAT(merge(status, R"({"status":{"resourceClaimStatuses":[{"name":"x"}]}})")->body,
              HasSubstr("cannot update resource claim statues"));
  EXPECT_THAT(get(kPod)->body, AllOf(HasSubstr(R"("job-name":"j")"), HasSubstr("job-tracking"),
                                     Not(HasSubstr(R"("a":"2")"))));
  EXPECT_EQ(merge(status, R"({"status":{"phase":"Running"}})")->status, 200);
  EXPECT_EQ(as_node("PUT", status, as_node("GET", kPod, "")->body)->status, 200);
}

TEST_F(NodeRestrictionTest, OthersMayDoAllThat) {
  register_node();
  make_bound_pod();
  const http::Headers type = {{"Content-Type", "application/merge-patch+json"}};
  EXPECT_EQ(send(request("PATCH", kNode, R"({"spec":{"taints":[]}})", type))->status, 200);
  EXPECT_EQ(send(request("PATCH", std::string(kPod) + "/status",
                         R"({"metadata":{"labels":{"x":"y"}}})", type))
                ->status,
            200);
  // But not in the node's name.
  http::Headers as = type;
  as.push_back({"Impersonate-User", "system:node:n1"});
  as.push_back({"Impersonate-Group", "system:nodes"});
  EXPECT_EQ(
      send(request("PATCH", kNode, R"({"metadata":{"labels":{"k8s.io/x":"y"}}})", as))->status,
      403);
}

}  // namespace
}  // namespace windlass::apiserver
