#include "apiserver/auth/gate.h"

#include <gtest/gtest.h>

namespace windlass::apiserver {
namespace {

Gate gate() {
  return Gate(
      Authenticator({{digest_of_token("see"), authenticated_user("v", {"windlass:viewers"})},
                     {digest_of_token("all"), authenticated_user("a", {"system:masters"})}}));
}

int code_of(const http::Request& request) {
  const auto admitted = gate().admit(request);
  return admitted ? 200 : admitted.error().code;
}

TEST(Gate, DecidesAndHandsOnWhatItDecidedOn) {
  const http::Request request{"GET", "/api/v1/pods?limit=5", {{"Authorization", "Bearer see"}}};
  const auto admitted = gate().admit(request);
  ASSERT_TRUE(admitted.has_value());
  EXPECT_EQ(admitted->user.name, "v");
  EXPECT_EQ(admitted->info.resource, "pods");
  EXPECT_EQ(admitted->target.parameter("limit"), "5");
  EXPECT_FALSE(admitted->check_object);

  http::Request pod{"GET", "/api/v1/namespaces/a/pods/p"};
  pod.peer.common_name = "system:node:n1";
  pod.peer.organizations = {"system:nodes"};
  ASSERT_TRUE(gate().admit(pod).has_value());
  EXPECT_TRUE(gate().admit(pod)->check_object);
}

TEST(Gate, M28_NobodyIsImpersonatedUnasked) {
  EXPECT_EQ(
      code_of(
          {"GET", "/api/v1/pods", {{"Authorization", "Bearer see"}, {"Impersonate-User", "bob"}}}),
      403);
}

// As in Kubernetes: it is the admin who asks, so what nobody may do is 403 and not 401.
TEST(Gate, M28_AnAdminMayAskInNobodysName) {
  const http::Headers nobody = {{"Authorization", "Bearer all"},
                                {"Impersonate-User", "system:anonymous"}};
  const auto admitted = gate().admit({"GET", "/healthz", nobody});
  ASSERT_TRUE(admitted.has_value());
  EXPECT_EQ(admitted->user, anonymous_user());
  const auto refused = gate().admit({"GET", "/api/v1/namespaces/a/pods", nobody});
  ASSERT_FALSE(refused.has_value());
  EXPECT_EQ(refused.error().code, 403);
  EXPECT_EQ(refused.error().message,
            "pods is forbidden: User \"system:anonymous\" cannot list resource \"pods\" in API "
            "group \"\" in the namespace \"a\"");
  EXPECT_EQ(code_of({"GET", "/healthz", {{"Impersonate-User", "system:anonymous"}}}), 401);
}

TEST(Gate, RefusesInThisOrder) {
  EXPECT_EQ(code_of({"GET", "/a/../b"}), 400);
  EXPECT_EQ(code_of({"GET", "/api/v1/pods"}), 401);
  EXPECT_EQ(code_of({"GET", "/healthz", {{"Authorization", "Bearer no"}}}), 401);
  EXPECT_EQ(code_of({"POST", "/api/v1/nodes", {{"Authorization", "Bearer see"}}}), 403);
  EXPECT_EQ(code_of({"GET", "/healthz"}), 200);
}

}  // namespace
}  // namespace windlass::apiserver
