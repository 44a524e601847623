#include "apiserver/auth/authorizer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace windlass::apiserver {
namespace {

using ::testing::Contains;
using ::testing::Not;

const User kAdmin = authenticated_user("admin", {"system:masters"});
const User kViewer = authenticated_user("viewer", {"windlass:viewers"});
const User kNode = authenticated_user("system:node:n1", {"system:nodes"});
const User kStranger = authenticated_user("stranger", {});

RequestInfo info_of(std::string_view method, std::string_view target) {
  return request_info(method, *http::parse_target(target));
}

Permission access(const User& user, std::string_view method, std::string_view target) {
  return permission_of(user, info_of(method, target));
}

constexpr auto kDenied = Permission::denied;
constexpr auto kAllowed = Permission::allowed;
constexpr auto kDepends = Permission::depends_on_object;

struct AccessCase {
  const char* method;
  const char* target;
  Permission viewer;
  Permission node;
  Permission stranger = kDenied;
  Permission anonymous = kDenied;
};

constexpr AccessCase kCases[] = {
    {"GET", "/healthz", kAllowed, kAllowed, kAllowed, kAllowed},
    {"HEAD", "/healthz", kAllowed, kAllowed, kAllowed, kAllowed},
    {"GET", "/livez?verbose", kAllowed, kAllowed, kAllowed, kAllowed},
    {"GET", "/readyz", kAllowed, kAllowed, kAllowed, kAllowed},
    {"GET", "/version", kAllowed, kAllowed, kAllowed, kAllowed},
    {"GET", "/readyz/store", kAllowed, kAllowed},
    {"POST", "/healthz", kDenied, kDenied},
    {"GET", "/api", kAllowed, kAllowed},
    {"GET", "/apis/batch/v1", kAllowed, kAllowed},
    {"GET", "/openapi/v3/apis/batch/v1", kAllowed, kAllowed},
    {"GET", "/metrics", kAllowed, kDenied},
    {"GET", "/debug/pprof", kDenied, kDenied},
    {"GET", "/", kDenied, kDenied},

    {"GET", "/api/v1/pods", kAllowed, kDenied},
    {"GET", "/api/v1/pods?watch=1", kAllowed, kDenied},
    {"GET", "/apis/batch/v1/namespaces/a/jobs/j", kAllowed, kDenied},
    {"GET", "/apis/batch/v1/namespaces/a/jobs/j/status", kAllowed, kDenied},
    {"GET", "/api/v1/namespaces/a/pods/p/log", kAllowed, kDenied},
    {"GET", "/api/v1/namespaces/a/pods/p/exec", kDenied, kDenied},
    {"GET", "/api/v1/namespaces/a/pods/p/proxy/x", kDenied, kDenied},
    {"GET", "/api/v1/namespaces/a/pods/p/log/x", kDenied, kDenied},
    {"GET", "/api/v1/namespaces/a/pods/p/exec", kDenied, kDenied},
    {"POST", "/api/v1/namespaces/a/pods/p/exec", kDenied, kDenied},
    {"GET", "/api/v1/namespaces/a/configmaps/c", kAllowed, kDepends},
    {"GET", "/api/v1/namespaces/a/configmaps", kAllowed, kDenied},
    {"GET", "/api/v1/secrets", kDenied, kDenied},
    {"GET", "/api/v1/namespaces/a/secrets/s", kDenied, kDepends},
    {"GET", "/api/v1/namespaces/a/secrets?fieldSelector=metadata.name=s", kDenied, kDenied},
    {"PUT", "/api/v1/namespaces/a/secrets/s", kDenied, kDenied},
    {"GET", "/api/v1/namespaces/a/secrets?watch=1", kDenied, kDenied},
    {"GET", "/api/v1/watch/namespaces/a/secrets", kDenied, kDenied},
    {"POST", "/api/v1/namespaces/a/pods", kDenied, kDenied},
    {"PUT", "/apis/batch/v1/namespaces/a/jobs/j", kDenied, kDenied},
    {"PATCH", "/apis/batch/v1/namespaces/a/jobs/j/status", kDenied, kDenied},
    {"DELETE", "/api/v1/namespaces/a", kDenied, kDenied},
    {"DELETE", "/api/v1/namespaces/a/pods", kDenied, kDenied},
    {"DELETE", "/api/v1/namespaces/a/pods?fieldSelector=spec.nodeName=n1", kDenied, kDenied},
    {"OPTIONS", "/api/v1/pods", kDenied, kDenied},
    {"POST", "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews", kAllowed, kAllowed,
     kAllowed},
    {"POST", "/apis/authorization.k8s.io/v1/selfsubjectrulesreviews", kAllowed, kAllowed, kAllowed},
    {"POST", "/apis/authentication.k8s.io/v1/selfsubjectreviews", kAllowed, kAllowed, kAllowed},
    {"POST", "/apis/authorization.k8s.io/v1/subjectaccessreviews", kDenied, kDenied},

    {"GET", "/api/v1/nodes/n1", kAllowed, kAllowed},
    {"GET", "/api/v1/nodes/n2", kAllowed, kDenied},
    {"GET", "/api/v1/nodes", kAllowed, kDenied},
    {"GET", "/api/v1/nodes?watch=1&fieldSelector=metadata.name=n1", kAllowed, kAllowed},
    {"GET", "/api/v1/nodes?watch=1&fieldSelector=metadata.name!=n1", kAllowed, kDenied},
    {"POST", "/api/v1/nodes", kDenied, kDepends},
    {"PUT", "/api/v1/nodes/n1", kDenied, kAllowed},
    {"PATCH", "/api/v1/nodes/n1/status", kDenied, kAllowed},
    {"PATCH", "/api/v1/nodes/n2/status", kDenied, kDenied},
    {"DELETE", "/api/v1/nodes/n1", kDenied, kDenied},
    {"DELETE", "/api/v1/nodes", kDenied, kDenied},

    {"GET", "/api/v1/pods?fieldSelector=spec.nodeName=n1", kAllowed, kAllowed},
    {"GET", "/api/v1/pods?watch=1&fieldSelector=spec.nodeName=n1", kAllowed, kAllowed},
    {"GET", "/api/v1/pods?fieldSelector=spec.nodeName=n2", kAllowed, kDenied},
    {"GET", "/api/v1/pods?fieldSelector=spec.nodeName!=n2", kAllowed, kDenied},
    {"GET", "/api/v1/namespaces/a/pods/p", kAllowed, kDepends},
    {"GET", "/api/v1/namespaces/a/pods/p?watch=1", kAllowed, kDenied},
    {"PATCH", "/api/v1/namespaces/a/pods/p/status", kDenied, kDepends},
    {"DELETE", "/api/v1/namespaces/a/pods/p", kDenied, kDepends},
    {"PATCH", "/api/v1/namespaces/a/pods/p", kDenied, kDenied},
    {"POST", "/api/v1/namespaces/a/pods/p/binding", kDenied, kDenied},
    {"POST", "/api/v1/namespaces/a/pods/p/eviction", kDenied, kDenied},

    {"POST", "/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases", kDenied, kDepends},
    {"PUT", "/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases/n1", kDenied, kAllowed},
    {"PUT", "/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases/n2", kDenied, kDenied},
    {"PUT", "/apis/coordination.k8s.io/v1/namespaces/kube-system/leases/n1", kDenied, kDenied},
    {"GET", "/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases/n1", kAllowed,
     kAllowed},
    {"POST", "/api/v1/namespaces/a/events", kDenied, kAllowed},
    {"PATCH", "/apis/events.k8s.io/v1/namespaces/a/events/e", kDenied, kAllowed},
    {"DELETE", "/api/v1/namespaces/a/events/e", kDenied, kDenied},
};

TEST(Authorizer, EveryRole) {
  for (const AccessCase& c : kCases) {
    const std::string what = std::string(c.method) + ' ' + c.target;
    EXPECT_EQ(access(kAdmin, c.method, c.target), kAllowed) << what;
    EXPECT_EQ(access(kViewer, c.method, c.target), c.viewer) << what;
    EXPECT_EQ(access(kNode, c.method, c.target), c.node) << what;
    EXPECT_EQ(access(kStranger, c.method, c.target), c.stranger) << what;
    EXPECT_EQ(access(anonymous_user(), c.method, c.target), c.anonymous) << what;
  }
}

std::string refusal(const User& user, std::string_view method, std::string_view target) {
  const auto allowed = authorize(user, info_of(method, target));
  return allowed ? "allowed" : allowed.error().message;
}

TEST(Authorizer, M28_RefusalsReadAsInKubernetes) {
  EXPECT_EQ(refusal(kViewer, "GET", "/api/v1/secrets"),
            "secrets is forbidden: User \"viewer\" cannot list resource \"secrets\" in API group "
            "\"\" at the cluster scope");
  EXPECT_EQ(refusal(kViewer, "DELETE", "/apis/batch/v1/namespaces/a/jobs/j"),
            "jobs.batch \"j\" is forbidden: User \"viewer\" cannot delete resource \"jobs\" in API "
            "group \"batch\" in the namespace \"a\"");
  EXPECT_EQ(refusal(kNode, "GET", "/api/v1/namespaces/a/pods/p/log"),
            "pods \"p\" is forbidden: User \"system:node:n1\" cannot get resource \"pods/log\" in "
            "API group \"\" in the namespace \"a\"");
  EXPECT_EQ(refusal(kViewer, "GET", "/debug"),
            "forbidden: User \"viewer\" cannot get path \"/debug\"");

  const auto refused = authorize(kViewer, info_of("GET", "/api/v1/namespaces/a/secrets/s"));
  EXPECT_EQ(refused.error().code, 403);
  EXPECT_EQ(refused.error().reason, "Forbidden");
  EXPECT_EQ(refused.error().details.name, "s");
  EXPECT_EQ(refused.error().details.kind, "secrets");
}

TEST(Authorizer, M28_AnUnauthenticatedUserIsUnauthorized) {
  const auto refused = authorize(anonymous_user(), info_of("GET", "/api/v1/pods"));
  EXPECT_EQ(refused.error(), unauthorized());
}

TEST(Authorizer, ANodeTouchesOnlyWhatIsItsOwn) {
  const RequestInfo pod = info_of("PATCH", "/api/v1/namespaces/a/pods/p/status");
  ASSERT_TRUE(*authorize(kNode, pod));
  EXPECT_TRUE(check_object(kNode, pod, {"p", "n1"}).has_value());
  EXPECT_FALSE(check_object(kNode, pod, {"p", ""}).has_value());
  EXPECT_FALSE(check_object(kNode, pod, {"n1", "n2"}).has_value());
  EXPECT_EQ(
      check_object(kNode, pod, {"p", "n2"}).error().message,
      "pods \"p\" is forbidden: User \"system:node:n1\" cannot patch resource \"pods/status\" "
      "in API group \"\" in the namespace \"a\": no relationship found between node 'n1' and "
      "this object");

  // Of a Secret the second is where a pod names it.
  const RequestInfo secret = info_of("GET", "/api/v1/namespaces/a/secrets/n1");
  EXPECT_TRUE(check_object(kNode, secret, {"n1", "n1"}).has_value());
  EXPECT_FALSE(check_object(kNode, secret, {"n1", ""}).has_value());

  const RequestInfo node = info_of("POST", "/api/v1/nodes");
  EXPECT_TRUE(check_object(kNode, node, {"n1", ""}).has_value());
  EXPECT_FALSE(check_object(kNode, node, {"n2", ""}).has_value());
  EXPECT_FALSE(check_object(kNode, node, {"", ""}).has_value());
  // Only nodes depend on objects; other users gain nothing from this check.
  EXPECT_FALSE(check_object(kViewer, node, {"", ""}).has_value());
}

TEST(AccessReview, SaysWhatTheRulesSay) {
  const auto asked = [](const char* verb, const char* group, const char* resource) {
    RequestInfo info;
    info.is_resource = true;
    info.verb = verb;
    info.group = group;
    info.resource = resource;
    return info;
  };
  EXPECT_TRUE(review_access(kAdmin, asked("*", "*", "*")).allowed);
  EXPECT_TRUE(review_access(kAdmin, asked("delete", "batch", "jobs")).allowed);
  EXPECT_TRUE(review_access(kViewer, asked("list", "batch", "jobs")).allowed);
  EXPECT_FALSE(review_access(kViewer, asked("*", "batch", "jobs")).allowed);
  EXPECT_FALSE(review_access(kViewer, asked("get", "*", "*")).allowed);
  EXPECT_FALSE(review_access(kViewer, asked("get", "", "*")).allowed);
  EXPECT_FALSE(review_access(kViewer, asked("get", "*", "secrets")).allowed);
  EXPECT_FALSE(review_access(kViewer, asked("create", "batch", "jobs")).allowed);

  const AccessReview pods = review_access(kNode, asked("get", "", "pods"));
  EXPECT_FALSE(pods.allowed);
  EXPECT_EQ(pods.reason, "only for objects that belong to this node");
  EXPECT_FALSE(review_access(kNode, asked("*", "", "nodes")).allowed);
}

TEST(RulesReview, ListsWhatEachRoleMayDo) {
  const ServedResource served[] = {{"", "pods"}, {"", "secrets"}, {"batch", "jobs"}};
  const RulesReview admin = review_rules(kAdmin, served);
  EXPECT_THAT(admin.resources, Contains(ResourceRule{{"*"}, {"*"}, {"*"}, {}}));
  EXPECT_THAT(admin.paths, Contains(PathRule{{"*"}, {"*"}}));

  const RulesReview viewer = review_rules(kViewer, served);
  const std::vector<std::string> read = {"get", "list", "watch"};
  EXPECT_THAT(viewer.resources,
              Contains(ResourceRule{read, {""}, {"pods", "pods/status", "pods/log"}, {}}));
  EXPECT_THAT(viewer.resources,
              Contains(ResourceRule{read, {"batch"}, {"jobs", "jobs/status"}, {}}));
  for (const ResourceRule& rule : viewer.resources) {
    EXPECT_THAT(rule.resources, Not(Contains("secrets")));
  }

  const RulesReview node = review_rules(kNode, served);
  EXPECT_THAT(node.resources,
              Contains(ResourceRule{{"get", "update", "patch"}, {""}, {"nodes/status"}, {"n1"}}));
  EXPECT_EQ(review_rules(kStranger, served).resources.size(), 2u);
  EXPECT_TRUE(review_rules(anonymous_user(), served).resources.empty());
}

}  // namespace
}  // namespace windlass::apiserver
