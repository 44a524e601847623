#include "apiserver/auth/parsed_head.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace windlass::apiserver {

namespace {

using testing::ElementsAre;

const User kBoss = authenticated_user("admin", {"system:masters"});

std::string impersonation_error(const User& user, const http::Headers& headers) {
  const auto other = impersonate(user, headers);
  return other ? "" : std::to_string(other.error().code) + " " + other.error().message;
}

TEST(Impersonation, WithoutAHeaderEverybodyIsWhoTheyAre) {
  EXPECT_EQ(*impersonate(kBoss, {{"Impersonate", "x"}, {"Impersonate-User", ""}}), kBoss);
}

TEST(Impersonation, TheOtherOneCountsAlone) {
  const auto bob = impersonate(kBoss, {{"impersonate-user", "bob"},
                                       {"Impersonate-Group", "a"},
                                       {"Impersonate-Group", "b"},
                                       {"Impersonate-Uid", "7"},
                                       {"Impersonate-Extra-Reason", "why"}});
  ASSERT_TRUE(bob.has_value());
  EXPECT_EQ(bob->name, "bob");
  EXPECT_EQ(bob->uid, "7");
  EXPECT_THAT(bob->groups, ElementsAre("a", "b", "system:authenticated"));
  EXPECT_EQ(role_of(*bob), Role::none);
}

TEST(Impersonation, AnonymousAndServiceAccounts) {
  EXPECT_EQ(*impersonate(kBoss, {{"Impersonate-User", "system:anonymous"}}), anonymous_user());
  EXPECT_EQ(*impersonate(kBoss, {{"Impersonate-User", "system:anonymous"},
                                 {"Impersonate-Group", "system:unauthenticated"}}),
            anonymous_user());
  EXPECT_TRUE(impersonate(kBoss, {{"Impersonate-User", "x"},
                                  {"Impersonate-Group", "system:unauthenticated"}})
                  ->is_anonymous());
  const auto account = impersonate(kBoss, {{"Impersonate-User", "system:serviceaccount:ns:sa"}});
  ASSERT_TRUE(account.has_value());
  EXPECT_THAT(account->groups, ElementsAre("system:serviceaccounts", "system:serviceaccounts:ns",
                                           "system:authenticated"));
}

TEST(Impersonation, OnlyWhoMayDoEverythingMay) {
  const User viewer = authenticated_user("v", {"windlass:viewers"});
  EXPECT_EQ(impersonation_error(viewer, {{"Impersonate-User", "bob"}}),
            "403 users \"bob\" is forbidden: User \"v\" cannot impersonate resource \"users\" in "
            "API group \"\" at the cluster scope");
  EXPECT_EQ(impersonation_error(viewer, {{"Impersonate-User", "system:serviceaccount:ns:sa"}}),
            "403 serviceaccounts \"sa\" is forbidden: User \"v\" cannot impersonate resource "
            "\"serviceaccounts\" in API group \"\" in the namespace \"ns\"");
  for (const char* header : {"Impersonate-User", "Impersonate-Group", "Impersonate-Uid"}) {
    EXPECT_EQ(impersonation_error(anonymous_user(), {{header, "bob"}}), "401 Unauthorized");
  }
}

TEST(Impersonation, GroupsNeedAUser) {
  EXPECT_EQ(impersonation_error(kBoss, {{"Impersonate-Group", "g"}}),
            "500 requested [{Group  g    }] without impersonating a user");
  EXPECT_NE(impersonation_error(kBoss, {{"Impersonate-Uid", "u"}}), "");
  EXPECT_NE(impersonation_error(kBoss, {{"Impersonate-Extra-Reason", "r"}}), "");
}

}  // namespace

namespace {

std::shared_ptr<ParsedHead> read(const http::Request& request) {
  return parse_head(
      Authenticator({{digest_of_token("see"), authenticated_user("v", {"windlass:viewers"})},
                     {digest_of_token("all"), authenticated_user("a", {"system:masters"})}}),
      request, request.peer);
}

int code_of(const http::Request& request) {
  const auto head = read(request);
  if (!head->target) {
    return head->target.error().code;
  }
  return head->authorized ? 200 : head->authorized.error().code;
}

TEST(ParsedHead, HasTheTargetTheUserAndThePermission) {
  const http::Request request{"GET", "/api/v1/pods?limit=5", {{"Authorization", "Bearer see"}}};
  const auto head = read(request);
  ASSERT_TRUE(head->authorized.has_value());
  EXPECT_EQ(head->authorized->user.name, "v");
  EXPECT_EQ(head->info.resource, "pods");
  EXPECT_EQ(head->target->parameter("limit"), "5");
  EXPECT_FALSE(head->authorized->check_object);

  http::Request pod{"GET", "/api/v1/namespaces/a/pods/p"};
  pod.peer.common_name = "system:node:n1";
  pod.peer.organizations = {"system:nodes"};
  ASSERT_TRUE(read(pod)->authorized.has_value());
  EXPECT_TRUE(read(pod)->authorized->check_object);
}

TEST(ParsedHead, M28_ImpersonationNeedsPermission) {
  EXPECT_EQ(
      code_of(
          {"GET", "/api/v1/pods", {{"Authorization", "Bearer see"}, {"Impersonate-User", "bob"}}}),
      403);
}

// As in Kubernetes: the admin is authenticated, so a refusal is 403 and not 401.
TEST(ParsedHead, M28_AnAdminMayImpersonateTheAnonymousUser) {
  const http::Headers anonymous = {{"Authorization", "Bearer all"},
                                   {"Impersonate-User", "system:anonymous"}};
  const auto admitted = read({"GET", "/healthz", anonymous})->authorized;
  ASSERT_TRUE(admitted.has_value());
  EXPECT_EQ(admitted->user, anonymous_user());
  const auto refused = read({"GET", "/api/v1/namespaces/a/pods", anonymous})->authorized;
  ASSERT_FALSE(refused.has_value());
  EXPECT_EQ(refused.error().code, 403);
  EXPECT_EQ(refused.error().message,
            "pods is forbidden: User \"system:anonymous\" cannot list resource \"pods\" in API "
            "group \"\" in the namespace \"a\"");
  EXPECT_EQ(code_of({"GET", "/healthz", {{"Impersonate-User", "system:anonymous"}}}), 401);
}

TEST(ParsedHead, RefusesInThisOrder) {
  EXPECT_EQ(code_of({"GET", "/a/../b"}), 400);
  EXPECT_EQ(code_of({"GET", "/api/v1/pods"}), 401);
  EXPECT_EQ(code_of({"GET", "/healthz", {{"Authorization", "Bearer no"}}}), 401);
  EXPECT_EQ(code_of({"POST", "/api/v1/nodes", {{"Authorization", "Bearer see"}}}), 403);
  EXPECT_EQ(code_of({"GET", "/healthz"}), 200);
}

}  // namespace

}  // namespace windlass::apiserver
