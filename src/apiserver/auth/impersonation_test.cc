#include "apiserver/auth/impersonation.h"

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
}  // namespace windlass::apiserver
