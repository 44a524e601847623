#include "apiserver/auth/authenticator.h"

#include <gtest/gtest.h>

namespace windlass::apiserver {
namespace {

constexpr const char* kToken = "secret-of-the-admin";

Authenticator authenticator() {
  return Authenticator({
      {digest_of_token(kToken), authenticated_user("admin", {"system:masters"})},
      {digest_of_token("see"), authenticated_user("viewer", {"windlass:viewers"})},
  });
}

http::Request request(http::Headers headers = {}, http::Peer peer = {}) {
  return {"GET", "/api", std::move(headers), "", std::move(peer)};
}

Result<User> authenticate(const http::Request& request) {
  return authenticator().authenticate(request.headers, request.peer);
}

TEST(Authenticator, ATokenNamesItsUser) {
  const auto admin = authenticate(request({{"authorization", std::string("bearer ") + kToken}}));
  ASSERT_TRUE(admin.has_value());
  EXPECT_EQ(admin->name, "admin");
  EXPECT_EQ(admin->groups, (std::vector<std::string>{"system:masters", "system:authenticated"}));
  EXPECT_EQ(authenticate(request({{"Authorization", "Bearer see"}}))->name, "viewer");
}

TEST(Authenticator, M28_WhatIsNotGoodIs401WithoutDetails) {
  const std::string long_token(kMaxTokenBytes + 1, 'a');
  for (const std::string& value :
       {std::string("Bearer wrong"), std::string("Bearer "), std::string("Bearer"), std::string(""),
        std::string("Basic YWRtaW46YWRtaW4="), std::string(kToken), "Bearer " + long_token,
        std::string("Bearer see ")}) {
    const auto user = authenticate(request({{"Authorization", value}}));
    ASSERT_FALSE(user.has_value()) << value;
    EXPECT_EQ(user.error(), unauthorized());
    EXPECT_EQ(user.error().message, "Unauthorized");
  }
}

TEST(Authenticator, TwoAuthorizationsAreNone) {
  const auto user =
      authenticate(request({{"Authorization", "Bearer see"}, {"authorization", "Bearer see"}}));
  EXPECT_FALSE(user.has_value());
}

TEST(Authenticator, ACertificateNamesUserAndGroups) {
  const auto user = authenticate(request({}, {"127.0.0.1:1", "system:node:n1", {"system:nodes"}}));
  ASSERT_TRUE(user.has_value());
  EXPECT_EQ(user->name, "system:node:n1");
  EXPECT_EQ(role_of(*user), Role::node);
  EXPECT_EQ(node_of(*user), "n1");
}

TEST(Authenticator, ATokenDecidesBeforeACertificateDoes) {
  const http::Peer admin = {"127.0.0.1:1", "admin", {"system:masters"}};
  EXPECT_EQ(authenticate(request({{"Authorization", "Bearer see"}}, admin))->name, "viewer");
  EXPECT_FALSE(authenticate(request({{"Authorization", "Bearer no"}}, admin)).has_value());
}

TEST(Authenticator, WithoutEitherTheUserIsAnonymous) {
  const auto user = authenticate(request());
  ASSERT_TRUE(user.has_value());
  EXPECT_TRUE(user->is_anonymous());
  EXPECT_EQ(user->name, "system:anonymous");
  EXPECT_EQ(role_of(*user), Role::none);
}

// A certificate cannot make itself a node, or anonymous, by its name alone.
TEST(Roles, FollowFromGroups) {
  EXPECT_EQ(role_of(authenticated_user("system:node:n1", {})), Role::none);
  EXPECT_EQ(role_of(authenticated_user("n1", {"system:nodes"})), Role::none);
  EXPECT_EQ(role_of(authenticated_user("system:node:", {"system:nodes"})), Role::none);
  EXPECT_EQ(role_of(authenticated_user("admin", {})), Role::none);
  EXPECT_EQ(role_of(authenticated_user("x", {"system:masters", "windlass:viewers"})), Role::admin);
  EXPECT_EQ(role_of({"x", {"system:masters"}}), Role::none);  // not authenticated
}

}  // namespace
}  // namespace windlass::apiserver
